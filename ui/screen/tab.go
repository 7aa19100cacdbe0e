package screen

import (
	"slices"
	"wiretea/recorder/watch"
	"wiretea/ui/composer"
	"wiretea/ui/config"
	"wiretea/ui/host"
	"wiretea/ui/intercept"
	"wiretea/ui/pane"
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

	saved  *config.Settings // saved are the screen's settings.
	built  *watch.Built     // built is the latest build; nil = none.
	pulse  pulse            // pulse is how many rows came in the last seconds.
	beside *tab             // beside is the session whose statistics are laid over this one's; nil = none.
	unseen bool             // unseen: a difference that came unasked was not looked at.
}

func (s *Screen) newTab(src source.Source) *tab {
	t := &tab{Tab: host.New(s, src, s.theme)}
	t.timeline, t.requests, t.questions = timeline.New(t.Tab), requests.New(t.Tab), questions.New(t.Tab)
	t.saved, t.Ctx.Colours = &s.opt.Settings, s.rowColours()
	t.intercept = intercept.New(t.Tab, s.opt.Settings.Hold)
	t.composer = composer.New(t.Tab, t.requests, s.opt.History)
	if t.Traffic.SetColumns(s.layout.Columns) != nil { // It came from a file.
		s.layout.Columns = ""
	}
	t.Ctx.Keys, t.Ctx.Time, t.Filter = s.keys, pane.TimeStyle(max(0, slices.Index(timeWords[:], s.opt.Settings.Time))), s.opt.Filter
	return t
}
