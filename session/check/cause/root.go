package cause

import (
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
)

// roleOf returns the role of a finding's rule.
func roleOf(f *session.Finding) rule.Role { return rule.TextOf(f.Rule).Role }

// ExplainsSilence reports whether a finding of the rule with that id explains
// that a response of its server does not come, or cannot be read.
func ExplainsSilence(id string) bool {
	role := rule.TextOf(id).Role
	return role != "" && role != rule.Leaving || id == "server-not-reading" || id == "stdout-buffering"
}

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
	if best < 0 || c.all[best].Fault != session.Server || !slices.Contains([]rule.Role{rule.Unreadable, rule.Silence}, roleOf(&c.all[best])) {
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
	w, role := 30, roleOf(f)
	switch {
	case role == rule.End:
		w = 100
	case f.Fault == session.Server && f.Severity == session.Error && (role == rule.Noise || role == rule.Unreadable):
		w = 90
	case f.Fault == session.Server && role == rule.Unreadable:
		if w = 70; c.mute(f.Conn) {
			w = 86 // It explains the silence.
		}
	case f.Rule == "server-not-reading":
		w = 80
	case f.Rule == "stdout-buffering":
		w = 75
	case f.Rule == "server-silent-on-probe" && !c.answers():
		w = 84 // It answers nothing else either.
	case role == rule.Silence && f.Fault == session.Server && c.mute(f.Conn):
		w = 85
	case role == rule.Silence:
		w = 40
	case role == rule.Leaving:
		w = 10
	case f.Severity == session.Error && (role == rule.Unreadable || f.Rule == "stdin-not-json" || f.Rule == "null-request-id"):
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
