package screen

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/check"
)

// silence leaves the findings of a rule out of what is shown and counted.
func (s *Screen) silence(rule string) tea.Cmd {
	t := s.tab()
	switch {
	case rule == "":
		return s.say(session.Error, "silence RULE; tab shows those that were found")
	case check.Lookup(rule) == nil:
		return s.say(session.Error, fmt.Sprintf("unknown rule %q; tab lists those that were found", rule))
	}
	t.finds.Silence(&t.ctx, rule, true)
	return tea.Batch(t.sync(), s.say(session.Info, rule+" is silenced in this session; :unsilence takes it in again"))
}

// unsilence takes a rule in again, or all of them.
func (s *Screen) unsilence(rule string) tea.Cmd {
	t := s.tab()
	quiet := t.finds.Silenced()
	switch {
	case len(quiet) == 0:
		return s.say(session.Info, "no rule is silenced")
	case rule != "" && !slices.Contains(quiet, rule):
		return s.say(session.Error, fmt.Sprintf("%q is not silenced; tab shows what is", rule))
	case rule != "":
		quiet = []string{rule}
	}
	for _, rule := range quiet {
		t.finds.Silence(&t.ctx, rule, false)
	}
	words := "all rules count again"
	if rule != "" {
		words = rule + " counts again"
	}
	return tea.Batch(t.sync(), s.say(session.Info, words))
}

// foundRules are the rules that have findings in the session.
func (s *Screen) foundRules() []string {
	var rules []string
	for _, f := range s.tab().ctx.Snap.Findings() {
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// silencedRules are those that were silenced.
func (s *Screen) silencedRules() []string { return s.tab().finds.Silenced() }
