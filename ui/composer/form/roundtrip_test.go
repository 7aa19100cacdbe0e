package form

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"wiretea/session/json/lex"
	"wiretea/session/json/tree"
)

// A generator makes random compact JSON, as a schema wants it where it is one
// of those that generators write.
type generator struct {
	rand *rand.Rand
	book *book
	out  []byte
}

var (
	someStrings = []string{`""`, `"a"`, `"\u00e9"`, `"é\/\n"`, `"日本 👍🏽"`, `"\ud83d"`, `"a\tb\\\""`, `"2026-11-21"`, `"null"`, "\"\u2028\"", `" lead and trail "`}
	someNumbers = []string{`0`, `-0`, `1.0`, `1e400`, `-1E-400`, `123456789012345678901234567890`, `0.1`, `10`, `3.50`, `1e2`}
)

func (g *generator) one(list []string) { g.out = append(g.out, list[g.rand.IntN(len(list))]...) }

// any writes any value.
func (g *generator) any(depth int) {
	switch n := g.rand.IntN(8); {
	case n == 0:
		g.one([]string{"true", "false", "null"})
	case n <= 2 || depth == 0 && n < 5:
		g.one(someNumbers)
	case n <= 4 || depth == 0:
		g.one(someStrings)
	case n == 5:
		g.list(g.rand.IntN(4), func(int) { g.any(depth - 1) })
	default:
		g.object(nil, depth)
	}
}

func (g *generator) list(n int, item func(int)) {
	g.out = append(g.out, '[')
	for i := range n {
		if i > 0 {
			g.out = append(g.out, ',')
		}
		item(i)
	}
	g.out = append(g.out, ']')
}

// object writes an object: members of the shape in any order, and others.
func (g *generator) object(s *shape, depth int) {
	var names [][]byte
	subs := map[string]*ref{}
	if s != nil {
		for _, p := range s.props {
			if s.needs[p.name] || g.rand.IntN(2) == 0 {
				names = append(names, p.raw)
				subs[string(p.raw)] = p.sub
			}
		}
	}
	if s == nil || !s.closed {
		for _, extra := range []string{`"x~1/y"`, `""`, `"\u0061"`, `"n_1"`, `"日"`} {
			if g.rand.IntN(4) == 0 {
				names = append(names, []byte(extra))
			}
		}
	}
	if s == nil && len(names) > 0 && g.rand.IntN(10) == 0 {
		names = append(names, names[0])
	}
	g.rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	g.out = append(g.out, '{')
	for i, name := range names {
		if i > 0 {
			g.out = append(g.out, ',')
		}
		g.out = append(append(g.out, name...), ':')
		if sub := subs[string(name)]; sub != nil && g.rand.IntN(12) > 0 {
			g.shape(g.book.openRef(sub), depth-1)
		} else {
			g.any(max(0, depth-1))
		}
	}
	g.out = append(g.out, '}')
}

// shape writes a value of a shape, as far as its types go.
func (g *generator) shape(s *shape, depth int) {
	if list := g.book.alternatives(s); len(list) > 0 {
		s = g.book.openRef(list[g.rand.IntN(len(list))].sub)
	}
	if s.nullable && g.rand.IntN(4) == 0 {
		g.out = append(g.out, "null"...)
		return
	}
	if s.choices != nil {
		g.out = append(g.out, s.choices[g.rand.IntN(len(s.choices))].raw...)
		return
	}
	switch s.manner() {
	case asText:
		g.one(someStrings)
	case asNumber:
		g.one(someNumbers)
	case asBool:
		g.one([]string{"true", "false"})
	case asNull:
		g.out = append(g.out, "null"...)
	case asArray:
		n := g.rand.IntN(4)
		if depth <= 0 {
			n = 0
		}
		g.list(n, func(i int) { g.shape(g.book.openRef(s.item(i)), depth-1) })
	case asObject:
		if depth <= 0 {
			g.out = append(g.out, "{}"...)
			return
		}
		g.object(s, depth)
	case asChoice, asRaw:
		g.any(max(0, depth))
	}
}

// TestRoundTrip holds that a form that nobody touched gives back what it was
// given, byte for byte, through all its modes.
func TestRoundTrip(t *testing.T) {
	for name, schema := range allSchemas {
		t.Run(name, func(t *testing.T) {
			root, err := parse([]byte(schema))
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(400) {
				g := &generator{rand: rand.New(rand.NewPCG(seed, 1)), book: newBook(root)}
				if seed%5 == 0 {
					g.any(5)
				} else {
					g.shape(g.book.openRef(&ref{schemas: []*tree.Node{root}}), 5)
				}
				roundTrip(t, schema, g.out)
			}
		})
	}
}

func roundTrip(t *testing.T, schema string, values []byte) {
	t.Helper()
	f := New(Config{Schema: []byte(schema), Values: values, Malformed: true})
	if got := f.Values(); !bytes.Equal(got, values) {
		t.Fatalf("schema %s:\n got %s\nwant %s", schema, got, values)
	}
	if err := f.SetMode(Raw); err != nil {
		t.Fatal(err)
	}
	if got := f.Values(); !bytes.Equal(got, values) {
		t.Fatalf("raw, schema %s:\n got %s\nwant %s", schema, got, values)
	}
	// Something was typed, and taken back: the fields are made anew.
	f.plain.insert(" ")
	if err := f.SetMode(Fields); err != nil {
		t.Fatal(err)
	}
	if got := f.Values(); !bytes.Equal(got, values) {
		t.Fatalf("anew, schema %s:\n got %s\nwant %s", schema, got, values)
	}
	if err := f.SetMode(Malformed); err != nil {
		t.Fatal(err)
	}
	if got := f.Values(); !bytes.Equal(got, append(bytes.Clone(values), '\n')) {
		t.Fatalf("malformed, schema %s:\n got %q\nwant %q", schema, got, values)
	}
}

// TestGenerated holds that values that are made by the shapes of a schema, some of
// them wrong, are judged in full.
func TestGenerated(t *testing.T) {
	for name, schema := range allSchemas {
		if name == "mixed" {
			continue // A part of it is not a schema.
		}
		root, err := parse([]byte(schema))
		if err != nil {
			t.Fatal(err)
		}
		b, judge := newBook(root), newJudge(root, "")
		right, wrong := 0, 0
		for seed := range uint64(400) {
			g := &generator{rand: rand.New(rand.NewPCG(seed, 2)), book: b}
			g.shape(b.openRef(&ref{schemas: []*tree.Node{root}}), 5)
			v, err := parse(g.out)
			if err != nil {
				t.Fatal(err)
			}
			found := judge.value(v, nil)
			if judge.note != "" {
				t.Errorf("%s: %s: %s", name, g.out, judge.note)
			}
			if len(found) == 0 {
				right++
			} else {
				wrong++
			}
		}
		if right == 0 || wrong == 0 {
			t.Errorf("%s: %d right and %d wrong values show nothing", name, right, wrong)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, schema := range allSchemas {
		f.Add(schema, `{"a":[1.0,{"b":null}],"a":"\u0000"}`)
	}
	f.Fuzz(func(t *testing.T, schema, values string) {
		v, err := parse([]byte(values))
		if err != nil {
			return
		}
		roundTrip(t, schema, lex.AppendCompact(nil, v.Raw))
	})
}

// FuzzSchema holds that no schema, however it is made, breaks a form, and that
// what is typed into one comes out.
func FuzzSchema(f *testing.F) {
	for _, schema := range allSchemas {
		f.Add([]byte(schema), []byte(`{}`), "tab enter 'x' ctrl+t down enter ctrl+n ctrl+x alt+down")
	}
	for _, schema := range hostile(40) {
		f.Add([]byte(schema), []byte(`{"a":{"a":[]}}`), "enter enter tab enter")
	}
	f.Fuzz(func(t *testing.T, schema, values []byte, keys string) {
		cfg := Config{Title: "t", About: "a", Schema: schema, Malformed: true}
		if len(values) > 0 {
			cfg.Values = values
		}
		form := form(t, cfg)
		screen(t, form, 60, 20)
		if strings.Count(keys, "'")%2 == 0 && len(keys) < 400 {
			pressSafely(t, form, keys)
		}
		screen(t, form, 33, 9)
		line := form.Line()
		if err := form.SetMode(Malformed); err == nil && !bytes.HasPrefix(form.Line(), line) {
			t.Fatalf("%q became %q", line, form.Line())
		}
	})
}

// pressSafely is press for keys that a fuzzer made up.
func pressSafely(t *testing.T, f *Form, keys string) {
	for _, name := range strings.Fields(keys) {
		if strings.HasSuffix(name, "+") || strings.Contains(name, "'") {
			continue
		}
		drive(t, f, keyNamed(name))
		screen(t, f, 41, 12)
	}
}

// hostile are schemas of people who mean no good, by their size.
func hostile(n int) map[string]string {
	wide, refs, laughs := &strings.Builder{}, &strings.Builder{}, &strings.Builder{}
	for i := range n {
		fmt.Fprintf(wide, `,"p%d":{"type":"object","properties":{"x":{"$ref":"#"}},"required":["x"]}`, i)
		fmt.Fprintf(refs, `,"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
		fmt.Fprintf(laughs, `,"l%d":{"allOf":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}],"anyOf":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]}`, i, i+1, i+1, i+1, i+1)
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(`"p%d"`, i)
	}
	long := strings.Repeat(`\u001b[2J long `, n*20)
	return map[string]string{
		"wide":       `{"type":"object","properties":{` + wide.String()[1:] + `},"required":[` + strings.Join(names, ",") + `]}`,
		"deep":       strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":`, n) + `{}` + strings.Repeat(`}}`, n),
		"chain":      `{"$ref":"#/$defs/d0","$defs":{` + refs.String()[1:] + fmt.Sprintf(`,"d%d":{"type":"object"}}}`, n),
		"laughs":     `{"$ref":"#/$defs/l0","$defs":{` + laughs.String()[1:] + `}}`,
		"circle":     `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
		"self":       `{"$ref":"#"}`,
		"capitals":   `{"$REF":"#","AllOf":[{"$ref":"#"}]}`,
		"any self":   `{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"type":"array","items":{"$ref":"#"}}]}`,
		"long":       `{"type":"object","description":"` + long + `","properties":{"` + long + `":{"type":"string","title":"` + long + `","description":"` + long + `","default":"` + long + `"}}}`,
		"choices":    `{"enum":[` + strings.Join(names, ",") + `]}`,
		"regexp":     `{"type":"object","properties":{"a":{"pattern":"(((a{99}){99}){99})","default":"a"},"b":{"pattern":"(?<=a)b"}}}`,
		"numbers":    `{"type":"number","minimum":1e999999999,"maximum":-1e-999999999,"multipleOf":1e-400,"default":1e999999999}`,
		"false":      `{"type":"object","properties":{"a":false},"required":["a"],"additionalProperties":false}`,
		"arrays":     strings.Repeat(`{"type":"array","minItems":9999,"items":`, n) + `{}` + strings.Repeat(`}`, n),
		"duplicates": `{"type":"object","type":"array","properties":{"a":{},"a":{"not":{"$ref":"#"}}},"not":{"$ref":"#"},"not":{}}`,
	}
}
