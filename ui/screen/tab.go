package screen

import (
	"wiretea/recorder/watch"
	"wiretea/ui/comparing"
	"wiretea/ui/composer"
	"wiretea/ui/host"
	"wiretea/ui/intercept"
	"wiretea/ui/preferences"
	"wiretea/ui/questions"
	"wiretea/ui/requests"
	"wiretea/ui/source"
	"wiretea/ui/timeline"
)

// A tab is one session on the screen, with the parts that act on it.
type tab struct {
	*host.Tab
	timeline  *timeline.Timeline
	requests  *requests.Requests
	questions *questions.Questions
	composer  *composer.Composer
	intercept *intercept.Intercept
	comparing *comparing.Comparing

	prefs  *preferences.Preferences // prefs are the screen's.
	built  *watch.Built             // built is the latest build; nil = none.
	pulse  pulse                    // pulse is how many rows came in the last seconds.
	beside *tab                     // beside is the session whose statistics are laid over this one's; nil = none.
}

func (s *Screen) newTab(src source.Source, kept *intercept.Kept) *tab {
	t := &tab{Tab: host.New(s, src, s.prefs.Theme)}
	t.timeline, t.requests, t.questions = timeline.New(t.Tab), requests.New(t.Tab), questions.New(t.Tab)
	t.prefs, t.comparing = s.prefs, comparing.New(t.Tab)
	s.prefs.Dress(t.Tab)
	t.intercept = intercept.New(t.Tab, kept)
	t.composer = composer.New(t.Tab, t.requests, s.opt.History)
	t.Ctx.Keys, t.Filter = s.keys, s.opt.Filter
	return t
}
