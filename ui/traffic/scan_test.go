package traffic

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// generated is a made-up session of some frames.
func generated(t testing.TB, frames int) *tape {
	t.Helper()
	tp := &tape{conn: 1, analyzer: session.NewAnalyzer(session.Config{})}
	if err := recordertest.Generate(&tp.Buffer, recordertest.Options{Frames: frames, Faults: 50}); err != nil {
		t.Fatal(err)
	}
	tp.reader = recorder.NewReader(tp, 0)
	return tp
}

// framed is a session whose frames lie in raw records: several in one, and some
// across the border between two.
func framed() *tape {
	tp := newTape()
	var all strings.Builder
	for i := range 300 {
		fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,"result":{"text":"%s"}}`+"\n", i, strings.Repeat(fmt.Sprint(i, " "), i%40))
	}
	for i, text := 0, all.String(); len(text) > 0; i++ {
		n := min(len(text), 1700)
		tp.raw("s2c", float64(i), text[:n])
		tp.frame("c2s", float64(i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		text = text[n:]
	}
	return tp
}

// bodyOf reads a body by itself.
func bodyOf(t testing.TB, log recorder.Log, r session.Row) []byte {
	t.Helper()
	if !r.Kind.HasBody() {
		return nil
	}
	body, err := recorder.ReadFrame(log, r, 0, int64(r.Len))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// The bodies that are read in large blocks are those that are read one by one,
// forwards, backwards and in leaps.
func TestBodies(t *testing.T) {
	for name, tp := range map[string]*tape{"framed": framed(), "generated": generated(t, 900), "everything": everything()} {
		t.Run(name, func(t *testing.T) {
			s := tp.snap(t)
			read := newBodies(tp)
			n := uint32(s.Len())
			for k := range 3 * n {
				i := k
				switch k / n {
				case 1:
					i = 2*n - 1 - k
				case 2:
					i = (k * 7919) % n
				}
				want := bodyOf(t, tp, s.Row(i))
				if got := read.of(s.Row(i)); !bytes.Equal(got, want) {
					t.Fatalf("row %d: %q, want %q", i, got, want)
				}
			}
		})
	}
}

// However the work is cut into stretches, a filter shows the rows that match and
// a search finds them.
func TestScanInStretches(t *testing.T) {
	for name, tp := range map[string]*tape{"framed": framed(), "generated": generated(t, 20_000)} {
		s := newStage(t, tp, false)
		s.p.slice = 0
		bodies := make([][]byte, s.c.Snap.Len())
		for i := range bodies {
			bodies[i] = bodyOf(t, tp, s.c.Snap.Row(uint32(i)))
		}
		for _, text := range []string{"is:error", "fox", `-b~"9[0-9]"`, "d:err | b:7"} {
			t.Run(name+"/"+text, func(t *testing.T) {
				s.t = t
				s.filter(text)
				f, _ := filter.Parse(text)
				var want []uint32
				for i := range uint32(s.c.Snap.Len()) {
					r := s.c.Snap.Row(i)
					if isStderr(r) && !strings.Contains(text, "d:err") {
						continue
					}
					if f.Match(s.c.Snap, i, bodies[i]) {
						want = append(want, i)
					}
				}
				if !slices.Equal(s.p.found(), want) {
					t.Fatalf("%d rows, want %d", len(s.p.found()), len(want))
				}
				s.do(keys.PageDown)
				s.search("OX")
				hits := slices.DeleteFunc(want, func(i uint32) bool {
					return !bytes.Contains(bodies[i], []byte("ox"))
				})
				if !slices.Equal(s.p.search.hits, hits) {
					t.Errorf("%d hits, want %d", len(s.p.search.hits), len(hits))
				}
				s.search("")
			})
		}
	}
}

// A row that is gone to before it was judged is waited for.
func TestGotoBeforeJudged(t *testing.T) {
	tp := generated(t, 40_000)
	s := &stage{t: t, tape: tp, p: New(), c: &pane.Context{Snap: tp.snap(t), Log: tp}}
	s.p.slice = 0
	cmd := s.p.Update(s.c, pane.MovedMsg{})
	s.run(s.p.Goto(s.c, 39_000))
	if s.p.at != -1 || s.p.Cursor() != 39_000 {
		t.Errorf("at %d, cursor %d", s.p.at, s.p.Cursor())
	}
	s.run(cmd)
	if s.p.at < 38_000 || s.p.Cursor() != 39_000 {
		t.Errorf("at %d, cursor %d", s.p.at, s.p.Cursor())
	}
}

// The screen shows how far long work has come.
func TestProgress(t *testing.T) {
	tp := generated(t, 50_000)
	s := newStage(t, tp, false)
	s.p.slice = 0
	f, _ := filter.Parse("m:tools/call")
	cmd := s.p.Update(s.c, pane.FilteredMsg{Filter: f})
	titles := []string{s.title()}
	for range 4 {
		var next []tea.Cmd
		for _, msg := range all(cmd) {
			next = append(next, s.p.Update(s.c, msg))
		}
		cmd = tea.Batch(next...)
		titles = append(titles, s.title())
	}
	want := []string{"0 of 49,484 · 0 %", "15,116 of 49,484 · 32 %", "30,233 of 49,484", "45,366 of 49,484", "46,143 of 49,484"}
	if !slices.Equal(titles, want) {
		t.Errorf("titles %q, want %q", titles, want)
	}
}

// Commands run beside the pane and share no memory with it that is written to.
func TestCommandsBesideThePane(t *testing.T) {
	tp := everything()
	log := &locked{tape: tp}
	s := newStage(t, tp, true)
	s.c.Log, s.p.slice = log, 0
	var running sync.WaitGroup
	answers := make(chan tea.Msg, 1<<12)
	var start func(cmd tea.Cmd)
	start = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		running.Go(func() {
			switch msg := cmd().(type) {
			case tea.BatchMsg:
				for _, c := range msg {
					start(c)
				}
			case nil:
			default:
				answers <- msg
			}
		})
	}
	f, _ := filter.Parse("is:pending | b:ping")
	s.c.Search.Text = "ping"
	for k := range 300 {
		log.mu.Lock()
		tp.frame("c2s", 4000+float64(k), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 100+k))
		if k%3 == 0 {
			tp.frame("s2c", 4000+float64(k), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 100+k/2))
		}
		s.c.Snap = tp.snap(t)
		log.mu.Unlock()
		switch k {
		case 20:
			start(s.p.Update(s.c, pane.FilteredMsg{Filter: f}))
		case 40:
			start(s.p.Update(s.c, pane.RestyledMsg{}))
			start(first(s.p.Do(s.c, keys.SearchNext)))
		}
		start(s.p.Update(s.c, pane.MovedMsg{}))
		start(first(s.p.Do(s.c, keys.FindNext)))
		for more := true; more; {
			select {
			case msg := <-answers:
				start(s.p.Update(s.c, msg))
			default:
				more = false
			}
		}
		s.p.View(s.c, 80, 20, true)
	}
	for running.Wait(); len(answers) > 0; running.Wait() {
		start(s.p.Update(s.c, <-answers))
	}
	rows, hits := slices.Clone(s.p.list()), slices.Clone(s.p.search.hits)
	s.filter("is:pending | b:ping")
	if !slices.Equal(rows, s.p.list()) {
		t.Errorf("%d rows, from the start %d", len(rows), len(s.p.list()))
	}
	if !slices.Equal(hits, s.p.search.hits) {
		t.Errorf("%d hits, from the start %d", len(hits), len(s.p.search.hits))
	}
}

// locked is a log that is written to while it is read.
type locked struct {
	*tape
	mu sync.Mutex
}

func (l *locked) ReadAt(p []byte, off int64) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tape.ReadAt(p, off)
}

func (l *locked) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tape.Size()
}

// TestTotalLeavesStderrOut holds that the total beside the number of matches is that of the
// rows which are listed without a filter, and with stderr only where the filter lists it.
func TestTotalLeavesStderrOut(t *testing.T) {
	s := newStage(t, everything(), false)
	all := len(strings.Fields(s.rows()))
	s.filter("id:1")
	if got, want := s.title(), fmt.Sprintf("4 of %d", all); got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	s.filter("is:stderr | id:1")
	if got, want := s.title(), fmt.Sprintf("5 of %d", all+1); got != want {
		t.Errorf("with stderr: title %q, want %q", got, want)
	}
}
