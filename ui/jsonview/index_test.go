package jsonview

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"wiretea/session/json/lex"
)

func index(t testing.TB, body string, opt Options) *Document {
	t.Helper()
	d, err := Index(context.Background(), []byte(body), opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// outline writes the lines of a Document with the bytes that they cover.
func outline(d *Document) string {
	var b strings.Builder
	r := &reader{doc: d}
	for n := range d.lines {
		l := r.at(n)
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", l.depth), d.body[l.off:l.end])
	}
	return b.String()
}

func TestLinesAreThoseOfIndentedJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		compact := randomJSON(rng, 0)
		spaced := compact
		if i%2 == 1 {
			spaced = spread(rng, compact)
		}
		d := index(t, spaced, Options{})
		if d.kind != JSON || d.bad >= 0 {
			t.Fatalf("%q: kind %d, defect at %d: %s", spaced, d.kind, d.bad, d.wrong)
		}
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(compact), "", "  "); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		r := &reader{doc: d}
		for n := range d.lines {
			l := r.at(n)
			var part bytes.Buffer
			part.WriteString(strings.Repeat("  ", l.depth))
			for _, tok := range tokensOf(d.body, &l) {
				part.WriteString(tok)
			}
			got.Write(part.Bytes())
			got.WriteByte('\n')
		}
		if got.String() != want.String()+"\n" {
			t.Fatalf("%q gives\n%swant\n%s", spaced, got.String(), want.String())
		}
	}
}

// tokensOf cuts a line into tokens without white space, as json.Indent writes
// them.
func tokensOf(b []byte, l *line) []string {
	var out []string
	for i := l.off; i < l.end; {
		switch c := b[i]; {
		case lex.SkipSpace(b, i) > i:
			i = lex.SkipSpace(b, i)
		case c == '"':
			end := lex.StringEnd(b, i)
			out = append(out, string(b[i:end]))
			i = end
		case c == ':':
			out = append(out, ": ")
			i++
		default:
			out = append(out, string(c))
			i++
		}
	}
	return out
}

func randomJSON(rng *rand.Rand, depth int) string {
	kind := rng.IntN(8)
	if depth > 6 {
		kind = rng.IntN(4)
	}
	switch kind {
	case 0:
		return []string{"true", "false", "null"}[rng.IntN(3)]
	case 1:
		return fmt.Sprint(rng.IntN(2000) - 1000)
	case 2:
		return []string{"1.5e+3", "-0", "0.25", "1E9"}[rng.IntN(4)]
	case 3:
		text, _ := json.Marshal(strings.Repeat("aé\"\\\n:{[,", rng.IntN(12)))
		return string(text)
	}
	n := rng.IntN(12)
	parts := make([]string, n)
	object := kind%2 == 0
	for i := range parts {
		parts[i] = randomJSON(rng, depth+1+rng.IntN(3))
		if object {
			parts[i] = fmt.Sprintf(`"k%d":`, i) + parts[i]
		}
	}
	if object {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// spread puts white space between the tokens of JSON.
func spread(rng *rand.Rand, text string) string {
	var b strings.Builder
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			b.WriteByte(c)
			i++
			c = text[i]
		case c == '"':
			inString = !inString
			if inString {
				b.WriteString([]string{"", " ", "\n\t"}[rng.IntN(3)])
			}
		case !inString && strings.IndexByte("{}[],:", c) >= 0:
			b.WriteString([]string{"", "  ", "\r\n"}[rng.IntN(3)])
		}
		b.WriteByte(c)
		if !inString && strings.IndexByte("{}[],:", c) >= 0 {
			b.WriteString([]string{"", " "}[rng.IntN(2)])
		}
	}
	return " " + b.String() + "\n"
}

func TestDefects(t *testing.T) {
	for _, c := range []struct {
		body  string
		bad   int
		lines int // lines of JSON before the defect
		why   string
	}{
		{`{"a":1,"b" 2}`, 11, 3, "expected a colon"},
		{`{"a":1,}`, 7, 2, "expected a key"},
		{`[1,2`, 4, 3, endsEarly},
		{`{"a":"x`, 7, 2, endsEarly},
		{`{"a":tru`, 8, 2, endsEarly},
		{`{"a":trux}`, 5, 2, noValue},
		{`{"a":01}`, 5, 2, "not a JSON number"},
		{`{"a":1}}`, 7, 3, noValue},
		{`{"a":1]`, 6, 2, "expected a comma or }"},
		{`[1}`, 2, 2, "expected a comma or ]"},
		{`{"a":"x\q"}`, 7, 2, "not a JSON escape"},
		{`{"a":"x\u12g4"}`, 7, 2, "not a JSON escape"},
		{"{\"a\":\"x\ny\"}", 7, 2, "a string contains a control character"},
		{`{"a":1} garbage`, 8, 3, noValue},
		{`{"a":NaN}`, 5, 2, noValue},
	} {
		d := index(t, c.body, Options{})
		if c.lines < 2 {
			if d.kind != Text {
				t.Errorf("%s: kind %d, want text", c.body, d.kind)
			}
			continue
		}
		if d.kind != JSON || d.bad != c.bad || d.wrong != c.why || int(d.note) != c.lines {
			t.Errorf("%s: kind %d, defect at %d (%s) after %d lines, want %d (%s) after %d", c.body, d.kind, d.bad, d.wrong, d.note, c.bad, c.why, c.lines)
		}
	}
}

func TestKinds(t *testing.T) {
	for body, want := range map[string]Kind{
		"":                                 Text,
		"  ":                               Text,
		"Server started!":                  Text,
		"[INFO] server started":            Text,
		"2026-11-20 started":               Text,
		"true story":                       Text,
		"42":                               JSON,
		`"hello"`:                          JSON,
		"{}":                               JSON,
		`{"a":1}` + "\n" + `{"a":2}`:       JSON,
		"caf\xe9":                          Text,
		"a\x00b":                           Hex,
		"\xff\xfe\xfd\xfc\xfb\xfa\xf9":     Hex,
		"\x1b[31mred\x1b[m":                Text,
		"{\"a\":\"\xff\xff\xff\xff\xff\"}": JSON,
	} {
		if got := index(t, body, Options{}).Kind(); got != want {
			t.Errorf("%q is of kind %d, want %d", body, got, want)
		}
	}
	if got := index(t, "{}", Options{Raw: true}).Kind(); got != Text {
		t.Errorf("raw JSON is of kind %d", got)
	}
}

func TestBeginningOfMore(t *testing.T) {
	whole := `{"tools":[{"name":"echo","x":[1,2,3]},{"name":"add"}],"n":{"m":-12.5e3}}`
	all := outline(index(t, whole, Options{}))
	for n := 1; n < len(whole); n++ {
		d := index(t, whole[:n], Options{More: true})
		if d.kind != JSON || d.bad >= 0 {
			t.Fatalf("%s: kind %d, defect %d", whole[:n], d.kind, d.bad)
		}
		got := strings.Split(outline(d), "\n")
		want := strings.Split(all, "\n")
		// All lines but the last, which is cut, are the whole text's.
		for i := range len(got) - 2 {
			if strings.TrimRight(got[i], ",") != strings.TrimRight(want[i], ",") {
				t.Fatalf("%s: line %d is %q, want %q", whole[:n], i, got[i], want[i])
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if d, err := Index(ctx, []byte(strings.Repeat("[1],", 1000)), Options{}); err == nil {
		t.Errorf("a cancelled index is %v", d)
	}
}

func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		checkTree(t, index(t, randomJSON(rng, 0), Options{}))
	}
	// Wide and deep ones, over many blocks and levels.
	wide := "[" + strings.Repeat(`{"a":[1,2],"b":"x"},`, 40_000) + "0]"
	checkTree(t, index(t, wide, Options{}))
	checkTree(t, index(t, strings.Repeat("[", 3000)+"1"+strings.Repeat("]", 3000), Options{}))
}

// checkTree compares what the index answers with what a stack says.
func checkTree(t *testing.T, d *Document) {
	t.Helper()
	r := &reader{doc: d}
	type open struct {
		line uint32
		n    int
	}
	var stack []open
	every := uint32(1)
	if d.lines > 5000 {
		every = 97
	}
	for n := range d.lines {
		l := r.at(n)
		if l.kind == closeLine {
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if got := r.openOf(n); got != o.line {
				t.Fatalf("line %d ends %d, got %d", n, o.line, got)
			}
			if got, ok := r.closeOf(o.line); got != n || !ok {
				t.Fatalf("line %d is ended by %d, got %d", o.line, n, got)
			}
			if got, ok := r.count(n, o.line); ok && got != o.n {
				t.Fatalf("line %d has %d elements, got %d", o.line, o.n, got)
			}
			continue
		}
		if len(stack) > 0 {
			o := &stack[len(stack)-1]
			if n%every == 0 {
				if got := r.parentOf(n); got != o.line {
					t.Fatalf("line %d is in %d, got %d", n, o.line, got)
				}
				if got, ok := r.count(n, o.line); ok && got != o.n || !ok && len(stack) < maxMarks {
					t.Fatalf("line %d is element %d of %d, got %d %t", n, o.n, o.line, got, ok)
				}
			}
			o.n++
		}
		if l.depth != len(stack) {
			t.Fatalf("line %d has depth %d, want %d", n, l.depth, len(stack))
		}
		if l.kind == openLine {
			stack = append(stack, open{line: n})
		}
	}
	if len(stack) > 0 {
		t.Fatalf("%d containers have no end", len(stack))
	}
}

func TestPathAndValue(t *testing.T) {
	d := index(t, `{"result":{"tools":[{"name":"a"},{"name":"b"},"c",{"we ird":[[],[1 , 2]]}]},"n":null}`, Options{})
	r := &reader{doc: d}
	var got []string
	for n := range d.lines {
		from, to := r.value(n)
		got = append(got, fmt.Sprintf("%-36s %s", r.path(n), d.body[from:to]))
	}
	want := []string{
		`.                                    {"result":{"tools":[{"name":"a"},{"name":"b"},"c",{"we ird":[[],[1 , 2]]}]},"n":null}`,
		`.result                              {"tools":[{"name":"a"},{"name":"b"},"c",{"we ird":[[],[1 , 2]]}]}`,
		`.result.tools                        [{"name":"a"},{"name":"b"},"c",{"we ird":[[],[1 , 2]]}]`,
		`.result.tools[0]                     {"name":"a"}`,
		`.result.tools[0].name                "a"`,
		`.result.tools[0]                     {"name":"a"}`,
		`.result.tools[1]                     {"name":"b"}`,
		`.result.tools[1].name                "b"`,
		`.result.tools[1]                     {"name":"b"}`,
		`.result.tools[2]                     "c"`,
		`.result.tools[3]                     {"we ird":[[],[1 , 2]]}`,
		`.result.tools[3]["we ird"]           [[],[1 , 2]]`,
		`.result.tools[3]["we ird"][0]        []`,
		`.result.tools[3]["we ird"][1]        [1 , 2]`,
		`.result.tools[3]["we ird"][1][0]     1`,
		`.result.tools[3]["we ird"][1][1]     2`,
		`.result.tools[3]["we ird"][1]        [1 , 2]`,
		`.result.tools[3]["we ird"]           [[],[1 , 2]]`,
		`.result.tools[3]                     {"we ird":[[],[1 , 2]]}`,
		`.result.tools                        [{"name":"a"},{"name":"b"},"c",{"we ird":[[],[1 , 2]]}]`,
		`.result                              {"tools":[{"name":"a"},{"name":"b"},"c",{"we ird":[[],[1 , 2]]}]}`,
		`.n                                   null`,
		`.                                    {"result":{"tools":[{"name":"a"},{"name":"b"},"c",{"we ird":[[],[1 , 2]]}]},"n":null}`,
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// FuzzIndex checks that the lines of any bytes cover them, in order, and that
// reading a block again gives what the index says.
func FuzzIndex(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"c"}],"d":{}} `, `[1,2`, "{\"a\":\"x\ny\"}", `{"a":1} {"b":2}x`, "text\nmore", `["a":1]`, `{"a":"\`} {
		f.Add([]byte(s), false, false)
	}
	f.Fuzz(func(t *testing.T, body []byte, raw, more bool) {
		d, err := Index(context.Background(), body, Options{Raw: raw, More: more})
		if err != nil {
			t.Fatal(err)
		}
		checkCover(t, d)
		if d.kind == JSON && d.bad < 0 && !more && !json.Valid(body) && !severalValues(body) {
			t.Fatalf("%q is taken for JSON", body)
		}
		if !raw && json.Valid(body) && (d.kind != JSON || d.bad >= 0) {
			t.Fatalf("%q is not taken for JSON: kind %d, %s", body, d.kind, d.wrong)
		}
	})
}

// severalValues reports whether body is JSON values one behind the other.
func severalValues(body []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(body))
	for dec.More() {
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return false
		}
	}
	return true
}

func checkCover(t *testing.T, d *Document) {
	t.Helper()
	if d.kind == Hex {
		return
	}
	r := &reader{doc: d}
	at := lex.SkipSpace(d.body, 0)
	if d.kind == Text {
		at = 0
	}
	for n := range d.lines {
		l := r.at(n)
		if l.off != at || l.end < l.off || l.value < l.off || l.value > l.end {
			t.Fatalf("%q: line %d is %+v, want it from %d", d.body, n, l, at)
		}
		if l.kind != noteLine && l.end > l.off {
			if got := r.lineOf(l.off); got != n {
				t.Fatalf("%q: byte %d is in line %d, got %d", d.body, l.off, n, got)
			}
		}
		r.path(n)
		if from, to := r.value(n); from < 0 || to < from || to > len(d.body) {
			t.Fatalf("%q: the value of line %d is %d:%d", d.body, n, from, to)
		}
		at = l.end
	}
	if d.lines > 0 && at != len(d.body) || d.lines == 0 && d.kind == Text && len(d.body) > 0 {
		t.Fatalf("%q: the lines end at %d", d.body, at)
	}
}

func benchmarkBody() []byte {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":7,"result":{"tools":[`)
	for i := range 40_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","description":"Does the thing numbered %d, and says so at some length.","inputSchema":{"type":"object","properties":{"n":{"type":"number","minimum":%d},"s":{"type":"string"}},"required":["n"]}}`, i, i, i)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

func BenchmarkIndex(b *testing.B) {
	for name, body := range map[string][]byte{
		"tools":   benchmarkBody(),
		"numbers": []byte("[" + strings.Repeat("12,", 3_000_000) + "1]"),
		"string":  []byte(`{"a":"` + strings.Repeat("text and text\\n", 700_000) + `"}`),
		"opening": bytes.Repeat([]byte("["), 10<<20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			var d *Document
			for b.Loop() {
				d, _ = Index(context.Background(), body, Options{More: true})
			}
			b.ReportMetric(float64(d.Memory()-int64(cap(body)))/float64(d.lines), "B/line")
		})
	}
}

// BenchmarkValid is what the standard library needs to say that a text is JSON,
// to hold against BenchmarkIndex.
func BenchmarkValid(b *testing.B) {
	body := benchmarkBody()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		json.Valid(body)
	}
}
