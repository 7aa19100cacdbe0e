package recording

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

var Family = rule.Family{
	Name:  "recording",
	Title: "The recording",
	Rules: []*rule.Rule{Damaged, Torn},
}

// Damaged reports lines of the session file that are no records.
var Damaged = &rule.Rule{
	ID:       "recording-damaged",
	Severity: session.Error,
	Fault:    rule.Nobody,
	Title:    "lines of the recording cannot be read",
	Explain: "A line of the session file is not a record: the file was altered, or was damaged on a disk or on its way here. What the line held is unknown. " +
		"The rest is judged, but nobody is accused of what is missing from then on, and messages may be missing.",
	Hint:  "use the original file; wiretea sessions repair makes a complete one that says where something is missing",
	Check: func(r *rule.Rule, ev *session.Event, report session.Reporter) { damaged(r, ev, report) },
}

func damaged(r *rule.Rule, ev *session.Event, report session.Reporter) {
	if ev.Kind != session.GapSeen || ev.Gap.Lines == 0 {
		return
	}
	f := r.At(ev, "a line of the recording is not a record, and was skipped")
	f.Count = int(min(ev.Gap.Lines, 1<<30))
	report.Report(f)
}

// Torn reports a session file that ends within a record.
var Torn = &rule.Rule{
	ID:       "recording-torn",
	Severity: session.Info,
	Fault:    rule.Nobody,
	Title:    "the recording ends within a record",
	Explain:  "The last line of the session file is not complete: the process that recorded was killed, or the file was truncated. Records before it are whole.",
	Hint:     "use the original file, if this is a copy",
	Check: func(r *rule.Rule, ev *session.Event, report session.Reporter) {
		if ev.Kind == session.GapSeen && ev.Gap.Why == "torn" {
			report.Report(r.At(ev, "the recording ends within a record"))
		}
	},
}
