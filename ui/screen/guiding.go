package screen

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wiretea/ui/cells"
	"wiretea/ui/config"
	"wiretea/ui/keys"
)

// A guide is the line of guidance of a pane for somebody who is new: what its keys do. It is
// gone once one of them was used.
type guide struct {
	pane keys.Scope
	does []guided
}

// A guided is what one of the keys does.
type guided struct {
	action keys.Action
	words  string
}

// guides are those of all panes that have one.
var guides = []guide{
	{keys.Traffic, []guided{{keys.Down, "moves"}, {keys.Enter, "opens the message"}, {keys.Filter, "filters"}, {keys.Pair, "goes to the answer"}}},
	{keys.Detail, []guided{{keys.NextTab, "turns the tabs"}, {keys.Fold, "folds"}, {keys.CopyValue, "copies the value"}}},
	{keys.Findings, []guided{{keys.Enter, "goes to the message"}, {keys.ExplainIt, "explains the rule"}, {keys.Silence, "silences it"}}},
	{keys.Stats, []guided{{keys.Unfold, "unfolds a method"}, {keys.SortNext, "sorts"}, {keys.Enter, "filters by it"}}},
	{keys.Timeline, []guided{{keys.ZoomIn, "zooms"}, {keys.PanRight, "pans"}, {keys.RangeTime, "makes the range a filter"}}},
	{keys.Tools, []guided{{keys.Compose, "calls a tool"}, {keys.Enter, "opens it"}, {keys.Narrow, "searches"}}},
}

// newGuides are the names of all guides, for somebody who is new.
func newGuides() (names []string) {
	for _, g := range guides {
		names = append(names, string(g.pane))
	}
	return names
}

// A guidance is what lines of guidance are still shown.
type guidance struct {
	settings *config.Settings // settings have the panes whose line was not used yet.
	off      bool             // off: none is shown.
}

// of is the guide that a pane still has; nil for none.
func (g guidance) of(pane keys.Scope) *guide {
	if g.off || !slices.Contains(g.settings.Guides, string(pane)) {
		return nil
	}
	for i := range guides {
		if guides[i].pane == pane {
			return &guides[i]
		}
	}
	return nil
}

// line writes the guidance of a pane of a tab into its last line, where that has nothing but a border: it never
// covers anything.
func (g guidance) line(t *tab, pane keys.Scope, lines []string, w int) []string {
	its, last := g.of(pane), len(lines)-1
	if its == nil || last < 1 || strings.Trim(ansi.Strip(lines[last]), " │") != "" {
		return lines
	}
	line, th := " ", t.Ctx.Theme
	for _, d := range its.does {
		key := t.Ctx.Keys.WordOf(d.action, pane)
		if key == "" || t.Pane(pane).Disabled(&t.Ctx, d.action) != "" || d.action == keys.Compose && t.requests.Disabled() != "" {
			continue
		}
		part := th.Accent.Paint(key) + th.Dim.Paint(" "+d.words)
		if line != " " {
			part = th.Dim.Paint(" · ") + part
		}
		if cells.Width(line)+cells.Width(part) > w {
			break
		}
		line += part
	}
	if strings.TrimSpace(line) == "" {
		return lines
	}
	lines = slices.Clone(lines)
	lines[last] = cells.Fit(line, w)
	return lines
}

// follow takes away the guidance of the pane that has the focus, once somebody does what it
// says.
func (g guidance) follow(focus keys.Scope, a keys.Action) {
	its := g.of(focus)
	if its != nil && slices.ContainsFunc(its.does, func(d guided) bool { return d.action == a }) {
		g.settings.Guides = slices.DeleteFunc(slices.Clone(g.settings.Guides), func(name string) bool { return name == string(focus) })
	}
}
