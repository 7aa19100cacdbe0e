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
)

// consequences are the rules whose findings a root explains, on the same
// connection and with the same side at fault. The rules of ends and deafening
// have lostWith and unheard instead.
var consequences = []struct {
	root    *rule.Rule
	follows rules
}{
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
	{features.ListInvalid, rules{lifecycle.DeclaredButUnimplemented}},
}

// lostWith is what goes with a server that ends.
var lostWith = rules{
	exchange.UnansweredRequest, exchange.RequestNeverAnswered, wire.UnterminatedFinal, wire.MissingNewline, process.WriteAfterClose, process.StdoutHeldOpen,
	process.OrphanDescendants, process.ServerSilentOnProbe, modern.SubscriptionNotAcknowledged,
}

// unheard is what is missing where messages cannot be read.
var unheard = rules{
	exchange.UnansweredRequest, exchange.RequestNeverAnswered, process.ServerSilentOnProbe, process.SlowStartup, exchange.LateResponse, exchange.SlowResponse,
	modern.SubscriptionNotAcknowledged, wire.StdoutNotJSON, wire.JSONNotMessage, wire.UnterminatedFinal,
}

// explains reports whether finding f follows from root.
func explains(root, f *session.Finding) bool {
	if root.Conn != f.Conn {
		return false
	}
	switch {
	case ends.has(root.Rule):
		return ends.has(f.Rule) || lostWith.has(f.Rule) && f.Fault != session.Client
	case deafening.has(root.Rule) && root.Fault == session.Server:
		return f.Fault != session.Client && unheard.has(f.Rule)
	case root.Rule == exchange.UnansweredRequest.ID && f.Rule != root.Rule && root.Row != f.Row:
		return false // Those are about one request each.
	}
	if f.Fault != root.Fault {
		return false
	}
	for i := range consequences {
		if c := &consequences[i]; c.root.ID == root.Rule {
			return c.follows.has(f.Rule)
		}
	}
	return false
}

// again reports whether two servers that went away before their first answer did
// so for one reason: f the first time, and root when it was started once more.
func (c *chart) again(root, f *session.Finding) bool {
	return ends.has(root.Rule) && ends.has(f.Rule) && f.Conn == root.Conn-1 && c.mute(root.Conn) && c.mute(f.Conn)
}

// maxRoots bounds how many groups a finding is compared with.
const maxRoots = 200

// groups puts the findings into groups, that of finding first at the front; -1 =
// none is. Roots are taken in the order of their weight, so that what a server
// that went away explains is not taken for a root before it.
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
