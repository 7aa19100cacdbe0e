package screen_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"wiretea/session"
	"wiretea/session/path"
	"wiretea/ui/screen"
)

// An engineSource is a session whose messages the real engine decides on.
type engineSource struct {
	*server
	engine *path.Interceptor
}

func (s *engineSource) Intercept(_ context.Context, by string) (session.Intercept, error) {
	return s.engine.Open(by)
}

// pass has a client's message pass the engine. It returns what becomes of a message that is
// held, when that is decided; of any other, at once.
func (s *engineSource) pass(text string) (held bool, settled <-chan session.Ruling) {
	got := make(chan session.Ruling, 1)
	r := s.engine.Decide(session.Carried{Conn: 1, Stream: session.C2S, Text: []byte(text)})
	if r.Verb != session.Hold {
		return false, nil
	}
	r.Await(func(r session.Ruling, written func()) {
		got <- r
		written()
	})
	return true, got
}

// TestHoldingEngine holds that the screen and the engine understand each other: what a filter
// that is typed holds is edited, released, answered and left with keys, while other messages
// pass.
func TestHoldingEngine(t *testing.T) {
	src := &engineSource{serverOf(talk(t), "node server.js"), path.NewInterceptor(path.InterceptConfig{})}
	defer src.engine.Close()
	const ping, word = `{"jsonrpc":"2.0","id":90,"method":"ping"}`, `"message":"hi"`
	call := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"echo","arguments":{` + word + `}}}`
	}
	s := show(t, 120, 40, screen.Options{}, src)
	s.Type(":intercept m:tools/call\r")
	s.WaitText("messages that match m:tools/call are held")
	for _, step := range []struct {
		id   string
		keys []string
		wait map[string]string // wait is what is on the screen after a key.
		goes string            // goes is in what goes on, empty = nothing does.
		back string            // back is in the answer, empty = there is none.
		by   string
	}{
		{id: "91", keys: []string{"a", "a"}, goes: word, by: "released by screen"},
		{id: "92", keys: []string{"B", "e", "ctrl+o", "ctrl+o", "home", "!", "ctrl+s", "a"}, wait: map[string]string{"e": "[form]", "home": "[malformed]", "ctrl+s": "edited"},
			goes: `!{"jsonrpc"`, by: "edited and released by screen"},
		{id: "93", keys: []string{"B", "X", "t", "ctrl+s"}, wait: map[string]string{"X": "keeps it held"}, back: `"isError":true`, by: "answered with a tool's error by screen"},
		{id: "94", keys: []string{"A"}, goes: word, by: "released by screen"},
		{id: "95", keys: []string{"I"}, goes: word, by: "released by screen"},
	} {
		held, settled := src.pass(call(step.id))
		if !held {
			t.Fatalf("%s is not held", step.id)
		}
		s.WaitText("‖ 1 held")
		s.WaitText(`"jsonrpc": "2.0"`)
		if held, _ := src.pass(ping); held {
			t.Error("a ping is held")
		}
		for _, key := range step.keys {
			s.Keys(key)
			if shown := step.wait[key]; shown != "" {
				s.WaitText(shown)
			}
		}
		got := <-settled
		back := ""
		for _, b := range got.Back {
			back += string(b)
		}
		if !strings.Contains(string(got.Text), step.goes) || (step.goes == "") != (len(got.Text) == 0) || !strings.Contains(back, step.back) || !strings.Contains(got.By, step.by) {
			t.Errorf("%s %v: %q goes on, %q back, by %s", step.id, step.keys, got.Text, back, got.By)
		}
		s.WaitFor(func(shown string) bool { return !strings.Contains(shown, "‖ 1 held") })
	}
	if held, _ := src.pass(call("96")); held {
		t.Error("a message is held after I")
	}
	s.Type("I")
	s.WaitText("messages that match m:tools/call are held")
	_, settled := src.pass(call("97"))
	s.WaitText("‖ 1 held")
	s.Keys("q")
	s.WaitText("1 held message will be released as it came")
	s.Keys("y")
	if got := <-settled; string(got.Text) != call("97") {
		t.Errorf("leaving has released %q", got.Text)
	}
}

// A slowSource opens the first place only when another one is asked for, and that one when it is
// told to.
type slowSource struct {
	*engineSource
	asked  chan struct{} // asked is closed when the second place is asked for.
	second chan struct{} // second is closed when the second place may be opened.
	count  atomic.Int32
}

func (s *slowSource) Intercept(ctx context.Context, by string) (session.Intercept, error) {
	if s.count.Add(1) == 1 {
		<-s.asked
	} else {
		close(s.asked)
		<-s.second
	}
	return s.engineSource.Intercept(ctx, by)
}

// TestHoldsWhileOpening holds that what is typed while the place is being opened is done.
func TestHoldsWhileOpening(t *testing.T) {
	engine := path.NewInterceptor(path.InterceptConfig{})
	defer engine.Close()
	src := &slowSource{engineSource: &engineSource{serverOf(talk(t), "node server.js"), engine}, asked: make(chan struct{}), second: make(chan struct{})}
	s := show(t, 120, 40, screen.Options{}, src)
	s.Type(":intercept m:tools/call\r")
	<-src.asked
	// The first place is there once its pane can be shown.
	s.Type("B")
	s.WaitText("nothing is held")
	close(src.second)
	s.WaitText("messages that match m:tools/call are held")
}
