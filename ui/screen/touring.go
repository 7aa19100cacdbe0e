package screen

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/ui/keys"
)

// A Tour plays scenes in a session, one after the other, each when it is told to. Its
// methods return at once and may be called from any goroutine.
type Tour interface {
	// Line is what the shown scene is about; empty = nothing is said.
	Line() string

	// Scene is the scene that is shown.
	Scene() Scene

	// Step goes to the next scene (1) or to the one before (-1). There it does nothing
	// where there is none.
	Step(by int)
}

// A Scene is a part of a tour.
type Scene struct {
	At, Of int   // At is its number, from 1, Of + 1 for the end of the tour; Of is how many there are, and below 2 there is nowhere to go.
	Serial int   // Serial counts the scenes that were begun, again or for the first time.
	From   int64 // From is the session's time in nanoseconds at which it began.
	Over   bool  // Over: it has been played.
}

// toured is how far the screen has followed a tour.
type toured struct {
	serial int
	row    uint32 // row is what was selected of that scene, session.NoRow for nothing,
	own    bool   // and own is set once the person at the screen has done something in it.
}

// scene returns the scene that is shown; the zero Scene without a tour.
func (s *Screen) scene() Scene {
	if s.opt.Tour == nil {
		return Scene{}
	}
	if scene := s.opt.Tour.Scene(); scene.Of > 1 {
		return scene
	}
	return Scene{}
}

// followTour shows the newest frames of a scene while it plays, then selects the frame
// that matters, unless the person at the screen has begun to look around.
func (s *Screen) followTour() tea.Cmd {
	t, scene := s.tab(), s.scene()
	if scene.Of == 0 {
		return nil
	}
	if scene.Serial != s.toured.serial {
		s.toured = toured{serial: scene.Serial, row: session.NoRow}
		if t.Ctx.Past || t.Disabled(keys.Traffic, keys.Follow) != "" {
			return nil
		}
		cmd, _ := t.DoIn(keys.Traffic, keys.Follow)
		return cmd
	}
	if !scene.Over || s.toured.own {
		return nil
	}
	row := matters(t.Ctx.Snap, scene.From)
	if row == session.NoRow || row == s.toured.row {
		return nil
	}
	s.toured.row = row
	return t.timeline.Goto(row)
}

// sceneRows is how many of a scene's rows are looked at for its answer.
const sceneRows = 1 << 12

// matters is the row that shows what a scene is about: that of its first finding among
// the gravest, else the answer to its first call, else its last answer.
func matters(snap *session.Snapshot, from int64) uint32 {
	row, sev := uint32(session.NoRow), session.NoSeverity
	for _, f := range snap.Findings() {
		if f.T >= from && f.Row != session.NoRow && f.Severity > sev {
			row, sev = f.Row, f.Severity
		}
	}
	if row != session.NoRow {
		return row
	}
	last := uint32(session.NoRow)
	for i := snap.Len() - 1; i >= max(0, snap.Len()-sceneRows); i-- {
		r := snap.Row(uint32(i))
		if r.T < from {
			break
		}
		switch {
		case r.Kind != session.RowResult || r.Stream != session.S2C:
		case snap.Name(r.Method) == mcp.ToolsCall:
			row = uint32(i)
		case last == session.NoRow:
			last = uint32(i)
		}
	}
	if row != session.NoRow {
		return row
	}
	return last
}

// tourKey is what a key does in a tour, empty where it does something else: what the
// focused pane has for it, or the next hit of a search.
func (s *Screen) tourKey(name string) keys.Action {
	if s.scene().Of == 0 {
		return ""
	}
	a, _ := s.keys.Lookup(name, keys.Tour)
	if a != keys.TourNext && a != keys.TourBack {
		return ""
	}
	switch other, taken := s.keys.Lookup(name, s.layout.Focus); {
	case !taken:
		return a
	case (other == keys.SearchNext || other == keys.SearchPrev) && s.tab().Ctx.Search.Text == "" && (s.layout.Focus != keys.Tools || s.tab().Tools.Narrowed() == ""):
		return a
	}
	return ""
}

// A tourHint is a key that goes through a tour.
type tourHint struct {
	action    keys.Action
	key, what string
}

// tourHints are the keys that go through a tour; none where there is no tour, or it
// cannot go there.
func (s *Screen) tourHints() (hints []tourHint) {
	scene := s.scene()
	for _, way := range []struct {
		action keys.Action
		what   string
		there  bool
	}{{keys.TourNext, "next scene", scene.At <= scene.Of}, {keys.TourBack, "scene before", scene.At > 1}} {
		b := s.keys.Find(way.action, keys.Tour)
		if b == nil || !way.there {
			continue
		}
		for _, key := range b.Keys {
			if s.tourKey(key) == way.action {
				hints = append(hints, tourHint{way.action, keys.Word(key), way.what})
				break
			}
		}
	}
	return hints
}

// tourStep goes to another scene, or says why there is none.
func (s *Screen) tourStep(by int) tea.Cmd {
	switch scene := s.scene(); {
	case scene.Of == 0:
		return s.Say(session.Info, "only the tour of wiretea demo has scenes")
	case scene.At+by < 1:
		return s.Say(session.Info, "this is the first scene")
	case scene.At+by > scene.Of+1:
		return s.Say(session.Info, fmt.Sprintf("the tour has %d scenes, and this is its end", scene.Of))
	}
	s.opt.Tour.Step(by)
	return nil
}

// tourLine is the tour's line, with its keys.
func (s *Screen) tourLine() string {
	if s.opt.Tour == nil {
		return ""
	}
	line := s.opt.Tour.Line()
	if line == "" {
		return ""
	}
	for i, hint := range s.tourHints() {
		sep := "  ·  "
		if i > 0 {
			sep = ", "
		}
		line += sep + hint.key + " " + hint.what
	}
	return line
}
