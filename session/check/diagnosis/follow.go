package diagnosis

import (
	"slices"
	"sort"

	"wiretea/session"
	"wiretea/session/check/exchange"
	"wiretea/session/check/features"
	"wiretea/session/check/lifecycle"
	"wiretea/session/check/modern"
	"wiretea/session/check/process"
	"wiretea/session/check/rule"
	"wiretea/session/check/wire"
	"wiretea/session/lazy"
)

// consequences are the rules whose findings a root explains, on the same
// connection and with the same side at fault. For the rules in ends and
// unreadable, see lostWith and unheard instead.
var consequences = lazy.Value[[]consequence]{New: func() []consequence {
	return []consequence{
		{process.ServerNotReading, rules{exchange.UnansweredRequest, exchange.RequestNeverAnswered, process.ServerIgnoresEOF, process.ServerSilentOnProbe}},
		{process.StdoutBuffering, rules{exchange.UnansweredRequest, exchange.RequestNeverAnswered, process.ServerSilentOnProbe, process.SlowStartup, exchange.LateResponse, exchange.SlowResponse}},
		{process.ServerSilentOnProbe, rules{process.SlowStartup, exchange.UnansweredRequest, exchange.RequestNeverAnswered}},
		{exchange.UnansweredRequest, rules{exchange.RequestNeverAnswered, exchange.LateResponse, exchange.SlowResponse, process.SlowStartup}},
		{exchange.LateResponse, rules{exchange.SlowResponse}},
		{process.ServerIgnoresEOF, rules{process.ServerIgnoresSIGTERM, process.OrphanDescendants, process.StdoutHeldOpen, exchange.RequestNeverAnswered}},
		{process.OrphanDescendants, rules{process.StdoutHeldOpen}},
		{wire.StdoutNotJSON, rules{wire.StdoutNotJSON}},
		{wire.JSONNotMessage, rules{wire.JSONNotMessage}},
		{lifecycle.VersionAnswerUnknown, rules{lifecycle.FeatureNewerThanVersion}},
		{lifecycle.CapabilityNotNegotiated, rules{exchange.UnansweredRequest, exchange.RequestNeverAnswered}}, // It waits for that answer.
		{modern.ServerInitiatedRequest, rules{exchange.UnansweredRequest, exchange.RequestNeverAnswered}},
		{features.ListInvalid, rules{lifecycle.DeclaredButUnimplemented}},
	}
}}

// A consequence names the rules whose findings the root explains.
type consequence struct {
	root    *rule.Rule
	follows rules
}

// lostWith are consequences of the end of a server.
var lostWith = lazy.Value[rules]{New: func() rules {
	return rules{
		exchange.UnansweredRequest, exchange.RequestNeverAnswered, wire.UnterminatedFinal, wire.MissingNewline, process.WriteAfterClose, process.StdoutHeldOpen,
		process.OrphanDescendants, process.ServerSilentOnProbe, modern.SubscriptionNotAcknowledged,
	}
}}

// unheard are consequences of messages that cannot be read.
var unheard = lazy.Value[rules]{New: func() rules {
	return rules{
		exchange.UnansweredRequest, exchange.RequestNeverAnswered, process.ServerSilentOnProbe, process.SlowStartup, exchange.LateResponse, exchange.SlowResponse,
		modern.SubscriptionNotAcknowledged, wire.StdoutNotJSON, wire.JSONNotMessage, wire.UnterminatedFinal,
	}
}}

// explains reports whether finding f is a consequence of root.
func explains(root, f *session.Finding) bool {
	if root.Conn != f.Conn {
		return false
	}
	switch {
	case ends.Get().has(root.Rule):
		return ends.Get().has(f.Rule) || lostWith.Get().has(f.Rule) && f.Fault != session.Client
	case unreadable.Get().has(root.Rule) && root.Fault == session.Server:
		return f.Fault != session.Client && unheard.Get().has(f.Rule)
	case root.Rule == exchange.UnansweredRequest.ID && f.Rule == process.ServerIgnoresEOF.ID:
		return root.Fault == session.Server // It is still busy with the request.
	case root.Rule == exchange.UnansweredRequest.ID && f.Rule != root.Rule && root.Row != f.Row:
		return false // Each of these is about one request.
	}
	if f.Fault != root.Fault {
		return false
	}
	for _, c := range consequences.Get() {
		if c.root.ID == root.Rule {
			return c.follows.has(f.Rule)
		}
	}
	return false
}

// again reports whether f is what root is, on another connection: a server that
// exited before its first response, the first time and after the restart; one
// that ended in the same way; or one that responds to nothing.
func (c *chart) again(root, f *session.Finding) bool {
	switch {
	case root.Conn == f.Conn:
		return false
	case ends.Get().has(root.Rule) && ends.Get().has(f.Rule) && f.Conn == root.Conn-1 && c.mute(root.Conn) && c.mute(f.Conn):
		return true
	case silence.Get().has(root.Rule) && silence.Get().has(f.Rule):
		return root.Fault == session.Server && f.Fault == session.Server && !c.answers()
	}
	return c.sameEnd(root, f)
}

// sameEnd reports whether two findings are about a server that ended in the same
// way: by the same code or signal, and with the same last words.
func (c *chart) sameEnd(f, g *session.Finding) bool {
	if f.Rule != g.Rule || !ends.Get().has(f.Rule) || f.Key != g.Key {
		return false
	}
	a, b := c.conn(f.Conn), c.conn(g.Conn)
	return a != nil && b != nil && a.Exited == b.Exited && a.ExitCode == b.ExitCode && a.ExitSig == b.ExitSig
}

// maxRoots bounds how many groups a finding is compared with.
const maxRoots = 200

// groups groups the findings, the group of finding first at the front; -1 =
// none. Roots are taken by descending weight, so that a consequence of a
// server's exit is not taken as a root before it.
func (c *chart) groups(first int) []Group {
	order := make([]int, 0, len(c.all))
	for i, w := range c.weights {
		if w >= 0 {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool {
		i, j := order[a], order[b]
		if i == first || j == first {
			return i == first && j != first
		}
		return c.weights[i] > c.weights[j]
	})
	var groups []Group
	for _, i := range order {
		at := slices.IndexFunc(groups[:min(len(groups), maxRoots)], func(g Group) bool {
			return explains(&c.all[g.Root], &c.all[i]) || c.again(&c.all[g.Root], &c.all[i])
		})
		if at < 0 {
			groups = append(groups, Group{Root: i})
			continue
		}
		groups[at].Follows = append(groups[at].Follows, i)
	}
	for _, g := range groups {
		slices.Sort(g.Follows)
	}
	sort.SliceStable(groups, func(a, b int) bool {
		i, j := groups[a].Root, groups[b].Root
		if i == first || j == first {
			return i == first && j != first
		}
		return c.all[i].Severity > c.all[j].Severity
	})
	return groups
}
