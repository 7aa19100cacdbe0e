package diagnosis

import "wiretea/session"

// ends are the rules of a server that went away, or might as well have.
var ends = map[string]bool{
	"server-exited": true, "server-exit-on-probe": true, "server-exit-on-unknown-method": true, "stdout-closed-while-running": true,
}

// deafening are the rules of messages that clients cannot read, or not take for
// what they are: what is missing afterwards is missing because of them.
var deafening = map[string]bool{
	"content-length-framing": true, "embedded-newline": true, "multiple-messages-per-line": true, "interleaved-write": true, "missing-newline": true,
	"unterminated-final-message": true, "utf8-bom": true, "invalid-utf8": true, "stderr-has-protocol": true,
	"missing-jsonrpc": true, "result-and-error": true, "response-empty": true, "result-not-object": true, "error-shape": true,
	"invalid-id-type": true, "null-response-id": true, "batch-not-supported": true, "batch-invalid": true, "id-type-mismatch": true, "orphan-response": true,
}

// noise are the rules of what stands on stdout and is no message.
var noise = map[string]bool{"stdout-not-json": true, "json-not-message": true}

// silence are the rules of answers that do not come, or late.
var silence = map[string]bool{"unanswered-request": true, "request-never-answered": true, "server-silent-on-probe": true}

// ExplainsSilence reports whether a finding of a rule explains that an answer of
// its server does not come, or cannot be read.
func ExplainsSilence(rule string) bool {
	return ends[rule] || deafening[rule] || silence[rule] || noise[rule] || rule == "server-not-reading" || rule == "stdout-buffering"
}

// leaving are the rules of how a server ends when it is told to: they keep
// nobody from connecting.
var leaving = map[string]bool{
	"server-ignores-eof": true, "server-ignores-sigterm": true, "orphan-descendants": true, "stdout-held-open": true, "write-after-close": true,
}

// root returns the finding that is most likely the root of what is wrong; -1
// where nothing is.
func (c *chart) root() int {
	best, most := -1, 0
	for i, w := range c.weights {
		// The latest connection counts where two are as bad: what was restarted
		// is looked at as it is now. Within one, what came first.
		if w > most || w == most && best >= 0 && c.all[i].Conn > c.all[best].Conn {
			best, most = i, w
		}
	}
	return best
}

// keepsFromConnecting is the weight from which on a finding explains that a
// handshake comes to nothing.
const keepsFromConnecting = 70

// weight says how much a finding is the root of the others; 0 = it is none.
func (c *chart) weight(f *session.Finding) int {
	if f.Severity < session.Warning {
		return 0
	}
	w := 30
	switch {
	case ends[f.Rule]:
		w = 100
	case f.Fault == session.Server && f.Severity == session.Error && (noise[f.Rule] || deafening[f.Rule]):
		w = 90
	case f.Fault == session.Server && deafening[f.Rule]:
		w = 70
	case f.Rule == "server-not-reading":
		w = 80
	case f.Rule == "stdout-buffering":
		w = 75
	case silence[f.Rule] && f.Fault == session.Server && c.mute(f.Conn):
		w = 85
	case silence[f.Rule]:
		w = 40
	case leaving[f.Rule]:
		w = 10
	case f.Severity == session.Error:
		w = 50
	}
	if con := c.conn(f.Conn); f.Fault == session.Client && con != nil && con.Ours {
		w = 5 // It does what its user asks for.
	}
	return w
}

// mute reports whether the server of a connection has given no answer.
func (c *chart) mute(conn int) bool {
	con := c.conn(conn)
	return con != nil && !answered(con)
}
