package cause

import (
	"slices"
	"sort"

	"wiretea/session"
	"wiretea/session/check/rule"
)

// explains reports whether finding f is a consequence of root.
func explains(root, f *session.Finding) bool {
	if root.Conn != f.Conn {
		return false
	}
	follows := rule.TextOf(f.Rule).Follows
	switch role := roleOf(root); {
	case role == rule.End:
		return roleOf(f) == rule.End || slices.Contains(follows, string(role)) && f.Fault != session.Client
	case role == rule.Unreadable && root.Fault == session.Server:
		return slices.Contains(follows, string(role)) && f.Fault != session.Client
	case root.Rule == "unanswered-request" && f.Rule == "server-ignores-eof":
		return root.Fault == session.Server // It is still busy with the request.
	case root.Rule == "unanswered-request" && f.Rule != root.Rule && root.Row != f.Row:
		return false // Each of these is about one request.
	}
	return f.Fault == root.Fault && slices.Contains(follows, root.Rule)
}

// again reports whether f is what root is, on another connection: a server that
// exited before its first response, the first time and after the restart; one
// that ended in the same way; or one that responds to nothing.
func (c *chart) again(root, f *session.Finding) bool {
	switch {
	case root.Conn == f.Conn:
		return false
	case roleOf(root) == rule.End && roleOf(f) == rule.End && f.Conn == root.Conn-1 && c.mute(root.Conn) && c.mute(f.Conn):
		return true
	case roleOf(root) == rule.Silence && roleOf(f) == rule.Silence:
		return root.Fault == session.Server && f.Fault == session.Server && !c.answers()
	}
	return c.sameEnd(root, f)
}

// sameEnd reports whether two findings are about a server that ended in the same
// way: by the same code or signal, and with the same last words.
func (c *chart) sameEnd(f, g *session.Finding) bool {
	if f.Rule != g.Rule || roleOf(f) != rule.End || f.Key != g.Key {
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
