package waterfall

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// lineWith is the line of a page that begins with a name, without that and the time at its end.
func lineWith(t *testing.T, text, name string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if _, after, ok := strings.Cut(line, name); ok && strings.ContainsAny(line, "░█▒▓╱▌") {
			return strings.Trim(strings.TrimRight(after, "\n0123456789. msµ⧗"), " ┊")
		}
	}
	t.Fatalf("no bar of %q in\n%s", name, text)
	return ""
}

// signs are the signs of a bar, each once.
func signs(bar string) (got string) {
	for _, r := range bar {
		if !strings.HasSuffix(got, string(r)) {
			got += string(r)
		}
	}
	return got
}

// TestPhases holds what a bar is made of: the request while it comes, the wait, the
// progress, and the answer while it comes.
func TestPhases(t *testing.T) {
	padded := func(text string) string {
		return strings.Replace(text, `{`, `{"pad":"`+strings.Repeat("x", 200)+`",`, 1)
	}
	inPieces := func(s *panetest.Session, from, to float64, stream session.Stream, text string) {
		half := len(text) / 2
		s.Bytes(from, stream, text[:half])
		s.Bytes(to, stream, text[half:]+"\n")
	}
	for name, tt := range map[string]struct {
		play  func(s *panetest.Session)
		signs string
		words string
	}{
		"at once": {func(s *panetest.Session) {
			s.Client(100, request(1, "tools/call", "x"))
			s.Server(1000, answer(1))
		}, "█", ""},
		"comes slowly": {func(s *panetest.Session) {
			inPieces(s, 100, 400, session.C2S, padded(request(1, "tools/call", "x")))
			inPieces(s, 700, 1000, session.S2C, padded(answer(1)))
		}, "░█▓", "300 ms to the first byte, 300 ms to the last"},
		"asks a person": {func(s *panetest.Session) {
			s.Client(100, request(1, "tools/call", "x"))
			s.Server(300, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?"}}`)
			s.Client(700, `{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`)
			s.Server(1000, answer(1))
		}, "█", "at the same time as elicitation/create"},
		"asks the client's program": {func(s *panetest.Session) {
			s.Client(100, request(1, "tools/call", "x"))
			s.Server(300, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			s.Client(700, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			s.Server(1000, answer(1))
		}, "█", "at the same time as ping"},
		"with progress": {func(s *panetest.Session) {
			s.Client(100, request(1, "tools/call", "x"))
			s.Server(500, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
			s.Server(1000, answer(1))
		}, "█┃█", ""},
		"failed, and waits": {func(s *panetest.Session) {
			s.Client(100, request(1, "tools/call", "x"))
			s.Stderr(900, "still busy")
		}, "█", "⧗"},
	} {
		t.Run(name, func(t *testing.T) {
			s := panetest.New(t)
			tt.play(s)
			p, c := New(), s.Context()
			panetest.Tell(t, p, c, pane.ShownMsg{})
			text := panetest.Text(t, p, c, 140, 20)
			if got := signs(lineWith(t, text, " x  call")); got != tt.signs {
				t.Errorf("the bar is %s, want %s\n%s", got, tt.signs, text)
			}
			lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
			if !strings.Contains(lines[len(lines)-1], tt.words) {
				t.Errorf("no %q in %q", tt.words, lines[len(lines)-1])
			}
		})
	}
}

// TestPhasesOverHTTP holds the parts of a round trip: in the bar the head and the body of the
// request, the wait for the response's head, its open stream, and the answer; in words also
// those of the connection.
func TestPhasesOverHTTP(t *testing.T) {
	s := panetest.New(t)
	s.OverHTTP("http://localhost:3001/mcp")
	body := request(1, "tools/call", "x")
	s.HTTP(100, 1, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp", Proto: "HTTP/1.1"})
	s.Body(150, 1, session.C2S, body[:20])
	s.Body(300, 1, session.C2S, body[20:])
	s.HTTP(400, 1, session.HTTPEvent{Event: "conn", DNS: 10e6, Dial: 20e6, TLS: 40e6})
	s.HTTP(400, 1, session.HTTPEvent{Event: "sent"})
	s.Opens(600, 1)
	event := "event: message\ndata: " + answer(1) + "\n\n"
	s.Body(800, 1, session.S2C, event[:30])
	s.Body(1000, 1, session.S2C, event[30:])
	s.HTTP(1000, 1, session.HTTPEvent{Event: "end", Why: "eof"})
	// Its answer comes by the stream of another round trip.
	s.Request(1100, 2, "GET", "")
	s.Opens(1110, 2)
	s.Request(1200, 3, "POST", request(2, "tools/call", "elsewhere"))
	s.Answer(1300, 3, 202, "")
	s.Event(1800, 2, answer(2))

	p, c := New(), s.Context()
	panetest.Tell(t, p, c, pane.ShownMsg{})
	text := panetest.Text(t, p, c, 140, 20)
	if got := signs(lineWith(t, text, " x  call")); got != "░█▒▓" {
		t.Errorf("the bar is %s\n%s", got, text)
	}
	if got := signs(lineWith(t, text, " elsewhere  call")); got != "█" {
		t.Errorf("the other bar is %s\n%s", got, text)
	}
	const want = "#3 at 0.400 s · queued 230 ms · DNS 10.0 ms · connect 20.0 ms · TLS 40.0 ms · first byte 200 ms · stream 400 ms"
	if !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	panetest.Do(t, p, c, keys.Down)
	if text = panetest.Text(t, p, c, 140, 20); !strings.Contains(text, "first byte 100 ms") || strings.Contains(text, "TLS") {
		t.Errorf("the next one:\n%s", text)
	}
}

// TestOverlap holds that what overlaps is found in a long session: the one that does longest
// is named, however long ago it began.
func TestOverlap(t *testing.T) {
	s := panetest.New(t)
	s.Client(10, request(0, "tools/call", "early"))
	const n = 30 * blockSize
	for i := 1; i <= n; i++ {
		s.Client(float64(100*i), request(i, "tools/call", "one"))
		if i == n/2 {
			s.Client(float64(100*i+10), request(n+1, "tools/call", "beside"))
			s.Server(float64(100*i+20), answer(n+1))
		}
		s.Server(float64(100*i+50), answer(i))
	}
	p, c := New(), s.Context()
	panetest.Tell(t, p, c, pane.ShownMsg{})
	says := func(at int, want string) {
		t.Helper()
		p.list.At = at
		text := panetest.Text(t, p, c, 200, 20)
		if lines := strings.Split(strings.TrimRight(text, "\n"), "\n"); !strings.HasSuffix(strings.TrimRight(lines[len(lines)-1], " "), want) {
			t.Errorf("request %d: %q, want %q", at, lines[len(lines)-1], want)
		}
	}
	says(1, "at the same time as early  call")
	says(n/2, "at the same time as early  call and 1 other")
	says(n/2+1, "at the same time as early  call and 1 other")
	says(n, "at the same time as early  call")
	says(0, fmt.Sprintf("at the same time as one  call and at least %s others", "4,094"))
}
