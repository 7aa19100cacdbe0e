package detail

import (
	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/ui/content"
	"wiretea/ui/format"
	"wiretea/ui/pane"
)

// progressBar says how far the request has come, and what the server says of it.
func (p *Pane) progressBar(c *pane.Context, s *sheet) {
	if p.sub.req == session.NoRow || p.sub.row != p.sub.req || !c.Live {
		return
	}
	x := c.Snap.Waiting(p.sub.req)
	if x == nil || x.Progress == 0 {
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

// progressSteps are the notifications of progress of the request, for the tab content.
func (p *Pane) progressSteps(c *pane.Context) []content.Step {
	if p.around.req != p.sub.req || p.sub.req == session.NoRow {
		return nil
	}
	var steps []content.Step
	for _, n := range p.around.notes {
		if c.Snap.Name(c.Snap.Row(n.row).Method) == mcp.ProgressNotification {
			steps = append(steps, content.Step{After: c.Snap.Row(n.row).T - c.Snap.Row(p.sub.req).T, Done: n.done, Total: n.total, Says: n.says})
		}
	}
	return steps
}

// people says whom the request waits for besides the server: while the server asks
// people, nothing is late; empty = nothing else. since is when they had last answered;
// its time starts again then.
func (p *Pane) people(c *pane.Context) (who string, since int64) {
	r := p.sub.r
	conn := c.Snap.Conn(int(r.Conn))
	if conn == nil || r.Kind != session.RowRequest {
		return "", 0
	}
	_, asks := conn.HumanWait()
	if asks == 0 || r.Stream == session.S2C && !conn.ForHuman(&session.Exchange{Sender: session.S2C, Method: c.Snap.Name(r.Method)}) {
		return "", conn.People
	}
	if conn.Ours {
		return "you", conn.People
	}
	return "its user", conn.People
}
