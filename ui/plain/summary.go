package plain

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/check/cause"
	"wiretea/session/text"
)

// WriteSummary writes what a session came to: how much crossed, how each method
// fared, what is wrong according to its diagnosis, and the findings. brief leaves the
// methods out.
func WriteSummary(w io.Writer, s *session.Snapshot, d *cause.Diagnosis, colour, brief bool) {
	t, refused := s.Totals(), s.Refusals()
	fmt.Fprintf(w, "\n%s: %s to the server, %s from it, %s of stderr · %s",
		text.Plural(t.Frames[session.C2S]+t.Frames[session.S2C]+t.Frames[session.Stderr], "frame"),
		text.Size(t.Bytes[session.C2S]), text.Size(t.Bytes[session.S2C]), text.Size(t.Bytes[session.Stderr]),
		text.Plural(t.Exchanges, "request"))
	for _, part := range []struct {
		n    int64
		word string
	}{{t.Errors, "answered by an error"}, {refused, "answered by an HTTP status"}, {t.Pending + t.Cancelled + t.Lost - refused, "unanswered"}} {
		if part.n > 0 {
			fmt.Fprintf(w, ", %s %s", text.Count(part.n), part.word)
		}
	}
	fmt.Fprintln(w)
	if missing := t.Missing(); missing != "" {
		fmt.Fprintln(w, paint(colour, red, "✖ "+missing))
	}
	if !brief {
		writeMethods(w, s.Methods(), colour)
	}
	found := d.Shown(s.Findings())
	if !d.Empty() {
		fmt.Fprintf(w, "\n%s\n", paint(colour, severityColour(d.Severity), severitySign(d.Severity)+" "+text.Visible([]byte(d.String()), 0)))
	} else if len(found) == 0 {
		// Where no server was started, that nothing was found says nothing.
		if c := s.LastConn(); c == nil || c.Started || t.Frames[session.C2S]+t.Frames[session.S2C] > 0 {
			fmt.Fprintln(w, paint(colour, green, "✔ no findings"))
		}
	}
	if len(found) > 0 {
		fmt.Fprintln(w)
		WriteFindings(w, found, colour)
	}
}

// writeMethods is a table of the requests by method.
func writeMethods(w io.Writer, methods []session.MethodStats, colour bool) {
	const numbers = " %7s %7s %7s %9s %9s %9s"
	width := 6
	methods = slices.DeleteFunc(slices.Clone(methods), func(m session.MethodStats) bool { return m.P50 == 0 && m.Pending == 0 && m.Errors == 0 })
	for _, m := range methods {
		width = max(width, cells.Width(text.Visible([]byte(m.Name), 40)))
	}
	if len(methods) == 0 {
		return
	}
	fmt.Fprintln(w, paint(colour, faint, "  "+padRight("method", width)+fmt.Sprintf(numbers, "count", "errors", "pending", "p50", "p95", "max")))
	for _, m := range methods {
		line := "  " + padRight(text.Visible([]byte(m.Name), 40), width) + fmt.Sprintf(numbers, text.Count(m.Count), blankZero(m.Errors), blankZero(m.Pending),
			blankZeroTime(m.P50), blankZeroTime(m.P95), blankZeroTime(m.Max))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// blankZeroTime leaves out what no answer has shown.
func blankZeroTime(ns int64) string {
	if ns == 0 {
		return ""
	}
	return text.Duration(ns)
}

func blankZero(n int64) string {
	if n == 0 {
		return ""
	}
	return text.Count(n)
}

// take notes the findings that are new, to be printed below their rows.
func (p *Printer) take(s *session.Snapshot) {
	all := s.Findings()
	if p.JSON || p.Filter != nil {
		p.found = len(all)
		return
	}
	for ; p.found < len(all); p.found++ {
		f := all[p.found]
		if p.waiting == nil {
			p.waiting = map[uint32][]session.Finding{}
		}
		p.waiting[f.Row] = append(p.waiting[f.Row], f)
	}
}

// findings prints what was noted for a row.
func (p *Printer) findings(row uint32) {
	for _, f := range p.waiting[row] {
		p.write(strings.Repeat(" ", 6+timeWidth+1) + "└ " + headline(p.Colour, f))
	}
	delete(p.waiting, row)
}

// late prints what was found at rows that were printed before, or at none.
func (p *Printer) late() {
	for row := range p.waiting {
		if row == session.NoRow || row < p.next && !slices.Contains(p.growing, row) {
			p.findings(row)
		}
	}
}

// headline is a finding on one line: sign, rule, place, what is wrong.
func headline(colour bool, f session.Finding) string {
	words := paint(colour, severityColour(f.Severity), severitySign(f.Severity)+" "+f.Rule)
	if f.N > 0 {
		words += fmt.Sprintf(" #%d", f.N)
	}
	return words + "  " + text.Visible([]byte(f.Message), 0)
}

// WriteFindings lists findings with the worst first: what is wrong, how often,
// whose fault it is, what breaks, how to mend it and where it is written.
func WriteFindings(w io.Writer, findings []session.Finding, colour bool) {
	sorted := append([]session.Finding(nil), findings...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Severity > sorted[j].Severity })
	for _, f := range sorted {
		line := headline(colour, f)
		if f.Repeated() {
			line += fmt.Sprintf("  (%s times)", text.Count(int64(f.Count)))
		}
		fmt.Fprintln(w, line)
		field(w, colour, "fault", f.Fault.String())
		field(w, colour, "breaks", strings.Join(f.Breaks, ", "))
		field(w, colour, "hint", f.Hint)
		field(w, colour, "spec", f.Ref)
	}
}

func field(w io.Writer, colour bool, name, value string) {
	if value == "" || name == "fault" && value == session.Nobody.String() {
		return
	}
	fmt.Fprintf(w, "    %s %s\n", paint(colour, faint, fmt.Sprintf("%-6s", name)), value)
}
