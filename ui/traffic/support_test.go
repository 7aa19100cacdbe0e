package traffic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/check"
	"wiretea/session/filter"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	debug.SetGCPercent(400) // The tests make much garbage and keep little.
	os.Exit(m.Run())
}

// A tape is a session file that is written record by record, and the analysis of
// what was written.
type tape struct {
	bytes.Buffer
	n        int
	conn     int
	analyzer *session.Analyzer
	reader   *recorder.Reader
}

func newTape() *tape {
	tp := &tape{conn: 1, analyzer: session.NewAnalyzer(session.Config{Checkers: check.New()})}
	tp.reader = recorder.NewReader(tp, 0)
	tp.WriteString(`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00112233445566778899aabbccddeeff","tool":"wiretea/test","t0":"2026-11-20T10:00:00Z","mode":"run","tr":"stdio","cmd":["server"]}` + "\n")
	return tp
}

// ReadAt, Size and Wait make it a recorder.Log.
func (tp *tape) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(tp.Bytes()).ReadAt(p, off)
}
func (tp *tape) Size() int64                       { return int64(tp.Len()) }
func (tp *tape) Wait(context.Context, int64) error { return recorder.ErrFinished }

// record writes a record at a time in milliseconds; rest are its fields.
func (tp *tape) record(kind string, ms float64, rest string) {
	tp.n++
	fmt.Fprintf(tp, `{"k":"%s","n":%d,"t":%d,"c":%d,%s}`+"\n", kind, tp.n, int64(ms*1e6), tp.conn, rest)
}

// frame writes a frame: JSON as it is, anything else as text.
func (tp *tape) frame(stream string, ms float64, body string) {
	field := `"s":` + quote(body)
	if strings.HasPrefix(body, "{") {
		field = `"b":` + body
	}
	tp.record("f", ms, fmt.Sprintf(`"d":"%s","len":%d,%s`, stream, len(body), field))
}

func quote(text string) string {
	b, _ := json.Marshal(text) // a string always can be
	return string(b)
}

// raw writes bytes that were not framed.
func (tp *tape) raw(stream string, ms float64, data string) {
	tp.record("raw", ms, fmt.Sprintf(`"d":"%s","len":%d,"s":%s`, stream, len(data), quote(data)))
}

// snap analyses what was written since, and returns the session as it is.
func (tp *tape) snap(t testing.TB) *session.Snapshot {
	t.Helper()
	var rec session.Record
	for tp.reader.Next(&rec) == nil {
		tp.analyzer.Add(&rec)
	}
	if d := tp.reader.Damage(); d.Lines > 0 {
		t.Fatalf("the tape is damaged: %v", d.Err)
	}
	return tp.analyzer.Snapshot()
}

// A stage is a pane with its context, driven as the screen drives it.
type stage struct {
	t    testing.TB
	tape *tape
	c    *pane.Context
	p    *Pane
	said []tea.Msg // said is what the pane asked of the screen.
}

func newStage(t testing.TB, tp *tape, live bool) *stage {
	th := style.New("", true, false)
	s := &stage{t: t, tape: tp, p: New(), c: &pane.Context{Snap: &session.Snapshot{}, Log: tp, Theme: th, Live: live, Cursor: session.NoRow}}
	s.p.View(s.c, 80, 20, true)
	s.look()
	return s
}

// look gives the pane what the tape has.
func (s *stage) look() {
	s.c.Snap = s.tape.snap(s.t)
	s.c.Header, s.c.Now = s.c.Snap.Header(), s.c.Snap.Clock()
	s.tell(pane.MovedMsg{})
}

func (s *stage) tell(msg tea.Msg) { s.run(s.p.Update(s.c, msg)) }

// run runs a command and what follows from it.
func (s *stage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case pane.Answer:
		s.tell(msg)
	default:
		s.said = append(s.said, msg)
	}
}

func (s *stage) filter(text string) {
	s.t.Helper()
	f, err := filter.Parse(text)
	if err != nil {
		s.t.Fatal(err)
	}
	if text == "" {
		f = nil
	}
	s.tell(pane.FilteredMsg{Filter: f})
}

func (s *stage) search(text string) {
	s.c.Search.Text = text
	s.tell(pane.RestyledMsg{})
}

// rows are the record numbers of the rows shown.
func (s *stage) rows() string {
	var b strings.Builder
	for _, i := range s.p.list() {
		fmt.Fprintf(&b, " %d", s.c.Snap.Row(i).N)
	}
	return strings.TrimSpace(b.String())
}

// cursor is the record number of the row under the cursor, 0 for none.
func (s *stage) cursor() uint32 { return s.c.Snap.Row(s.p.Cursor()).N }

// notice is what was said last.
func (s *stage) notice() string {
	if len(s.said) == 0 {
		return ""
	}
	say, _ := s.said[len(s.said)-1].(pane.SayMsg)
	return say.Text
}

// title is the right title without colours.
func (s *stage) title() string {
	_, right := s.p.Title(s.c)
	return ansi.Strip(right)
}

// screen draws the pane with its title, and checks the size.
func (s *stage) screen(w, h int, styled bool) string {
	s.t.Helper()
	lines := s.p.View(s.c, w, h, true)
	if len(lines) != h {
		s.t.Fatalf("%d lines, want %d", len(lines), h)
	}
	left, right := s.p.Title(s.c)
	var b strings.Builder
	fmt.Fprintf(&b, "%s | %s\n", left, ansi.Strip(right))
	for i, line := range lines {
		if n := ansi.StringWidth(line); n != w {
			s.t.Errorf("line %d has %d cells, want %d: %q", i, n, w, line)
		}
		if cells.Width(line) != w {
			s.t.Errorf("line %d: draw.Width %d", i, cells.Width(line))
		}
		if !styled {
			line = ansi.Strip(line)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func golden(t *testing.T, got string) {
	t.Helper()
	panetest.Golden(t, strings.ReplaceAll(t.Name(), "/", "_"), strings.TrimSuffix(got, "\n"))
}

// everything is a session with a row of each kind, over two connections.
func everything() *tape {
	tp := newTape()
	tp.record("proc", 0.9, `"ev":"start","pid":4711,"fds":["pipe","pipe","pipe"]`)
	tp.frame("err", 5, "listening on stdio")
	tp.frame("c2s", 10, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	tp.frame("s2c", 51, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	tp.frame("c2s", 52, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	tp.frame("c2s", 100, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"日本語"},"_meta":{"progressToken":1}}}`)
	tp.frame("s2c", 110, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
	tp.frame("s2c", 115, "Server \x1b[31mstarted\x1b[0m — 世界 👩‍👩‍👧!")
	tp.frame("s2c", 120, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Echo: hi"}]}}`)
	tp.frame("c2s", 200, `{"jsonrpc":"2.0","id":"req-2","method":"tools/call","params":{"name":"ask_model","arguments":{}}}`)
	tp.frame("s2c", 210, `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":10}}`)
	tp.frame("c2s", 230, `{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}}`)
	tp.frame("s2c", 300, `{"jsonrpc":"2.0","id":"req-2","error":{"code":-32602,"message":"Invalid params: text is too long"}}`)
	tp.frame("s2c", 301, "")
	tp.frame("c2s", 400, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"longRunning","arguments":{}}}`)
	tp.record("io", 500, `"d":"s2c","ev":"eof","side":"server"`)
	tp.record("proc", 501, `"ev":"exit","code":3,"sig":""`)
	tp.conn = 2
	tp.record("proc", 2000, `"ev":"start","pid":4712,"fds":["pipe","pipe","pipe"]`)
	tp.frame("c2s", 2001, `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{}}}`)
	tp.frame("c2s", 2002, `{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	tp.record("gap", 2003, `"d":"c2s","bytes":70000,"frames":-1,"why":"memory"`)
	tp.raw("s2c", 3000, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`+strings.Repeat("long ", 40))
	return tp
}
