package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder"
	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/text"
)

// A textWriter writes reports for people: the diagnosis first, then the findings
// with their frames, grouped by what they follow from.
type textWriter struct {
	w io.Writer
	Look
}

func writeText(w io.Writer, reports []*Report, look Look) error {
	t := &textWriter{w, look}
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := t.report(r); err != nil {
			return err
		}
	}
	return nil
}

func (t *textWriter) report(r *Report) error {
	v := r.verdict
	if v.Sentence != "" {
		sign, colour := "✖ ", "1;31"
		if v.Severity < session.Error {
			sign, colour = "⚠ ", "1;33"
		}
		line := sign + text.Line(v.Sentence)
		if v.Fix != "" {
			line += " → " + text.Line(v.Fix)
		}
		t.wrapped(line, "  ", colour)
		fmt.Fprintln(t.w)
	}
	era := "no protocol seen"
	if r.Era != "" {
		era = strings.TrimSpace(r.Era + " " + r.ProtocolVersion)
	}
	t.wrapped(text.Line(r.Source), "  ", "")
	requests := fmt.Sprintf("%s, %d unanswered, %d answered by an error", text.Plural(r.Exchanges.Total, "request"), r.Exchanges.Pending, r.Exchanges.Errors)
	if r.Exchanges.Refused > 0 {
		requests += fmt.Sprintf(", %d answered by an HTTP status", r.Exchanges.Refused)
	}
	t.wrapped(fmt.Sprintf("%s · %s · %s · %v", text.Line(era), text.Plural(r.Frames, "frame"), requests, text.Line(r.Process.String())), "  ", "")
	if r.Context != nil && r.Context.Tools > 0 {
		t.wrapped(v.Cost.Sentence()+"; the largest: "+text.Line(v.Session.Shown(v.Cost.Largest(3))), "  ", "")
	}
	if r.Context != nil {
		for _, words := range slices.Concat(r.Context.Refused, r.Context.Client) {
			t.wrapped("ℹ "+text.Line(words), "  ", "")
		}
	}
	if r.Missing != "" {
		fmt.Fprintf(t.w, "✖ %s\n", r.Missing)
	}
	t.way(r.steps)
	if len(v.Findings) > 0 {
		fmt.Fprintln(t.w)
		for i := range v.Findings {
			t.finding(v, &v.Findings[i])
		}
		fmt.Fprintln(t.w)
	}
	last := fmt.Sprintf("%s, %s, %d info", text.Plural(int64(r.Summary["error"]), "error"), text.Plural(int64(r.Summary["warning"]), "warning"), r.Summary["info"])
	if v.Known > 0 {
		last += fmt.Sprintf("; %d more in the baseline", v.Known)
	}
	_, err := fmt.Fprintln(t.w, last)
	return err
}

// way are the steps of the way to a server, a line each: the sign, the name, the time, and
// what was seen.
func (t *textWriter) way(steps []verdict.Step) {
	if len(steps) > 0 {
		fmt.Fprintln(t.w)
	}
	for _, s := range steps {
		took := ""
		if s.Took > 0 {
			took = text.Duration(int64(s.Took))
		}
		sign := [...]string{verdict.Skipped: t.paint("2", "–"), verdict.Passed: t.paint("32", "✔"), verdict.Failed: t.paint("31", "✖")}[s.State]
		took = strings.Repeat(" ", max(0, tookWidth-ansi.StringWidth(took))) + took
		t.wrapped(fmt.Sprintf("%s %-*s %s  %s", sign, nameWidth, s.Name, took, text.Line(s.Text)), strings.Repeat(" ", nameWidth+tookWidth+5), "")
	}
}

// Widths of the columns of steps: the longest name, and the longest time.
const (
	nameWidth = len("version missing")
	tookWidth = len("99.9 ms")
)

// finding is one finding: what is wrong, where it is, whose fault it is, what
// breaks and how to mend it. What follows from another is one line below that.
func (t *textWriter) finding(v *verdict.Verdict, f *verdict.Finding) {
	sign, colour := severitySign(f.Severity)
	head := sign + " " + f.Rule
	if f.N > 0 {
		head += fmt.Sprintf(" #%d", f.N)
	}
	line := t.paint(colour, head) + "  " + text.Line(f.Message)
	if f.Repeated() {
		line += fmt.Sprintf("  (%s times)", text.Count(int64(f.Count)))
	}
	if f.Follows {
		t.wrapped("    ↳ "+line, "      ", "")
		return
	}
	t.wrapped(line, "    ", "")
	if f.Fault != session.Nobody {
		t.field("fault", f.Fault.String())
	}
	long := ExcerptLong // where an excerpt is cut so that it stays on its line
	if t.Width > 0 {
		long = min(long, t.Width-len("    frame  → ")-1)
	}
	t.field("frame", excerptOf(v, &f.Finding, long))
	t.field("breaks", strings.Join(f.Breaks, ", "))
	t.field("hint", f.Hint)
	t.field("spec", f.Ref)
}

func (t *textWriter) field(name, value string) {
	if value == "" {
		return
	}
	t.wrapped("    "+t.paint("2", fmt.Sprintf("%-6s", name))+" "+text.Line(value), strings.Repeat(" ", len("    breaks ")), "")
}

// severitySign is the sign of a severity and its colour.
func severitySign(sev session.Severity) (sign, colour string) {
	switch sev {
	case session.Error:
		return "✖", "31"
	case session.Warning:
		return "⚠", "33"
	case session.Info, session.NoSeverity:
	}
	return "ℹ", "34"
}

// Bounds of an excerpt: how much of a frame is read, in bytes, and where it is
// cut, in characters.
const (
	excerptRead = 1 << 10
	ExcerptLong = 100
)

// excerptOf is the beginning of the frame that a finding is at, with its
// direction; empty where there is none, or the message quotes it.
func excerptOf(v *verdict.Verdict, f *session.Finding, long int) string {
	if v.Session.Log == nil || f.Row == session.NoRow {
		return ""
	}
	row := v.Session.Snapshot.Row(f.Row)
	arrow := ""
	switch {
	case row.Kind.Event():
		return ""
	case row.Stream == session.C2S:
		arrow = "→ "
	case row.Stream == session.S2C:
		arrow = "← "
	}
	body, err := recorder.ReadFrame(v.Session.Log, row, 0, excerptRead)
	if err != nil || len(body) == 0 {
		return ""
	}
	text := text.Visible([]byte(v.Session.Shown(string(body))), long)
	if strings.Contains(f.Message, strings.TrimSuffix(text, "…")) {
		return ""
	}
	return arrow + text
}

// wrapped writes a line, broken at spaces where it is wider than the screen; what
// follows is indented. colour is for all of it; empty = none.
func (t *textWriter) wrapped(line, indent, colour string) {
	for i, part := range breakLine(line, t.Width, indent) {
		if i > 0 {
			fmt.Fprint(t.w, indent)
		}
		if colour != "" {
			part = t.paint(colour, part)
		}
		fmt.Fprintln(t.w, part)
	}
}

func (l Look) paint(colour, text string) string {
	if !l.Colour || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[m"
}

// breakLine breaks a line at spaces so that no part is wider than width columns,
// the indentation of all but the first included. Words that are too wide, such as
// addresses, stay where they are: the terminal breaks them, and can join them.
func breakLine(line string, width int, indent string) (parts []string) {
	if width <= 0 {
		return []string{line}
	}
	var part strings.Builder
	used, begun := 0, false // begun: the part has a word.
	for i, word := range strings.Split(line, " ") {
		w := ansi.StringWidth(word)
		if begun && word != "" && used+1+w > width && len(indent)+w <= width {
			parts = append(parts, strings.TrimRight(part.String(), " "))
			part.Reset()
			used, begun = len(indent), false
		} else if i > 0 {
			part.WriteByte(' ')
			used++
		}
		part.WriteString(word)
		used += w
		begun = begun || word != ""
	}
	return append(parts, part.String())
}
