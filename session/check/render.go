package check

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// WriteText writes one rule in full, for a terminal of at least 80 columns.
func WriteText(w io.Writer, r *rule.Rule) error {
	out, text := bufio.NewWriter(w), r.Text()
	fmt.Fprintf(out, "%s: %s\n\n", r.ID, text.Title)
	for _, line := range wrap(text.Explain, 78) {
		fmt.Fprintln(out, line)
	}
	fmt.Fprintf(out, "\nseverity   %s\n", r.Severity)
	fmt.Fprintf(out, "at fault   %s\n", r.Fault)
	fmt.Fprintf(out, "revisions  %s\n", r.Revisions())
	for i, line := range wrap(text.Hint, 67) {
		fmt.Fprintf(out, "%-9s  %s\n", label("fix", i), line)
	}
	for i, line := range wrap(strings.Join(r.Clients(), ", "), 67) {
		fmt.Fprintf(out, "%-9s  %s\n", label("breaks", i), line)
	}
	for i, place := range text.Refs {
		fmt.Fprintf(out, "%-9s  %s\n", label("see", i), place.Address(mcp.NoVersion))
	}
	return out.Flush()
}

// WriteMarkdown writes the whole catalogue as the documentation's page.
func WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, markdownHead)
	for _, f := range families {
		fmt.Fprintf(out, "\n## %s\n\n| rule | severity | at fault | revisions | what is wrong |\n|---|---|---|---|---|\n", f.Title)
		for _, r := range f.Rules {
			fmt.Fprintf(out, "| [`%s`](#%s) | %s | %s | %s | %s |\n", r.ID, r.ID, r.Severity, r.Fault, r.Revisions(), cell(r.Text().Title))
		}
		for _, r := range f.Rules {
			text := r.Text()
			fmt.Fprintf(out, "\n### %s\n\n%s\n\n", r.ID, text.Explain)
			fmt.Fprintf(out, "- Fix: %s\n", text.Hint)
			if len(r.Clients()) > 0 {
				fmt.Fprintf(out, "- Breaks: %s\n", strings.Join(r.Clients(), ", "))
			}
			for _, place := range text.Refs {
				fmt.Fprintf(out, "- See <%s>\n", place.Address(mcp.NoVersion))
			}
		}
	}
	return out.Flush()
}

const markdownHead = `# Rules

<!-- Generated from session/check; "go test ./session/check -run Docs -update" writes it anew. -->

What ` + "`wiretea check`" + ` and the findings pane report. **Error** breaks a MUST of the specification or a mainstream peer, **warning** breaks
a SHOULD or a common client, **info** is legal but worth knowing. The severity is the usual one; a finding may be milder or more severe,
depending on the case. Rules apply to the protocol revision that was in effect. *Sender* is the side that wrote the frame.
`

// label returns the label on the first line of an entry and nothing after it.
func label(name string, line int) string {
	if line > 0 {
		return ""
	}
	return name
}

// cell escapes a text for a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// wrap breaks a text at spaces into lines of at most width bytes; a longer word
// gets its own line. An empty text has no lines.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
