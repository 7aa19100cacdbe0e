package diagnosis

import (
	"slices"

	"wiretea/session"
	"wiretea/session/check/exchange"
	"wiretea/session/check/process"
	"wiretea/session/check/rule"
	"wiretea/session/check/wire"
)

// rules is a set of rules.
type rules []*rule.Rule

// has reports whether the rule of an id is in the set.
func (set rules) has(id string) bool {
	return slices.ContainsFunc(set, func(r *rule.Rule) bool { return r.ID == id })
}

// ends are the rules of a server that went away, or might as well have.
var ends = rules{
	process.ServerExited, process.ServerExitOnProbe, process.ServerExitOnUnknownMethod, process.StdoutClosedWhileRunning,
}

// deafening are the rules of messages that clients cannot read, or not take for
// what they are: what is missing afterwards is missing because of them.
var deafening = rules{
	wire.ContentLengthFraming, wire.EmbeddedNewline, wire.MultipleMessages, wire.InterleavedWrite, wire.MissingNewline,
	wire.UnterminatedFinal, wire.UTF8BOM, wire.InvalidUTF8, wire.StderrHasProtocol,
	wire.MissingJSONRPC, wire.ResultAndError, wire.ResponseEmpty, wire.ResultNotObject, wire.ErrorShape,
	wire.InvalidIDType, wire.NullResponseID, wire.BatchNotSupported, wire.BatchInvalid, exchange.IDTypeMismatch, exchange.OrphanResponse,
}

// noise are the rules of what stands on stdout and is no message.
var noise = rules{wire.StdoutNotJSON, wire.JSONNotMessage}

// silence are the rules of answers that do not come, or late.
var silence = rules{exchange.UnansweredRequest, exchange.RequestNeverAnswered, process.ServerSilentOnProbe}

// ExplainsSilence reports whether a finding of the rule with that id explains that an answer of
// its server does not come, or cannot be read.
func ExplainsSilence(id string) bool {
	return ends.has(id) || deafening.has(id) || silence.has(id) || noise.has(id) || id == process.ServerNotReading.ID || id == process.StdoutBuffering.ID
}

// leaving are the rules of how a server ends when it is told to: they keep
// nobody from connecting.
var leaving = rules{
	process.ServerIgnoresEOF, process.ServerIgnoresSIGTERM, process.OrphanDescendants, process.StdoutHeldOpen, process.WriteAfterClose,
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
	case ends.has(f.Rule):
		w = 100
	case f.Fault == session.Server && f.Severity == session.Error && (noise.has(f.Rule) || deafening.has(f.Rule)):
		w = 90
	case f.Fault == session.Server && deafening.has(f.Rule):
		w = 70
	case f.Rule == process.ServerNotReading.ID:
		w = 80
	case f.Rule == process.StdoutBuffering.ID:
		w = 75
	case silence.has(f.Rule) && f.Fault == session.Server && c.mute(f.Conn):
		w = 85
	case silence.has(f.Rule):
		w = 40
	case leaving.has(f.Rule):
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
