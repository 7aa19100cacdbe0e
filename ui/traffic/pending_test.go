package traffic

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wiretea/ui/style"
)

const askedCall = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"order","_meta":{"progressToken":"p"}}}`

// While the server waits for people no timer turns, and afterwards each request
// has its whole time again.
func TestWaitingForPeople(t *testing.T) {
	tp := newTape()
	tp.frame("c2s", 0, askedCall)
	tp.frame("s2c", 1000, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}`)
	s := newStage(t, tp, true)
	check := func(after time.Duration, text, words string, style func(*style.Theme) style.Style) {
		t.Helper()
		s.c.Now = int64(after)
		d := drawer{p: s.p, c: s.c, th: s.c.Theme}
		if got, timer := d.latency(nil, 0, s.c.Snap.Row(0)); timer != text || got != style(s.c.Theme) {
			t.Errorf("after %s: %q in %q, want %q", after, timer, got, text)
		}
		line := strings.SplitN(s.screen(100, 4, false), "\n", 3)[1]
		if strings.Contains(line, "waits for you") != (words != "") {
			t.Errorf("after %s: %q", after, line)
		}
	}
	plain := func(th *style.Theme) style.Style { return th.Text }
	check(2*time.Second, "⠋ 2.0 s", "waits for you", plain)
	check(time.Hour, "⠋ 1h00m", "waits for you", plain)
	if text := s.screen(100, 4, false); !strings.Contains(text, "elicitation/create  ⚠ asks you") {
		t.Errorf("the question does not say whom it asks:\n%s", text)
	}
	if text := s.screen(50, 4, false); !strings.Contains(text, "order  ⚠ you ") {
		t.Errorf("where there is little room it does not say who:\n%s", text)
	}
	tp.frame("c2s", 3600_000, `{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`)
	s.look()
	check(time.Hour+4*time.Second, "⠋ 1h00m", "", plain)
	check(time.Hour+40*time.Second, "⠋ 1h00m!", "", func(th *style.Theme) style.Style { return th.Warning })
	check(time.Hour+70*time.Second, "✖ 1h01m", "", func(th *style.Theme) style.Style { return th.Error })
}

// A question of a session that wiretea has left waits for nobody: over HTTP nothing says that
// the session has ended.
func TestQuestionLeftBehind(t *testing.T) {
	tp := newTape()
	tp.frame("c2s", 0, askedCall)
	tp.frame("s2c", 1000, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}`)
	tp.conn = 2
	tp.frame("c2s", 2000, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s := newStage(t, tp, true)
	s.c.Now = int64(4 * time.Second)
	line := strings.Split(s.screen(100, 4, false), "\n")[2]
	if !strings.Contains(line, "elicitation/create") || strings.Contains(line, "asks you") || !strings.Contains(line, "no answer") {
		t.Errorf("the question still waits: %q", line)
	}
}

// A result that asks for input says so until a request brings it.
func TestResultThatAsks(t *testing.T) {
	tp := newTape()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	tp.frame("c2s", 0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order",`+meta+`}}`)
	tp.frame("s2c", 2, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"roots/list"}}}}`)
	s := newStage(t, tp, true)
	if text := s.screen(100, 4, false); !strings.Contains(text, "←  ⚠ waits for you") {
		t.Errorf("it does not say so:\n%s", text)
	}
	tp.frame("c2s", 9, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"order","requestState":"s","inputResponses":{"a":{}},`+meta+`}}`)
	s.look()
	if text := s.screen(100, 4, false); strings.Contains(text, "waits for") {
		t.Errorf("it still waits:\n%s", text)
	}
}

// A request that waits shows how far it has come.
func TestProgressBar(t *testing.T) {
	tp := newTape()
	tp.frame("c2s", 0, askedCall)
	s := newStage(t, tp, true)
	first := func(w int) string { s.look(); return strings.SplitN(s.screen(w, 12, false), "\n", 3)[1] }
	for _, tt := range []struct {
		params string
		w      int
		want   string
	}{
		{`"progress":1,"total":4`, 100, "order  ▰▰▱▱▱▱▱▱ 25 %"},
		{`"progress":3,"total":4`, 100, "order  ▰▰▰▰▰▰▱▱ 75 %"},
		{`"progress":9,"total":4`, 100, "order  ▰▰▰▰▰▰▰▰ 100 %"},
		{`"progress":0.5`, 100, "order  ▰ 0.5"},
		{`"progress":12,"total":-1`, 100, "order  ▰ 12"},
		{`"progress":1,"total":2`, 60, "order  50 %"},
	} {
		tp.frame("s2c", 5, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p",`+tt.params+`}}`)
		if line := first(tt.w); !strings.Contains(line, tt.want) {
			t.Errorf("%s: %q", tt.params, line)
		}
	}
	if title := s.title(); !strings.Contains(title, "▰▰▰▰▱▱▱▱ 50 %") {
		t.Errorf("the title is %q", title)
	}
	tp.frame("s2c", 9, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	if line := first(100); strings.ContainsAny(line, "▰▱") {
		t.Errorf("it is over: %q", line)
	}
	if title := s.title(); strings.ContainsAny(title, "▰▱") {
		t.Errorf("it is over: %q", title)
	}
}

// A log message shows its level, with a sign and a word, and what it says.
func TestLogMessages(t *testing.T) {
	tp := newTape()
	for _, params := range []string{
		`{"level":"warning","logger":"kettle","data":"it is hot"}`,
		`{"level":"debug","data":{"leaves":3}}`,
		`{"level":"emergency","data":"\u001b[31mfire"}`,
		`{"level":"loud","data":1}`,
		`{"level":"info","data":"` + strings.Repeat("long ", 3000) + `"}`,
	} {
		tp.frame("s2c", 1, `{"jsonrpc":"2.0","method":"notifications/message","params":`+params+`}`)
	}
	s := newStage(t, tp, true)
	golden(t, s.screen(120, 6, false)+s.screen(78, 6, false))
	s.c.Theme = style.New("", true, true)
	if text := s.screen(120, 6, true); strings.Contains(text, "38;") {
		t.Errorf("without colours there are some:\n%q", text)
	}
	s.filter("level>=warning")
	if got := s.rows(); got != "1 3" {
		t.Errorf("level>=warning shows %s", got)
	}
}

// TestReleased holds that a request that went on in place of a held one has no timer of its
// own: that is in the row of the held one.
func TestReleased(t *testing.T) {
	tp := newTape()
	request := func(ms float64, way string) {
		tp.record("f", ms, fmt.Sprintf(`"d":"c2s",%s,"by":"hold: m:tools/call","len":%d,"b":%s`, way, len(askedCall), askedCall))
	}
	request(0, `"way":"in"`)
	request(2000, `"way":"out","of":1`)
	s := newStage(t, tp, true)
	want := func(first, second string) {
		t.Helper()
		s.c.Now = int64(3 * time.Second)
		d := drawer{p: s.p, c: s.c, th: s.c.Theme}
		for i, want := range []string{first, second} {
			if _, timer := d.latency(nil, uint32(i), s.c.Snap.Row(uint32(i))); timer != want {
				t.Errorf("row %d: %q, want %q", i, timer, want)
			}
		}
	}
	want("⠋ 3.0 s", "")
	tp.frame("s2c", 2500, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	s.look()
	want("500 ms", "") // What it was held for is not the server's.
}
