package leaving

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/host"
	"wiretea/ui/intercept"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
)

// A Session is one that is left.
type Session struct {
	Source source.Source
	Place  *intercept.Intercept // Place is that of the screen in the session's path.
}

// A Leaving is how far leaving has come. It belongs to the goroutine that runs Update.
type Leaving struct {
	screen   host.Screen
	sessions []Session
	home     tea.Cmd // home goes back to where the sessions were opened from; nil = the program ends.

	back    bool // back: to home, where there is one; else the program ends.
	running bool // running: servers are being ended, or held messages released.
	ours    bool // ours: there are servers to end.
	hurry   context.CancelFunc
	began   time.Time
}

// New returns what leaves sessions. home goes back to where they were opened from; nil = from
// nowhere.
func New(s host.Screen, sessions []Session, home tea.Cmd) *Leaving {
	return &Leaving{screen: s, sessions: sessions, home: home}
}

// servers are the sources with a server of ours, and whether one of them runs.
func (l *Leaving) servers() (all []source.Server, runs bool) {
	for _, s := range l.sessions {
		if server, ok := s.Source.(source.Server); ok {
			now := s.Source.Snapshot().LastConn()
			gone := now != nil && (now.Exited || now.Failed && !now.Started)
			all, runs = append(all, server), runs || s.Source.Live() && !gone
		}
	}
	return all, runs
}

// Quit leaves the sessions: back to where they were opened from, which may be nowhere, or the
// program. While a server of ours runs, it asks first.
func (l *Leaving) Quit(back bool) tea.Cmd {
	l.back = back
	var parts []overlay.Part
	if _, runs := l.servers(); runs {
		words := "End the server and leave?"
		if back && l.home != nil {
			words = "End the server and go home?"
		}
		if l.screen.Current().Source.Path() != "" {
			words += " The session is recorded."
		}
		parts = append(parts, overlay.Text.Of(words))
	}
	if held := l.held(); held != "" {
		parts = append(parts, overlay.Warn.Of(held))
	}
	if len(parts) == 0 {
		return l.leave()
	}
	l.screen.Open(&overlay.Confirm{Head: "leave?", Parts: parts, Yes: "leaves", Also: []string{"enter", "q", "ctrl+c"}, Do: l.leave})
	return nil
}

// Running reports whether servers are being ended, or held messages released.
func (l *Leaving) Running() bool { return l.running }

// Key takes a key while that goes on: ctrl+c gives the servers no more time.
func (l *Leaving) Key(key string) tea.Cmd {
	if key != "ctrl+c" {
		return nil
	}
	l.hurry()
	return l.screen.Say(session.Warning, "killing the server")
}

// held says what becomes of the messages that are held when the sessions are left.
func (l *Leaving) held() string {
	var parts []string
	for _, s := range l.sessions {
		if words := s.Place.Leaving(); words != "" {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, "; ")
}

// leave releases what is held here, and ends the servers properly.
func (l *Leaving) leave() tea.Cmd {
	servers, _ := l.servers()
	var places []func()
	for _, s := range l.sessions {
		if release := s.Place.Leave(); release != nil {
			places = append(places, release)
		}
	}
	if len(servers) == 0 && len(places) == 0 {
		return l.left()
	}
	ctx, hurry := context.WithCancel(context.Background())
	l.running, l.ours, l.hurry, l.began = true, len(servers) > 0, hurry, time.Now()
	return func() tea.Msg {
		for _, release := range places {
			release()
		}
		for _, server := range servers {
			_ = server.Close(ctx) // nobody is left to be told
		}
		hurry()
		return host.OwnMsg{Take: l.left}
	}
}

// left is what follows when nothing is left to be ended.
func (l *Leaving) left() tea.Cmd {
	if l.back && l.home != nil {
		return l.home
	}
	return pane.Program(tea.Quit)
}

// Line says what leaving waits for; empty = nothing.
func (l *Leaving) Line() string {
	if !l.running {
		return ""
	}
	if !l.ours {
		return "releasing the held messages…"
	}
	return fmt.Sprintf("ending the server… %s  ctrl-c kills it", text.Duration(int64(time.Since(l.began).Round(100*time.Millisecond))))
}
