package plain

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"wiretea/session"
	"wiretea/ui/format"
)

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
	text := paint(colour, severityColour(f.Severity), severitySign(f.Severity)+" "+f.Rule)
	if f.N > 0 {
		text += fmt.Sprintf(" #%d", f.N)
	}
	return text + "  " + format.Visible([]byte(f.Message), 0)
}

// WriteFindings lists findings with the worst first: what is wrong, how often,
// whose fault it is, what breaks, how to mend it and where it is written.
func WriteFindings(w io.Writer, findings []session.Finding, colour bool) {
	sorted := append([]session.Finding(nil), findings...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Severity > sorted[j].Severity })
	for _, f := range sorted {
		line := headline(colour, f)
		if f.Count > 1 {
			line += fmt.Sprintf("  (%s times)", format.Count(int64(f.Count)))
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
