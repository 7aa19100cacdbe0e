package call

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"wiretea/ui/cells"
	"wiretea/ui/cli/term"
	"wiretea/ui/composer/arguments"
)

// printList prints a list: as a table to people, else as JSON.
func (c *caller) printList(items []json.RawMessage, whole json.RawMessage) error {
	if !term.IsTerminal(c.out) || c.o.json || c.o.raw || c.o.text {
		return c.printJSON(whole)
	}
	width, _ := term.TerminalSize(c.out)
	out, colour := term.Painted(c.out)
	return writeTable(out, c.req.key, items, width, colour)
}

// A listed is one item of any of the lists.
type listed struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	URI         string          `json:"uri"`
	URITemplate string          `json:"uriTemplate"`
	MimeType    string          `json:"mimeType"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Arguments   []struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	} `json:"arguments"`
}

// writeTable writes a list for people: what one calls it by, what it takes, and
// what it says of itself.
func writeTable(w io.Writer, key string, items []json.RawMessage, width int, colour bool) error {
	var b strings.Builder
	if len(items) == 0 {
		fmt.Fprintf(&b, "no %s\n", strings.Replace(key, "resourceT", "resource t", 1))
	}
	for _, item := range items {
		var it listed
		_ = json.Unmarshal(item, &it) // what cannot be read is left out of its line
		name, takes := it.head(key)
		name, takes = term.Visible(name), term.Visible(takes)
		line := name
		if colour {
			line = "\x1b[1m" + name + "\x1b[m"
		}
		if room := width - cells.Width(name) - 2; takes != "" && room > 4 {
			line += "  " + term.CutText(takes, room)
		}
		b.WriteString(line + "\n")
		says, _, _ := strings.Cut(strings.TrimSpace(it.about(key)), "\n")
		if says := term.Visible(strings.TrimSpace(says)); says != "" {
			says = term.CutText(says, max(width-4, 1))
			if colour {
				says = "\x1b[2m" + says + "\x1b[m"
			}
			b.WriteString("    " + says + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// head is what an item is called by, and what it takes.
func (it *listed) head(key string) (name, takes string) {
	switch key {
	case "resources":
		return it.URI, it.MimeType
	case "resourceTemplates":
		return it.URITemplate, it.MimeType
	case "prompts":
		var words []string
		for _, a := range it.Arguments {
			words = append(words, optional(a.Name, "", a.Required))
		}
		return it.Name, strings.Join(words, " ")
	}
	s := arguments.Read(it.InputSchema)
	required := s.Required()
	var words []string
	for _, must := range []bool{true, false} {
		for _, name := range s.Properties() {
			if slices.Contains(required, name) == must {
				part, _ := s.Property(name)
				words = append(words, optional(name, part.Words(), must))
			}
		}
	}
	return it.Name, strings.Join(words, " ")
}

// optional writes an argument as it would be typed: name=type, in brackets where
// it may be left out.
func optional(name, words string, required bool) string {
	if words != "" {
		words = "<" + strings.ReplaceAll(words, "one of ", "") + ">"
	}
	if required {
		return name + "=" + words
	}
	return "[" + name + "=" + words + "]"
}

// about is what an item says of itself.
func (it *listed) about(key string) string {
	switch {
	case it.Description != "":
		return it.Description
	case it.Title != "":
		return it.Title
	case key == "resources" || key == "resourceTemplates":
		return it.Name
	}
	return ""
}
