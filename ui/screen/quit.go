package screen

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// An ending is how far leaving has come.
type ending struct {
	asked   bool // asked: the question whether to leave is on the screen.
	back    bool // back: to where the session was opened from; else the program ends.
	running bool // running: servers are being ended.
	hurry   context.CancelFunc
	began   time.Time
}

// An endedMsg says that all servers have ended.
type endedMsg struct{}

// servers are the sources with a server of ours, and whether one of them is live.
func (s *Screen) servers() (all []source.Server, live bool) {
	for _, t := range s.tabs {
		if server, ok := t.Source.(source.Server); ok {
			all, live = append(all, server), live || t.Source.Live()
		}
	}
	return all, live
}

// quit leaves the session: back to where it was opened from, which may be nowhere, or the
// program. While a server of ours runs, it asks first.
func (s *Screen) quit(back bool) tea.Cmd {
	s.ending.back = back
	if _, live := s.servers(); !live {
		return s.leave()
	}
	s.ending.asked = true
	return nil
}

// endingKey takes the answer to the question whether to leave; while servers are being
// ended ctrl+c gives them no more time.
func (s *Screen) endingKey(key string) tea.Cmd {
	switch {
	case s.ending.asked:
		s.ending.asked = false
		if slices.Contains([]string{"y", "Y", "enter", "ctrl+c", "q"}, key) {
			return s.leave()
		}
	case key == "ctrl+c":
		s.ending.hurry()
		return s.Say(session.Warning, "killing the server")
	}
	return nil
}

// leave ends the servers properly, and then the program.
func (s *Screen) leave() tea.Cmd {
	servers, _ := s.servers()
	if len(servers) == 0 {
		return s.left()
	}
	ctx, hurry := context.WithCancel(context.Background())
	s.ending = ending{back: s.ending.back, running: true, hurry: hurry, began: time.Now()}
	return func() tea.Msg {
		for _, server := range servers {
			_ = server.Close(ctx) // nobody is left to be told
		}
		hurry()
		return endedMsg{}
	}
}

// left is what follows when nothing is left to be ended.
func (s *Screen) left() tea.Cmd {
	if s.ending.back && s.opt.Back != nil {
		return s.opt.Back
	}
	return pane.Program(tea.Quit)
}

// question is the line that asks whether to leave, or says what leaving waits
// for; empty = neither.
func (s *Screen) question() string {
	switch {
	case s.ending.asked:
		words := "end the server and leave?"
		if s.ending.back && s.opt.Back != nil {
			words = "end the server and go home?"
		}
		if s.tab().Source.Path() != "" {
			words += " it is recorded."
		}
		return words + "  y leaves · any other key stays"
	case s.ending.running:
		return fmt.Sprintf("ending the server… %s  ctrl-c kills it", format.Duration(int64(time.Since(s.ending.began).Round(100*time.Millisecond))))
	}
	return ""
}
