package call

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sort"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check/diagnosis"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// An account is what call says of a session besides the result: why there is none,
// what is wrong according to the diagnosis, and the other findings.
type account struct {
	req    *callRequest
	s      *session.Snapshot
	log    recorder.Log
	quiet  bool // quiet leaves out the findings.
	colour bool

	recording bool // recording: the recording tells more than what write said.
}

// write says it and returns the exit code. why is nil if there is a result.
func (a *account) write(ctx context.Context, w io.Writer, why error) (code int) {
	d := analysis.Diagnose(a.s, a.log, nil)
	t := trouble{bare: true}
	if why != nil {
		t = troubleOf(ctx, a.req, a.s, why)
		code = t.code
		t.write(w, a.s, a.log, &d)
	}
	found := d.Shown(a.s.Findings())
	if slices.ContainsFunc(found, func(f session.Finding) bool { return f.Severity == session.Error }) {
		code = max(code, term.ExitFound)
	}
	a.recording = !t.bare
	if !a.quiet {
		a.recording = a.found(w, &d, &t) || a.recording
	}
	return code
}

// found writes the diagnosis, unless t said it, and the findings with the worst first,
// one a line. It reports whether there are any. What is only worth knowing is left to
// check; so is what was told already, by its rule, and what an earlier connection has
// in common with the last.
func (a *account) found(w io.Writer, d *diagnosis.Diagnosis, t *trouble) bool {
	var found []session.Finding
	all, last := a.s.Findings(), len(a.s.Conns())
	for i, f := range all {
		again := f.Conn < last && slices.ContainsFunc(all, func(g session.Finding) bool { return g.Conn == last && g.Rule == f.Rule })
		if f.Severity >= session.Warning && i != d.Finding && !again && !slices.Contains(t.told, f.Rule) && !slices.Contains(d.Refuted, i) {
			found = append(found, f)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Severity > found[j].Severity })
	if said := t.account || d.Empty(); !said {
		f := session.Finding{Rule: d.Cause}
		if d.Finding >= 0 {
			f = all[d.Finding]
		}
		f.Message, f.Hint, f.Severity, f.Count = d.Sentence, d.Mend, d.Severity, 1 // The sentence says how often.
		found = slices.Insert(found, 0, f)
	}
	for i := range found {
		fmt.Fprintln(w, findingLine(&found[i], a.colour))
	}
	return len(found) > 0
}

// findingLine is a finding on one line: what is wrong, and how to mend it.
func findingLine(f *session.Finding, colour bool) string {
	sign, paint := "⚠", "33"
	if f.Severity == session.Error {
		sign, paint = "✖", "31"
	}
	head := sign + " " + f.Rule
	if f.N > 0 {
		head += fmt.Sprintf(" #%d", f.N)
	}
	if colour {
		head = "\x1b[" + paint + "m" + head + "\x1b[m"
	}
	line := head + "  " + term.Visible(f.Message)
	if f.Count > 1 {
		line += fmt.Sprintf(" (%s times)", format.Count(int64(f.Count)))
	}
	if f.Hint != "" {
		line += "; to mend it: " + term.Visible(f.Hint)
	}
	return line
}
