package check

import (
	"wiretea/session"
	"wiretea/session/check/http"
	"wiretea/session/check/offers"
	"wiretea/session/check/process"
	"wiretea/session/check/protocol"
	"wiretea/session/check/rule"
	"wiretea/session/check/wire"
	"wiretea/session/jsonrpc"
)

// families lists the families of rules, in the order of the documentation. A
// new family is a new file and a line here.
var families = []*rule.Family{
	&wire.Framing,
	&wire.Envelope,
	&protocol.Correlation,
	&protocol.Lifecycle,
	&protocol.Modern,
	&offers.RoundTrips,
	&protocol.Subscriptions,
	&offers.Content,
	&offers.Tools,
	&offers.Resources,
	&offers.Prompts,
	&offers.Completion,
	&offers.Pagination,
	&protocol.Progress,
	&protocol.Cancellation,
	&offers.Logging,
	&offers.Questions,
	&protocol.Tasks,
	&wire.Names,
	&process.Family,
	&http.Exchange,
	&http.Sessions,
	&http.Streams,
	&http.Mirror,
	&http.Authorization,
	&http.Browsers,
	&process.Recording,
}

// All returns the catalogue: every rule, family by family.
func All() []*rule.Rule {
	var all []*rule.Rule
	for _, f := range families {
		all = append(all, f.Rules...)
	}
	return all
}

// Lookup returns the rule of that id, or nil.
func Lookup(id string) *rule.Rule {
	for _, f := range families {
		for _, r := range f.Rules {
			if r.ID == id {
				return r
			}
		}
	}
	return nil
}

// New returns a fresh set of checkers that apply every rule. A set holds the
// state of one session and must not be used for two.
func New() []session.Checker {
	p := &perConn{}
	for _, f := range families {
		if f.Session != nil {
			p.news = append(p.news, f.Session())
		} else {
			p.news = append(p.news, f.New)
		}
	}
	return []session.Checker{p}
}

// perConn keeps the families' checkers for each connection that has not ended, and
// passes them its events.
type perConn struct {
	news  []func() session.Checker // news make the checkers of the families, in their order.
	conns map[int]*checkers
	id    int
	last  *checkers // last is the checkers of the connection id: usually only one is alive.
}

// checkers are the checkers of one connection, and those of the families with EveryFrame.
type checkers struct{ all, everyFrame []session.Checker }

// Check implements session.Checker. Events without a connection are skipped.
func (p *perConn) Check(ev *session.Event, r session.Reporter) {
	if ev.Conn == nil {
		return
	}
	if p.last == nil || p.id != ev.Conn.ID {
		p.id, p.last = ev.Conn.ID, p.conns[ev.Conn.ID]
	}
	if p.last == nil {
		p.last = p.newCheckers()
		rule.Put(&p.conns, p.id, p.last)
	}
	if ev.Lossy {
		r = lossy{r}
	}
	list := p.last.all
	if ev.Kind == session.FrameSeen && oneMessage(ev.Frame) {
		list = p.last.everyFrame
	}
	for _, c := range list {
		c.Check(ev, r)
	}
	if ev.Kind == session.ConnEnded {
		delete(p.conns, p.id)
		p.last = nil
	}
}

// oneMessage reports whether a frame is one complete message on stdin or stdout.
func oneMessage(f *session.Frame) bool {
	return f.Stream != session.Stderr && !f.Part && f.Text.Syntax == jsonrpc.Complete && f.Text.Emitted == 1
}

// newCheckers returns the checkers of a new connection.
func (p *perConn) newCheckers() *checkers {
	c := new(checkers)
	for i := range families {
		if p.news[i] != nil {
			checker := p.news[i]()
			c.all = append(c.all, checker)
			if families[i].EveryFrame {
				c.everyFrame = append(c.everyFrame, checker)
			}
		}
		for _, r := range families[i].Rules {
			if r.Check != nil {
				c.all = append(c.all, stateless{r})
			}
		}
	}
	return c
}

// A lossy reporter leaves out, of a connection some of whose records are missing, the
// findings of rules that depend on them: nobody is accused of what only the file lacks.
type lossy struct{ session.Reporter }

// Report implements session.Reporter.
func (l lossy) Report(f session.Finding) {
	if rule := Lookup(f.Rule); rule == nil || !rule.NeedsAll {
		l.Reporter.Report(f)
	}
}

// stateless applies one rule that judges each event by itself.
type stateless struct{ rule *rule.Rule }

// Check implements session.Checker.
func (s stateless) Check(ev *session.Event, r session.Reporter) { s.rule.Check(s.rule, ev, r) }

// A Rule is one entry of the catalogue.
type Rule = rule.Rule

// The sides that may be at fault.
const (
	Server = rule.Server
	Nobody = rule.Nobody
)
