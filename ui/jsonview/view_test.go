package jsonview

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wiretea/session/cells"
	"wiretea/ui/highlight"
	"wiretea/ui/style"
)

var update = flag.Bool("update", false, "write the goldens anew")

var dark = style.New("", true, false)

// golden compares a screen with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// screen is what a View draws, as text with a bar at the right edge.
func screen(t testing.TB, v *View, w, h int) string {
	t.Helper()
	var b strings.Builder
	lines := v.Lines(dark, w, h, true)
	if len(lines) != h {
		t.Fatalf("%d lines, want %d", len(lines), h)
	}
	for _, l := range lines {
		if cells.Width(l) != w {
			t.Fatalf("line of %d cells, want %d: %q", cells.Width(l), w, l)
		}
		b.WriteString(ansi.Strip(l) + "|\n")
	}
	return b.String()
}

// shownText is one screen without the blank ends of its lines.
func shownText(t testing.TB, v *View, w, h int) string {
	t.Helper()
	var lines []string
	for _, l := range strings.Split(screen(t, v, w, h), "\n") {
		if l = strings.TrimRight(strings.TrimSuffix(l, "|"), " "); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

func view(t testing.TB, body string, w, h int) *View {
	t.Helper()
	v := New()
	v.Resize(w, h)
	v.Show(index(t, body, Options{}))
	return v
}

const toolList = `{"jsonrpc":"2.0","id":3,"result":{"tools":[` +
	`{"name":"echo","description":"Echoes back the input, and says so at some length: \"hi\"\nand more","inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}},` +
	`{"name":"add","description":"Adds 日本語 numbers 🎉 é","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":[]}}` +
	`],"nextCursor":null,"ok":true,"big":-1.5e10,"_meta":{}}}`

func TestScreens(t *testing.T) {
	cases := map[string]struct {
		body string
		opt  Options
		act  func(v *View)
		w, h int
	}{
		"tools-80":       {body: toolList, w: 80, h: 40},
		"tools-20":       {body: toolList, w: 20, h: 30},
		"tools-200":      {body: toolList, w: 200, h: 36},
		"tools-folded":   {body: toolList, w: 80, h: 10},
		"tools-wrapped":  {body: toolList, w: 44, h: 48, act: func(v *View) { v.SetWrap(true); v.Depth(noFold) }},
		"tools-depth1":   {body: toolList, w: 80, h: 8, act: func(v *View) { v.Depth(1) }},
		"tools-depth0":   {body: toolList, w: 80, h: 3, act: func(v *View) { v.Depth(0) }},
		"long-string":    {body: `{"a":"` + strings.Repeat("x", 12_000_000) + `","b":1}`, w: 60, h: 5},
		"defect":         {body: `{"a":1,"b":[1,2,{"c":"d" 3]}` + "\nand more", w: 60, h: 14},
		"ends-early":     {body: `{"a":1,"b":[1,2,{"c":"d`, w: 60, h: 12},
		"text":           {body: "Server started!\n\x1b[31mred\x1b[m\tand caf\xe9\nlast", w: 60, h: 5},
		"raw":            {body: "{\"a\":1}\r\n", opt: Options{Raw: true}, w: 30, h: 3},
		"hex-80":         {body: "\x00\x01\x02abcdefghijklmnopqrstuvwxyz\xff\xfe\n", w: 80, h: 4},
		"hex-50":         {body: "\x00\x01\x02abcdefghijklmnopqrstuvwxyz\xff\xfe\n", w: 50, h: 6},
		"hex-20":         {body: "\x00\x01\x02abcdefghijklmnopqrstuvwxyz\xff\xfe\n", w: 20, h: 10},
		"several-values": {body: `{"a":1} {"b":2} [3]`, w: 30, h: 10},
		"empty":          {body: "", w: 20, h: 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v := New()
			v.Resize(c.w, c.h)
			v.Show(index(t, c.body, c.opt))
			if c.act != nil {
				c.act(v)
			}
			golden(t, name+".golden", screen(t, v, c.w, c.h))
		})
	}
}

func TestStyledScreen(t *testing.T) {
	v := view(t, `{"key":"text","n":[1,true,{"x":[2]}]}`, 40, 8)
	v.SetSearch("te")
	v.Reveal(strings.Index(`{"key":"text`, "te"))
	golden(t, "styled.golden", strings.Join(v.Lines(dark, 40, 8, true), "\n")+"\n")
	plain := style.New("", true, true)
	golden(t, "styled-no-colour.golden", strings.Join(v.Lines(plain, 40, 8, false), "\n")+"\n")
}

// TestFolding holds what folding hides, and that the preview of a folded value is within its
// brackets (bug 20 of the review of the screen).
func TestFolding(t *testing.T) {
	v := view(t, `{"a":[1,[2,3],4],"b":{"c":{"d":1}},"e":0}`, 60, 30)
	v.Depth(noFold)
	v.Move(1) // "a"
	if !v.Toggle() {
		t.Fatal("an array does not fold")
	}
	want := "▾ {\n  ▸ \"a\": [ 3 items: 1,[2,3],4 ],\n  ▾ \"b\": {\n    ▾ \"c\": {\n        \"d\": 1\n      }\n    },\n    \"e\": 0\n  }"
	if got := shownText(t, v, 60, 30); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	v.Sibling(true)
	if got := v.Path(); got != ".b" {
		t.Errorf("the sibling of .a is %s", got)
	}
	v.Move(2)
	v.Fold() // to the parent, c
	if got := v.Path(); got != ".b.c" {
		t.Errorf("fold in a leaf goes to %s", got)
	}
	v.Fold()
	v.Sibling(false)
	if got := v.Path(); got != ".b.c" {
		t.Errorf("the only element has a sibling %s", got)
	}
	v.Bottom()
	v.Sibling(false)
	if got := v.Path(); got != "." {
		t.Errorf("bottom is %s", got)
	}
	v.Depth(1)
	want = "▾ {\n  ▸ \"a\": [ 3 items: 1,[2,3],4 ],\n  ▸ \"b\": { 1 key: \"c\":{\"d\":1} },\n    \"e\": 0\n  }"
	if got := shownText(t, v, 60, 30); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	v.Top()
	v.Move(1)
	v.Unfold()
	v.Unfold()
	if got := v.Path(); got != ".a[0]" {
		t.Errorf("unfold twice goes to %s", got)
	}
	if got := string(v.Value()); got != "1" {
		t.Errorf("the value is %s", got)
	}
}

// TestMetaIsFolded holds that a long _meta of a message is folded at first, one of a line or
// two and a _meta anywhere else are not, and that everything unfolds it.
func TestMetaIsFolded(t *testing.T) {
	const long = `"_meta":{"a":1,"b":{"c":2},"d":3}`
	for body, folded := range map[string]bool{
		`{"id":1,"params":{"name":"x",` + long + `}}`:           true,
		`{"id":1,"result":{` + long + `,"tools":[]}}`:           true,
		`{"id":1,"params":{"_meta":{"progressToken":1}}}`:       false,
		`{"id":1,"params":{"arguments":{` + long + `}}}`:        false,
		`{"id":1,` + long + `}`:                                 false,
		`{"id":1,"params":{"_metal":{"a":1,"b":2,"c":3,"d":4}}`: false,
	} {
		v := view(t, body, 60, 30)
		if got := strings.Contains(shownText(t, v, 60, 30), "▸"); got != folded {
			t.Errorf("%s is folded: %t\n%s", body, got, shownText(t, v, 60, 30))
		}
		v.Depth(noFold)
		if got := shownText(t, v, 60, 30); strings.Contains(got, "▸") {
			t.Errorf("folded after all:\n%s", got)
		}
	}
}

func TestRevealUnfolds(t *testing.T) {
	body := `{"a":[{"b":[{"c":"needle"}]}],"n":"` + strings.Repeat("hay ", 2000) + `Needle` + strings.Repeat(" hay", 2000) + `"}`
	v := view(t, body, 60, 20)
	v.Depth(0)
	v.SetSearch("needle")
	first := Find(context.Background(), []byte(body), "needle", v.Place(), false)
	v.Reveal(first)
	if got := v.Path(); got != ".a[0].b[0].c" {
		t.Errorf("the first hit is at %s", got)
	}
	second := Find(context.Background(), []byte(body), "needle", v.Place(), false)
	v.Reveal(second)
	if got := v.Path(); got != ".n" {
		t.Errorf("the second hit is at %s", got)
	}
	if got := shownText(t, v, 60, 20); !strings.Contains(got, "Needle") {
		t.Errorf("the hit in a long string is not shown:\n%s", got)
	}
	if again := Find(context.Background(), []byte(body), "needle", v.Place(), false); again != first {
		t.Errorf("behind the last hit comes %d, want %d", again, first)
	}
	if back := Find(context.Background(), []byte(body), "needle", first, true); back != second {
		t.Errorf("before the first hit comes %d, want %d", back, second)
	}
	v.SetWrap(true)
	v.Reveal(second)
	if got := shownText(t, v, 61, 20); !strings.Contains(got, "Needle") {
		t.Errorf("wrapped, the hit is not shown:\n%s", got)
	}
}

func TestFind(t *testing.T) {
	body := []byte(strings.Repeat("abcABC", 500_000) + "aBx" + strings.Repeat("abcABC", 500_000))
	ctx := context.Background()
	at := 3_000_000
	if got := Find(ctx, body, "AbX", -1, false); got != at {
		t.Errorf("forward: %d, want %d", got, at)
	}
	if got := Find(ctx, body, "abx", len(body), true); got != at {
		t.Errorf("backward: %d, want %d", got, at)
	}
	if got := Find(ctx, body, "abx", at, false); got != at {
		t.Errorf("around: %d, want %d", got, at)
	}
	for _, text := range []string{"", "no", strings.Repeat("a", len(body)+1)} {
		if got := Find(ctx, body, text, 0, false); got != -1 {
			t.Errorf("%.10q is found at %d", text, got)
		}
	}
}

// TestRowsUpAndDown walks down and up again, wrapped and not: it must come by
// the same rows.
func TestRowsUpAndDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	long := strings.Repeat(`wörd \"\\\n\u00e9 日本 `, 3000)
	for i, body := range []string{toolList, `{"a":"` + long + `","b":["` + long + `"]}`, strings.Repeat("text 日本 ", 4000) + "\nshort\n\n" + strings.Repeat("\\", 30000), randomJSON(rng, 0)} {
		for _, wrap := range []bool{false, true} {
			for _, w := range []int{1, 7, 33, 80} {
				v := view(t, body, w, 10)
				v.SetWrap(wrap)
				v.Depth(noFold)
				var down []place
				for at, ok := v.firstRow(0), true; ok; at, ok = v.nextRow(at) {
					down = append(down, at)
				}
				v.Bottom()
				at := v.cursor
				for j := len(down) - 1; ; j-- {
					if j < 0 || at != down[j] {
						t.Fatalf("body %d, wrap %t, width %d: row %d upwards is %v, want %v", i, wrap, w, j, at, down[max(j, 0)])
					}
					prev, ok := v.prevRow(at)
					if !ok {
						if j != 0 {
							t.Fatalf("body %d, wrap %t, width %d: %d rows are missing upwards", i, wrap, w, j)
						}
						break
					}
					at = prev
				}
			}
		}
	}
}

func TestGrown(t *testing.T) {
	whole := `{"list":[` + strings.Repeat(`{"name":"x","n":[1,2]},`, 3000) + `0]}`
	v := New()
	v.Resize(60, 20)
	v.Show(index(t, whole[:20_000], Options{More: true}))
	v.Move(3)
	v.Toggle()
	before, path := shownText(t, v, 60, 20), v.Path()
	v.Grown(index(t, whole, Options{}))
	after := shownText(t, v, 60, 20)
	// What is counted may be known only now.
	if strings.Count(before, "\n") != strings.Count(after, "\n") || v.Path() != path {
		t.Errorf("at %s\n%s\nbecame, at %s\n%s", path, before, v.Path(), after)
	}
}

func TestHexMoves(t *testing.T) {
	v := view(t, "\x00"+strings.Repeat("0123456789", 100), 80, 5)
	v.Bottom()
	if got := string(v.Value()); got != "123456789" {
		t.Errorf("the last row is %q", got)
	}
	v.Page(-1)
	v.Lines(dark, 40, 5, true)
	if got, want := int(v.cursor.line)*v.columns, (62-2)*16; got != want {
		t.Errorf("after a resize the cursor is at %d, want %d", got, want)
	}
	v.SetSearch("789")
	v.Reveal(8)
	if v.Place() != 8 || v.cursor.line != 2 {
		t.Errorf("place %d, line %d", v.Place(), v.cursor.line)
	}
}

func TestClick(t *testing.T) {
	v := view(t, `{"a":[1,2],"b":2}`, 40, 10)
	v.Click(2, 1)
	if got := shownText(t, v, 40, 10); !strings.Contains(got, "▸ \"a\": [ 2 items: 1,2 ]") {
		t.Errorf("a click on the sign does not fold:\n%s", got)
	}
	v.Click(8, 2)
	if got := v.Path(); got != ".b" {
		t.Errorf("a click goes to %s", got)
	}
	v.Click(8, 9)
	if got := v.Path(); got != ".b" {
		t.Errorf("a click below goes to %s", got)
	}
}

// FuzzView does anything with any bytes.
func FuzzView(f *testing.F) {
	f.Add([]byte(toolList), []byte("abcdefghijklmnop"), 40, 10, "name")
	f.Add([]byte(`{"a":"x\ny" 1`), []byte("wwwzzjjkk"), 3, 2, "x")
	f.Add([]byte("\xf0\x9f\x87\xa9\xf0\x9f\x87\xaae\xcc\x81\u200d"), []byte("wjk"), 1, 1, "e")
	f.Fuzz(func(t *testing.T, body, acts []byte, w, h int, text string) {
		w, h = 1+abs(w)%120, 1+abs(h)%40
		d, err := Index(context.Background(), body, Options{Raw: len(acts)%3 == 1, More: len(acts)%5 == 1})
		if err != nil {
			t.Fatal(err)
		}
		v := New()
		v.Show(d)
		v.SetSearch(text)
		for _, a := range acts[:min(len(acts), 24)] {
			act(v, a, text)
			screen(t, v, w, h)
			v.Path()
			v.Value()
		}
		screen(t, v, w, h)
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

func act(v *View, a byte, text string) {
	switch a % 20 {
	case 0:
		v.Move(1)
	case 1:
		v.Move(-1)
	case 2:
		v.Page(2)
	case 3:
		v.Page(-1)
	case 4:
		v.Top()
	case 5:
		v.Bottom()
	case 6:
		v.Scroll(3)
	case 7:
		v.Scroll(-3)
	case 8:
		v.Toggle()
	case 9:
		v.Fold()
	case 10:
		v.Unfold()
	case 11:
		v.Depth(0)
	case 12:
		v.Depth(noFold)
	case 13:
		v.Depth(2)
	case 14:
		v.Sibling(true)
	case 15:
		v.Sibling(false)
	case 16:
		v.SetWrap(!v.Wrapped())
	case 17:
		if v.Document() != nil {
			v.Reveal(Find(context.Background(), v.Document().Body(), text, v.Place(), a > 100))
		}
	case 18:
		v.Click(int(a)%7, int(a)%5)
	case 19:
		v.Resize(int(a), int(a)/3)
	}
}

func BenchmarkLines(b *testing.B) {
	body := benchmarkBody()
	for name, wrap := range map[string]bool{"cut": false, "wrapped": true} {
		b.Run(name, func(b *testing.B) {
			v := view(b, string(body), 200, 60)
			v.Depth(noFold)
			v.SetWrap(wrap)
			v.SetSearch("numbered")
			v.Reveal(len(body) / 2)
			b.ReportAllocs()
			for b.Loop() {
				v.Lines(dark, 200, 60, true)
			}
		})
	}
}

func BenchmarkMove(b *testing.B) {
	v := view(b, string(benchmarkBody()), 200, 60)
	for name, act := range map[string]func(){
		"bottom and path": func() { v.Bottom(); _ = v.Path(); v.Top() },
		"fold all":        func() { v.Depth(3); v.Bottom(); v.Depth(noFold); v.Bottom() },
		"page":            func() { v.Page(2); v.Page(-2) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				act()
			}
		})
	}
	b.Run("path of an element", func(b *testing.B) {
		v.Depth(noFold)
		v.Reveal(len(v.doc.body) / 2)
		for b.Loop() {
			if !strings.HasPrefix(v.Path(), ".result.tools[") {
				b.Fatal(fmt.Sprint("path ", v.Path()))
			}
		}
	})
}

// TestSpansChangeNoText holds that what is known of the pieces of a text changes its
// colours and nothing else.
func TestSpansChangeNoText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteString([]string{"a", "bc ", "\n", "\r\n", "世界", "e\u0301", "`\u0301", "👩‍👩‍👧", "\x1b[31m", "\u202e", "\t", "\\n", strings.Repeat("x", 50)}[rng.IntN(13)])
		}
		text := "t" + b.String()
		var spans []highlight.Span
		for end := rng.IntN(4) + 1; end < len(text); end += rng.IntN(9) + 1 {
			if utf8.RuneStart(text[end]) {
				spans = append(spans, highlight.Span{End: end, Kind: highlight.Kind(rng.IntN(int(highlight.NumKinds)))})
			}
		}
		plain, coloured := New(), New()
		plain.Show(index(t, text, Options{}))
		coloured.Show(index(t, text, Options{Spans: spans}))
		for _, w := range []int{1, 7, 40} {
			for _, wrap := range []bool{false, true} {
				plain.SetWrap(wrap)
				coloured.SetWrap(wrap)
				if want, got := shownText(t, plain, w, 20), shownText(t, coloured, w, 20); got != want {
					t.Fatalf("%q in %d cells, wrapped %t, %v:\n%s\nwant:\n%s", text, w, wrap, spans, got, want)
				}
			}
		}
	}
}
