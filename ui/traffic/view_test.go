package traffic

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

func TestView(t *testing.T) {
	for _, size := range []struct{ w, h int }{{200, 26}, {120, 26}, {78, 26}, {65, 12}, {38, 26}, {20, 26}, {5, 4}, {1, 1}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			s := newStage(t, everything(), true)
			s.c.Now = 34_400 * 1e6
			golden(t, s.screen(size.w, size.h, false))
		})
	}
}

func TestViewStyled(t *testing.T) {
	s := newStage(t, everything(), true)
	s.c.Theme = style.New("", true, true)
	s.p.Do(s.c, keys.Up)
	s.p.Do(s.c, keys.Mark)
	golden(t, s.screen(100, 26, true))
}

func TestViewTimes(t *testing.T) {
	for name, style := range map[string]pane.TimeStyle{"absolute": pane.Absolute, "delta": pane.Delta, "mark": pane.SinceMark} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, everything(), false)
			s.c.Time, s.c.Snap = style, s.c.Snap.Marked([]uint32{2, 7})
			golden(t, s.screen(100, 26, false))
		})
	}
}

func TestViewOfNothing(t *testing.T) {
	s := newStage(t, newTape(), true)
	golden(t, s.screen(40, 4, false))
	if s.p.Cursor() != ^uint32(0) {
		t.Error("there is a cursor")
	}
}

// The timer of a request turns amber and red against the timeout in force; a
// request that may wait for ever has none.
func TestWaiting(t *testing.T) {
	tp := newTape()
	tp.frame("c2s", 0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
	tp.frame("c2s", 0, `{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"t"}}`)
	s := newStage(t, tp, true)
	d := drawer{p: s.p, c: s.c, th: s.c.Theme}
	for _, tt := range []struct {
		row   uint32
		after time.Duration
		text  string
		style style.Style
	}{
		{0, 0, "⠋ 0.0 s", d.th.Text},
		{0, 4*time.Second + 400*time.Millisecond, "⠼ 4.4 s", d.th.Text},
		{0, 5 * time.Second, "⠋ 5.0 s!", d.th.Warning},
		{0, 30 * time.Second, "⠋ 30.0 s!", d.th.Warning},
		{0, 60 * time.Second, "✖ 1m00s", d.th.Error},
		{0, 3 * time.Hour, "✖ 3h00m", d.th.Error},
		{1, 3 * time.Hour, "⠋ 3h00m", d.th.Text},
	} {
		s.c.Now = int64(tt.after)
		style, text := d.latency(nil, tt.row, s.c.Snap.Row(tt.row))
		if text != tt.text || style != tt.style {
			t.Errorf("row %d after %s: %q in %q, want %q in %q", tt.row, tt.after, text, style, tt.text, tt.style)
		}
	}
	s.c.Live = false
	if _, text := d.latency(nil, 0, s.c.Snap.Row(0)); text != "no answer" {
		t.Errorf("in a recording: %q", text)
	}
}

// A line that grows turns amber and red against the length at which clients give
// up.
func TestGrowing(t *testing.T) {
	tp := newTape()
	s := newStage(t, tp, true)
	for _, want := range []struct {
		mib   int
		note  string
		style func(*style.Theme) style.Style
	}{
		{1, "10 % of 10 MB", func(th *style.Theme) style.Style { return th.Text }},
		{5, "60 % of 10 MB", func(th *style.Theme) style.Style { return th.Warning }},
		{4, "100 % of 10 MB", func(th *style.Theme) style.Style { return th.Error }},
	} {
		tp.raw("s2c", 1, strings.Repeat("x", want.mib<<20))
		s.look()
		if line := s.p.View(s.c, 80, 1, true)[0]; !strings.Contains(line, string(want.style(s.c.Theme).With(s.c.Theme.Selected))+"munfinished line, "+want.note) {
			t.Errorf("%d MiB more: %q", want.mib, line)
		}
	}
}

// The texts that are kept do not grow with what has been looked at.
func TestExcerptsAreBounded(t *testing.T) {
	tp := newTape()
	for i := range 5000 {
		tp.frame("s2c", float64(i), fmt.Sprint("noise ", i))
	}
	s := newStage(t, tp, false)
	for range 5000 / 19 {
		s.do(keys.PageDown)
		if line := s.p.View(s.c, 80, 20, true)[10]; !strings.Contains(line, "noise ") {
			t.Fatalf("no text at %d: %q", s.p.at, line)
		}
	}
	if n := len(s.p.texts.now) + len(s.p.texts.old); n > 2*keepTexts {
		t.Errorf("%d texts are kept", n)
	}
}

// Every width has lines of that width, with whatever text and whatever cursor.
func TestViewWidths(t *testing.T) {
	s := newStage(t, everything(), true)
	for w := 1; w <= 130; w++ {
		for h := 1; h <= 4; h++ {
			s.screen(w, h, false)
		}
	}
}

// The cursor is on the screen wherever it is and however high that is, also
// where rules between connections take lines.
func TestCursorIsShown(t *testing.T) {
	tp := newTape()
	for i := range 60 {
		tp.conn = 1 + i/2
		tp.frame("c2s", float64(i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	s := newStage(t, tp, true)
	moves := []keys.Action{keys.Up, keys.PageUp, keys.HalfUp, keys.Top, keys.Down, keys.PageDown, keys.HalfDown, keys.Bottom, keys.Up, keys.Up}
	for k := range 200 {
		h := 1 + k%13
		s.run(first(s.p.Do(s.c, moves[(k*7)%len(moves)])))
		s.screen(30, h, false)
		found := false
		for _, at := range s.p.lines {
			found = found || at == s.p.at
		}
		if !found || len(s.p.lines) > h {
			t.Fatalf("step %d: cursor at %d is not among lines %v", k, s.p.at, s.p.lines)
		}
	}
}
