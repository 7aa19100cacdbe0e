package screen

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/check"
)

// silence leaves the findings of a rule out of what is shown and counted.
func (t *tab) silence(rule string) tea.Cmd {
	switch {
	case rule == "":
		return t.Say(session.Error, "silence RULE; tab shows those that were found")
	case check.Lookup(rule) == nil:
		return t.Say(session.Error, fmt.Sprintf("unknown rule %q; tab lists those that were found", rule))
	}
	t.Findings.Silence(&t.Ctx, rule, true)
	return tea.Batch(t.Sync(), t.Say(session.Info, rule+" is silenced in this session; :unsilence takes it in again"))
}

// unsilence takes a rule in again, or all of them.
func (t *tab) unsilence(rule string) tea.Cmd {
	quiet := t.Findings.Silenced()
	switch {
	case len(quiet) == 0:
		return t.Say(session.Info, "no rule is silenced")
	case rule != "" && !slices.Contains(quiet, rule):
		return t.Say(session.Error, fmt.Sprintf("%q is not silenced; tab shows what is", rule))
	case rule != "":
		quiet = []string{rule}
	}
	for _, rule := range quiet {
		t.Findings.Silence(&t.Ctx, rule, false)
	}
	words := "all rules count again"
	if rule != "" {
		words = rule + " counts again"
	}
	return tea.Batch(t.Sync(), t.Say(session.Info, words))
}
