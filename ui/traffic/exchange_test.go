package traffic

import (
	"strings"
	"testing"

	"wiretea/ui/keys"
)

// The ends of a connection's streams are one row, which unfolds and folds again; what is
// gone to is unfolded.
func TestEndsOfStreams(t *testing.T) {
	tp := newTape()
	tp.record("proc", 1, `"ev":"start","pid":1`)
	tp.record("io", 2, `"d":"c2s","ev":"eof","side":"client"`)
	tp.record("io", 3, `"d":"err","ev":"eof","side":"server"`)
	tp.record("proc", 4, `"ev":"exit","code":0`)
	tp.record("io", 5, `"d":"s2c","ev":"eof","side":"server"`)
	tp.conn = 2
	tp.record("io", 6, `"d":"s2c","ev":"eof","side":"server"`)
	s := newStage(t, tp, false)
	if got := s.rows(); got != "1 2 4 6" {
		t.Errorf("rows %s", got)
	}
	if got := s.screen(60, 8, false); !strings.Contains(got, "▸  stdin, stderr, stdout: end of file") {
		t.Error(got)
	}
	s.goTo(2)
	s.do(keys.FoldTrip)
	if got := s.screen(60, 8, false); s.rows() != "1 2 3 4 5 6" || !strings.Contains(got, "▾  stdin: end of file (client)") {
		t.Errorf("rows %s: %s", s.rows(), got)
	}
	s.goTo(5)
	s.do(keys.FoldTrip)
	if s.rows() != "1 2 4 6" || s.cursor() != 2 {
		t.Errorf("rows %s at #%d", s.rows(), s.cursor())
	}
	s.goTo(3)
	if s.rows() != "1 2 3 4 5 6" || s.cursor() != 3 {
		t.Errorf("gone to: rows %s at #%d", s.rows(), s.cursor())
	}
	tp.record("io", 7, `"d":"err","ev":"eof","side":"server"`)
	s.look()
	if got := s.rows(); got != "1 2 3 4 5 6" {
		t.Errorf("later: rows %s", got)
	}
}

// TestClosedStreams: a stream that its reader has closed has ended as well, and following
// selects how the process ended rather than that streams have ended with it.
func TestClosedStreams(t *testing.T) {
	tp := newTape()
	tp.record("proc", 1, `"ev":"start","pid":1`)
	tp.frame("c2s", 2, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	tp.record("proc", 3, `"ev":"exit","code":1`)
	tp.record("io", 4, `"d":"err","ev":"eof","side":"server"`)
	tp.record("io", 5, `"d":"c2s","ev":"closed","side":"server"`)
	tp.record("io", 6, `"d":"s2c","ev":"eof","side":"server"`)
	s := newStage(t, tp, true)
	if got := s.rows(); got != "1 2 3 4" || s.cursor() != 3 {
		t.Errorf("rows %s at #%d, want 1 2 3 4 at #3", got, s.cursor())
	}
	if got := s.screen(60, 8, false); !strings.Contains(got, "▸  stderr, stdin, stdout: ended") {
		t.Error(got)
	}
	s.do(keys.Down)
	s.look()
	if s.cursor() != 4 {
		t.Errorf("the ends of streams cannot be selected: #%d", s.cursor())
	}
	s.do(keys.Bottom)
	tp.frame("c2s", 7, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if s.look(); s.cursor() != 7 || !strings.HasSuffix(s.title(), "following") {
		t.Errorf("at #%d, title %q", s.cursor(), s.title())
	}
}

// Of an exchange in one line either half can be selected, marked, found and filtered.
func TestExchanges(t *testing.T) {
	s := newStage(t, everything(), false)
	s.goTo(9)
	s.do(keys.Exchanges)
	if got, want := s.rows(), "1 3 5 6 8 10 11 14 15 16 17 18 19 20 21 22"; got != want || s.cursor() != 9 {
		t.Errorf("rows %s at #%d, want %s", got, s.cursor(), want)
	}
	if line := s.screen(110, 20, false); !strings.Contains(line, `→✔ call  echo`) || !strings.Contains(line, `"Echo: hi"`) ||
		!strings.Contains(line, "20.0 ms  132 B   81 B") || !strings.Contains(line, "→✖ call  ask_model") {
		t.Error(line)
	}
	s.do(keys.Pair)
	if s.cursor() != 6 {
		t.Errorf("the pair is #%d", s.cursor())
	}
	s.do(keys.Pair)
	s.do(keys.Down)
	s.do(keys.Up)
	if s.cursor() != 9 {
		t.Errorf("the answers are not kept selected: #%d", s.cursor())
	}
	s.do(keys.Mark)
	s.do(keys.Pair)
	if len(s.p.Marks()) != 1 || !strings.Contains(s.screen(110, 20, false), "◆   6") {
		t.Error(s.screen(110, 20, false))
	}
	s.do(keys.Mark) // the line has the mark of the other half
	if len(s.p.Marks()) != 0 {
		t.Errorf("marks %v", s.p.Marks())
	}
	s.search("too long")
	s.do(keys.SearchNext)
	if s.cursor() != 13 || !strings.Contains(s.rows(), "10 11 14") {
		t.Errorf("found #%d in %s", s.cursor(), s.rows())
	}
	s.do(keys.FoldTrip)
	if !strings.Contains(s.rows(), "10 11 13 14") || s.cursor() != 10 {
		t.Errorf("unfolded: %s at #%d", s.rows(), s.cursor())
	}
	s.filter("d:s2c b:echo") // of which the answer alone is found
	if line := s.screen(110, 8, false); s.rows() != "9" || !strings.Contains(line, "→✔ call  echo") {
		t.Errorf("filtered: %s", line)
	}
	s.filter("")
	s.do(keys.Exchanges)
	if !strings.HasPrefix(s.rows(), "1 3 4 5 6 7 8 9 10") {
		t.Errorf("rows %s", s.rows())
	}
}
