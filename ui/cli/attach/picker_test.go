package attach

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/ui/style"
	"wiretea/ui/termtest"
)

// someSessions are live sessions with these names, each begun a second after the
// one before it.
func someSessions(names ...string) []capture.LiveSession {
	var live []capture.LiveSession
	for i, name := range names {
		live = append(live, capture.LiveSession{Server: 4000 + i, Info: recorder.Info{
			Path: "/s/20261120-" + name + "-1" + recorder.Suffix, Size: 1700,
			Header: &session.Header{Name: name, T0: time.Now().Add(time.Duration(i-100) * time.Second)},
		}})
	}
	return live
}

// TestPicker holds that the list stays with the session that is looked at,
// whatever comes and goes.
func TestPicker(t *testing.T) {
	p := &picker{look: func() looked { return looked{err: errors.New("the folder is gone")} }, theme: style.New("", true, true)}
	p.restyle = func(dark bool) *style.Theme { return style.New("", dark, true) }
	p.take(tabulate(someSessions("alpha", "beta", "gamma"), nil))
	s := termtest.Run(t, p, 90, 12, termtest.SessionOptions{})
	s.WaitText("3 sessions are live: which one?")
	s.WaitText("▸ gamma")
	s.Keys("j", "j", "j")
	s.WaitText("▸ alpha")
	s.Keys("k")
	s.WaitText("▸ beta")
	s.Message(tabulate(someSessions("beta", "delta", "\x1b[2Jodd"), nil))
	s.WaitText("▸ beta")
	s.WaitText("delta")
	s.WaitFor(func(screen string) bool { return strings.Contains(screen, "[2Jodd") })
	s.Message(tabulate(someSessions("beta"), nil))
	s.WaitText("one session is live")
	s.WaitText("the folder is gone") // it looks again by itself
	for _, size := range [][2]int{{40, 24}, {20, 5}, {3, 3}, {1, 1}, {200, 60}} {
		s.Resize(size[0], size[1])
	}
	s.WaitText("▸ beta")
	s.Message(tabulate(nil, nil))
	s.WaitText("no session is live any more")
	s.Message(tabulate(someSessions("last", "most"), nil))
	s.WaitText("▸ most")
	s.Keys("enter")
	if _, err := s.WaitEnd(); err != nil {
		t.Error(err)
	}
	if want := fmt.Sprintf("/s/20261120-most-1%s", recorder.Suffix); p.chosen != want {
		t.Errorf("chose %q", p.chosen)
	}
	s.Terminal(func(term *termtest.Terminal) {
		if u := term.Unknown(); len(u) > 0 {
			t.Errorf("the terminal does not understand %q", u)
		}
	})
	p.take(tabulate(nil, nil))
	if p.chosen = ""; p.key("enter") != nil || p.chosen != "" {
		t.Errorf("%q was chosen where there is nothing", p.chosen)
	}
}
