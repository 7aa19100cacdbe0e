package diagnosis

import (
	"slices"
	"sort"

	"wiretea/session"
)

// consequences says which findings a root explains, on the same connection and
// with the same side at fault or nobody. The sets of deafening and ends stand for
// each of their rules.
var consequences = map[string][]string{
	"server-not-reading":     {"unanswered-request", "request-never-answered", "server-ignores-eof", "server-silent-on-probe"},
	"stdout-buffering":       {"unanswered-request", "request-never-answered", "server-silent-on-probe", "slow-startup", "late-response", "slow-response"},
	"server-silent-on-probe": {"slow-startup", "unanswered-request", "request-never-answered"},
	"unanswered-request":     {"request-never-answered", "late-response", "slow-response", "slow-startup"},
	"late-response":          {"slow-response"},
	"server-ignores-eof":     {"server-ignores-sigterm", "orphan-descendants", "stdout-held-open", "request-never-answered"},
	"orphan-descendants":     {"stdout-held-open"},
	"stdout-not-json":        {"stdout-not-json"},
	"json-not-message":       {"json-not-message"},
	"version-answer-unknown": {"feature-newer-than-version"},
	"list-invalid":           {"declared-but-unimplemented"},
}

// lostWith is what goes with a server that ends.
var lostWith = []string{
	"unanswered-request", "request-never-answered", "unterminated-final-message", "missing-newline", "write-after-close", "stdout-held-open",
	"orphan-descendants", "server-silent-on-probe", "subscription-not-acknowledged",
}

// unheard is what is missing where messages cannot be read.
var unheard = []string{
	"unanswered-request", "request-never-answered", "server-silent-on-probe", "slow-startup", "late-response", "slow-response",
	"subscription-not-acknowledged", "stdout-not-json", "json-not-message", "unterminated-final-message",
}

// explains reports whether finding f follows from root.
func explains(root, f *session.Finding) bool {
	if root.Conn != f.Conn {
		return false
	}
	switch {
	case ends[root.Rule]:
		return ends[f.Rule] || slices.Contains(lostWith, f.Rule) && f.Fault != session.Client
	case deafening[root.Rule] && root.Fault == session.Server:
		return f.Fault != session.Client && slices.Contains(unheard, f.Rule)
	case root.Rule == "unanswered-request" && f.Rule != root.Rule && root.Row != f.Row:
		return false // Those are about one request each.
	}
	return f.Fault == root.Fault && slices.Contains(consequences[root.Rule], f.Rule)
}

// again reports whether two servers that went away before their first answer did
// so for one reason: f the first time, and root when it was started once more.
func (c *chart) again(root, f *session.Finding) bool {
	return ends[root.Rule] && ends[f.Rule] && f.Conn == root.Conn-1 && c.mute(root.Conn) && c.mute(f.Conn)
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
