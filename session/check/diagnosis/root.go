package diagnosis

import (
	"slices"

	"wiretea/session"
	"wiretea/session/check/exchange"
	"wiretea/session/check/http"
	"wiretea/session/check/process"
	"wiretea/session/check/rule"
	"wiretea/session/check/wire"
	"wiretea/session/lazy"
)

// rules is a set of rules.
type rules []*rule.Rule

// has reports whether the set has the rule with that id.
func (set rules) has(id string) bool {
	return slices.ContainsFunc(set, func(r *rule.Rule) bool { return r.ID == id })
}

// ends are the rules for a server that exited, or is as useless as one that
// did.
var ends = lazy.Value[rules]{New: func() rules {
	return rules{
		process.ServerExited, process.ServerExitOnProbe, process.ServerExitOnUnknownMethod, process.StdoutClosedWhileRunning,
	}
}}

// onMessage are the rules for a server that exits on a message.
var onMessage = lazy.Value[rules]{New: func() rules {
	return rules{process.ServerExitOnProbe, process.ServerExitOnUnknownMethod}
}}

// unreadable are the rules for messages that clients cannot read, or
// misinterpret, so that later messages are missing because of them.
var unreadable = lazy.Value[rules]{New: func() rules {
	return append(rules{
		wire.ContentLengthFraming, wire.EmbeddedNewline, wire.MultipleMessages, wire.InterleavedWrite, wire.MissingNewline,
		wire.UnterminatedFinal, wire.UTF8BOM, wire.InvalidUTF8, wire.StderrHasProtocol,
		wire.MissingJSONRPC, wire.ResultAndError, wire.ResponseEmpty, wire.ResultNotObject, wire.ErrorShape,
		wire.InvalidIDType, wire.NullResponseID, wire.BatchNotSupported, wire.BatchInvalid, exchange.IDTypeMismatch, exchange.OrphanResponse,
	}, http.Unread...)
}}

// noise are the rules for output on stdout that is not a message.
var noise = lazy.Value[rules]{New: func() rules {
	return rules{wire.StdoutNotJSON, wire.JSONNotMessage}
}}

// silence are the rules for missing or late responses.
var silence = lazy.Value[rules]{New: func() rules {
	return rules{exchange.UnansweredRequest, exchange.RequestNeverAnswered, process.ServerSilentOnProbe}
}}

// ExplainsSilence reports whether a finding of the rule with that id explains
// that a response of its server does not come, or cannot be read.
func ExplainsSilence(id string) bool {
	return ends.Get().has(id) || unreadable.Get().has(id) || silence.Get().has(id) || noise.Get().has(id) || id == process.ServerNotReading.ID || id == process.StdoutBuffering.ID
}

// leaving are the rules for how a server shuts down, which do not prevent a
// connection.
var leaving = lazy.Value[rules]{New: func() rules {
	return rules{
		process.ServerIgnoresEOF, process.ServerIgnoresSIGTERM, process.OrphanDescendants, process.StdoutHeldOpen, process.WriteAfterClose,
	}
}}

// root returns the finding that is most likely the root cause; -1 if there is
// none.
func (c *chart) root() int {
	best, most := -1, 0
	for i, w := range c.weights {
		// Of two equal findings that of the later connection counts, which is
		// the present state after a restart, unless the server ended in the same
		// way before, when fewer messages can be the reason. Within a connection
		// the first one counts.
		if w > most || w == most && best >= 0 && c.all[i].Conn > c.all[best].Conn && (c.mute(c.all[i].Conn) || !c.sameEnd(&c.all[best], &c.all[i])) {
			best, most = i, w
		}
	}
	if best < 0 || c.all[best].Fault != session.Server || !unreadable.Get().has(c.all[best].Rule) && !silence.Get().has(c.all[best].Rule) {
		return best
	}
	// What a client garbled before is why the server answered like that, or not at all.
	for i, f := range c.all {
		if c.weights[i] == garbled && f.Conn == c.all[best].Conn && f.Row <= c.all[best].Row {
			return i
		}
	}
	return best
}

// garbled is the weight of a client's message that its server cannot read.
const garbled = 51

// preventsConnection is the weight from which a finding explains that a
// handshake fails.
const preventsConnection = 70

// weight returns how likely a finding is the root of the others; 0 = it is not.
func (c *chart) weight(f *session.Finding) int {
	if f.Severity < session.Warning {
		return 0
	}
	w := 30
	switch {
	case ends.Get().has(f.Rule):
		w = 100
	case f.Fault == session.Server && f.Severity == session.Error && (noise.Get().has(f.Rule) || unreadable.Get().has(f.Rule)):
		w = 90
	case f.Fault == session.Server && unreadable.Get().has(f.Rule):
		if w = 70; c.mute(f.Conn) {
			w = 86 // It explains the silence.
		}
	case f.Rule == process.ServerNotReading.ID:
		w = 80
	case f.Rule == process.StdoutBuffering.ID:
		w = 75
	case f.Rule == process.ServerSilentOnProbe.ID && !c.answers():
		w = 84 // It answers nothing else either.
	case silence.Get().has(f.Rule) && f.Fault == session.Server && c.mute(f.Conn):
		w = 85
	case silence.Get().has(f.Rule):
		w = 40
	case leaving.Get().has(f.Rule):
		w = 10
	case f.Severity == session.Error && (unreadable.Get().has(f.Rule) || f.Rule == wire.StdinNotJSON.ID || f.Rule == wire.NullRequestID.ID):
		w = garbled
	case f.Severity == session.Error:
		w = 50
	}
	if con := c.conn(f.Conn); f.Fault == session.Client && con != nil && con.Ours {
		w = 5 // It does what its user requests.
	}
	return w
}

// answers reports whether the server has sent a response on any connection.
func (c *chart) answers() bool {
	return slices.ContainsFunc(c.conns, func(con session.Conn) bool { return answered(&con) })
}

// mute reports whether the server of a connection has sent no response.
func (c *chart) mute(conn int) bool {
	con := c.conn(conn)
	return con != nil && !answered(con)
}
