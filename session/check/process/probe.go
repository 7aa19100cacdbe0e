package process

import (
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// probed follows a server/discover that was sent before the era was decided.
type probed struct {
	asked          // asked is the latest probe.
	open     bool  // open: it was sent and not answered.
	answered int64 // answered is when it was answered.
	count    int   // count is the number of probes.
	reported bool
}

// request records a request of the client, which is its message of that number,
// and reports whether it is a probe.
func (p *probed) request(ev *session.Event, number int) bool {
	x := ev.Exchange
	if x.Method != mcp.ServerDiscover || ev.Conn.Phase != session.PhaseProbing {
		return false
	}
	p.asked, p.open = requestOf(x), true
	p.number = number
	p.count++
	return true
}

// answer records a response of the server. If initialize is answered before the
// probe, the probe was ignored: a late response to it would come first.
func (p *probed) answer(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	switch {
	case x.Req == p.row && p.open:
		p.open, p.answered = false, ev.T
	case x.Method == mcp.Initialize && p.open && x.ReqT > p.t && !p.reported:
		p.report(ev, r, "server did not answer "+p.name()+" in the "+rule.FormatDuration(x.ReqT-p.t)+" until the client sent initialize")
	}
}

func (p *probed) report(ev *session.Event, r session.Reporter, message string) {
	p.reported = true
	r.Report(ServerSilentOnProbe.At(ev, "%s", message).AtRow(p.row))
}

// patience is how long a probe is unanswered before that is the server's fault, in
// nanoseconds: the client's timeout, but at least a second, since a process takes time to start.
func patience(conn *session.Conn) int64 {
	return max(rule.TimeoutOf(conn, mcp.ServerDiscover), int64(time.Second))
}

// late records that the timeout of the probe has passed. The same time is
// added, because the server may be starting.
func (p *probed) late(ev *session.Event, r session.Reporter) {
	if p.open && ev.Exchange.Req == p.row {
		r.At(ev.T+patience(ev.Conn), ev.Conn.ID, session.TimerKey{Rule: ServerSilentOnProbe.ID})
	}
}

// expired judges a probe that is still unanswered.
func (p *probed) expired(ev *session.Event, r session.Reporter, e *rule.Ending) {
	if p.open && !p.reported && !e.Explains(session.C2S) && ev.Conn.Phase == session.PhaseProbing {
		p.report(ev, r, "server has not answered "+p.name()+" for "+rule.FormatDuration(ev.T-p.t))
	}
}

// siblingWithin is how soon after the response a probing client ends the
// process.
const siblingWithin = int64(2 * time.Second)

// ended judges a connection that had only the probe, and which the client
// ended.
func (p *probed) ended(ev *session.Event, r session.Reporter, conn *processConn) {
	e := &conn.end
	if p.count == 0 || p.count != conn.sent || e.Begun == 0 || e.By == session.Server || p.reported || conn.latest.method != mcp.ServerDiscover {
		return
	}
	waited := e.Begun - p.t
	switch {
	case p.open && waited >= patience(ev.Conn)*19/20:
		p.report(ev, r, "server did not answer "+p.name()+" for "+rule.FormatDuration(waited)+", then the client ended it")
	case ev.Conn.Ours: // wiretea begins anew for the other era.
	case p.open || e.Begun-p.answered <= siblingWithin:
		r.Report(probeSibling.At(ev, "client sent only server/discover and ended the server %s later", rule.FormatDuration(waited)).AtRow(p.row))
	}
}
