package screen

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/intercept"
	"wiretea/ui/overlay"
	"wiretea/ui/prompt"
)

// asked are the kinds of what the prompt asks for.
type asked struct {
	filter, search, command *prompt.Kind

	comment   *prompt.Kind // comment asks what there is to say about the selected row.
	narrow    *prompt.Kind // narrow asks what items of a page are looked for.
	intercept *prompt.Kind // intercept asks which messages are held.
}

// kinds are the kinds of what the prompt of this screen asks for.
func (s *Screen) kinds() asked {
	// done is do, after which the notice that was there before is gone.
	done := func(do func(text string) tea.Cmd) func(string) tea.Cmd {
		return func(text string) tea.Cmd {
			s.notice.text = ""
			return do(text)
		}
	}
	help := func(page int) func(key string) (tea.Cmd, bool) {
		return func(key string) (tea.Cmd, bool) {
			if key != "f1" {
				return nil, false
			}
			return s.openHelp(page, ""), true
		}
	}
	offer := func(text string) []string { return s.tab().filterCompletions(text) }
	// said is the tab, and row its row, that were selected when a comment was asked for: more
	// rows may come while it is typed.
	var said *tab
	var row uint32
	return asked{
		filter: &prompt.Kind{
			Sign: "filter ", Note: `m:tools/call t:echo d:s2c is:error lat>500ms sev>=warning b~"rex" -m:ping a|b`,
			Text: func() string { return s.tab().Filter }, Wrong: wrongFilter, Offer: offer,
			Keys: func(key string) (tea.Cmd, bool) {
				if key == "f2" {
					s.prompt.Close()
					return s.prefs.OpenFilters(), true
				}
				return help(filterPage)(key)
			},
			Do: done(func(text string) tea.Cmd { return s.tab().setFilter(text, true) }),
		},
		search: &prompt.Kind{
			Sign: "/", Note: "a text in the raw bytes of all frames; n and N go from hit to hit", Keys: help(allPage),
			Do: done(func(text string) tea.Cmd { return s.tab().search(text) }),
		},
		command: &prompt.Kind{
			Sign: ":", Note: "a command, or the number of a frame; tab completes, f1 lists everything",
			Offer: s.completions, Says: s.commandHelp, Keys: help(allPage), Do: done(s.command),
		},
		comment: &prompt.Kind{
			Sign: "✎ ", Limit: recorder.MaxNote / 4, Forgets: true, Keys: help(allPage),
			Text: func() string {
				said, row = s.tab(), s.tab().Ctx.Cursor
				return said.Traffic.Comment(row)
			},
			Do: done(func(text string) tea.Cmd { return said.Comment(row, text) }),
		},
		narrow: &prompt.Kind{
			Sign: "names with ", Forgets: true, Keys: help(allPage),
			Text:  func() string { return s.tab().Tools.Narrowed() },
			Typed: func(text string) tea.Cmd { return s.tab().Tools.Narrow(text) },
			Do:    done(func(text string) tea.Cmd { return s.tab().Tools.Narrow(text) }),
		},
		intercept: &prompt.Kind{
			Sign: intercept.Prompt, Note: "m:tools/call t:echo d:c2s is:request -m:ping; nothing = off",
			Text:  func() string { text, _ := s.tab().intercept.On(); return text },
			Wrong: intercept.CheckFilter, Offer: offer, Keys: help(filterPage),
			Do: done(func(text string) tea.Cmd { return s.tab().intercept.Hold(text) }),
		},
	}
}

// wrongFilter says what is wrong with a filter, a rule that does not exist included.
func wrongFilter(words string) error {
	f, err := filter.Parse(words)
	if err != nil {
		return err
	}
	var known []string
	for _, r := range check.All() {
		known = append(known, r.ID)
	}
	if rule := f.UnknownRule(known); rule != "" {
		return fmt.Errorf("unknown rule %q; %s", rule, text.Nearest(rule, known, "tab lists the rules"))
	}
	return nil
}

// paste gives what was pasted to what is open; elsewhere it is not keys.
func (s *Screen) paste(text string) tea.Cmd {
	if s.prompt.IsOpen() {
		return s.prompt.Paste(text)
	}
	if t, ok := s.overlay.(overlay.Taker); ok {
		return t.Take(tea.PasteMsg{Content: text})
	}
	if b, ok := s.overlay.(overlay.Searched); ok {
		b.Typed(strings.Join(strings.Fields(text), " "))
		return nil
	}
	if s.composes("") {
		return s.tab().composer.Paste(tea.PasteMsg{Content: text})
	}
	return s.Say(session.Info, "press : or f first to paste into a line")
}
