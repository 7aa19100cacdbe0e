package stats

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

// A call is a request and how it ended.
type call struct {
	method, id string
	sender     session.Stream
	ms         float64 // ms is when it was answered; 0 = never.
	answer     string  // answer is a member of the response; empty = a result.
}

// analysed returns a session of calls, each a second after the one before.
func analysed(calls []call) *session.Snapshot {
	a := session.NewAnalyzer(session.Config{})
	n := uint64(0)
	add := func(s session.Stream, t float64, body string) {
		n++
		ns := int64(t * 1e6)
		a.Add(&session.Record{Kind: session.RecFrame, N: n, Conn: 1, Stream: s, T: ns, T1: ns, Body: []byte(body), Term: []byte("\n")})
	}
	for i, c := range calls {
		at := float64(i) * 1000
		other := session.S2C - c.sender
		add(c.sender, at, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":{}}`, c.id, quoted(c.method)))
		switch {
		case c.answer == "cancelled":
			add(c.sender, at+c.ms, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, c.id))
		case c.answer != "":
			add(other, at+c.ms, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":%q}}`, c.id, c.answer))
		case c.ms > 0:
			add(other, at+c.ms, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"text":"%s"}}`, c.id, strings.Repeat("x", int(c.ms))))
		}
	}
	return a.Snapshot()
}

func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always can be
	return string(b)
}

func sample() *session.Snapshot {
	calls := []call{
		{"initialize", "0", session.C2S, 41.2, ""},
		{"tools/list", "1", session.C2S, 2.5, ""},
		{"resources/templates/list", `"a"`, session.C2S, 3, "no such method"},
		{"sampling/createMessage", "1", session.S2C, 900, ""},
		{"ping", "2", session.C2S, 0, ""},
		{"evil\x1b[2J", "3", session.C2S, 5, "cancelled"},
	}
	for i := range 40 {
		calls = append(calls, call{"tools/call", fmt.Sprint(10 + i), session.C2S, 1 + float64(i*i)/2, ""})
	}
	return analysed(calls)
}

func newPane(t *testing.T, snap *session.Snapshot) (*Pane, *pane.Context) {
	t.Helper()
	c := &pane.Context{Snap: snap, Theme: style.New("", true, false)}
	p := New()
	p.Update(c, pane.MovedMsg{})
	return p, c
}

// screen draws the pane with its title, and checks the size.
func screen(t *testing.T, p *Pane, c *pane.Context, w, h int, styled bool) string {
	t.Helper()
	lines := p.View(c, w, h, true)
	if len(lines) != h {
		t.Fatalf("%d lines, want %d", len(lines), h)
	}
	left, right := p.Title(c)
	var b strings.Builder
	fmt.Fprintf(&b, "%s | %s\n", left, ansi.Strip(right))
	for i, line := range lines {
		if n := ansi.StringWidth(line); n != w {
			t.Errorf("%dx%d: line %d has %d cells: %q", w, h, i, n, line)
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
	panetest.Golden(t, strings.ReplaceAll(t.Name(), "/", "_"), got)
}

func TestView(t *testing.T) {
	for _, size := range []struct{ w, h int }{{200, 12}, {160, 12}, {120, 6}, {80, 12}, {40, 12}, {20, 3}, {1, 1}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			p, c := newPane(t, sample())
			golden(t, screen(t, p, c, size.w, size.h, false))
		})
	}
}

func TestViewStyled(t *testing.T) {
	p, c := newPane(t, sample())
	c.Theme = style.New("", true, true)
	golden(t, screen(t, p, c, 160, 10, true))
}

func TestViewOfNothing(t *testing.T) {
	p, c := newPane(t, &session.Snapshot{})
	golden(t, screen(t, p, c, 40, 3, false))
	for _, a := range []keys.Action{keys.Down, keys.SortNext, keys.SortBack, keys.Enter, keys.CopyValue} {
		p.Do(c, a)
	}
}

func TestViewWidths(t *testing.T) {
	p, c := newPane(t, sample())
	for w := 1; w <= 210; w++ {
		for h := 1; h <= 5; h++ {
			screen(t, p, c, w, h, false)
		}
	}
}

// names are the methods in the order of the rows.
func names(p *Pane) string {
	var list []string
	for _, m := range p.rows {
		list = append(list, m.Name[:2])
	}
	return strings.Join(list, " ")
}

func TestSort(t *testing.T) {
	p, c := newPane(t, sample())
	screen(t, p, c, 200, 12, false)
	for _, step := range []struct {
		do         keys.Action
		by, order_ string
	}{
		{"", "count", "to in to re sa pi ev"},
		{keys.SortBack, "count", "in to re sa pi ev to"},
		{keys.SortNext, "pending", "pi in to re sa ev to"},
		{keys.SortNext, "errors", "re pi in to sa ev to"},
		{keys.SortNext, "cancelled", "ev re pi in to sa to"},
		{keys.SortNext, "median latency", "sa to in re to ev pi"},
		{keys.SortBack, "median latency", "ev pi to re in to sa"},
	} {
		p.Do(c, step.do)
		if columns[p.sort].word != step.by || names(p) != step.order_ {
			t.Errorf("%s: by %s: %s; want by %s: %s", step.do, columns[p.sort].word, names(p), step.by, step.order_)
		}
	}
}

// Only columns that are shown are sorted by, and after the last comes the first.
func TestSortGoesRound(t *testing.T) {
	p, c := newPane(t, sample())
	screen(t, p, c, 40, 12, false)
	var by []column
	for range len(p.shown) {
		p.Do(c, keys.SortNext)
		by = append(by, p.sort)
	}
	if !reflect.DeepEqual(by[len(by)-1], count) || by[len(by)-2] != method {
		t.Errorf("sorted by %v of %v", by, p.shown)
	}
}

// The cursor stays with its method while the numbers change.
func TestCursorStays(t *testing.T) {
	p, c := newPane(t, sample())
	screen(t, p, c, 80, 12, false)
	p.Do(c, keys.Down)
	p.Do(c, keys.Down)
	before, _ := p.selected()
	p.Do(c, keys.SortBack)
	c.Snap = analysed([]call{{"ping", "1", session.C2S, 1, ""}, {before.Name, "2", before.Sender, 1, ""}, {before.Name, "3", before.Sender, 1, ""}})
	p.Update(c, pane.MovedMsg{})
	if after, _ := p.selected(); after.Name != before.Name {
		t.Errorf("at %s, want %s", after.Name, before.Name)
	}
}

func TestOpen(t *testing.T) {
	for name, want := range map[string]string{
		"tools/call":  "m:tools/call",
		`od"d \ one`:  `m:"od\"d \\ one"`,
		"tools/call?": `m:tools/call?`,
	} {
		p, c := newPane(t, analysed([]call{{name, "1", session.C2S, 1, ""}}))
		got := asked(first(p.Do(c, keys.Enter)))
		if diff := cmp.Diff([]tea.Msg{pane.SetFilterMsg{Text: want}, pane.FocusMsg{Pane: keys.Traffic}}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		f, err := filter.Parse(want)
		if err != nil || f.Meta(c.Snap, 0) != filter.Yes {
			t.Errorf("%s does not find %s: %v", want, name, err)
		}
	}
}

func first(cmd tea.Cmd, _ bool) tea.Cmd { return cmd }

// asked runs a command and returns its messages. What tea.Sequence returns is a
// slice of commands of a type of its own.
func asked(cmd tea.Cmd) (out []tea.Msg) {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice {
		for i := range v.Len() {
			out = append(out, asked(v.Index(i).Interface().(tea.Cmd))...)
		}
		return out
	}
	return append(out, msg)
}

func TestMouse(t *testing.T) {
	p, c := newPane(t, sample())
	screen(t, p, c, 80, 6, false)
	p.Update(c, pane.ClickMsg{X: 3, Y: 0})
	if p.sort != method || p.turn {
		t.Errorf("sorted by %s", columns[p.sort].word)
	}
	p.Update(c, pane.ClickMsg{X: 3, Y: 0})
	if p.sort != method || !p.turn {
		t.Error("the order was not turned")
	}
	p.Update(c, pane.ClickMsg{X: 3, Y: 2})
	if m, _ := p.selected(); m.Name != "tools/call" {
		t.Errorf("clicked on %s", m.Name)
	}
	if got := asked(p.Update(c, pane.ClickMsg{X: 3, Y: 2, Double: true})); len(got) != 2 {
		t.Errorf("a double click asked for %v", got)
	}
	p.Update(c, pane.ClickMsg{X: 3, Y: 5})
	p.Update(c, pane.WheelMsg{Lines: 3})
	if p.list.Top != 3 || p.list.At < 3 {
		t.Errorf("the window stands at %d, the cursor at %d", p.list.Top, p.list.At)
	}
}

func TestCopyLine(t *testing.T) {
	p, c := newPane(t, analysed([]call{{"tools/call", "1", session.C2S, 2, "no"}}))
	got := asked(first(p.Do(c, keys.CopyValue)))
	want := []tea.Msg{pane.CopyMsg{What: "the line", Text: "client  tools/call  count 1  errors 1  p50 2.00 ms  p95 2.00 ms  p99 2.00 ms  max 2.00 ms  asked 58 B  answered 59 B"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkView(b *testing.B) {
	c := &pane.Context{Snap: sample(), Theme: style.New("", true, false)}
	p := New()
	p.Update(c, pane.MovedMsg{})
	b.ReportAllocs()
	for b.Loop() {
		p.View(c, 200, 60, true)
	}
}
