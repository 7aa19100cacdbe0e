package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/text"
)

const (
	mostIssueFindings = 12   // mostIssueFindings is how many findings an issue lists.
	aroundFault       = 8    // aroundFault is how many frames before and behind the fault it shows.
	mostIssueBody     = 1500 // mostIssueBody is how much of a body it shows, in characters.
	mostIssueStderr   = 15   // mostIssueStderr is how many of the last lines of stderr it shows.
)

// diagnose is the root cause of what is wrong: the one place where exports ask for
// it.
func (r *Recording) diagnose() cause.Diagnosis {
	d := analysis.Diagnose(r.Snap, r.Log, nil)
	whole := r.Snap.Findings()
	if d.Finding < 0 || d.Finding >= len(whole) {
		return d
	}
	f := whole[d.Finding]
	for _, told := range r.findings() {
		if told.Rule == f.Rule && told.Conn == f.Conn && told.N == f.N {
			return d
		}
	}
	// It rests on findings that are left out: the worst of the others is the headline.
	d = cause.Diagnosis{Finding: -1}
	worst := session.NoSeverity
	for _, f := range r.findings() {
		if f.Severity > max(worst, session.Info) {
			worst, d.Sentence, d.Mend = f.Severity, f.Message, f.Hint
		}
	}
	return d
}

// Markdown writes an issue to paste: what is wrong, who spoke with whom, the frames
// around the fault, and how to see it again.
func Markdown(ctx context.Context, w io.Writer, r *Recording) error {
	out := bufio.NewWriter(w)
	fault := r.writeDiagnosis(out)
	r.writeFacts(out)
	r.writeFindings(out)
	r.writeNotes(out)
	if err := r.writeAround(ctx, out, fault); err != nil {
		return err
	}
	if err := r.writeStderr(out); err != nil {
		return err
	}
	r.writeAgain(out)
	return out.Flush()
}

// writeDiagnosis writes the headline and returns the row to look at.
func (r *Recording) writeDiagnosis(w io.Writer) uint32 {
	d := r.diagnose()
	fault := session.NoRow
	if d.Empty() {
		fmt.Fprintf(w, "## %s: nothing is wrong\n\n", inline(r.server()))
	} else {
		fmt.Fprintf(w, "## %s\n\n", inline(d.Sentence))
		for _, line := range sentences(d.Reason, d.Mend) {
			fmt.Fprintf(w, "%s\n\n", inline(line))
		}
	}
	if whole := r.Snap.Findings(); d.Finding >= 0 && d.Finding < len(whole) {
		fault = whole[d.Finding].Row
	}
	if fault == session.NoRow {
		worst := session.NoSeverity
		for _, f := range r.findings() {
			if f.Severity > worst && f.Row != session.NoRow {
				worst, fault = f.Severity, f.Row
			}
		}
	}
	return fault
}

// server is what the server is called.
func (r *Recording) server() string {
	if h := r.Snap.Header(); h != nil {
		return recorder.ShortName(h)
	}
	return r.Name
}

func (r *Recording) writeFacts(w io.Writer) {
	h, t, p := r.Snap.Header(), r.Snap.Totals(), r.peers()
	fmt.Fprint(w, "| | |\n| --- | --- |\n")
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "| %s | %s |\n", name, value)
		}
	}
	row("server", inline(p.Server.String()))
	row("client", inline(p.Client.String()))
	if h != nil {
		row("command", code(text.CommandLine(h.Server())))
		row("recorded", h.T0.UTC().Format("2006-01-02 15:04:05")+" UTC by "+inline(h.Tool)+", "+inline(h.Mode)+" over "+inline(h.Trans))
	}
	row("protocol", inline(r.protocol()))
	row("session", fmt.Sprintf("%s, %s, %d answered by an error, %s", text.Duration(r.Snap.Clock()), text.Plural(t.Exchanges, "request"), t.Errors, text.Plural(t.Pending+t.Lost-r.Snap.Refusals(), "request")+" without an answer"))
	row("server process", inline(r.process()))
	row("missing", r.missing())
	fmt.Fprintln(w)
}

// lastConn is the last connection; the zero Conn where there is none.
func (r *Recording) lastConn() (c session.Conn) {
	if conns := r.Snap.Conns(); len(conns) > 0 {
		c = conns[len(conns)-1]
	}
	return c
}

// protocol is the era and the revision that were spoken last.
func (r *Recording) protocol() string {
	c := r.lastConn()
	return strings.TrimSpace(c.Era.String() + " " + c.VersionText)
}

// process is how the last server process ended.
func (r *Recording) process() string {
	switch c := r.lastConn(); {
	case c.Exited && c.ExitSig != "":
		return "ended by " + c.ExitSig
	case c.Exited:
		return fmt.Sprintf("exited with code %d", c.ExitCode)
	case c.Started:
		return "running at the end of the recording"
	}
	return ""
}

func (r *Recording) writeFindings(w io.Writer) {
	all := r.worstFirst()
	if len(all) == 0 {
		return
	}
	fmt.Fprint(w, "### Findings\n\n")
	for i, f := range all {
		if i == mostIssueFindings {
			fmt.Fprintf(w, "- … and %d more\n", len(all)-i)
			break
		}
		fmt.Fprintf(w, "- %s %s", f.Severity, code(f.Rule))
		if f.N > 0 {
			fmt.Fprintf(w, " at frame %d", f.N)
		}
		if f.Repeated() {
			fmt.Fprintf(w, " (%d times)", f.Count)
		}
		fmt.Fprintf(w, ", fault of %s: %s\n", f.Fault, inline(f.Message))
		if f.Hint != "" {
			fmt.Fprintf(w, "  - to mend it: %s\n", inline(f.Hint))
		}
		if f.Ref != "" {
			fmt.Fprintf(w, "  - %s\n", f.Ref)
		}
	}
	fmt.Fprintln(w)
}

func (r *Recording) writeNotes(w io.Writer) {
	if len(r.Notes) == 0 {
		return
	}
	fmt.Fprint(w, "### Notes\n\n")
	for _, n := range r.Notes {
		fmt.Fprintf(w, "- frame %d: %s\n", n.N, inline(noteText(n.Note)))
	}
	fmt.Fprintln(w)
}

// writeAround writes the frames around the fault; the last ones where there is none.
func (r *Recording) writeAround(ctx context.Context, w io.Writer, fault uint32) error {
	var list []uint32
	at := -1
	if err := r.rows(ctx, func(i uint32, row session.Row) error {
		if row.Kind == session.RowStderr {
			return nil
		}
		if i == fault {
			at = len(list)
		}
		list = append(list, i)
		return nil
	}); err != nil {
		return err
	}
	if len(list) == 0 {
		return nil
	}
	from, to := max(0, len(list)-2*aroundFault), len(list)
	title := "The last frames"
	if at >= 0 {
		from, to, title = max(0, at-aroundFault), min(len(list), at+aroundFault+1), "The frames around it"
	}
	fmt.Fprintf(w, "### %s\n\n", title)
	var b strings.Builder
	for _, i := range list[from:to] {
		line, err := r.textLine(i, r.Snap.Row(i))
		if err != nil {
			return err
		}
		mark := "  "
		if i == fault {
			mark = "▶ "
		}
		fmt.Fprintf(&b, "%s%6d %9.3f  %s\n", mark, r.Snap.Row(i).N, float64(r.Snap.Row(i).T)/1e9, line)
	}
	fence(w, "", b.String())
	if at < 0 || !isFrame(r.Snap.Row(fault).Kind) {
		return nil
	}
	return r.writeFault(w, fault)
}

// writeFault writes the frame at fault, and its request.
func (r *Recording) writeFault(w io.Writer, fault uint32) error {
	row := r.Snap.Row(fault)
	rows := []uint32{fault}
	if p := row.Pair; p != session.NoRow && r.Snap.Row(p).Pair == fault {
		rows = []uint32{min(fault, p), max(fault, p)}
	}
	for _, i := range rows {
		row := r.Snap.Row(i)
		body, err := r.body(i, 256<<10)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "Frame %d, %s, %s:\n\n", row.N, row.Stream, text.Size(int64(row.Len)))
		kind, shown := pretty(body)
		fence(w, kind, cut(shown, mostIssueBody))
	}
	return nil
}

// pretty is a body for reading, and its language.
func pretty(body []byte) (language, shown string) {
	var indented bytes.Buffer
	if json.Valid(body) && json.Indent(&indented, body, "", "  ") == nil {
		return "json", textOf(indented.Bytes())
	}
	var b strings.Builder
	for line := range strings.Lines(string(body)) {
		b.WriteString(text.Visible([]byte(strings.TrimRight(line, "\r\n")), 0) + "\n")
	}
	return "", strings.TrimSuffix(b.String(), "\n")
}

func cut(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + fmt.Sprintf("\n… %d more characters", len(runes)-most)
}

func (r *Recording) writeStderr(w io.Writer) error {
	var lines []string
	for i := r.Snap.Len() - 1; i >= 0 && len(lines) < mostIssueStderr; i-- {
		row := r.Snap.Row(uint32(i))
		if row.Kind != session.RowStderr {
			continue
		}
		body, err := recorder.ReadFrame(r.Log, row, 0, 1<<10)
		if err != nil {
			return fmt.Errorf("exporting: %w", err)
		}
		lines = append(lines, fmt.Sprintf("%9.3f  %s", float64(row.T)/1e9, text.Visible(body, 300)))
	}
	if len(lines) == 0 {
		return nil
	}
	slices.Reverse(lines)
	fmt.Fprint(w, "### The end of stderr\n\n")
	fence(w, "", strings.Join(lines, "\n"))
	return nil
}

func (r *Recording) writeAgain(w io.Writer) {
	fmt.Fprint(w, "### See it again\n\n")
	file, command := text.ShellFile(r.Name+recorder.Suffix), ""
	if h := r.Snap.Header(); h != nil {
		command = text.CommandLine(h.Server())
	}
	fence(w, "sh", "wiretea open "+file+"          # look at the recording\nwiretea check "+file+"         # the findings\nwiretea replay "+file+" -- "+command+"\nwiretea mock "+file+"          # the server, for any client")
	if r.WithSecrets {
		fmt.Fprint(w, "This text was made with secrets kept. ")
	} else {
		fmt.Fprintf(w, "Attach the recording without its secrets: %s. ", code("wiretea redact "+file+" share"+recorder.Suffix))
	}
	fmt.Fprintf(w, "Made by %s.\n", inline(r.Tool))
}

// fence writes a code block that its text cannot end.
func fence(w io.Writer, language, text string) {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	fmt.Fprintf(w, "%s%s\n%s\n%s\n\n", ticks, language, strings.TrimRight(text, "\n"), ticks)
}

// code is a text in backticks, which it cannot end.
func code(words string) string {
	words = strings.ReplaceAll(text.Visible([]byte(words), 400), "|", `\|`)
	ticks := "`"
	for strings.Contains(words, ticks) {
		ticks += "`"
	}
	if words == "" {
		return ""
	}
	if strings.HasPrefix(words, "`") || strings.HasSuffix(words, "`") {
		words = " " + words + " "
	}
	return ticks + words + ticks
}

// inline is a peer's text among Markdown: it is nothing but text there.
func inline(words string) string {
	var b strings.Builder
	for _, r := range text.Visible([]byte(words), 600) {
		switch r {
		case '\\', '`', '*', '_', '{', '}', '[', ']', '(', ')', '#', '!', '|', '~', '>', '@':
			b.WriteByte('\\')
		case '<':
			b.WriteString("&lt;")
			continue
		case '&':
			b.WriteString("&amp;")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
