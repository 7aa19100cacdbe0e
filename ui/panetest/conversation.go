package panetest

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"wiretea/session"
	"wiretea/ui/pane"
)

// Conversation returns a session in which conversations of the rules' tests took
// place, each on a connection of its own, without their ticks and gaps. package check
// describes the format.
func Conversation(t *testing.T, files ...string) *pane.Context {
	t.Helper()
	s := New(t)
	begin := 0.0
	for i, file := range files {
		s.Conn(i + 1)
		begin = addConversation(t, s, file, begin) + 1000
	}
	s.End()
	return s.Context()
}

// addConversation adds a conversation that begins at a time, and returns when it ends.
func addConversation(t *testing.T, s *Session, file string, begin float64) (ms float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ms = begin
	for line := range strings.SplitSeq(string(txtar.Parse(text).Files[0].Data), "\n") {
		at, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		d, err := time.ParseDuration(at)
		if err != nil {
			continue // a comment, or the limits
		}
		ms = begin + float64(d)/float64(time.Millisecond)
		word, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		name, exact := strings.CutSuffix(word, "!")
		args := strings.Fields(rest)
		switch stream, known := session.ParseStream(name); {
		case known && exact:
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				t.Fatal(err)
			}
			bytes, _ := strconv.Unquote(quoted)
			times, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(rest[len(quoted):]), "x"))
			if err != nil {
				times = 1
			}
			s.Bytes(ms, stream, strings.Repeat(bytes, min(times, 1<<20/max(1, len(bytes)))))
		case known:
			s.Bytes(ms, stream, rest+"\n")
		case word == "io" && len(args) >= 3:
			stream, _ := session.ParseStream(args[1])
			s.IO(ms, stream, session.IOEvent{Event: args[0], Side: args[2]})
		case word == "proc" && args[0] == "start":
			s.Proc(ms, session.Proc{Event: "start", PID: 4711})
		case word == "proc" && args[0] == "failed":
			s.Proc(ms, session.Proc{Event: "failed", Err: strings.Join(args[1:], " ")})
		case word == "proc" && args[0] == "signal":
			s.Proc(ms, session.Proc{Event: "signal", Signal: args[1], By: args[2]})
		case word == "proc" && args[0] == "exit":
			code, err := strconv.Atoi(args[1])
			if err != nil {
				s.Proc(ms, session.Proc{Event: "exit", Code: -1, Signal: args[1]})
			} else {
				s.Proc(ms, session.Proc{Event: "exit", Code: code})
			}
		}
	}
	return ms
}
