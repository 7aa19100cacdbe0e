package diff

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		ignore   []string
		want     string
	}{
		"equal":                {old: `{"a":1,"b":[1,2]}`, new: "{ \"b\": [1, 2],\n \"a\": 1 }"},
		"spellings of numbers": {old: `[1, 100, 1.50, -0, 0.001]`, new: `[1.0, 1e2, 15e-1, 0, 1E-3]`},
		"numbers":              {old: `[1, 12345678901234567890, 0.1]`, new: `[-1, 12345678901234567891, 0.10001]`, want: "changed [0] 1 -1\nchanged [1] 12345678901234567890 12345678901234567891\nchanged [2] 0.1 0.10001"},
		"huge exponents":       {old: `[1e99999999999999999999]`, new: `[1e99999999999999999998]`, want: "changed [0] 1e99999999999999999999 1e99999999999999999998"},
		"spellings of strings": {old: `"\u0041\/"`, new: `"A/"`},
		"type":                 {old: `{"a":"1"}`, new: `{"a":1}`, want: `changed .a "1" 1`},
		"whole":                {old: `1`, new: `{}`, want: "changed . 1 {}"},
		"null is something":    {old: `{"a":null}`, new: `{}`, want: "removed .a null "},
		"member added":         {old: `{"a":1}`, new: `{"z":0,"a":1,"odd name":{}}`, want: "added .z  0\nadded [\"odd name\"]  {}"},
		"duplicate names":      {old: `{"a":1,"a":2}`, new: `{"a":1,"a":3,"a":4}`, want: "changed .a 2 3\nadded .a  4"},
		"element in front":     {old: `[1,2,3]`, new: `[0,1,2,3]`, want: "added [0]  0"},
		"element gone":         {old: `["a","b","c"]`, new: `["a","c"]`, want: `removed [1] "b" `},
		"order of elements":    {old: `[1,2]`, new: `[2,1]`, want: "removed [0] 1 \nadded [1]  1"},
		"element changed":      {old: `[{"a":1},{"a":2}]`, new: `[{"a":1},{"a":3}]`, want: "changed [1].a 2 3"},
		"by name": {
			old:  `{"tools":[{"name":"a","d":1},{"name":"b","d":1},{"name":"c","d":1}]}`,
			new:  `{"tools":[{"name":"x","d":1},{"name":"a","d":2},{"name":"c","d":1}]}`,
			want: "added .tools[0]  {\"name\":\"x\",\"d\":1}\nchanged .tools[1].d 1 2\nremoved .tools[1] {\"name\":\"b\",\"d\":1} ",
		},
		"ignored":       {old: `{"a":{"t":1,"v":1},"t":5}`, new: `{"t":6,"a":{"t":2,"v":2}}`, ignore: []string{"..t"}, want: "changed .a.v 1 2"},
		"ignored wild":  {old: `{"c":[{"t":1},{"t":2}],"_meta":1}`, new: `{"c":[{"t":3},{"t":4}]}`, ignore: []string{".c[*].t", "._meta"}},
		"ignored place": {old: `[1,2,3]`, new: `[9,2,8]`, ignore: []string{"[0]"}, want: "changed [2] 3 8"},
	} {
		t.Run(name, func(t *testing.T) {
			changes, err := Compare([]byte(c.old), []byte(c.new), paths(t, c.ignore)...)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, ch := range changes {
				lines = append(lines, fmt.Sprintf("%s %s %s %s", ch.Kind, ch.Path, ch.Old, ch.New))
				if ch.Old != nil && c.old[ch.OldAt:ch.OldAt+len(ch.Old)] != string(ch.Old) || ch.New != nil && c.new[ch.NewAt:ch.NewAt+len(ch.New)] != string(ch.New) {
					t.Errorf("%s: the offsets %d and %d are not where it stands", ch.Path, ch.OldAt, ch.NewAt)
				}
			}
			if got := strings.Join(lines, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestLongPaths holds that a long name is not in the paths of all that it leads to,
// and that what is nested deep has a path that is not built for ever.
func TestLongPaths(t *testing.T) {
	const n = 2000
	var members strings.Builder
	for i := range n {
		fmt.Fprintf(&members, `,"k%d":X`, i)
	}
	text := `{"` + strings.Repeat("é", 100_000) + `":{` + members.String()[1:] + `}}`
	old, now := []byte(strings.ReplaceAll(text, "X", "1")), []byte(strings.ReplaceAll(text, "X", "2"))
	changes, err := Compare(old, now)
	if err != nil || len(changes) != n {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	lines, _, err := Lines(old, now)
	if err != nil || len(lines) < 2*n {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	const deep = MaxDepth
	for _, path := range []string{
		changes[0].Path, changes[n-1].Path, lines[n].Path, lines[2*n].Path,
		PathsAt([]byte(strings.Repeat("[", deep)+"1"+strings.Repeat("]", deep)), deep)[0],
	} {
		if len(path) > maxPath+len("…") || !utf8.ValidString(path) || !strings.HasSuffix(path, "…") {
			t.Errorf("a path of %d bytes: %.30q", len(path), path)
		}
	}
}

func paths(t *testing.T, texts []string) []Path {
	t.Helper()
	var all []Path
	for _, text := range texts {
		p, err := ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestRefused(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+2) + strings.Repeat("]", MaxDepth+2)
	for text, want := range map[string]error{
		"": ErrNotJSON, "{": ErrNotJSON, "1 2": ErrNotJSON, "nul": ErrNotJSON, `{"a" 1}`: ErrNotJSON, "[1,]": ErrNotJSON,
		deep: ErrTooLarge, strings.Repeat("[", 1<<20): ErrTooLarge, strings.Repeat(" ", MaxBytes+1): ErrTooLarge,
	} {
		if _, err := Compare([]byte(text), []byte("1")); !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "the old text") {
			t.Errorf("%.20q: %v", text, err)
		}
		if _, _, err := Lines([]byte("1"), []byte(text)); !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "the new text") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestPaths(t *testing.T) {
	path := []step{{key: "result", member: true}, {key: "content", member: true}, {index: 3}, {key: "a b", member: true}}
	for text, want := range map[string]bool{
		`.result.content[3]["a b"]`: true, `.result.content[*].*`: true, `..["a b"]`: true, `.result..`: false, `..content..["a b"]`: true,
		`.result.content[4]["a b"]`: false, `.result.content[3]`: false, `..content`: false, `.*.*[].*`: true, `.result."content"[3]."a b"`: true,
		`..[3]["a b"]`: true, `.result.content.3["a b"]`: false,
	} {
		p, err := ParsePath(text)
		if err != nil {
			if want {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if got := (ignoring{p}).matches(path); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, text := range []string{"", "result", ".", "..", ".a[", ".a[x]", `.a["x]`, ".a[-1]", `."a`, ".a..."} {
		if _, err := ParsePath(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestLines(t *testing.T) {
	old := `{"content":[{"type":"text","text":"a"}],"same":{"x":[1,2]},"empty":[],"gone":{"k":[1]}}`
	new := `{"same":{"x":[1,2]},"content":[{"text":"b","type":"text"}],"empty":[],"more":true}`
	lines, more, err := Lines([]byte(old), []byte(new))
	if err != nil || more {
		t.Fatal(err, more)
	}
	var got strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&got, "%c%s", l.Sign, strings.Repeat("  ", l.Depth))
		if l.Key != nil {
			fmt.Fprintf(&got, "%s: ", l.Key)
		}
		got.Write(l.Text)
		if l.Same > 0 {
			fmt.Fprintf(&got, "…%d", l.Same)
		}
		got.WriteByte('\n')
	}
	want := ` {
   "content": [
     {
       "type": "text"
-      "text": "a"
+      "text": "b"
     }
   ]
   "same": {…1
   "empty": []
-  "gone": {
-    "k": [
-      1
-    ]
-  }
+  "more": true
 }
`
	if got.String() != want {
		t.Errorf("got\n%s", &got)
	}
}

// written writes lines as the screen does.
func written(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%c%d %s%s", l.Sign, l.Change, strings.Repeat("  ", l.Depth), l.Path)
		if l.Key != nil {
			fmt.Fprintf(&b, " %s:", l.Key)
		}
		fmt.Fprintf(&b, " %s", strings.TrimRight(string(l.Text), "\n"))
		if l.Same > 0 {
			fmt.Fprintf(&b, "…%d", l.Same)
		}
		if l.Past {
			b.WriteString(" past")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLinePaths(t *testing.T) {
	lines, _, err := Lines([]byte(`{"l":[{"name":"a","v":1}],"t":1,"s":{"x":[1,{"y":2}]}}`),
		[]byte(`{"l":[{"name":"b"},{"name":"a","v":2}],"t":2,"s":{"x":[1,{"y":2}]}}`), paths(t, []string{".t"})...)
	if err != nil {
		t.Fatal(err)
	}
	want := ` 0 . {
 0   .l "l": [
+1     .l[0] {
+1       .l[0].name "name": "b"
+1     .l[0] }
 0     .l[1] {
 0       .l[1].name "name": "a"
-2       .l[1].v "v": 1
+2       .l[1].v "v": 2
 0     .l[1] }
 0   .l ]
 0   .t "t": 2 past
 0   .s "s": {…1
 0 . }
`
	if got := written(lines); got != want {
		t.Errorf("got\n%s", got)
	}
	lines = lines[12].Unfold()
	want = ` 0   .s "s": {
 0     .s.x "x": […2
 0   .s }
`
	if got := written(lines); got != want {
		t.Errorf("unfolded\n%s", got)
	}
	want = ` 0     .s.x "x": [
 0       .s.x[0] 1
 0       .s.x[1] {…1
 0     .s.x ]
`
	if got := written(lines[1].Unfold()); got != want {
		t.Errorf("unfolded\n%s", got)
	}
	whole, _, err := Lines([]byte("[1]"), []byte("[1]"))
	if err != nil || len(whole) != 1 || written(whole[0].Unfold()) != " 0 . [\n 0   [0] 1\n 0 . ]\n" {
		t.Errorf("%v: %s", err, written(whole[0].Unfold()))
	}
	if lines[0].Unfold() != nil {
		t.Error("what is not folded unfolds")
	}
}

func TestTextLines(t *testing.T) {
	lines, more, err := TextLines([]byte("1\n2\n3\n4\n5\n6\n7\nold\n8\n9\n"), []byte("1\n2\n3\n4\n5\n6\n7\nnew\nmore\n8\n9\r\n"))
	if err != nil || more {
		t.Fatal(err, more)
	}
	want := ` 0  …4
 0  5
 0  6
 0  7
-1  old
+1  new
+1  more
 0  8
-2  9
+2  9` + "\r\n"
	if got := written(lines); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := written(lines[0].Unfold()); got != " 0  1\n 0  2\n 0  3\n 0  4\n" {
		t.Errorf("unfolded\n%s", got)
	}
	if _, _, err := TextLines(nil, make([]byte, MaxBytes+1)); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if lines, _, err := TextLines([]byte("x\n"), []byte("x")); err != nil || len(lines) != 2 {
		t.Errorf("a missing newline does not show: %s, %v", written(lines), err)
	}
}

// FuzzTextLines: the lines give back both texts.
func FuzzTextLines(f *testing.F) {
	f.Add([]byte("a\nb\nc\nd\ne\nf\ng\nh\ni"), []byte("a\nb\nc\nd\ne\nf\ng\nx\ni\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		lines, more, err := TextLines(a, b)
		if err != nil || more {
			return
		}
		var old, new []byte
		for _, l := range lines {
			all := []Line{l}
			if l.Same > 0 {
				all = l.Unfold()
			}
			for _, l := range all {
				if l.Sign != '+' {
					old = append(old, l.Text...)
				}
				if l.Sign != '-' {
					new = append(new, l.Text...)
				}
			}
		}
		if string(old) != string(a) || string(new) != string(b) {
			t.Errorf("%q and %q became %q and %q", a, b, old, new)
		}
	})
}

// TestLinesBounded: hostile lengths cost no more than what is shown of them.
func TestLinesBounded(t *testing.T) {
	long := "[" + strings.Repeat("1,", 2*MaxLines) + "1]"
	lines, more, err := Lines([]byte("{}"), []byte(long))
	if err != nil || !more || len(lines) != MaxLines {
		t.Errorf("%d lines, more %v, %v", len(lines), more, err)
	}
	shuffled := "[" + strings.Repeat("2,3,", MaxLines) + "1]"
	if _, err := Compare([]byte(long), []byte(shuffled)); err != nil {
		t.Error(err)
	}
}

// TestRandom changes random values in known places and wants just these changes.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := random(r, 4), random(r, 4)
		ja, _ := json.Marshal(a)
		jb, _ := json.Marshal(b)
		changes, err := Compare(ja, jb)
		if err != nil {
			t.Fatal(err)
		}
		if equal := string(ja) == string(jb); equal != (len(changes) == 0) {
			t.Fatalf("%s and %s: %d changes", ja, jb, len(changes))
		}
		if changes, _ := Compare(ja, ja); len(changes) > 0 {
			t.Fatalf("%s differs from itself: %v", ja, changes)
		}
	}
}

// random makes a value that json.Marshal writes in one way only.
func random(r *rand.Rand, depth int) any {
	switch k := r.IntN(7); {
	case k < 2 && depth > 0:
		m := map[string]any{}
		for range r.IntN(4) {
			m[string(rune('a'+r.IntN(4)))] = random(r, depth-1)
		}
		return m
	case k < 4 && depth > 0:
		s := make([]any, r.IntN(4))
		for i := range s {
			s[i] = random(r, depth-1)
		}
		return s
	case k < 5:
		return r.IntN(3)
	case k < 6:
		return string(rune('a' + r.IntN(3)))
	}
	return []any{true, false, nil}[r.IntN(3)]
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"name":"x"}]}`), []byte(`{"a":[{"name":"x","b":2}]}`), "..a")
	f.Add([]byte("[1e5,\"\\ud800\"]"), []byte("[\"\xff\"]"), "[*]")
	f.Fuzz(func(t *testing.T, a, b []byte, pattern string) {
		var ignore []Path
		if p, err := ParsePath(pattern); err == nil {
			ignore = append(ignore, p)
		}
		forth, err1 := Compare(a, b, ignore...)
		back, err2 := Compare(b, a, ignore...)
		if (err1 == nil) != (err2 == nil) || (len(forth) == 0) != (len(back) == 0) {
			t.Errorf("%d changes and %v one way, %d and %v the other", len(forth), err1, len(back), err2)
		}
		lines, _, err := Lines(a, b, ignore...)
		if (err == nil) != (err1 == nil) {
			t.Errorf("Lines: %v, Compare: %v", err, err1)
		}
		signs := 0
		for _, l := range lines {
			if l.Sign != ' ' {
				signs++
			}
		}
		if (signs == 0) != (len(forth) == 0) {
			t.Errorf("%d lines differ, %d changes", signs, len(forth))
		}
	})
}
