package verdict

import (
	"slices"

	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/mcp"
)

// The rules of check itself: what it was told to require of a server, and what probing
// shows. What the wire alone shows is judged by package check.
var (
	NotStarted            = &check.Rule{ID: "not-started", Severity: session.Error, Fault: check.Nobody}
	NoHandshake           = &check.Rule{ID: "no-handshake", Severity: session.Error, Fault: check.Server}
	CallFailed            = &check.Rule{ID: "call-failed", Severity: session.Error, Fault: check.Nobody}
	StoppedEarly          = &check.Rule{ID: "stopped-early", Severity: session.Error, Fault: check.Nobody}
	maxLatency            = &check.Rule{ID: "max-latency", Severity: session.Error, Fault: check.Server}
	maxContext            = &check.Rule{ID: "max-context", Severity: session.Error, Fault: check.Server}
	toolsDrift            = &check.Rule{ID: "tools-drift", Severity: session.Error, Fault: check.Server}
	ProbeUnanswered       = &check.Rule{ID: "probe-unanswered", Severity: session.Error, Fault: check.Server}
	UnknownMethodAccepted = &check.Rule{ID: "unknown-method-accepted", Severity: session.Warning, Fault: check.Server}
	BadParamsAccepted     = &check.Rule{ID: "bad-params-accepted", Severity: session.Warning, Fault: check.Server}
	UnknownToolAccepted   = &check.Rule{ID: "unknown-tool-accepted", Severity: session.Warning, Fault: check.Server}
	EndsOnBadJSON         = &check.Rule{ID: "ends-on-bad-json", Severity: session.Info, Fault: check.Server}
	DeafAfterBadJSON      = &check.Rule{ID: "deaf-after-bad-json", Severity: session.Info, Fault: check.Server}
)

// Rules about a server at a URL that looking at its connection, or probing it, shows.
var (
	CertificateExpires = &check.Rule{ID: "certificate-expires", Severity: session.Warning, Fault: check.Server}
	OriginUnchecked    = &check.Rule{ID: "http-origin-unchecked", Severity: session.Warning, Fault: check.Server}
	OriginStatus       = &check.Rule{ID: "http-origin-status", Severity: session.Error, Fault: check.Server, Since: mcp.V4}
	HostUnchecked      = &check.Rule{ID: "http-host-unchecked", Severity: session.Warning, Fault: check.Server}
	BindAll            = &check.Rule{ID: "http-bind-all", Severity: session.Warning, Fault: check.Server}
	NoAuthOpen         = &check.Rule{ID: "http-no-auth-open", Severity: session.Info, Fault: check.Server}
	NoChallenge        = &check.Rule{ID: "auth-no-challenge", Severity: session.Warning, Fault: check.Server}
	LoginMissing       = &check.Rule{ID: "asm-missing", Severity: session.Error, Fault: check.Nobody}
	LoginShape         = &check.Rule{ID: "asm-shape", Severity: session.Error, Fault: check.Nobody}
	LoginIssuer        = &check.Rule{ID: "asm-issuer-mismatch", Severity: session.Error, Fault: check.Nobody}
	LoginNoPKCE        = &check.Rule{ID: "asm-no-pkce", Severity: session.Error, Fault: check.Nobody, Since: mcp.V4}
	LoginInsecure      = &check.Rule{ID: "asm-insecure", Severity: session.Error, Fault: check.Nobody}
)

// OwnRules are the rules of check itself, in the order of the documentation.
var OwnRules = []*check.Rule{
	NotStarted, NoHandshake, CallFailed, StoppedEarly, maxLatency, maxContext, toolsDrift,
	ProbeUnanswered, UnknownMethodAccepted, BadParamsAccepted, UnknownToolAccepted, EndsOnBadJSON, DeafAfterBadJSON,
	CertificateExpires, OriginUnchecked, OriginStatus, HostUnchecked, BindAll, NoAuthOpen, NoChallenge,
	LoginMissing, LoginShape, LoginIssuer, LoginNoPKCE, LoginInsecure,
}

// RuleOf returns the rule with an id, of the catalogue or of check itself; nil if there
// is none.
func RuleOf(id string) *check.Rule {
	if r := check.Lookup(id); r != nil {
		return r
	}
	for _, r := range OwnRules {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// RuleIDs returns the ids of the catalogue and of OwnRules, sorted.
func RuleIDs() []string {
	var ids []string
	for _, r := range slices.Concat(check.All(), OwnRules) {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Found returns a finding of one of OwnRules, at no frame.
func Found(r *check.Rule, message string) session.Finding {
	f := session.Finding{
		Rule: r.ID, Severity: r.Severity, Row: session.NoRow, Last: session.NoRow, Count: 1, Message: message, Hint: r.Text().Hint,
	}
	if r.Fault == check.Server {
		f.Fault = session.Server
	}
	return f
}

// at places a finding at a frame; session.NoRow leaves it at none.
func at(f session.Finding, s *session.Snapshot, row uint32) session.Finding {
	if row == session.NoRow {
		return f
	}
	r := s.Row(row)
	f.Row, f.Last, f.N, f.T, f.Conn = row, row, uint64(r.N), r.T, int(r.Conn)
	return f
}
