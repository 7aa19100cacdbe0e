package call

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/client"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
	"wiretea/ui/composer/arguments"
)

// printResult prints a result as the flags want it.
func (c *caller) printResult(result json.RawMessage) error {
	if client.ToolFailed(result) {
		c.complain(term.ExitFound, c.req.title()+": the tool reports an error (isError)", "")
	}
	if c.o.text {
		return c.printTexts(result)
	}
	if c.req.kind == callMethod && c.morePages(result) {
		fmt.Fprintf(c.errw, "wiretea: this is the first page; wiretea call %s -- CMD lists all\n", listWord(c.req.method))
	}
	return c.printJSON(result)
}

// printJSON prints a value as it came, or indented.
func (c *caller) printJSON(value []byte) error {
	if c.o.pretty {
		var b bytes.Buffer
		if json.Indent(&b, value, "", "  ") == nil {
			value = b.Bytes()
		}
	}
	return c.printLine(value)
}

// printLine prints bytes of the server and a line feed.
func (c *caller) printLine(text []byte) error {
	_, err := c.out.Write(text)
	if err == nil { // Its end goes out by itself: a text may be as long as memory allows.
		_, err = io.WriteString(c.out, "\n")
	}
	return ofOutput(err)
}

// An outputError says that the result could not be printed: the request was answered.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// ofOutput is err, which a write to standard output returned, as an *outputError.
func ofOutput(err error) error {
	if err == nil {
		return nil
	}
	return &outputError{err}
}

// morePages reports whether a result names a next page.
func (c *caller) morePages(result json.RawMessage) bool {
	var page struct {
		Cursor *string `json:"nextCursor"`
	}
	return listWord(c.req.method) != "" && json.Unmarshal(result, &page) == nil && page.Cursor != nil && *page.Cursor != ""
}

// listWord is the short form that lists all pages of a method, empty where there
// is none.
func listWord(method string) string {
	for _, form := range shortForms {
		if form.kind == callList && form.method == method {
			return form.word
		}
	}
	return ""
}

// printTexts prints the texts of a result, each ended by a line feed, and says
// what is not text.
func (c *caller) printTexts(result json.RawMessage) error {
	texts, other := client.Texts(result)
	for _, text := range texts {
		if err := c.printLine([]byte(strings.TrimSuffix(text, "\n"))); err != nil {
			return err
		}
	}
	if len(other) > 0 {
		words := make([]string, len(other))
		for i, part := range other {
			words[i] = contentWords(part)
		}
		fmt.Fprintf(c.errw, "wiretea: not text, and left out: %s\n", term.Visible(strings.Join(words, ", ")))
	} else if len(texts) == 0 {
		fmt.Fprintln(c.errw, "wiretea: the result has no text; without --text it is printed whole")
	}
	return nil
}

// printRecorded prints the answer from the record: exactly as it came, however
// long.
func (c *caller) printRecorded(s *session.Snapshot) error {
	row := c.answerRow(s)
	if row == session.NoRow {
		return &term.Failure{Code: term.ExitFound, Err: errors.New("the answer is not in the record")}
	}
	if c.o.raw || s.Row(row).Len > longAnswer {
		return c.copyRecorded(s, row)
	}
	response, err := recorder.ReadValue(c.run.Log(), s, row, longAnswer)
	if err != nil {
		return err
	}
	result, failed := resultOf(response)
	if failed || result == nil {
		return c.printLine(response)
	}
	return c.printResult(result)
}

// longAnswer is from where on an answer is not read into memory, in bytes.
const longAnswer = 32 << 20

// copyRecorded copies the answer from the record as it came: whole if it is an error or
// asked for, else its result.
func (c *caller) copyRecorded(s *session.Snapshot, row uint32) error {
	copied := recorder.CopyBody
	if !c.o.raw {
		copied = recorder.CopyResult
		if r := s.Row(row); r.Failed() {
			c.complain(term.ExitFound, c.req.title()+": the answer reports an error", "")
		}
		if c.o.text {
			c.complain(0, "the answer is longer than 32 MiB: its result is printed as JSON, as it came", "")
		}
	}
	if err := copied(c.out, c.run.Log(), s, row); err != nil {
		return err
	}
	_, err := io.WriteString(c.out, "\n")
	return err
}

// answerRow finds the row of the answer to the request that was made, the latest
// leg's.
func (c *caller) answerRow(s *session.Snapshot) uint32 {
	for i := s.Len() - 1; i >= 0; i-- {
		row := s.Row(uint32(i))
		if row.Kind != session.RowRequest || row.Stream != session.C2S || row.Pair == session.NoRow {
			continue
		}
		if c.id != "" && s.ID(row) == c.id || c.id == "" && s.Name(row.Method) == c.req.method {
			return row.Pair
		}
	}
	return session.NoRow
}

// contentWords names a part that is not text: its type, MIME type and URI.
func contentWords(p client.Content) string {
	what := cmp.Or(p.Type, "blob")
	for _, more := range []string{p.MimeType, p.URI} {
		if more != "" {
			what += " " + more
		}
	}
	for _, data := range []*string{p.Data, p.Blob} {
		if data != nil {
			what += " of " + text.Size(int64(len(*data))/4*3)
		}
	}
	return what
}

// printList prints a list: as a table to people, else as JSON.
func (c *caller) printList(items []json.RawMessage, whole json.RawMessage) error {
	if !term.IsTerminal(c.out) || c.o.json || c.o.raw || c.o.text {
		return c.printJSON(whole)
	}
	width, _ := term.TerminalSize(c.out)
	out, colour := term.Painted(c.out)
	return ofOutput(writeTable(out, c.req.key, items, width, colour))
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
