package host

import (
	"slices"

	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/stats"
	"wiretea/ui/waterfall"
)

// Together has the tabs show their sessions as one: each knows of the others, and they have
// the pages of what is counted over all of them in common. Apart ends that.
func Together(tabs []*Tab) {
	var all []*pane.Context
	for _, t := range tabs {
		all = append(all, &t.Ctx)
	}
	counts, times := stats.New(), waterfall.New()
	for _, t := range tabs {
		t.Ctx.All = all
		t.share(keys.Stats, counts)
		t.share(keys.Timeline, times)
	}
}

// Apart has each of the tabs show its session by itself, with its own pages.
func Apart(tabs []*Tab) {
	for _, t := range tabs {
		t.Ctx.All = nil
		for i := range t.Panes {
			if own := t.own[t.Panes[i].Name]; own != nil {
				t.Panes[i].Pane, t.Panes[i].Shared = own, false
			}
		}
	}
}

// share puts a pane that several tabs have in the place of the tab's own.
func (t *Tab) share(name keys.Scope, p pane.Pane) {
	for i := range t.Panes {
		if t.Panes[i].Name != name {
			continue
		}
		if t.own == nil {
			t.own = map[keys.Scope]pane.Pane{}
		}
		if !t.Panes[i].Shared {
			t.own[name] = t.Panes[i].Pane
		}
		t.Panes[i].Pane, t.Panes[i].Shared = p, true
	}
}

// IsShared reports whether a pane shows all sessions, not the tab's alone.
func (t *Tab) IsShared(name keys.Scope) bool {
	return slices.ContainsFunc(t.Panes, func(p NamedPane) bool { return p.Name == name && p.Shared })
}
