package compat

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"wiretea/session/mcp"
)

const markdownHead = `# What clients do with what a server writes

<!-- Generated from session/check/compat; "go test ./session/check/compat -run Docs -update" writes it anew. -->

"Works in client X" proves little: what one client passes over ends the connection in another. The detail pane of the
screen says for each frame of a server what the known clients do with it (the tab *clients*), and the findings say which
clients they break. Both come from this table.

The columns are the official SDKs; a program that is built on one does as it does. The versions that are called measured
were measured with a server that has the one fault, and the tests with real peers (` + "`.ci/real-peers`" + `) measure them again and
fail where the table is wrong. A column that is called read is from the SDK's source, and weaker for that; – means that
nothing is known.

- **accepts**: takes the frame for what it says.
- **skips**: passes over the frame, and tells nobody.
- **reports**: passes over it, tells the program's error handler, and goes on.
- **refuses**: the request that is answered fails; of initialize: there is no connection.
- **hangs**: the request that is answered stays open until its timeout (`

// WriteMarkdown writes the table as the documentation's page.
func WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, markdownHead)
	var waits []string
	for c := range NumClients {
		if t := c.Timeout(); t > 0 {
			waits = append(waits, fmt.Sprintf("%v %v", c, t))
		}
	}
	fmt.Fprintf(out, "%s; the others have none of their own).\n- **disconnects**: the connection is over.\n", strings.Join(waits, ", "))
	notes := &notes{number: map[string]int{}}
	for _, part := range []struct {
		title string
		holds func(Fault) bool
	}{
		{"Between messages", func(f Fault) bool { return f.In() == "" }},
		{"In the answer to a request", func(f Fault) bool { return f.In() == mcp.ToolsList && f < RevisionUnknown }},
		{"In the result of a method", func(f Fault) bool { return f >= RevisionUnknown && f < ProbeExit }},
		{mcp.ServerDiscover, func(f Fault) bool { return f >= ProbeExit }},
	} {
		fmt.Fprintf(out, "\n## %s\n\n", part.title)
		writeHead(out)
		for f := range NumFaults {
			if part.holds(f) {
				writeRow(out, f, notes)
			}
		}
	}
	fmt.Fprintln(out)
	for i, note := range notes.list {
		fmt.Fprintf(out, "%d. %s\n", i+1, note)
	}
	return out.Flush()
}

// notes are the footnotes of the page.
type notes struct {
	list   []string
	number map[string]int
}

func (n *notes) of(text string) string {
	if text == "" {
		return ""
	}
	if n.number[text] == 0 {
		n.list = append(n.list, text)
		n.number[text] = len(n.list)
	}
	return fmt.Sprintf(" (%d)", n.number[text])
}

func writeHead(out io.Writer) {
	names, line := "| what the server writes", "|---"
	for c := range NumClients {
		how := "read"
		if c.Measured() {
			how = "measured"
		}
		names += fmt.Sprintf(" | %v<br>%s, %s", c, c.Version(), how)
		line += "|---"
	}
	fmt.Fprintf(out, "%s |\n%s|\n", names, line)
}

func writeRow(out io.Writer, f Fault, n *notes) {
	fmt.Fprintf(out, "| %s", f.Title())
	for c := range NumClients {
		v := c.Of(f)
		word, _, _ := strings.Cut(v.Outcome.String(), " ")
		switch {
		case v.Outcome == Unknown:
			word = "–"
		case v.Outcome.Breaks():
			word = "**" + word + "**"
		}
		fmt.Fprintf(out, " | %s%s", word, n.of(v.Note))
	}
	fmt.Fprintln(out, " |")
}
