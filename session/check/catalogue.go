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
	wire.FramingFamily,
	wire.EnvelopeFamily,
	exchange.CorrelationFamily,
	lifecycle.LifecycleFamily,
	modern.ModernFamily,
	input.MrtrFamily,
	modern.SubscriptionsFamily,
	features.ContentFamily,
	features.ToolsFamily,
	features.ResourcesFamily,
	features.PromptsFamily,
	features.CompletionFamily,
	features.PaginationFamily,
	exchange.ProgressFamily,
	exchange.CancellationFamily,
	features.LoggingFamily,
	input.QuestionsFamily,
	tasks.TasksFamily,
	wire.NamesFamily,
	process.ProcessFamily,
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
	set := make([]session.Checker, len(families))
	for i := range families {
		set[i] = families[i].New()
	}
	return set
}
