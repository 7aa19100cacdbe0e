package screen

import (
	"fmt"
	"strings"

	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/check/compat"
	"wiretea/ui/cells"
	"wiretea/ui/detail"
	"wiretea/ui/format"
	"wiretea/ui/overlay"
	"wiretea/ui/style"

	tea "charm.land/bubbletea/v2"
)

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
