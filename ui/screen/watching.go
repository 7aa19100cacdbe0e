package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/watch"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/source"
	"wiretea/ui/style"
)

// A newsCameMsg is a message of a source whose server is built anew.
type newsCameMsg struct {
	tab *tab
	msg tea.Msg
}

// news waits for the next message of a source that is built anew; nil = it is none.
func (t *tab) news() tea.Cmd {
	w := t.watching()
	if w == nil {
		return nil
	}
	return func() tea.Msg {
		msg, more := <-w.News()
		if !more {
			return nil
		}
		return newsCameMsg{t, msg}
	}
}

// newsCame carries out what came, and waits for more.
func (s *Screen) newsCame(_ *tab, news newsCameMsg) tea.Cmd {
	t := news.tab
	var cmd tea.Cmd
	switch msg := news.msg.(type) {
	case watch.Built:
		cmd = s.built(t, msg)
	case source.IgnorePathMsg:
		cmd = t.comparing.Ignore(msg.Pattern)
	case pane.OutdatedMsg:
		cmd = t.TellOne(keys.Compare, msg)
	default:
		if t == s.tab() {
			cmd, _ = s.handle(t, msg)
		}
	}
	return tea.Batch(cmd, t.news())
}

// A buildPage shows what a build has written.
type buildPage struct {
	overlay.Page
	tab *tab
}

func newBuildPage(t *tab) *buildPage {
	b, made, lines := t.built, 0, []string(nil)
	return &buildPage{tab: t, Page: overlay.Page{Name: b.String(), Keys: t.Ctx.Keys, Head: text.Visible([]byte(b.Command), 300), Fits: true, End: true,
		Lines: func(_ *style.Theme, w int) []string {
			if made != w {
				made, lines = w, source.BuildLines(b, w)
			}
			if len(lines) == 0 {
				return []string{" (it wrote nothing)"}
			}
			return lines
		}}}
}

// built says how a build has ended. The output of one that failed opens where
// nothing else is open; it closes when a later build is fine.
func (s *Screen) built(t *tab, b watch.Built) tea.Cmd {
	t.built = &b
	page, open := s.overlay.(*buildPage)
	open = open && page.tab == t
	if b.OK() {
		if open {
			s.overlay = nil
		}
		return s.Say(session.Info, b.String())
	}
	if open || s.Idle() && s.layout.Vacant() && t == s.tab() {
		s.Open(newBuildPage(t))
		return nil
	}
	return s.Say(session.Error, b.String()+"; the server is the old one; :output shows why")
}

// watching is the session's, nil where nothing is watched.
func (t *tab) watching() source.Watching {
	w, _ := t.Source.(source.Watching)
	return w
}

const noWatch = "nothing is watched: wiretea run --watch PATH -- SERVER"

// watchCommand is :watch.
func (t *tab) watchCommand(word string) tea.Cmd {
	w := t.watching()
	if w == nil {
		return t.Say(session.Error, noWatch)
	}
	switch word {
	case "on", "off":
		w.TurnWatch(word == "on")
	case "", "status":
	default:
		return t.Say(session.Error, "watch, watch on or watch off")
	}
	text := watchWords(w.Watch())
	if b := t.built; b != nil {
		text += "; the last " + b.String()
	}
	return t.Say(session.Info, text)
}

// watchWords say how it stands.
func watchWords(st watch.State) string {
	took := ""
	if st.For > 0 {
		took = " " + text.Duration(int64(st.For.Round(100*time.Millisecond)))
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
	switch folders := text.Plural(int64(st.Folders), "folder"); {
	case st.Named == "":
		return "watching " + folders
	case st.Folders > 1:
		return "watching " + st.Named + ", " + folders
	}
	return "watching " + st.Named
}

// busyWord is what the watching is doing, for the header; empty = it waits. That a
// server is an old one stays there.
func (t *tab) busyWord() string {
	w := t.watching()
	if w == nil {
		return ""
	}
	st := w.Watch()
	switch {
	case st.Phase != watch.Idle && st.Phase != watch.Over:
		return t.Ctx.Theme.Warning.Paint("⟳ " + watchWords(st))
	case st.Failed:
		return t.Ctx.Theme.Error.Paint("✖ build failed")
	}
	return ""
}

// watchWord is what is watched, for a header of w cells.
func (t *tab) watchWord(w int) string {
	watching := t.watching()
	if watching == nil {
		return ""
	}
	st := watching.Watch()
	if st.Phase != watch.Idle && st.Phase != watch.Over {
		return ""
	}
	words := watchWords(st)
	if st.Named = ""; cells.Width(words) > longWatch && st.Folders > 0 {
		words = watchWords(st)
	}
	if st.Off || w >= roomyHeader && cells.Width(words) <= longWatch {
		return t.Ctx.Theme.Dim.Paint(words)
	}
	return t.Ctx.Theme.Dim.Paint("watching")
}

const (
	roomyHeader = 120 // the width from which on the header says what is watched,
	longWatch   = 40  // and the width up to which it names it; :watch does always
)
