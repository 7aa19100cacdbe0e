package session

import "wiretea/session/mcp"

// ForHuman reports whether an exchange is a question of the server's that people
// answer, in their own time: sampling and elicitation, and where we are the client
// roots too, which our user is asked for.
func (c *Conn) ForHuman(x *Exchange) bool {
	if x.Sender != S2C {
		return false
	}
	m, known := mcp.Lookup(x.Method)
	return known && (m.Unbounded || c.Ours && m.Name == mcp.RootsList)
}

// HumanWait returns how many questions of the server's wait for people, and since
// when the oldest of them does, in nanoseconds of the session. While there are
// any, no request of the client's is late. It looks at the OpenShown oldest
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

// askedUntil takes note that x is over.
func (c *conn) humanUntil(x *exchange, t int64) {
	if c.ForHuman(&x.Exchange) {
		c.People = t
	}
}

// excused reports whether an exchange that has come due is not late because
// people were waited for: its time then begins to run anew.
func (a *Analyzer) excused(x *exchange) bool {
	c := a.conns[x.Conn]
	if x.Sender != C2S || c == nil {
		return false
	}
	since := c.People
	if _, n := c.HumanWait(); n > 0 {
		since = a.clock
	}
	if since <= x.since {
		return false
	}
	x.since = since
	return true
}
