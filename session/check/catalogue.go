package check

import (
	"wiretea/session"
	"wiretea/session/check/exchange"
	"wiretea/session/check/features"
	"wiretea/session/check/input"
	"wiretea/session/check/lifecycle"
	"wiretea/session/check/modern"
	"wiretea/session/check/process"
	"wiretea/session/check/rule"
	"wiretea/session/check/tasks"
	"wiretea/session/check/wire"
)

// families lists every family of rules, in the order of the documentation. A
// new family is a file of its own and a line here.
var families = []rule.Family{
	wire.Framing,
	wire.Envelope,
	exchange.Correlation,
	lifecycle.Family,
	modern.Family,
	input.RoundTrips,
	modern.Subscriptions,
	features.Content,
	features.Tools,
	features.Resources,
	features.Prompts,
	features.Completion,
	features.Pagination,
	exchange.Progress,
	exchange.Cancellation,
	features.Logging,
	input.Questions,
	tasks.Family,
	wire.Names,
	process.Family,
}

// All returns the catalogue: every rule, family by family.
func All() []*rule.Rule {
	var all []*rule.Rule
	for i := range families {
		all = append(all, families[i].Rules...)
	}
	return all
}

// Lookup returns the rule of that id, or nil.
func Lookup(id string) *rule.Rule {
	for i := range families {
		for _, r := range families[i].Rules {
			if r.ID == id {
				return r
			}
		}
	}
	return nil
}

// New returns a fresh set of checkers that apply every rule. A set holds the
// state of one session and must not be used for two.
func New() []session.Checker {
	var set []session.Checker
	for i := range families {
		set = append(set, families[i].New())
		for _, r := range families[i].Rules {
			if r.Check != nil {
				set = append(set, stateless{r})
			}
		}
	}
	return set
}

// stateless applies one rule that judges each event by itself.
type stateless struct{ rule *rule.Rule }

// Check implements session.Checker.
func (s stateless) Check(ev *session.Event, r session.Reporter) { s.rule.Check(s.rule, ev, r) }
