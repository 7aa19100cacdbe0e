package compat_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/session/check/compat"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/mcp/shape"
)

var update = flag.Bool("update", false, "write the documentation's page anew")

// The documentation's page is the table.
func TestDocs(t *testing.T) {
	var page bytes.Buffer
	if err := writeMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "..", "docs", "compat.md")
	if *update {
		if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, page.Bytes()) {
		t.Error(`docs/compat.md is not the table; run "go test ./session/check/compat -run Docs -update"`)
	}
}

const markdownHead = `# How clients react to what a server writes

<!-- Generated from session/check/compat; "go test ./session/check/compat -run Docs -update" writes it anew. -->

"Works in client X" proves little: one client skips what makes another disconnect. The detail pane of the screen shows
for each frame of a server how the known clients react to it (the tab *clients*), and the findings name the clients that
they break. Both use this table.

The columns are the official SDKs; a program that is built on one behaves like it. The columns were measured
with a server that has only that fault, and the tests with real peers (` + "`.ci/real-peers`" + `) measure them again and fail if the
table is wrong.

- **accepts**: processes the frame.
- **skips**: silently skips the frame.
- **reports**: skips the frame, calls the program's error handler, and continues.
- **refuses**: the request fails; for initialize, the client does not connect.
- **hangs**: the request stays open until its timeout (`

// writeMarkdown writes the table as the documentation's page.
func writeMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, markdownHead)
	var waits []string
	for c := range compat.NumClients {
		if t := c.Timeout(); t > 0 {
			waits = append(waits, fmt.Sprintf("%v %v", c, t))
		}
	}
	fmt.Fprintf(out, "%s; the others have none of their own).\n- **disconnects**: the connection ends.\n", strings.Join(waits, ", "))
	notes := &notes{number: map[string]int{}}
	for _, part := range []struct {
		title string
		holds func(compat.Fault) bool
	}{
		{"Between messages", func(f compat.Fault) bool { return f.In() == "" }},
		{"In the response to a request", func(f compat.Fault) bool { return f.In() == mcp.ToolsList && f < compat.RevisionUnknown }},
		{"In the result of a method", func(f compat.Fault) bool { return f >= compat.RevisionUnknown && f < compat.ProbeExit }},
		{mcp.ServerDiscover, func(f compat.Fault) bool { return f >= compat.ProbeExit }},
	} {
		fmt.Fprintf(out, "\n## %s\n\n", part.title)
		writeHead(out)
		for f := range compat.NumFaults {
			if part.holds(f) {
				writeRow(out, f, notes)
			}
		}
	}
	fmt.Fprintln(out)
	for i, note := range notes.list {
		fmt.Fprintf(out, "%d. %s\n", i+1, note)
	}
	writeMembers(out)
	return out.Flush()
}

const membersHead = `
## Members

Some clients refuse a message because of one member. Each member of a server's results, notifications and requests was made
null, left out, or replaced by another value, one at a time, and given to the clients of five SDKs. The results of
tasks/… and subscriptions/listen, and rmcp, were not measured; nothing is said of them.
` + "`session/check/compat/members.txt`" + ` has what they refuse. Examples:

| member | it is | clients that refuse the message, 2025-11-25 | 2026-07-28 (without version 1 of the SDKs) |
|---|---|---|---|
`

func writeMembers(out io.Writer) {
	fmt.Fprint(out, membersHead)
	for _, row := range []struct {
		method, place, is string
		fault             shape.Fault
	}{
		{mcp.ToolsList, "Tool.description", "null", shape.Fault{Class: shape.Null, Got: jsonrpc.Null}},
		{mcp.ToolsList, "Tool.description", "an array", shape.Fault{Class: shape.WrongType, Got: jsonrpc.Array}},
		{mcp.ToolsList, "Tool.inputSchema", "missing", shape.Fault{Class: shape.Missing, Required: true}},
		{mcp.ToolsCall, "CallToolResult.content", "missing", shape.Fault{Class: shape.Missing, Required: true}},
		{mcp.ToolsCall, "CallToolResult.isError", "null", shape.Fault{Class: shape.Null, Got: jsonrpc.Null}},
		{mcp.ToolsCall, "ImageContent.data", "not base64", shape.Fault{Class: shape.BadFormat, Required: true}},
		{mcp.ResourcesList, "Resource.uri", "without a scheme", shape.Fault{Class: shape.BadFormat, Required: true}},
		{mcp.ResourcesList, "Resource.size", "a fraction", shape.Fault{Class: shape.NotInteger}},
	} {
		row.fault.Place = row.place
		fmt.Fprintf(out, "| %s `%s` | %s |", row.method, row.place, row.is)
		for _, era := range []mcp.Era{mcp.Legacy, mcp.Modern} {
			clients := "none"
			if names := compat.Refuse(era, row.method, &row.fault); len(names) > 0 {
				clients = strings.Join(names, ", ")
			}
			fmt.Fprintf(out, " %s |", clients)
		}
		fmt.Fprintln(out)
	}
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
	names, line := "| the server's output", "|---"
	for c := range compat.NumClients {
		names += fmt.Sprintf(" | %v<br>%s", c, c.Version())
		line += "|---"
	}
	fmt.Fprintf(out, "%s |\n%s|\n", names, line)
}

func writeRow(out io.Writer, f compat.Fault, n *notes) {
	fmt.Fprintf(out, "| %s", f.Title())
	for c := range compat.NumClients {
		v := c.Of(f)
		word, _, _ := strings.Cut(v.Outcome.String(), " ")
		switch {
		case v.Outcome == compat.Unknown:
			word = "–"
		case v.Outcome.Breaks():
			word = "**" + word + "**"
		}
		fmt.Fprintf(out, " | %s%s", word, n.of(v.Note))
	}
	fmt.Fprintln(out, " |")
}
