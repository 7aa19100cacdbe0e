package screen

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wiretea/ui/cells"
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

// guideOf is the guide that a pane still has; nil for none.
func (s *Screen) guideOf(pane keys.Scope) *guide {
	if s.tour.Plays() || !slices.Contains(s.prefs.Settings.Guides, string(pane)) {
		return nil
	}
	for i := range guides {
		if guides[i].pane == pane {
			return &guides[i]
		}
	}
	return nil
}

// guided writes the guidance of a pane into its last line, where that has nothing but a border: it never
// covers anything.
func (s *Screen) guided(pane keys.Scope, lines []string, w int) []string {
	g, last := s.guideOf(pane), len(lines)-1
	if g == nil || last < 1 || strings.Trim(ansi.Strip(lines[last]), " │") != "" {
		return lines
	}
	line := " "
	t := s.tab()
	for _, d := range g.does {
		key := s.keys.WordOf(d.action, pane)
		if key == "" || t.Pane(pane).Disabled(&t.Ctx, d.action) != "" {
			continue
		}
		part := s.prefs.Theme.Accent.Paint(key) + s.prefs.Theme.Dim.Paint(" "+d.words)
		if line != " " {
			part = s.prefs.Theme.Dim.Paint(" · ") + part
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

// follows takes away the guidance of the pane that has the focus, once somebody does what it
// says.
func (s *Screen) follows(a keys.Action) {
	g := s.guideOf(s.layout.Focus)
	if g != nil && slices.ContainsFunc(g.does, func(d guided) bool { return d.action == a }) {
		s.prefs.Settings.Guides = slices.DeleteFunc(slices.Clone(s.prefs.Settings.Guides), func(name string) bool { return name == string(g.pane) })
	}
}
