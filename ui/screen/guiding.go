package screen

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/check/compat"
	"wiretea/ui/cells"
	"wiretea/ui/config"
	"wiretea/ui/detail"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/style"
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
	{keys.Traffic, []guided{{keys.Down, "moves"}, {keys.Enter, "opens the message"}, {keys.Filter, "filters"}, {keys.Pair, "jumps to the answer or back"}}},
	{keys.Detail, []guided{{keys.NextTab, "shows the next tab"}, {keys.Fold, "folds"}, {keys.CopyValue, "copies the value"}}},
	{keys.Findings, []guided{{keys.Enter, "goes to the message"}, {keys.ExplainIt, "explains the rule"}, {keys.Silence, "silences it"}}},
	{keys.Stats, []guided{{keys.Unfold, "unfolds a method"}, {keys.SortNext, "sorts"}, {keys.Enter, "filters by it"}}},
	{keys.Timeline, []guided{{keys.ZoomIn, "zooms"}, {keys.PanRight, "pans"}, {keys.RangeTime, "makes the range a filter"}}},
	{keys.Tools, []guided{{keys.Compose, "calls a tool"}, {keys.Enter, "opens it"}, {keys.Narrow, "filters"}}},
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

// explain opens the explanation of a rule.
func (s *Screen) explain(id string) tea.Cmd {
	rule := check.Lookup(id)
	if rule == nil {
		return s.Say(session.Error, "unknown rule "+id+"; tab after :explain lists them")
	}
	var text strings.Builder
	_ = check.WriteText(&text, rule) // a Builder takes everything
	text.WriteString(s.clientsOf(rule.ID))
	s.Open(&overlay.Page{Name: rule.ID, Keys: s.keys, Lines: func(_ *style.Theme, w int) (lines []string) {
		for line := range strings.Lines(text.String()) {
			lines = append(lines, explained(format.Visible([]byte(strings.TrimRight(line, "\n")), 0), w-1)...)
		}
		return lines
	}})
	return nil
}

// factW is where the facts of a rule are beside their labels.
const factW = 11

// explained breaks a line of an explanation: a fact stays beside its label, and an
// address is broken only where it has to be.
func explained(line string, w int) []string {
	if line == "" {
		return []string{""}
	}
	lead, wrap := "", cells.Wrap
	if len(line) > factW && line[factW-2:factW] == "  " && w >= 3*factW {
		lead, line = line[:factW], line[factW:]
	}
	if !strings.Contains(line, " ") {
		wrap = cells.Hardwrap
	}
	var lines []string
	for _, part := range wrap(line, max(10, w-1-len(lead))) {
		lines = append(lines, " "+lead+part)
		lead = cells.Spaces(len(lead))
	}
	return lines
}

// clientsOf says what known clients do with the faults that a rule reports, a line
// each; empty where nothing was measured.
func (s *Screen) clientsOf(rule string) string {
	var b strings.Builder
	for f := range compat.NumFaults {
		if f.Rule() != rule {
			continue
		}
		fmt.Fprintf(&b, "\nclients    %s\n", f.Title())
		for c := range compat.NumClients {
			v := c.Of(f)
			words := v.Outcome.String()
			if wait := v.Wait(); wait > 0 {
				words += fmt.Sprintf(" for %d s", int(wait.Seconds()))
			}
			if v.Note != "" {
				words += ": " + v.Note
			}
			_, sign := detail.OutcomeStyle(s.prefs.Theme, v.Outcome)
			fmt.Fprintf(&b, "         %s %-22s %s\n", sign, v.Client.Label(), words)
		}
	}
	return b.String()
}
