package screen

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/ui/cells"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/source"
)

// A levelBox is the menu of log levels.
type levelBox struct{ list list.List }

// noLevel is the row of the menu that asks for no log messages, which only the
// modern era has.
const noLevel = "none"

// levels are the rows of the menu.
func (s *Screen) levels() []string {
	if c := s.conn(); c != nil && c.Era == mcp.Modern {
		return append(slices.Clone(mcp.LogLevels), noLevel)
	}
	return mcp.LogLevels
}

// level is the log level in force, as far as we asked for it.
func (s *Screen) level() string {
	if l, ok := s.tab().source.(source.Logging); ok {
		return l.LogLevel()
	}
	return ""
}

// noLogLevel says why the server cannot be asked for log messages, empty = it can.
func (s *Screen) noLogLevel() string {
	if why := s.noSending(); why != "" {
		return why
	}
	if _, ours := s.tab().source.(source.Logging); ours {
		return ""
	}
	if c := s.conn(); c != nil && c.Era == mcp.Modern {
		return "in the modern era each request says which log messages it wants, and these are the client's"
	}
	return ""
}

// openLevels opens the menu.
func (s *Screen) openLevels() tea.Cmd {
	at := slices.Index(s.levels(), s.level())
	s.overlay = &levelBox{list.List{At: max(0, at)}}
	return nil
}

// logLevel asks for log messages of a level and above; nothing opens the menu.
func (s *Screen) logLevel(word string) tea.Cmd {
	if why := s.noLogLevel(); why != "" {
		return s.say(session.Info, why)
	}
	if word == "" {
		return s.openLevels()
	}
	if !slices.Contains(s.levels(), word) {
		return s.say(session.Error, fmt.Sprintf("unknown level %q; tab lists the levels", word))
	}
	l, ours := s.tab().source.(source.Logging)
	if !ours {
		return s.sendFromPage(fmt.Sprintf(`logging/setLevel {"level":%q}`, word))
	}
	level := word
	if word == noLevel {
		level = ""
	}
	return func() tea.Msg {
		if err := l.SetLogLevel(context.Background(), level); err != nil {
			return leveled{err: err}
		}
		return leveled{level: word}
	}
}

// A leveled says that a log level was asked for, or could not be.
type leveled struct {
	level string
	err   error
}

// tookLevel says what became of a log level.
func (s *Screen) tookLevel(msg leveled) tea.Cmd {
	c := s.conn()
	switch {
	case msg.err != nil:
		return s.say(session.Error, msg.err.Error())
	case msg.level == noLevel:
		return s.say(session.Info, "no log messages are asked for any more")
	case c != nil && c.Era == mcp.Modern:
		return s.say(session.Info, "each request from now on asks for log messages of level "+msg.level+" and above")
	}
	return s.say(session.Info, "the server logs level "+msg.level+" and above")
}

func (b *levelBox) title() string { return "log messages of level" }

func (b *levelBox) size(s *Screen, w, h int) (int, int) {
	return min(w, 44), min(h, len(s.levels())+4)
}

func (b *levelBox) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	levels := s.levels()
	switch name := msg.String(); name {
	case "q":
		s.overlay = nil
	case "enter":
		s.overlay = nil
		return s.logLevel(levels[min(b.list.At, len(levels)-1)])
	default:
		b.list.Do(keys.Moving(name), len(levels))
	}
	return nil
}

func (b *levelBox) view(s *Screen, w, h int) []string {
	th, levels := s.theme, s.levels()
	var lines []string
	from, to := b.list.Fit(len(levels), max(1, h-2))
	for i, level := range levels[from:to] {
		sign, style := th.LogLevel(level)
		mark := "  "
		if level == s.level() {
			mark = "● "
		}
		text := cells.Fit(" "+mark+sign+" "+level, w)
		if from+i == b.list.At {
			style = style.With(th.Selected)
		}
		lines = append(lines, style.Paint(text))
	}
	hint := " enter asks for it and all above"
	if c := s.conn(); c != nil && c.Era == mcp.Modern {
		hint = " enter asks for it with each request"
	}
	return append(lines, "", th.Dim.Paint(cells.Fit(hint, w)))
}
