package screen

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// An ending is how far leaving has come.
type ending struct {
	back    bool // back: to where the session was opened from; else the program ends.
	running bool // running: servers are being ended, or held messages released.
	ours    bool // ours: there are servers to end.
	hurry   context.CancelFunc
	began   time.Time
}

// An endedMsg says that all servers have ended.
type endedMsg struct{}

// servers are the sources with a server of ours, and whether one of them runs.
func (s *Screen) servers() (all []source.Server, runs bool) {
	for _, t := range s.tabs {
		if server, ok := t.Source.(source.Server); ok {
			now := t.Source.Snapshot().LastConn()
			gone := now != nil && (now.Exited || now.Failed && !now.Started)
			all, runs = append(all, server), runs || t.Source.Live() && !gone
		}
	}
	return all, runs
}

// quit leaves the session: back to where it was opened from, which may be nowhere, or the
// program. While a server of ours runs, it asks first.
func (s *Screen) quit(back bool) tea.Cmd {
	s.ending.back = back
	held := s.leavesHeld()
	if _, runs := s.servers(); !runs {
		if held == "" {
			return s.leave()
		}
		s.Open(&overlay.Confirm{Head: "leave?", Parts: []overlay.Part{overlay.Warn.Of(held)}, Yes: "leaves", Also: []string{"enter", "q", "ctrl+c"}, Do: s.leave})
		return nil
	}
	words := "End the server and leave?"
	if back && s.opt.Back != nil {
		words = "End the server and go home?"
	}
	if s.tab().Source.Path() != "" {
		words += " The session is recorded."
	}
	parts := []overlay.Part{overlay.Text.Of(words)}
	if held != "" {
		parts = append(parts, overlay.Warn.Of(held))
	}
	s.Open(&overlay.Confirm{Head: "leave?", Parts: parts, Yes: "leaves", Also: []string{"enter", "q", "ctrl+c"}, Do: s.leave})
	return nil
}

// endingKey takes a key while servers are being ended: ctrl+c gives them no more time.
func (s *Screen) endingKey(key string) tea.Cmd {
	if key != "ctrl+c" {
		return nil
	}
	s.ending.hurry()
	return s.Say(session.Warning, "killing the server")
}

// leavesHeld says what becomes of the messages that are held when the screen is left.
func (s *Screen) leavesHeld() string {
	var parts []string
	for _, t := range s.tabs {
		if words := t.intercept.Leaving(); words != "" {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, "; ")
}

// leave releases what is held here, ends the servers properly, and then the program.
func (s *Screen) leave() tea.Cmd {
	servers, _ := s.servers()
	var places []func()
	for _, t := range s.tabs {
		if release := t.intercept.Leave(); release != nil {
			places = append(places, release)
		}
	}
	if len(servers) == 0 && len(places) == 0 {
		return s.left()
	}
	ctx, hurry := context.WithCancel(context.Background())
	s.ending = ending{back: s.ending.back, running: true, ours: len(servers) > 0, hurry: hurry, began: time.Now()}
	return func() tea.Msg {
		for _, release := range places {
			release()
		}
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

// question is the line that says what leaving waits for; empty = nothing.
func (s *Screen) question() string {
	if !s.ending.running {
		return ""
	}
	if !s.ending.ours {
		return "releasing the held messages…"
	}
	return fmt.Sprintf("ending the server… %s  ctrl-c kills it", format.Duration(int64(time.Since(s.ending.began).Round(100*time.Millisecond))))
}
