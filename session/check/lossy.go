package check

import (
	"wiretea/session"
)

// A lossy reporter leaves out, of a connection some of whose records are missing, the
// findings of rules that depend on them: nobody is accused of what only the file lacks.
type lossy struct{ session.Reporter }

// Report implements session.Reporter.
func (l lossy) Report(f session.Finding) {
	if !needsAll(f.Rule) {
		l.Reporter.Report(f)
	}
}

// needsAll reports whether a rule can accuse somebody because an earlier record is
// missing. The list is what TestNobodyIsAccusedOfDamage finds, which writes it anew with
// -update.
func needsAll(rule string) bool {
	switch rule {
	case // needs all
		"arguments-mismatch",
		"auth-retry-loop",
		"auth-token-missing",
		"batch-not-supported",
		"blank-line",
		"cancel-id-missing",
		"duplicate-initialize",
		"duplicate-progress-token",
		"duplicate-request-id",
		"duplicate-response",
		"elicitation-complete-unknown",
		"error-code-zero",
		"fails-at-shutdown",
		"http-content-encoding",
		"http-disconnect-as-cancel",
		"http-html-body",
		"http-mismatch-no-refresh",
		"http-no-response",
		"http-rate-limited",
		"http-response-on-get",
		"http-response-wrong-exchange",
		"http-session-lost-call",
		"http-session-not-deleted",
		"http-session-not-renewed",
		"http-work-after-close",
		"id-type-mismatch",
		"initialize-cancelled",
		"invalid-id-type",
		"invalid-member",
		"invalid-utf8",
		"item-on-two-pages",
		"json-not-message",
		"late-response",
		"list-invalid",
		"log-below-threshold",
		"missing-cache-hints",
		"missing-content",
		"missing-request-meta",
		"missing-structured-content",
		"modern-request-to-legacy-server",
		"mrtr-state-altered",
		"null-member",
		"null-response-id",
		"orphan-descendants",
		"prm-missing",
		"probe-sibling",
		"progress-after-completion",
		"progress-not-increasing",
		"progress-unknown-token",
		"removed-method",
		"request-before-initialize",
		"request-never-answered",
		"response-to-notification",
		"server-cancelled-request",
		"server-exited",
		"server-ignores-eof",
		"server-not-reading",
		"server-silent-on-probe",
		"slow-response",
		"slow-startup",
		"sse-closed-without-response",
		"sse-message-unrelated",
		"sse-priming-missing",
		"sse-priming-too-early",
		"sse-reconnect-storm",
		"stderr-has-protocol",
		"stdout-buffering",
		"stdout-closed-while-running",
		"stdout-held-open",
		"stdout-not-json",
		"subscription-not-acknowledged",
		"task-progress",
		"task-required-not-used",
		"unanswered-request",
		"unknown-method",
		"unlisted-tool-called",
		"unterminated-final-message":
		return true
	}
	return false
}
