package detail

import (
	"slices"

	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/pane"
)

// waitingExchange is the exchange of the request, while that waits; nil where it is
// over, or not among those that a snapshot copies.
func (p *Pane) waitingExchange(c *pane.Context) *session.Exchange {
	r := p.sub.r
	if p.sub.req == session.NoRow || p.sub.row != p.sub.req || p.sub.resp != session.NoRow || r.Stream > session.S2C {
		return nil
	}
	for i := range c.Snap.Conns() {
		conn := &c.Snap.Conns()[i]
		if conn.ID != int(r.Conn) {
			continue
		}
		open := conn.Open[r.Stream]
		at, ok := slices.BinarySearchFunc(open, p.sub.req, func(x *session.Exchange, row uint32) int { return int(int64(x.Req) - int64(row)) })
		if ok {
			return open[at]
		}
	}
	return nil
}

// progressBar says how far the request has come, and what the server says of it.
func (p *Pane) progressBar(c *pane.Context, s *sheet) {
	x := p.waitingExchange(c)
	if x == nil || x.Progress == 0 || !c.Live {
		return
	}
	says := ""
	for _, n := range p.around.notes {
		if n.says != "" {
			says = "  " + n.says
		}
	}
	s.fact(c.Theme, "progress", part{c.Theme.Accent, " " + format.Progress(x.Done, x.Total, 40)}, part{c.Theme.Text, says}).row = x.LastNote
}

// people says whom the request waits for besides the server: while the server asks
// people, nothing is late; empty = nobody. since is when they had last answered;
// from then on its time runs anew.
func (p *Pane) people(c *pane.Context) (who string, since int64) {
	r := p.sub.r
	conns := c.Snap.Conns()
	i := len(conns) - 1
	for i >= 0 && conns[i].ID != int(r.Conn) {
		i--
	}
	if i < 0 || r.Kind != session.RowRequest {
		return "", 0
	}
	conn := &conns[i]
	_, asks := conn.HumanWait()
	if asks == 0 || r.Stream == session.S2C && !conn.ForHuman(&session.Exchange{Sender: session.S2C, Method: c.Snap.Name(r.Method)}) {
		return "", conn.People
	}
	if conn.Ours {
		return "you", conn.People
	}
	return "its user", conn.People
}
