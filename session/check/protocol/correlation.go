package protocol

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

var Correlation = rule.Family{
	Name:  "correlation",
	Title: "Correlation and latency",
	Rules: []*rule.Rule{
		duplicateRequestID, orphanResponse, idTypeMismatch, duplicateResponse,
		responseToNotification, responseAfterCancel,
		lateResponse, slowResponse, UnansweredRequest, requestNeverAnswered,
		heldLineReleased,
	},
	New:        func() session.Checker { return &correlationConn{} },
	EveryFrame: true,
}

var duplicateRequestID = &rule.Rule{ID: "duplicate-request-id", Severity: session.Error, NeedsAll: true}
var orphanResponse = &rule.Rule{ID: "orphan-response", Severity: session.Error}
var idTypeMismatch = &rule.Rule{ID: "id-type-mismatch", Severity: session.Error, NeedsAll: true}
var duplicateResponse = &rule.Rule{ID: "duplicate-response", Severity: session.Error, NeedsAll: true}
var responseToNotification = &rule.Rule{ID: "response-to-notification", Severity: session.Error, NeedsAll: true}
var responseAfterCancel = &rule.Rule{ID: "response-after-cancel", Severity: session.Info}
var lateResponse = &rule.Rule{ID: "late-response", Severity: session.Info, Timed: true, NeedsAll: true}
var slowResponse = &rule.Rule{ID: "slow-response", Severity: session.Info, Timed: true, NeedsAll: true}
var UnansweredRequest = &rule.Rule{ID: "unanswered-request", Severity: session.Warning, Timed: true, NeedsAll: true}
var requestNeverAnswered = &rule.Rule{ID: "request-never-answered", Severity: session.Error, Timed: true, NeedsAll: true}
var heldLineReleased = &rule.Rule{ID: "held-line-released", Severity: session.Warning, Fault: rule.Nobody, Check: checkReleased}

// checkReleased reports a line that was forwarded although it should have been
// held back.
func checkReleased(released *rule.Rule, ev *session.Event, r session.Reporter) {
	if ev.Kind == session.IOSeen && ev.IO.Event == "released" {
		r.Report(released.At(ev, "a line of more than %s was forwarded to the client before its end, while a request from wiretea was outstanding", rule.FormatSize(ev.IO.Bytes-1)))
	}
}
