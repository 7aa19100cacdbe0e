package exchange

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

var heldLineReleased = &rule.Rule{
	ID:       "held-line-released",
	Severity: session.Warning,
	Fault:    rule.Nobody,
	Title:    "a line was too long to be held while a request of wiretea's user was outstanding",
	Explain: "While a request that was sent into a live session has no answer, wiretea holds each line of the server's stdout until its end, to " +
		"take the answer out. One of more than 16 MiB is forwarded as it is: if it is that answer, the client got it, and reports a response " +
		"with an id that it does not know.",
	Check: checkReleased,
	Hint:  "nothing need be mended; ask for less at a time, a page or a part of a resource",
}

// checkReleased reports a line that was forwarded although it should have been
// held.
func checkReleased(released *rule.Rule, ev *session.Event, r session.Reporter) {
	if ev.Kind == session.IOSeen && ev.IO.Event == "released" {
		r.Report(released.At(ev, "a line of more than %s was forwarded to the client before its end, while a request from wiretea was outstanding", rule.FormatSize(ev.IO.Bytes-1)))
	}
}
