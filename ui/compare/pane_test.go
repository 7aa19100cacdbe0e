package compare_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/ui/compare"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

const (
	before = `{"content":[{"type":"text","text":"The weather in Berlin is sunny and 21 °C"}],"structuredContent":{"city":"Berlin","temp":21,"at":"2026-11-20T10:00:00Z","wind":{"from":"NW","kmh":12},"hours":[1,2,3]},"isError":false}`
	after  = `{"content":[{"type":"text","text":"The weather in Berlin is rainy and 14 °C"},{"type":"text","text":"take an umbrella"}],"structuredContent":{"city":"Berlin","temp":14,"at":"2026-11-20T10:05:00Z","wind":{"kmh":12,"from":"NW"},"hours":[1,2,3]}}`
)

// comparing returns a page with two texts, and what it asked for.
func comparing(t *testing.T, old, new string) (*compare.Pane, *pane.Context, []tea.Msg) {
	t.Helper()
	p, c := compare.New(), panetest.New(t).Context()
	asked := panetest.Tell(t, p, c, pane.CompareMsg{
		Title: "tools/call weather",
		Old:   pane.Side{Name: "#12, before the build", Body: []byte(old)}, New: pane.Side{Name: "#40, after it", Body: []byte(new)},
	})
	return p, c, asked
}

func whole(t *testing.T, p *compare.Pane, c *pane.Context, w, h int) string {
	t.Helper()
	text := panetest.Text(t, p, c, w, h)
	left, right := p.Title(c)
	return left + " | " + stripped(right) + "\n" + text
}

func stripped(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		i := strings.IndexByte(s, '\x1b')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		s = s[i+strings.IndexByte(s[i:], 'm')+1:]
	}
	return b.String()
}

func TestView(t *testing.T) {
	for _, size := range [][2]int{{78, 20}, {118, 30}, {198, 30}, {40, 10}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p, c, _ := comparing(t, before, after)
			panetest.Golden(t, fmt.Sprintf("weather-%dx%d", size[0], size[1]), whole(t, p, c, size[0], size[1]))
		})
	}
}

func TestViewSteps(t *testing.T) {
	for name, do := range map[string][]keys.Action{
		"unfolded": {keys.UnfoldAll, keys.Bottom},
		"ignored":  {keys.DiffNext, keys.DiffNext, keys.DiffNext, keys.Ignore},
		"folded":   {keys.UnfoldAll, keys.FoldAll},
		"cut-off":  {keys.Wrap},
		"stacked":  {keys.Sides},
	} {
		t.Run(name, func(t *testing.T) {
			p, c, _ := comparing(t, before, after)
			whole(t, p, c, 118, 30)
			panetest.Do(t, p, c, do...)
			panetest.Golden(t, name, whole(t, p, c, 118, 30))
		})
	}
}

func TestOutcomes(t *testing.T) {
	for name, text := range map[string]struct {
		old, new string
		want     pane.ComparedMsg
	}{
		"same":     {`{"a":1,"b":2}`, `{"b":2.0,"a":1}`, pane.ComparedMsg{}},
		"text":     {"one\ntwo\nthree\n", "one\n2\nthree\n", pane.ComparedMsg{Differences: 1}},
		"hostile":  {"\"\x1b[2J\u202e\"", "[\"\x1b]0;x\a\", \"\\u001b\"]\n", pane.ComparedMsg{Differences: 1}},
		"large":    {strings.Repeat(" ", diff.MaxBytes+1), "1", pane.ComparedMsg{Why: fmt.Sprintf("the old text: too large to compare: %d bytes", diff.MaxBytes+1)}},
		"many":     {"[" + strings.Repeat("1,", diff.MaxLines) + "0]", `[]`, pane.ComparedMsg{Differences: diff.MaxLines - 1, More: true}},
		"far away": {`"` + strings.Repeat("x", 5000) + `old"`, `"` + strings.Repeat("x", 5000) + `new"`, pane.ComparedMsg{Differences: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			p, c, asked := comparing(t, text.old, text.new)
			text.want.Title = "tools/call weather"
			if diff := cmp.Diff([]tea.Msg{text.want}, asked); diff != "" {
				t.Error(diff)
			}
			panetest.Golden(t, strings.ReplaceAll(name, " ", "-"), whole(t, p, c, 78, 12))
			panetest.Sizes(t, p, c)
		})
	}
}

// TestNothing: a page that was never asked for anything does nothing, and says what
// would help.
func TestNothing(t *testing.T) {
	p, c := compare.New(), panetest.New(t).Context()
	for _, a := range []keys.Action{keys.Down, keys.DiffNext, keys.Unfold, keys.Fold, keys.UnfoldAll, keys.FoldAll, keys.Ignore, keys.CopyValue, keys.CopyRaw, keys.CopyPath} {
		panetest.Do(t, p, c, a)
	}
	panetest.Sizes(t, p, c)
	if text := panetest.Text(t, p, c, 80, 3); !strings.Contains(text, "d compares") {
		t.Error(text)
	}
}

// TestMoves goes from difference to difference, unfolds, and folds again.
func TestMoves(t *testing.T) {
	p, c, _ := comparing(t, before, after)
	panetest.Text(t, p, c, 78, 40)
	var paths []string
	at := func() string {
		asked := panetest.Do(t, p, c, keys.CopyPath)
		return asked[0].(pane.CopyMsg).Text
	}
	for range 6 {
		paths = append(paths, at())
		panetest.Do(t, p, c, keys.DiffNext)
	}
	want := []string{".content[0].text", ".content[1]", ".structuredContent.temp", ".structuredContent.at", ".isError", ".content[0].text"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
	panetest.Do(t, p, c, keys.DiffPrev, keys.DiffPrev, keys.DiffPrev, keys.DiffPrev)
	for at() != ".structuredContent.wind" {
		panetest.Do(t, p, c, keys.Down)
	}
	folded := panetest.Text(t, p, c, 78, 40)
	panetest.Do(t, p, c, keys.Enter, keys.Down)
	if got := at(); got != ".structuredContent.wind.kmh" {
		t.Errorf("unfolded, below it stands %s", got)
	}
	panetest.Do(t, p, c, keys.Fold)
	if got := at(); got != ".structuredContent.wind" {
		t.Errorf("the parent is %s", got)
	}
	panetest.Do(t, p, c, keys.Fold)
	if got := panetest.Text(t, p, c, 78, 40); got != folded {
		t.Errorf("folded again:\n%s\nwant\n%s", got, folded)
	}
}

// TestIgnore leaves values out, by themselves and by a pattern, for later
// comparisons too, and takes them in again.
func TestIgnore(t *testing.T) {
	p, c, _ := comparing(t, before, after)
	panetest.Text(t, p, c, 78, 40)
	left := func(asked []tea.Msg) int {
		t.Helper()
		return asked[len(asked)-1].(pane.ComparedMsg).Differences
	}
	if n := left(panetest.Do(t, p, c, keys.Ignore)); n != 4 {
		t.Errorf("%d differences are left", n)
	}
	cmd, err := p.Ignore("..at")
	if err != nil {
		t.Fatal(err)
	}
	if n := left(panetest.Run(t, p, c, cmd)); n != 3 {
		t.Errorf("%d differences are left", n)
	}
	if _, err := p.Ignore("at"); err == nil {
		t.Error("a pattern that is none is taken")
	}
	if n := left(panetest.Tell(t, p, c, pane.CompareMsg{Old: pane.Side{Body: []byte(before)}, New: pane.Side{Body: []byte(after)}})); n != 3 {
		t.Errorf("a later comparison has %d differences", n)
	}
	if n := left(panetest.Do(t, p, c, keys.IgnoreNone)); n != 5 {
		t.Errorf("%d differences with all taken in again", n)
	}
}

// TestSuggest names what is worth ignoring: times that differ, and what usually differs.
func TestSuggest(t *testing.T) {
	p, c, _ := comparing(t,
		`{"_meta":{"x":1},"startedAt":1,"list":["2026-11-20T10:00:00Z"],"took_ms":5,"name":"a","when":"2026-11-20 10:00","same":"2026-11-20T10:00:00Z"}`,
		`{"_meta":{"x":2},"startedAt":2,"list":["2026-11-20T10:00:01Z"],"took_ms":6,"name":"b","when":"2026-11-20 10:01","same":"2026-11-20T10:00:00Z"}`)
	panetest.Text(t, p, c, 78, 40)
	want := []string{".._meta", "..startedAt", "..timestamp", "..took_ms", "..when", ".list[0]"}
	if diff := cmp.Diff(want, p.Suggest()); diff != "" {
		t.Error(diff)
	}
	for _, pattern := range want {
		cmd, err := p.Ignore(pattern)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		panetest.Run(t, p, c, cmd)
	}
	if left := p.Suggest(); len(left) > 0 {
		t.Errorf("suggested again: %v", left)
	}
	if text := whole(t, p, c, 200, 40); !strings.Contains(text, "≠ 1 difference") {
		t.Error(text)
	}
}

// TestStale: what an older comparison comes to is dropped.
func TestStale(t *testing.T) {
	p, c := compare.New(), panetest.New(t).Context()
	first := p.Update(c, pane.CompareMsg{Title: "first", Old: pane.Side{Body: []byte("1")}, New: pane.Side{Body: []byte("2")}})
	second := p.Update(c, pane.CompareMsg{Title: "second", Old: pane.Side{Body: []byte("1")}, New: pane.Side{Body: []byte("1")}})
	for _, cmd := range []tea.Cmd{second, first} {
		panetest.Run(t, p, c, cmd)
	}
	if text := whole(t, p, c, 78, 10); !strings.Contains(text, "second | ✔ the same") {
		t.Error(text)
	}
}

func TestCopy(t *testing.T) {
	p, c, _ := comparing(t, `{"a":[1,2],"b":"x"}`, `{"a":[1,2],"b":"y"}`)
	panetest.Text(t, p, c, 78, 10)
	want := []tea.Msg{
		pane.CopyMsg{What: "the line", Text: `"b": "x"`},
		pane.CopyMsg{What: "the difference", Text: "--- #12, before the build\n+++ #40, after it\n {\n   \"a\": [ … 2 the same ],\n-  \"b\": \"x\"\n+  \"b\": \"y\"\n }\n"},
	}
	if diff := cmp.Diff(want, panetest.Do(t, p, c, keys.CopyValue, keys.CopyRaw)); diff != "" {
		t.Error(diff)
	}
}

func TestMouse(t *testing.T) {
	p, c, _ := comparing(t, before, after)
	text := panetest.Text(t, p, c, 78, 40)
	for y, line := range strings.Split(text, "\n") {
		if strings.Contains(line, `"wind": {`) {
			panetest.Tell(t, p, c, pane.ClickMsg{X: 5, Y: y, Double: true})
		}
	}
	if text := panetest.Text(t, p, c, 78, 40); !strings.Contains(text, `"kmh": 12`) {
		t.Error(text)
	}
	panetest.Tell(t, p, c, pane.ClickMsg{X: 0, Y: 200})
	panetest.Tell(t, p, c, pane.WheelMsg{Lines: 3})
}

// TestThemes: every difference has its sign, in every theme.
func TestThemes(t *testing.T) {
	p, c, _ := comparing(t, before, after)
	plain := panetest.Text(t, p, c, 78, 40)
	for _, th := range []*style.Theme{style.New("", true, false), style.New("", false, false), style.New("", false, true)} {
		c.Theme = th
		if got := panetest.Text(t, p, c, 78, 40); got != plain {
			t.Errorf("%s, dark %t, without colour %t:\n%s", th.Name, th.Dark, th.NoColour, got)
		}
		// The parts that differ stand out on both sides alike, and their lines do not.
		drawn := strings.Join(p.View(c, 78, 40, true), "\n")
		for value, look := range map[string]style.Style{"21": th.Error.With("22"), "14": th.OK} {
			if want := th.Key.Paint(`"temp"`) + th.Punct.Paint(": ") + look.With(th.Hit).Paint(value) + th.Punct.Paint(","); !strings.Contains(drawn, want) {
				t.Errorf("%s, without colour %t: %q is not in\n%q", th.Name, th.NoColour, want, drawn)
			}
		}
	}
}

func BenchmarkView(b *testing.B) {
	p, c := compare.New(), panetest.New(b).Context()
	old := "[" + strings.Repeat(`{"name":"x","v":[1,2,3]},`, 20000) + "1]"
	panetest.Tell(b, p, c, pane.CompareMsg{Old: pane.Side{Body: []byte(old)}, New: pane.Side{Body: []byte("[]")}})
	b.ReportAllocs()
	for b.Loop() {
		p.View(c, 120, 40, true)
	}
}

// TestAnswers holds which earlier answer is compared: of the request that it was made from,
// else of the same request, else of the same tool.
func TestAnswers(t *testing.T) {
	s := panetest.New(t)
	for i, city := range []string{"Rome", "Bonn", "Oslo", "Bonn", "Rome"} {
		s.Client(float64(10*i), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"weather","arguments":{"city":"%s"}}}`, i, city))
		s.Server(float64(10*i+5), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, i, i))
	}
	c := s.Context()
	requests := []uint32{}
	for i := range uint32(c.Snap.Len()) {
		if c.Snap.Row(i).Kind == session.RowRequest {
			requests = append(requests, i)
		}
	}
	for _, step := range []struct {
		row, origin int // origin -1: it was made from none.
		old         string
	}{{4, -1, `{"n":0}`}, {3, -1, `{"n":1}`}, {2, -1, `{"params":{"name":"weather","arguments":{"city":"Bonn"}},"answer":{"n":1}}`}, {4, 3, `{"params":{"name":"weather","arguments":{"city":"Bonn"}},"answer":{"n":3}}`}} {
		origin := session.NoRow
		if step.origin >= 0 {
			origin = requests[step.origin]
		}
		got, err := compare.Answers(c.Snap, c.Log, requests[step.row], origin)
		if err != nil || string(got.Old.Body) != step.old {
			t.Errorf("call %d from %d is compared with %s, %v; want %s", step.row, step.origin, got.Old.Body, err, step.old)
		}
	}
}
