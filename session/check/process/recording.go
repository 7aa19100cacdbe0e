package process

import (
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
)

var Recording = rule.Family{
	Name:  "recording",
	Title: "The recording",
	Rules: []*rule.Rule{Incomplete, Damaged, Torn},
	New:   func() session.Checker { return new(losses) },
}

// Incomplete reports bytes that passed and were not recorded.
var Incomplete = &rule.Rule{ID: "recording-incomplete", Severity: session.Error, Fault: rule.Nobody}

// losses counts what was not recorded of a connection.
type losses struct{ bytes [3]int64 }

// Check implements session.Checker.
func (l *losses) Check(ev *session.Event, r session.Reporter) {
	g := &ev.Gap
	if ev.Kind != session.GapSeen || g.Lines > 0 || g.Stream > session.Stderr || g.Why != "disk" && g.Why != "memory" {
		return
	}
	l.bytes[g.Stream] += g.Bytes
	var parts []string
	for i, of := range [...]string{"to the server", "from the server", "of stderr"} {
		if n := l.bytes[i]; n > 0 {
			parts = append(parts, rule.FormatSize(n)+" "+of)
		}
	}
	why := "the disk did not take them"
	if g.Why == "memory" {
		why = "they came faster than the disk took them"
	}
	f := Incomplete.At(ev, "%s could not be recorded, the latest of them before %s: %s", strings.Join(parts, ", "), rule.FormatDuration(ev.T), why)
	f.Running, f.Count = true, 0
	r.Report(f)
}

// Damaged reports lines of the session file that are not records.
var Damaged = &rule.Rule{ID: "recording-damaged", Severity: session.Error, Fault: rule.Nobody, Check: func(r *rule.Rule, ev *session.Event, report session.Reporter) { damaged(r, ev, report) }}

func damaged(r *rule.Rule, ev *session.Event, report session.Reporter) {
	if ev.Kind != session.GapSeen || ev.Gap.Lines == 0 {
		return
	}
	f := r.At(ev, "a line of the recording is not a record, and was skipped")
	f.Count = int(min(ev.Gap.Lines, 1<<30))
	report.Report(f)
}

// Torn reports a session file that ends within a record.
var Torn = &rule.Rule{ID: "recording-torn", Severity: session.Info, Fault: rule.Nobody, Check: func(r *rule.Rule, ev *session.Event, report session.Reporter) {
	if ev.Kind == session.GapSeen && ev.Gap.Why == "torn" {
		report.Report(r.At(ev, "the recording ends within a record"))
	}
}}
