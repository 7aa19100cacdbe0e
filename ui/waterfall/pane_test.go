package waterfall

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

func request(id int, method, name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"name":%q,"_meta":{"progressToken":%d}}}`, id, method, name, id)
}

func answer(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }

// day is a session with all that is drawn: progress, a question to a person, requests that
// overlap, an idle hour, one that fails, and one that waits.
func day(t testing.TB) *panetest.Session {
	s := panetest.New(t)
	s.Proc(0, session.Proc{Event: "start", PID: 7})
	s.Stderr(5, "ready")
	s.Client(10, request(1, "initialize", ""))
	s.Server(60, answer(1))
	s.Client(100, request(2, "tools/call", "long"))
	for i := range 4 {
		s.Server(float64(200+100*i), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":%d}}`, i))
		if i == 1 {
			s.Client(310, request(3, "tools/call", "short"))
			s.Server(350, answer(3))
		}
	}
	s.Server(600, answer(2))
	s.Client(700, request(4, "tools/call", "asks"))
	s.Server(750, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?"}}`)
	s.Client(1500, `{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`)
	s.Server(1550, answer(4))
	s.Client(3_600_000, request(5, "tools/call", "fails"))
	s.Server(3_600_400, `{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}`)
	s.Client(3_600_500, request(6, "tools/call", "waits"))
	s.Client(3_600_900, request(7, "ping", ""))
	s.Server(3_600_950, answer(7))
	return s
}

func shown(t testing.TB) (*Pane, *pane.Context) {
	c := day(t).Context()
	p := New()
	panetest.Tell(t, p, c, pane.ShownMsg{})
	return p, c
}

func TestView(t *testing.T) {
	for _, size := range [][2]int{{78, 20}, {118, 36}, {198, 56}, {40, 12}, {24, 4}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p, c := shown(t)
			panetest.Do(t, p, c, keys.Down, keys.Down, keys.Down)
			panetest.Golden(t, fmt.Sprintf("%dx%d", size[0], size[1]), panetest.Text(t, p, c, size[0], size[1]))
		})
	}
	p, c := shown(t)
	panetest.Do(t, p, c, keys.Down, keys.FitTime)
	panetest.Golden(t, "fit", panetest.Text(t, p, c, 78, 20))
	panetest.Sizes(t, p, c)
	for name, th := range map[string]*style.Theme{"light": style.New("", false, false), "no-colour": style.New("", false, true)} {
		c.Theme = th
		panetest.Golden(t, name, strings.ReplaceAll(strings.Join(p.View(c, 78, 20, true), "\n"), "\x1b", "␛"))
	}
	empty := panetest.New(t).Context()
	p = New()
	panetest.Sizes(t, p, empty)
	panetest.Tell(t, p, empty, pane.ShownMsg{})
	panetest.Sizes(t, p, empty)
}

// TestIdle holds that an hour in which nothing happens takes hardly any room, and that times
// lead to the axis and back.
func TestIdle(t *testing.T) {
	p, _ := shown(t)
	a := &p.got.axis
	if len(a.gaps) != 1 || a.end > 4e9 {
		t.Errorf("gaps %v, drawn until %d", a.gaps, a.end)
	}
	last := int64(-1)
	for _, ms := range []int64{0, 10, 700, 1550, 2_000_000, 3_600_000, 3_600_950, 3_700_000} {
		at := a.to(ms * 1e6)
		back := a.from(at)
		if at <= last || back/1e6 < ms-2000 || back/1e6 > ms+2000 {
			t.Errorf("%d ms is drawn at %d after %d, and leads back to %d ms", ms, at, last, back/1e6)
		}
		last = at
	}
}

// TestIdleAtFirst holds that the hour before the first message, when a proxy waits for a client,
// is folded.
func TestIdleAtFirst(t *testing.T) {
	s := panetest.New(t)
	s.Client(3_600_000, request(1, "tools/call", "done"))
	s.Server(3_600_060, answer(1))
	p, c := New(), s.Context()
	panetest.Tell(t, p, c, pane.ShownMsg{})
	if a := &p.got.axis; len(a.gaps) != 1 || a.end > 1e9 {
		t.Errorf("gaps %v, drawn until %d", a.gaps, a.end)
	}
}

// TestIdleUntilNow holds that the time since the last answer is folded while a session goes
// on, and that time in which a request waits is not.
func TestIdleUntilNow(t *testing.T) {
	const hour = 3_600_000_000_000
	s := panetest.New(t)
	s.Client(10, request(1, "tools/call", "done"))
	s.Server(60, answer(1))
	draw := func(now int64) (p *Pane, c *pane.Context, end int64) {
		p, c = New(), s.Context()
		c.Live, c.Now = true, now
		panetest.Tell(t, p, c, pane.ShownMsg{})
		_, end = p.window(c)
		return p, c, end
	}
	p, c, end := draw(hour)
	if a := &p.got.axis; len(a.gaps) != 1 || !a.idle || end > 1e9 {
		t.Errorf("gaps %v, drawn until %d", a.gaps, end)
	}
	c.Now += hour / 20
	if _, later := p.window(c); later != end {
		t.Errorf("drawn until %d, and 3 minutes later until %d", end, later)
	}
	s.Client(100, request(2, "tools/call", "waits"))
	if p, _, end := draw(hour); len(p.got.axis.gaps) != 0 || end != hour {
		t.Errorf("a request waits: gaps %v, drawn until %d", p.got.axis.gaps, end)
	}
}

// TestStep holds that the cursor is that of traffic.
func TestStep(t *testing.T) {
	p, c := shown(t)
	got := panetest.Do(t, p, c, keys.Down)
	row, _ := p.selected()
	msg, is := got[0].(pane.PointMsg)
	if stale := is && msg.Stale(); len(got) != 1 || !is || msg.Row != row || stale || c.Snap.Name(c.Snap.Row(row).Target) != "long" {
		t.Error(got)
	}
	if panetest.Do(t, p, c, keys.Up); !msg.Stale() {
		t.Error("an older move takes the cursor back")
	}
	panetest.Do(t, p, c, keys.Down)
	for i := range uint32(c.Snap.Len()) {
		c.Cursor = i
		panetest.Tell(t, p, c, pane.CursorMovedMsg{})
		want := c.Snap.RequestOf(i)
		if at, _ := p.selected(); want != session.NoRow && at != want {
			t.Errorf("row %d: at %d, want %d", i, at, want)
		}
	}
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 {
		t.Errorf("enter asks for %v", got)
	}
}

// TestZoom holds that zooming and moving keep to the session, and that what is selected
// stays in view.
func TestZoom(t *testing.T) {
	p, c := shown(t)
	if p.Disabled(c, keys.RangeTime) == "" {
		t.Error("the whole time is a range")
	}
	panetest.Do(t, p, c, keys.Down)
	for range 60 {
		panetest.Do(t, p, c, keys.ZoomIn)
	}
	if size := p.to - p.from; size != leastWindow {
		t.Errorf("the window is %d ns", size)
	}
	panetest.Do(t, p, c, keys.FitTime)
	if from, to, _ := p.span(c); p.from > from || p.to < to {
		t.Errorf("%d to %d is not in %d to %d", from, to, p.from, p.to)
	}
	panetest.Do(t, p, c, keys.Bottom)
	if from, _, _ := p.span(c); from < p.from || from > p.to {
		t.Errorf("%d is not in %d to %d", from, p.from, p.to)
	}
	for range 40 {
		panetest.Do(t, p, c, keys.PanLeft)
	}
	if p.from != 0 {
		t.Errorf("begins at %d", p.from)
	}
	panetest.Do(t, p, c, keys.WholeTime)
	if p.to != 0 {
		t.Error("not the whole")
	}
}

// TestTitle holds that the time that is shown is never longer than the session.
func TestTitle(t *testing.T) {
	p, c := shown(t)
	panetest.Do(t, p, c, keys.Bottom, keys.FitTime)
	if name, right := p.Title(c); name != "timeline" || !strings.Contains(right, "8 requests · 56.2 ms of 1h00m") {
		t.Errorf("%s: %s", name, right)
	}
}

// TestRange holds that what is in the window becomes the filter of traffic.
func TestRange(t *testing.T) {
	p, c := shown(t)
	panetest.Do(t, p, c, keys.Down, keys.FitTime)
	got := panetest.Do(t, p, c, keys.RangeTime)
	if len(got) != 2 {
		t.Fatalf("it asks for %v", got)
	}
	f, err := filter.Parse(got[0].(pane.SetFilterMsg).Text)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range uint32(c.Snap.Len()) {
		if row := c.Snap.Row(i); row.Kind == session.RowRequest && f.Meta(c.Snap, i) == filter.Yes {
			names = append(names, c.Snap.Name(row.Target))
		}
	}
	if strings.Join(names, " ") != "long short" {
		t.Errorf("%s lets %v through", got[0], names)
	}
}

// TestNotCollected holds that a page that is not open costs nothing.
func TestNotCollected(t *testing.T) {
	c := day(t).Context()
	p := New()
	for _, msg := range []tea.Msg{pane.MovedMsg{}, pane.CursorMovedMsg{}, pane.RestyledMsg{}} {
		if cmd := p.Update(c, msg); cmd != nil || p.got != nil {
			t.Errorf("%T: collected", msg)
		}
	}
}

// TestLive holds that of a session that goes on the chart is made anew when time has passed,
// and that a request that waits grows without that.
func TestLive(t *testing.T) {
	s := day(t)
	c := s.Context()
	c.Live, c.Now = true, c.Snap.Clock()
	p := New()
	panetest.Tell(t, p, c, pane.ShownMsg{})
	before := p.got
	p.list.At = len(p.got.requests) - 2
	_, first, _ := p.span(c)
	c.Now += 500e6
	panetest.Tell(t, p, c, pane.ShownMsg{})
	if _, to, _ := p.span(c); p.got != before || to-first < 400e6 {
		t.Errorf("it grew by %d, anew %t", to-first, p.got != before)
	}
	p.took = 0
	c.Now += 3600e9
	panetest.Tell(t, p, c, pane.ShownMsg{})
	if p.got == before {
		t.Error("the chart is an hour old")
	}
}

// TestReleased holds that a request which was held has one bar, and not another one, which waits
// for ever, for what went on in its place.
func TestReleased(t *testing.T) {
	s := panetest.New(t)
	s.Decided(100, session.C2S, session.WayIn, "hold: test", request(1, "tools/call", "echo"))
	s.Replaced(3200, session.C2S, "hold: test; released by screen", request(1, "tools/call", "echo"))
	s.Server(3300, answer(1))
	s.Stderr(9000, "idle")
	c := s.Context()
	p := New()
	panetest.Tell(t, p, c, pane.ShownMsg{})
	if n := len(p.got.requests); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestDropped holds that a request which was dropped does not wait until the end of the session.
func TestDropped(t *testing.T) {
	s := panetest.New(t)
	s.Decided(100, session.C2S, session.WayIn, "hold: test", request(1, "tools/call", "echo"))
	s.Stderr(9000, "idle")
	c := s.Context()
	c.Live = false
	p := New()
	panetest.Tell(t, p, c, pane.ShownMsg{})
	if from, to, ok := p.span(c); !ok || to != from {
		t.Errorf("a bar from %d to %d", from, to)
	}
	if got := panetest.Text(t, p, c, 100, 20); !strings.Contains(got, "dropped") || !strings.Contains(got, "┆") {
		t.Errorf("the rest is not idle:\n%s", got)
	}
}

// long is a session of many requests.
func long(b *testing.B) *pane.Context {
	s := panetest.New(b)
	for i := range 100_000 {
		s.Client(float64(10*i), request(i, "tools/call", fmt.Sprint("t", i%20)))
		s.Server(float64(10*i+i%97), answer(i))
	}
	return s.Context()
}

func BenchmarkCollect(b *testing.B) {
	c := long(b)
	b.ResetTimer()
	for b.Loop() {
		collect(c.Snap, 0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.Snap.Len()), "ns/row")
}

func BenchmarkView(b *testing.B) {
	c := long(b)
	c.Theme = style.New("", true, false)
	p := New()
	p.got = collect(c.Snap, 0)
	p.list.At = 50_000
	b.ResetTimer()
	for b.Loop() {
		if lines := p.View(c, 200, 60, true); ansi.StringWidth(lines[0]) != 200 {
			b.Fatal(lines[0])
		}
	}
}

// TestNames holds that of a long name the end of what the request acts on goes, and not how.
func TestNames(t *testing.T) {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"resources/unsubscribe","params":{"uri":"demo://resource/static/document/architecture.md"}}`)
	c := s.Context()
	q := New().subject(c, 0)
	for w, want := range map[int]string{80: "demo://resource/static/document/architecture.md  unsubscribe", 37: "demo://resource/static/…  unsubscribe", 20: "demo://resource/sta…"} {
		if got := nameOf(&q, w); got != want {
			t.Errorf("in %d cells: %q", w, got)
		}
	}
}

// TestEvenPace holds that time between calls of an even pace is not idle, and that the axis
// marks the idle time that is folded.
func TestEvenPace(t *testing.T) {
	for idle, folded := range map[float64]bool{1100: false, 60_000: true} {
		s := panetest.New(t)
		at := 0.0
		for i := range 60 {
			if at += 1100; i == 30 {
				at += idle - 1100
			}
			s.Client(at, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
			s.Server(at+5, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
		}
		p, c := New(), s.Context()
		panetest.Tell(t, p, c, pane.ShownMsg{})
		head, rest, _ := strings.Cut(panetest.Text(t, p, c, 120, 20), "\n")
		marks := strings.Count(head, "┆")
		if folded && (marks < 2 || marks > 5) || !folded && marks+strings.Count(rest, "┆ ") > 0 {
			t.Errorf("a pause of %v ms: the axis is %q above\n%s", idle, head, rest)
		}
	}
}
