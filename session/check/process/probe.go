package process

import (
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// probed follows a server/discover that was sent before anything decided about
// the era.
type probed struct {
	row      uint32
	n        uint64
	id       string
	t        int64
	open     bool  // open: it was sent and not answered.
	answered int64 // answered is when it was answered.
	asked    int   // asked counts the probes.
	reported bool
}

func (p *probed) request(ev *session.Event) {
	x := ev.Exchange
	if x.Method == mcp.ServerDiscover && ev.Conn.Phase == session.PhaseProbing {
		p.row, p.n, p.id, p.t, p.open = x.Req, x.ReqN, x.ID, x.ReqT, true
		p.asked++
	}
}

// answer takes an answer of the server. When initialize is answered and the
// probe before it is not, it was passed over: one that is answered late comes
// first.
func (p *probed) answer(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	switch {
	case x.Req == p.row && p.open:
		p.open, p.answered = false, ev.T
	case x.Method == mcp.Initialize && p.open && x.ReqT > p.t && !p.reported:
		p.report(ev, r, "server did not answer "+rule.RequestName(mcp.ServerDiscover, p.n, p.id)+" in the "+rule.FormatDuration(x.ReqT-p.t)+" until the client sent initialize")
	}
}

func (p *probed) report(ev *session.Event, r session.Reporter, message string) {
	p.reported = true
	f := ServerSilentOnProbe.At(ev, "%s", message)
	f.Row, f.Last, f.N, f.T = p.row, p.row, p.n, ev.T
	f.Fault, f.Breaks = session.Server, ServerSilentOnProbe.Clients()
	r.Report(f)
}

// late takes note that the probe has used up the time in force. It gets as much
// again, for the server may be starting.
func (p *probed) late(ev *session.Event, r session.Reporter) {
	if p.open && ev.Exchange.Req == p.row {
		r.At(ev.T+rule.TimeoutOf(ev.Conn, mcp.ServerDiscover), ev.Conn.ID, session.TimerKey{Rule: ServerSilentOnProbe.ID})
	}
}

// expired judges a probe that the client still waits for.
func (p *probed) expired(ev *session.Event, r session.Reporter, e *rule.Ending) {
	if p.open && !p.reported && !e.Explains(session.C2S) && ev.Conn.Phase == session.PhaseProbing {
		p.report(ev, r, "server has not answered "+rule.RequestName(mcp.ServerDiscover, p.n, p.id)+" for "+rule.FormatDuration(ev.T-p.t))
	}
}

// siblingWithin is how soon after its answer a probing client ends the process.
const siblingWithin = int64(2 * time.Second)

// ended judges a connection in which there was nothing but the probe, and which
// the client ended.
func (p *probed) ended(ev *session.Event, r session.Reporter, conn *processConn) {
	e := &conn.end
	if p.asked == 0 || p.asked != conn.sent || e.Begun == 0 || e.By == session.Server || p.reported || conn.latest.method != mcp.ServerDiscover {
		return
	}
	waited := e.Begun - p.t
	switch {
	case p.open && waited >= rule.TimeoutOf(ev.Conn, mcp.ServerDiscover)*19/20:
		p.report(ev, r, "server did not answer "+rule.RequestName(mcp.ServerDiscover, p.n, p.id)+" for "+rule.FormatDuration(waited)+", then the client ended it")
	case p.open || e.Begun-p.answered <= siblingWithin:
		f := probeSibling.At(ev, "client asked nothing but server/discover and ended the server %s later", rule.FormatDuration(waited))
		f.Row, f.Last, f.N = p.row, p.row, p.n
		r.Report(f)
	}
}
