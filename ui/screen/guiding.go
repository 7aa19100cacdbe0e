package screen

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/check"
	"wiretea/session/check/compat"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
	"wiretea/ui/config"
	"wiretea/ui/detail"
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
	s.Open(&overlay.Page{Name: rule.ID, Keys: s.keys, Lines: func(th *style.Theme, w int) []string { return explained(th, rule, w) }})
	return nil
}

// explained explains a rule: what is wrong and how to mend it, then the reasons, and what
// known clients do with the faults that it reports.
func explained(th *style.Theme, r *rule.Rule, w int) []string {
	s, text := &style.Sheet{Theme: th, W: w, Label: 11}, r.Text()
	s.Text(th.Text, text.Title)
	s.Add("")
	s.Field("fix", th.Strong, text.Hint)
	s.Add("")
	s.Text(th.Text, text.Explain)
	s.Add("")
	look, sign := th.Severity(r.Severity)
	s.Field("severity", look, sign+" "+r.Severity.String())
	s.Field("at fault", th.Text, r.Fault.String())
	s.Field("revisions", th.Text, r.Revisions())
	s.Field("breaks", th.Text, strings.Join(r.Clients(), ", "))
	for i, place := range text.Refs {
		label := "see"
		if i > 0 {
			label = ""
		}
		s.Field(label, th.Text, ansi.Wrap(place.Address(mcp.NoVersion), max(1, w-2-s.Label), "/#"))
	}
	s.Label = 24
	for f := range compat.NumFaults {
		if f.Rule() != r.ID {
			continue
		}
		s.Add("")
		s.Text(th.Dim, "clients: "+f.Title())
		for c := range compat.NumClients {
			v := c.Of(f)
			words := v.Outcome.String()
			if wait := v.Wait(); wait > 0 {
				words += fmt.Sprintf(" for %d s", int(wait.Seconds()))
			}
			if v.Note != "" {
				words += ": " + v.Note
			}
			look, sign := detail.OutcomeStyle(th, v.Outcome)
			s.Field(v.Client.Label(), look, sign+" "+words)
		}
	}
	return s.Lines
}
