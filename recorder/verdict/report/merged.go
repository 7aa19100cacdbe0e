package report

import (
	"fmt"
	"io"
	"slices"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/text"
)

// A Merged is what check says about several sessions on one clock.
type Merged struct {
	Tool     string          `json:"tool"`
	Sessions []MergedSession `json:"sessions"`
	Findings []MergedFinding `json:"findings"` // Findings are those of all sessions, in the order of the clock; never null.
	Summary  map[string]int  `json:"summary"`  // Summary counts the findings by severity: error, warning, info.
}

// A MergedSession is the report of a session without its findings.
type MergedSession struct {
	Session string `json:"session"` // Session is its letter.
	*Report
	Findings *struct{} `json:"findings,omitempty"` // Findings hides those of the Report.
}

// A MergedFinding is a finding of one of the sessions.
type MergedFinding struct {
	Session string `json:"session"`
	At      string `json:"at"` // At is the wall time in RFC 3339 with nanoseconds; empty where the session does not know it.
	Finding

	found session.Finding
	wall  time.Time
	on    int64 // on is the time on the merged clock, in nanoseconds.
}

// Merge puts the findings of reports into one order. Sessions have the letters A, B …, in
// the order of the reports.
func Merge(reports []*Report) *Merged {
	m := &Merged{Tool: recorder.ToolName, Sessions: []MergedSession{}, Findings: []MergedFinding{}, Summary: map[string]int{"error": 0, "warning": 0, "info": 0}}
	var base time.Time
	for _, r := range reports {
		if begun := r.verdict.Session.Snapshot.Wall(0); !begun.IsZero() && (base.IsZero() || begun.Before(base)) {
			base = begun
		}
	}
	for i, r := range reports {
		letter := session.Letter(i + 1)
		m.Sessions = append(m.Sessions, MergedSession{Session: letter, Report: r})
		for sev, n := range r.Summary {
			m.Summary[sev] += n
		}
		for k, f := range r.Findings {
			found := r.Worst[k]
			one := MergedFinding{Session: letter, Finding: f, found: found, wall: r.verdict.Session.Snapshot.Wall(found.T), on: found.T}
			if !one.wall.IsZero() {
				one.At, one.on = one.wall.UTC().Format(time.RFC3339Nano), int64(one.wall.Sub(base))
			}
			m.Findings = append(m.Findings, one)
		}
	}
	slices.SortStableFunc(m.Findings, func(a, b MergedFinding) int { return int(max(-1, min(1, a.on-b.on))) })
	return m
}

// MergedFormats are the formats in which merged sessions can be written.
func MergedFormats() []string { return []string{"text", "json"} }

// WriteMerged writes merged sessions in one of MergedFormats.
func WriteMerged(w io.Writer, name string, look Look, m *Merged) error {
	if name == "json" {
		return Encode(w, m)
	}
	t := &textWriter{w, look}
	for _, s := range m.Sessions {
		words := s.Source
		if s.Diagnosis != "" {
			words += ": " + s.Diagnosis
		}
		sign, colour := "✔", "32"
		if s.Report.verdict.Sentence != "" {
			sign, colour = severitySign(max(session.Warning, s.Report.verdict.Severity))
		}
		t.wrapped(s.Session+"  "+t.paint(colour, sign)+" "+text.Line(words), "     ", "")
	}
	if len(m.Findings) > 0 {
		fmt.Fprintln(w)
	}
	for _, f := range m.Findings {
		sign, colour := severitySign(f.found.Severity)
		when := f.wall.Local().Format("15:04:05.000")
		if f.At == "" {
			when = "+" + text.Seconds(f.on) + " s"
		}
		head := sign + " " + f.Rule
		if f.Frame > 0 {
			head += fmt.Sprintf(" #%d", f.Frame)
		}
		line := when + "  " + f.Session + "  " + t.paint(colour, head) + "  " + text.Line(f.Message)
		if f.found.Repeated() {
			line += fmt.Sprintf("  (%s times)", text.Count(int64(f.Count)))
		}
		t.wrapped(line, "                 ", "")
	}
	_, err := fmt.Fprintf(w, "\n%s: %s, %s, %d info\n", text.Plural(int64(len(m.Sessions)), "session"), text.Plural(int64(m.Summary["error"]), "error"), text.Plural(int64(m.Summary["warning"]), "warning"), m.Summary["info"])
	return err
}
