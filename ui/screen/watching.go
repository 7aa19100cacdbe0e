package screen

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/watch"
	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/source"
)

// news waits for the next message of a source that is built anew; nil = it is none.
func (s *Screen) news(i int) tea.Cmd {
	w, ok := s.tabs[i].source.(source.Watching)
	if !ok {
		return nil
	}
	return func() tea.Msg {
		msg, more := <-w.News()
		if !more {
			return nil
		}
		return newsCame{i, msg}
	}
}

// newsCame is a message from the source of a tab.
type newsCame struct {
	tab int
	msg tea.Msg
}

// newsMsg carries out what came, and waits for more.
func (s *Screen) newsMsg(msg newsCame) tea.Cmd {
	at := msg.tab
	next := s.news(at)
	switch msg := msg.msg.(type) {
	case watch.Built:
		return tea.Batch(s.built(s.tabs[at], msg), next)
	case source.IgnorePath:
		return tea.Batch(s.ignorePath(msg.Pattern), next)
	}
	if s.tabs[at] != s.tab() {
		return next
	}
	cmd, _ := s.asked(msg.msg)
	return tea.Batch(cmd, next)
}

// built says how a build has ended. The output of one that failed opens where
// nothing else is open; it closes when a later build is fine.
func (s *Screen) built(t *tab, b watch.Built) tea.Cmd {
	t.built = &b
	box, open := s.overlay.(*buildBox)
	if b.OK() {
		if open && box.tab == t {
			s.overlay = nil
		}
		return s.say(session.Info, b.String())
	}
	if open && box.tab == t || s.vacant() && t == s.tab() {
		s.overlay = &buildBox{tab: t, built: t.built}
		return nil
	}
	return s.say(session.Error, b.String()+"; the server is the old one; :output shows why")
}

// watching is the session's, nil where nothing is watched.
func (s *Screen) watching() source.Watching {
	w, _ := s.tab().source.(source.Watching)
	return w
}

const noWatch = "nothing is watched: wiretea run --watch PATH -- SERVER"

// watchCommand is :watch.
func (s *Screen) watchCommand(word string) tea.Cmd {
	w := s.watching()
	if w == nil {
		return s.say(session.Error, noWatch)
	}
	switch word {
	case "on", "off":
		w.TurnWatch(word == "on")
	case "", "status":
	default:
		return s.say(session.Error, "watch, watch on or watch off")
	}
	text := watchWords(w.Watch())
	if b := s.tab().built; b != nil {
		text += "; the last " + b.String()
	}
	return s.say(session.Info, text)
}

// buildNow is :build.
func (s *Screen) buildNow(string) tea.Cmd {
	w := s.watching()
	if w == nil {
		return s.say(session.Error, noWatch)
	}
	w.Rebuild()
	return nil
}

// output is :output.
func (s *Screen) output(string) tea.Cmd {
	t := s.tab()
	if t.built == nil {
		return s.say(session.Error, "nothing was built yet")
	}
	s.overlay = &buildBox{tab: t, built: t.built}
	return nil
}

// watchWords say how it stands.
func watchWords(st watch.State) string {
	took := ""
	if st.For > 0 {
		took = " " + format.Duration(int64(st.For.Round(100*time.Millisecond)))
	}
	switch st.Phase {
	case watch.Building:
		return "building…" + took
	case watch.Restarting:
		return "restarting…" + took
	case watch.Calling:
		return "asking again…" + took
	case watch.Over:
		return "nothing is watched any more"
	case watch.Idle:
	}
	if st.Off {
		return "watch is off"
	}
	switch folders := format.Plural(int64(st.Folders), "folder"); {
	case st.Named == "":
		return "watching " + folders
	case st.Folders > 1:
		return "watching " + st.Named + ", " + folders
	}
	return "watching " + st.Named
}

// busyWord is what the watching is doing, for the header; empty = it waits. That a
// server is an old one stays there.
func (s *Screen) busyWord() string {
	w := s.watching()
	if w == nil {
		return ""
	}
	st := w.Watch()
	switch {
	case st.Phase != watch.Idle && st.Phase != watch.Over:
		return s.theme.Warning.Paint("⟳ " + watchWords(st))
	case st.Failed:
		return s.theme.Error.Paint("✖ build failed")
	}
	return ""
}

// watchWord is what is watched, for the header.
func (s *Screen) watchWord() string {
	w := s.watching()
	if w == nil {
		return ""
	}
	st := w.Watch()
	if st.Phase != watch.Idle && st.Phase != watch.Over {
		return ""
	}
	words := watchWords(st)
	if st.Named = ""; cells.Width(words) > longWatch && st.Folders > 0 {
		words = watchWords(st)
	}
	if st.Off || s.w >= roomyHeader && cells.Width(words) <= longWatch {
		return s.theme.Dim.Paint(words)
	}
	return s.theme.Dim.Paint("watching")
}

const (
	roomyHeader = 120 // the width from which on the header says what is watched,
	longWatch   = 40  // and the width up to which it names it; :watch does always
)

// working reports whether the watching does something whose time is shown.
func (s *Screen) working() bool { return strings.Contains(s.busyWord(), "⟳") }
