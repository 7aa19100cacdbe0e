package screen_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/session/mcp"
	"wiretea/ui/screen"
	"wiretea/ui/source"
)

// A fresher is a recording with a server that can be started anew.
type fresher struct {
	*scripted
	server source.FreshServer
	tried  chan source.Trial
	answer source.Tried
	err    error
}

func fresherOf(t *testing.T, server source.FreshServer) *fresher {
	return &fresher{scripted: sourceOf(over(talk(t)), "old.mcpcap.jsonl"), server: server, tried: make(chan source.Trial, 4)}
}

func (f *fresher) Fresh() source.FreshServer { return f.server }
func (f *fresher) Try(_ context.Context, t source.Trial) (source.Tried, error) {
	f.tried <- t
	return f.answer, f.err
}

// TestFresh sends a recorded request to a fresh server, which is asked about first, and
// shows both answers.
func TestFresh(t *testing.T) {
	f := fresherOf(t, source.FreshServer{Argv: []string{"node", "server.js", "--name", "two words"}, Dir: "/home/ann", Env: []string{"API_KEY"}})
	f.answer = source.Tried{Body: []byte(`{"content":[{"type":"text","text":"Echo: goodbye"}]}`), Took: 7 * time.Millisecond, Server: "tea 2.0"}
	s := show(t, 120, 40, screen.Options{}, f)
	s.WaitText("■ recording")
	s.Type(":8")
	s.Keys("enter")
	s.WaitText("tools/call echo #8")
	s.Keys("r")
	s.WaitFor(all("run the recorded command?", "node server.js --name 'two words'", "/home/ann", "API_KEY", "Whoever made the recording chose the command", "n esc"))
	s.Keys("n")
	s.WaitFor(all("not run the recorded command?"))
	s.Keys("r")
	s.WaitText("n esc")
	s.Keys("y")
	s.WaitFor(all("≠ 1 difference", "Echo: hello there", "Echo: goodbye", "#10, recorded, 23.4 ms", "a fresh server, tea 2.0, 7.00 ms"))
	want := source.Trial{Request: recorder.Request{Method: "tools/call", Params: []byte(`{"name":"echo","arguments":{"message":"hello there"}}`)}, Era: mcp.Legacy, Version: "2025-11-25"}
	if got := <-f.tried; got.Method != want.Method || string(got.Params) != string(want.Params) || got.Era != want.Era || got.Version != want.Version {
		t.Errorf("tried %+v", got)
	}
	s.Keys("q")
	s.WaitText("traffic")
	f.err = errors.New("it does not start")
	s.Keys("r") // the command was agreed to
	s.WaitText("sending #8 to a fresh server: it does not start")
	if len(f.tried) != 1 {
		t.Errorf("tried %d times more", len(f.tried))
	}
	s.Type(":2")
	s.Keys("enter")
	s.WaitText("initialize #2")
	s.Keys("r")
	s.WaitText("a fresh server is asked that by itself")
}

// TestFreshChosen: a command that our user has chosen is not asked about; one that does
// not fit the screen is never run.
func TestFreshChosen(t *testing.T) {
	f := fresherOf(t, source.FreshServer{Argv: []string{"./server"}, Chosen: true})
	f.answer = source.Tried{Error: true, Body: []byte(`{"code":-32603,"message":"out of tea"}`)}
	s := show(t, 120, 40, screen.Options{}, f)
	s.WaitText("■ recording")
	s.Type(":15")
	s.Keys("enter")
	s.WaitText("tools/call brew #15")
	s.Keys("r")
	s.WaitFor(all("out of tea", `"result"`, `"error"`, "not n esc"))

	long := fresherOf(t, source.FreshServer{Argv: []string{"sh", "-c", strings.Repeat("true; ", 1000) + "rm -rf ~"}})
	s = show(t, 80, 24, screen.Options{}, long)
	s.WaitText("■ recording")
	s.Type(":8")
	s.Keys("enter")
	s.WaitFor(all("echo #8", "not r resend"))
	s.Keys("r")
	s.WaitText("--server 'CMD' chooses one")
	s.Keys("y") // it answers no question: it begins a chord
	s.WaitText("raw frame")
	if len(long.tried) > 0 {
		t.Error("it was run")
	}
}
