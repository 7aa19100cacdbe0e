package exchange

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

var heldLineReleased = &rule.Rule{
	ID: "held-line-released", Severity: session.Warning, Fault: rule.Nobody,
	Title: "line was too long to be held back during an injected request",
	Explain: "While an injected request is unanswered, wiretea holds back each line of the server's stdout until it is complete, to remove the response. A " +
		"line of more than 16 MiB is forwarded as it is: if it is that response, the client receives it and reports a response with an unknown id.",
	Check: checkReleased,
	Hint:  "no change is needed; request less data at a time, a page or a part of a resource",
}

// checkReleased reports a line that was forwarded although it should have been
// held back.
func checkReleased(released *rule.Rule, ev *session.Event, r session.Reporter) {
	if ev.Kind == session.IOSeen && ev.IO.Event == "released" {
		r.Report(released.At(ev, "a line of more than %s was forwarded to the client before its end, while a request from wiretea was outstanding", rule.FormatSize(ev.IO.Bytes-1)))
	}
}
