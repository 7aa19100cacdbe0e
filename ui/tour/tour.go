package tour

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/ui/host"
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

// A Follower is how far the screen has followed a tour.
type Follower struct {
	screen host.Screen
	keys   keys.Map
	tour   Tour

	serial int    // serial is that of the scene that is followed,
	row    uint32 // row is what was selected of it, session.NoRow for nothing.

	// Own is set once the person at the screen has done something in the scene.
	Own bool
}

// New returns what follows a tour on a screen; nil = there is none.
func New(s host.Screen, bound keys.Map, tour Tour) *Follower {
	return &Follower{screen: s, keys: bound, tour: tour}
}

// Plays reports whether there is a tour.
func (f *Follower) Plays() bool { return f.tour != nil }

// Scene returns the scene that is shown; the zero Scene without a tour.
func (f *Follower) Scene() Scene {
	if f.tour == nil {
		return Scene{}
	}
	if scene := f.tour.Scene(); scene.Of > 1 {
		return scene
	}
	return Scene{}
}

// Follow shows the newest frames of a scene while it plays, then selects the frame
// that matters, unless the person at the screen has begun to look around.
func (f *Follower) Follow() tea.Cmd {
	t, scene := f.screen.Current(), f.Scene()
	if scene.Of == 0 {
		return nil
	}
	if scene.Serial != f.serial {
		f.serial, f.row, f.Own = scene.Serial, session.NoRow, false
		if t.Ctx.Past || t.Disabled(keys.Traffic, keys.Follow) != "" {
			return nil
		}
		cmd, _ := t.DoIn(keys.Traffic, keys.Follow)
		return cmd
	}
	if !scene.Over || f.Own {
		return nil
	}
	row := matters(t.Ctx.Snap, scene.From)
	if row == session.NoRow || row == f.row {
		return nil
	}
	f.row = row
	return t.Goto(row)
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

// Key is what a key does in a tour, empty where it does something else: what the
// focused pane has for it, or the next hit of a search.
func (f *Follower) Key(name string) keys.Action {
	if f.Scene().Of == 0 {
		return ""
	}
	a, _ := f.keys.Lookup(name, keys.Tour)
	if a != keys.TourNext && a != keys.TourBack {
		return ""
	}
	switch other, taken := f.keys.Lookup(name, f.screen.Layout().Focus); {
	case !taken:
		return a
	case (other == keys.SearchNext || other == keys.SearchPrev) && f.screen.Current().Ctx.Search.Text == "" && (f.screen.Layout().Focus != keys.Tools || f.screen.Current().Tools.Narrowed() == ""):
		return a
	}
	return ""
}

// A Hint is a key that goes through a tour.
type Hint struct {
	Action    keys.Action
	Key, What string
}

// Hints are the keys that go through a tour; none where there is no tour, or it
// cannot go there.
func (f *Follower) Hints() (hints []Hint) {
	scene := f.Scene()
	for _, way := range []struct {
		action keys.Action
		what   string
		there  bool
	}{{keys.TourNext, "next scene", scene.At <= scene.Of}, {keys.TourBack, "scene before", scene.At > 1}} {
		b := f.keys.Find(way.action, keys.Tour)
		if b == nil || !way.there {
			continue
		}
		for _, key := range b.Keys {
			if f.Key(key) == way.action {
				hints = append(hints, Hint{way.action, keys.Word(key), way.what})
				break
			}
		}
	}
	return hints
}

// Step goes to another scene, or says why there is none.
func (f *Follower) Step(by int) tea.Cmd {
	switch scene := f.Scene(); {
	case scene.Of == 0:
		return f.screen.Say(session.Info, "only the tour of wiretea demo has scenes")
	case scene.At+by < 1:
		return f.screen.Say(session.Info, "this is the first scene")
	case scene.At+by > scene.Of+1:
		return f.screen.Say(session.Info, fmt.Sprintf("the tour has %d scenes, and this is its end", scene.Of))
	}
	f.tour.Step(by)
	return nil
}

// Line is the tour's line, with its keys.
func (f *Follower) Line() string {
	if f.tour == nil {
		return ""
	}
	line := f.tour.Line()
	if line == "" {
		return ""
	}
	for i, hint := range f.Hints() {
		sep := "  ·  "
		if i > 0 {
			sep = ", "
		}
		line += sep + hint.Key + " " + hint.What
	}
	return line
}
