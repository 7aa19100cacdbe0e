package session

import "wiretea/session/mcp"

// ForHuman reports whether an exchange is a question of the server that a
// person answers: sampling and elicitation, and roots if wiretea is the client.
func (c *Conn) ForHuman(x *Exchange) bool {
	if x.Sender != S2C {
		return false
	}
	m, known := mcp.Lookup(x.Method)
	return known && (m.Unbounded || c.Ours && m.Name == mcp.RootsList)
}

// HumanWait returns how many questions of the server wait for a person, and
// since when the oldest one does, in nanoseconds of the session. As long as
// there are any, no client request is late. It checks the OpenShown oldest
// requests of the server.
func (c *Conn) HumanWait() (since int64, n int) {
	open := c.Open[S2C]
	for _, x := range open[:min(len(open), OpenShown)] {
		if !c.ForHuman(x) {
			continue
		}
		if n++; n == 1 {
			since = x.ReqT
		}
	}
	return since, n
}

// humanUntil records the end of x.
func (c *conn) humanUntil(x *exchange, t int64) {
	if c.ForHuman(&x.Exchange) {
		c.People = t
	}
}

// excused reports whether an exchange whose timeout has passed is not late
// because a person was waited for, or because something was held here: its timeout
// then begins anew.
func (a *Analyzer) excused(x *exchange) bool {
	c := a.conns[x.Conn]
	if c == nil {
		return false
	}
	since := max(x.Went, c.onHold.keeps(x.Sender.Reverse(), a.until))
	if x.Kept {
		since = a.until
	}
	if x.Sender == C2S {
		since = max(since, c.People)
		if _, n := c.HumanWait(); n > 0 {
			since = a.until // The wait lasts until the next record at least, which may be many timeouts.
		}
	}
	if since <= x.since {
		return false
	}
	x.since = since
	return true
}
