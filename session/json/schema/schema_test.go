package schema

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestValidate holds what is said of values, and where.
func TestValidate(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"object"}`, `{}`, ""},
		{`true`, `{}`, ""},
		{`{"type":"string"}`, `1`, ": is a number, must be string"},
		{`{"type":["string","null"]}`, `1`, ": is a number, must be string or null"},
		{`{"type":"integer"}`, `1.5`, ": is a number, must be integer"},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer","maximum":9007199254740993}`, `9007199254740993`, ""},
		{`{"type":"integer"}`, `123456789012345678901234567890`, ""},
		{`{"type":"number","maximum":5}`, `1e400`, ": must be at most 5"},
		{`{"properties":{"a":{"items":{"properties":{"b":{"type":"string"}}}}}}`, `{"a":[{"b":"x"},{"b":1}]}`, "a.1.b: is a number, must be string"},
		{`{"properties":{"a":{"items":{"minimum":3}}}}`, `{"a":[3,4,2]}`, "a.2: must be at least 3"},
		{`{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"required":["x"]}}}`, `{"a":{}}`, "a.x: is required"},
		{`{"allOf":[{"properties":{"a":{"enum":["b","c"]}}}]}`, `{"a":"d"}`, `a: must be one of "b", "c"`},
		{`{"properties":{"a":{"const":1}}}`, `{"a":2}`, `a: must be 1`},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"x":1}`, "x: additional property not allowed"},
		{`{"additionalProperties":{"type":"string"}}`, `{"x":1}`, "x: is a number, must be string"},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}`, `["a","b"]`, "1: is a string, must be number"},
		{`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"a":1}`, "a: is a number, must be string or null"},
		{`{"properties":{"a":{"oneOf":[{"type":"integer"},{"type":"number"}]}}}`, `{"a":1}`, "a: matches more than one of the alternatives"},
		{`{"properties":{"a":{"format":"date-time"}}}`, `{"a":"soon"}`, ""},
		{`{"properties":{"a":false}}`, `{"a":1}`, "a: the schema allows no value here"},
		// Trees that refer to themselves, and dialects.
		{`{"properties":{"Items":{},"$id":{"$anchor":"a","type":"string"},"b":{"$ref":"#a"}},"default":{"$anchor":"a"}}`, `{"b":1}`, "b: is a number, must be string"},
		{`{"$id":"https://example.com/s","properties":{"a":{"$ref":"https://example.com/s#/$defs/d%25"}},"$defs":{"d%":{"type":"string"}}}`, `{"a":1}`, "a: is a number, must be string"},
		{`{"properties":{"c":{"items":{"$ref":"#"}},"n":{"type":"string"}}}`, `{"c":[{"c":[{"n":1}]}]}`, "c.0.c.0.n: is a number, must be string"},
		{`{"$schema":"http://json-schema.org/draft-07/schema","type":"object"}`, `{}`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, `[1]`, "0: is a number, must be string"},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema#","type":"object"}`, `{}`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/s","type":"number"}},"definitions":{"s":{"type":"string"}}}`, `{"a":"x"}`, ""},
		{`{"multipleOf":2}`, `3`, ": must be a multiple of 2"},
		{`{"description":["x"],"examples":1,"type":"string"}`, `1`, ": is a number, must be string"},
		{`{"properties":{"a":{"$ref":"#/$defs/a%20b~0~1%C3%BC%25%22é"}},"$defs":{"a b~/ü%\"é":{"type":"string"}}}`, `{"a":1}`, "a: is a number, must be string"},
		{`{"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"a":1,"B":2}`, "B: the name does not match ^[a-z]+$"},
		// References that only look as if they had no end.
		{`{"$ref":"#a","contentSchema":{"$anchor":"a","$ref":"#"},"properties":{"x":{"$anchor":"a"}}}`, `{}`, ""},
		{`{"$id":"https://example.com/s","properties":{"a":{"$ref":"https://example.com/s#/properties/b"},"b":{}},"contentSchema":{"$id":"https://example.com/s","properties":{"b":{"$ref":"https://example.com/s#/properties/b"}}}}`, `{"a":1}`, ""},
		// An unknown keyword says nothing.
		{`{"$REF":"#","AllOf":[{"$ref":"#"}]}`, `{}`, ""},
		{`{"if":false,"elſe":{"$ref":"#"}}`, `{}`, ""},
		{`{"$defs":{"a":{"$defs":{"x":{}},"$Defs":{"x":{"$ref":"#/$defs/a/$defs/x"}}}},"$ref":"#/$defs/a/$defs/x"}`, `{}`, ""},
		{`{"multipleOf":0.1}`, `0.3`, ""},
		{`{"multipleOf":0.1}`, `0.35`, ": must be a multiple of 0.1"},
		{`{"type":"string","nullable":true}`, `1`, ": is a number, must be string"},
		// A part that cannot be decided hides nothing that is certain.
		{`{"properties":{"a":{"$ref":"https://example.com/s.json"},"b":{"type":"string"}}}`, `{"a":1,"b":1}`, "b: is a number, must be string"},
		{`{"anyOf":[{"$ref":"other.json"},{"type":"null"}],"required":["b"]}`, `{"a":1}`, "b: is required"},
		{`{"anyOf":[{"pattern":"(?<=a)b"},{"type":"string"}]}`, `"b"`, ""},
		{`{"enum":[{"a":1,"b":"\u0061"}]}`, `{"b":"a","a":1.0}`, ""},
		{`{"anyOf":[{"const":"a"},{"const":"b"}]}`, `"c"`, `: must be "a" or "b"`},
		{`{"anyOf":[{"type":"object","properties":{"n":{"type":"integer"}}},{"type":"null"}]}`, `{"n":"x"}`, "n: is a string, must be integer"},
		{`{"oneOf":[{"properties":{"k":{"const":"a"}}},{"properties":{"k":{"const":"b"},"n":{"type":"integer"}}}]}`, `{"k":"b","n":"x"}`, "n: is a string, must be integer"},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, ": matches none of the alternatives"},
		{`{"pattern":"^\\s\\u00e9[^]$"}`, `"\u00a0é\n"`, ""},
		{`{"properties":{"a":{"not":{"\u0024ref":"#"}}}}`, `{"a":1}`, "a: must not match the schema of not"},
	} {
		s, err := Compile([]byte(c.schema))
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		wrong, steps, err := s.Validate([]byte(c.value), 0)
		got := ""
		if wrong != nil {
			got = strings.Join(wrong.Path, ".") + ": " + wrong.Text
		}
		if err != nil || steps < 1 || (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s of %s: %q, want %q (%d steps, %v)", c.value, c.schema, got, c.want, steps, err)
		}
	}
}

// TestNoVerdict holds that what cannot be decided is an error.
func TestNoVerdict(t *testing.T) {
	for _, c := range []struct{ schema, value string }{
		{`{"$ref":"#"}`, `{}`},
		{`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{}`},
		{`{"not":{"type":"object"},"not":{}}`, `{}`},
		{`{"$defs":{"a/properties/x":{},"a":{"properties":{"x":{"$ref":"#/$defs/a%2Fproperties%2Fx"}}}},"$ref":"#/$defs/a"}`, `{"x":1}`},
		{`{"properties":{"a":{"$ref":"#/$defs/b/properties/c"}},"$defs":{"b":{"$id":"https://example.com/b","properties":{"c":{"$ref":"#"}},"allOf":[{"$ref":"#/properties/c"}]}}}`, `{"a":1}`},
		{`{"default":{"$anchor":"x"},"$defs":{"b":{"$anchor":"x","$ref":"#x"}},"$ref":"#x"}`, `{}`},
		{`{"$defs":{"a":{"$anchor":"x"},"b":{"not":{"$anchor":"x","$ref":"#x"}}},"$ref":"#x"}`, `{}`},
		{`{"$defs":{"a":{"$defs":{"x":{}},"$defs":{"x":{"$ref":"#/$defs/a/$defs/x"}}}},"$ref":"#/$defs/a/$defs/x"}`, `{}`},
		{`{"multipleOf":0.1}`, `1e1000`},
		{`{"anyOf":[{"$ref":"other.json"},{"type":"null"}]}`, `1`},
		{`{"not":{"$ref":"other.json"}}`, `1`},
		{`{"if":{"$ref":"other.json"},"then":{"type":"null"}}`, `1`},
		{`{"unevaluatedProperties":false,"$ref":"other.json"}`, `{"a":1}`},
		{`{"properties":{"a":{"required":true}}}`, `{"a":{}}`},
		{`{"items":[{"type":"string"}]}`, `[1]`},
		{`{"pattern":"\\Aa"}`, `"b"`},
		{`{"pattern":"(?i)a"}`, `"b"`},
		{`{"type":"string","nullable":true}`, `null`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#"}`, `{}`},
		{`{"$ref":"https://example.com/s.json"}`, `{}`},
		{`{"pattern":"(?<=a)b"}`, `"b"`},
		{`{"exclusiveMinimum":true}`, `1`},
		{`{"$dynamicRef":"#x"}`, `{}`},
		{`"string"`, `1`},
		{`{`, `1`},
		{`{}`, `{`},
		{`{}`, strings.Repeat("[", 200) + strings.Repeat("]", 200)},
		{strings.Repeat(`{"not":`, 200) + "{}" + strings.Repeat("}", 200), `1`},
	} {
		s, err := Compile([]byte(c.schema))
		if err != nil {
			continue
		}
		if wrong, _, err := s.Validate([]byte(c.value), 0); err == nil {
			t.Errorf("%.60s of %.60s: %v", c.value, c.schema, wrong)
		}
	}
}

// TestBounded holds that schemas that are large, or made to explode, end soon,
// within the steps that were granted.
func TestBounded(t *testing.T) {
	const n = 1500
	var laughs, chain, wide strings.Builder
	for i := range n {
		fmt.Fprintf(&laughs, `,"l%d":{"allOf":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]}`, i, i+1, i+1)
		fmt.Fprintf(&chain, `,"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
		fmt.Fprintf(&wide, `,{"type":"array","items":{"minLength":%d}}`, i)
	}
	for name, schema := range map[string]string{
		"laughs": `{"$ref":"#/$defs/l0","$defs":{` + laughs.String()[1:] + `}}`,
		"chain":  `{"$ref":"#/$defs/d0","$defs":{` + chain.String()[1:] + fmt.Sprintf(`,"d%d":{}}}`, n),
		"wide":   `{"anyOf":[` + wide.String()[1:] + `]}`,
	} {
		s, err := Compile([]byte(schema))
		if err != nil {
			continue
		}
		began := time.Now()
		_, steps, err := s.Validate([]byte(`[`+strings.Repeat(`"x",`, 10_000)+`1]`), 10_000)
		if err == nil && steps > 40_000 {
			t.Errorf("%s: %d steps", name, steps)
		}
		if took := time.Since(began); took > 60*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// TestHostile holds that what could take long, or much memory, for a few bytes ends
// within its steps, and soon.
func TestHostile(t *testing.T) {
	const n = 20_000
	long := strings.Repeat("k", 100<<10)
	var subs, patterns, names, arrays, texts strings.Builder
	for i := range n {
		fmt.Fprintf(&subs, `,"%d":{}`, i)
		fmt.Fprintf(&patterns, `,"%d":{"pattern":"a{0,1000}b%d"}`, i, i)
		fmt.Fprintf(&names, `,"%d"`, i)
		fmt.Fprintf(&texts, `,"%d":"b"`, i)
		fmt.Fprintf(&arrays, `,["%d","%d"]`, i, n-i)
	}
	const slow = "((a{0,30}){0,30}b)"
	for name, c := range map[string]struct{ schema, value string }{
		// Each error on the way has the name of the place in it.
		"names":      {`{"$ref":"#/$defs/` + long + `","$defs":{"` + long + `":{"type":"object","additionalProperties":{"$ref":"#/$defs/` + long + `"}}}}`, strings.Repeat(`{"a":`, 95) + "1" + strings.Repeat("}", 95)},
		"quotes":     {`{"anyOf":[` + strings.Repeat(`{"type":"string"},`, 500) + `{"type":"null"}]}`, `["` + long + long + `"]`},
		"places":     {`{"properties":{"` + long + `":{"properties":{` + subs.String()[1:] + `}}}}`, `{}`},
		"patterns":   {`{"properties":{` + patterns.String()[1:] + `}}`, `{` + texts.String()[1:] + `}`},
		"pattern":    {`{"pattern":"` + slow + `"}`, `"` + strings.Repeat("a", 1<<20) + `"`},
		"property":   {`{"propertyNames":{"pattern":"` + slow + `"}}`, `{"` + strings.Repeat("a", 1<<20) + `":1}`},
		"properties": {`{"patternProperties":{"` + slow + `":{}}}`, `{"` + strings.Repeat("a", 1<<20) + `":1}`},
		"required":   {`{"items":{"anyOf":[{"required":[` + names.String()[1:] + `]},{}]}}`, `[` + strings.Repeat(`{},`, n) + `{}]`},
		"unique":     {`{"uniqueItems":true}`, `[` + arrays.String()[1:] + `]`},
		"reading":    {strings.Repeat(`{"items":`, 90) + `{"enum":["` + strings.Repeat("x", 1<<20) + `"]}` + strings.Repeat("}", 90), `{}`},
	} {
		s, err := Compile([]byte(c.schema))
		if err != nil {
			continue
		}
		began := time.Now()
		wrong, steps, err := s.Validate([]byte(c.value), 0)
		if steps > 2*MaxSteps+int64(len(c.value)) {
			t.Errorf("%s: %d steps, %v", name, steps, err)
		}
		if wrong != nil && len(wrong.Text) > 1000 {
			t.Errorf("%s: a text of %d bytes", name, len(wrong.Text))
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		t.Logf("%s: %d steps in %v, %v, %.100v", name, steps, time.Since(began), err, wrong)
	}
}

// TestFault holds what is said of schemas, and that oddities of dialects are
// none.
func TestFault(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{}`, ""},
		{`true`, ""},
		{`7`, ": is a number, must be a schema"},
		{`{"type":"objekt"}`, `type: is "objekt", which is not a type`},
		{`{"type":["string","any"]}`, `type: is "any", which is not a type`},
		{`{"type":[]}`, `type: is empty`},
		{`{"type":null}`, `type: is null, must be a string or an array of strings`},
		{`{"properties":[]}`, "properties: is an array, must be an object"},
		{`{"properties":{"a":{"required":true}}}`, "properties.a.required: is a boolean, must be an array"},
		{`{"properties":{"a":{"required":[1]}}}`, "properties.a.required.0: is a number, must be a string"},
		{`{"properties":{"a":"string"}}`, "properties.a: is a string, must be a schema"},
		{`{"properties":{"a":{"$ref":"#/$defs/x"}}}`, "properties.a.$ref: leads to #/$defs/x, which is not in the schema"},
		{`{"anyOf":{}}`, "anyOf: is an object, must be an array"},
		{`{"items":{"allOf":[1]}}`, "items.allOf.0: is a number, must be a schema"},
		{`{"minLength":-1}`, "minLength: is -1, must be a whole number from 0"},
		{`{"minimum":"3"}`, "minimum: is a string, must be a number"},
		{`{"enum":{}}`, "enum: is an object, must be an array"},
		{`{"exclusiveMinimum":true,"minimum":1}`, "exclusiveMinimum: is a boolean, must be a number"},
		{`{"pattern":"(a|b"}`, "pattern: has a group that is not closed, or closed twice"},
		{`{"properties":{"a":{"$ref":"#/properties/a"}}}`, "properties.a.$ref: leads to itself"},
		{`{"properties":{"a":{"$ref":"#"}}}`, ""},
		// Names of members that are words elsewhere, and what drafts see differently.
		{`{"properties":{"type":{"type":"string"},"required":{},"$ref":{"type":"string"},"items":{"type":"array"}}}`, ""},
		{`{"default":{"type":7},"examples":[{"type":7}],"const":{"$ref":7},"enum":[{"type":7}]}`, ""},
		{`{"pattern":"^([a-z](\\()$"}`, ""},
		{`{"items":[{"type":"string"}]}`, ""},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"any"}`, ""},
		{`{"$ref":"#/definitions/a","type":7,"definitions":{"a":{}}}`, ""},
		{`{"$id":"https://example.com/a","properties":{"a":{"$ref":"#/$defs/x"}}}`, ""},
		{`{"$ref":"#anchor"}`, ""},
		{`{"$ref":"other.json"}`, ""},
		{`{"pattern":"(?<=a)["}`, ""},
		{`{"minLength":1.0,"nullable":true,"x-mine":7}`, ""},
		{`{"type":"string","type":7}`, ""},
		{`{`, ""},
	} {
		got := ""
		if p := Fault([]byte(c.schema)); p != nil {
			got = strings.Join(p.Path, ".") + ": " + p.Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.schema, got, c.want)
		}
	}
}

func TestRemoteRef(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{"$ref":"https://example.com/a.json"}}}`:                               "https://example.com/a.json",
		`{"$ref":"http://example.com/a.json#/x"}`:                                                  "http://example.com/a.json#/x",
		`{"properties":{"$ref":{"type":"string"}},"default":{"$ref":"https://x.example"}}`:         "",
		`{"$id":"https://example.com/a","$ref":"https://example.com/a#/$defs/x","$defs":{"x":{}}}`: "",
		`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`:                                  "",
		`{"$ref":"#/$defs/x"}`: "",
		`{"$ref":7}`:           "",
	} {
		if got := RemoteRef([]byte(schema)); got != want {
			t.Errorf("%s: %q, want %q", schema, got, want)
		}
	}
}

// FuzzValidate holds that no schema and no value ends the program.
func FuzzValidate(f *testing.F) {
	for _, s := range []string{`{"$ref":"#"}`, `{"anyOf":[{"items":{"$ref":"#"}}]}`, `{"type":"object","required":["a"]}`, `{"$id":"a","$defs":{"b":{"$anchor":"c"}},"$ref":"#c"}`, `{"dependencies":{"a":["b"],"c":{"$ref":"#"}}}`} {
		f.Add([]byte(s), []byte(`{"a":[1,{"b":null}]}`))
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		Fault(schema)
		RemoteRef(schema)
		s, err := Compile(schema)
		if err != nil {
			return
		}
		wrong, steps, err := s.Validate(value, 10_000)
		again, _, _ := s.Validate(value, 10_000)
		switch {
		case wrong != nil && (err != nil || wrong.Text == ""):
			t.Errorf("%v and %v", wrong, err)
		case (wrong == nil) != (again == nil) || wrong != nil && wrong.Text != again.Text:
			t.Errorf("%v, then %v", wrong, again)
		case err == nil && steps > 20_000+int64(len(value)):
			t.Errorf("%d steps", steps)
		}
	})
}

// A maker makes a schema of bytes: of any bytes some schema, most of them with
// references, so that chance finds the ways in which they can go round.
type maker struct {
	from []byte
	left int
}

var (
	makerWords = []string{
		"allOf", "anyOf", "not", "if", "then", "else", "elſe", "items", "prefixItems", "contains", "properties", "Properties",
		"patternProperties", "additionalProperties", "propertyNames", "dependentSchemas", "dependencies", "unevaluatedProperties",
		"unevaluatedItems", "additionalItems", "$defs", "$Defs", "definitions", "default", "contentSchema", "x",
	}
	makerRefs = []string{
		"#", "#/$defs/a", "#/$defs/b", "#/definitions/a", "#/properties/a", "#/allOf/0", "#/items", "#/$defs/a/properties/b", "#/$defs/b/$defs/a",
		"#/default", "#/x", "#a", "#b", "https://example.com/a", "https://example.com/a#/$defs/a", "a", "#/$defs/%61", "#/items/0",
	}
)

func (m *maker) pick(n int) int {
	if len(m.from) == 0 {
		return 0
	}
	b := m.from[0]
	m.from = m.from[1:]
	return int(b) % n
}

func (m *maker) schema() string {
	m.left--
	if len(m.from) == 0 || m.left < 0 {
		return `{}`
	}
	var parts []string
	for range 1 + m.pick(3) {
		switch kind := m.pick(8); kind {
		case 0, 1, 2:
			parts = append(parts, fmt.Sprintf(`%q:%q`, []string{"$ref", "$ref", "$ref", "$Ref", "$dynamicRef"}[m.pick(5)], makerRefs[m.pick(len(makerRefs))]))
		case 3:
			parts = append(parts, fmt.Sprintf(`%q:%q`, []string{"$anchor", "$dynamicAnchor", "$Anchor"}[m.pick(3)], []string{"a", "b"}[m.pick(2)]))
		case 4:
			parts = append(parts, fmt.Sprintf(`%q:%q`, []string{"$id", "$id", "$ID"}[m.pick(3)], []string{"https://example.com/a", "https://example.com/b", "a", "#a"}[m.pick(4)]))
		default:
			word := makerWords[m.pick(len(makerWords))]
			switch m.pick(3) {
			case 0:
				parts = append(parts, fmt.Sprintf(`%q:%s`, word, m.schema()))
			case 1:
				parts = append(parts, fmt.Sprintf(`%q:[%s,%s]`, word, m.schema(), m.schema()))
			default:
				parts = append(parts, fmt.Sprintf(`%q:{"a":%s,%q:%s}`, word, m.schema(), []string{"b", "a"}[m.pick(2)], m.schema()))
			}
		}
	}
	return `{` + strings.Join(parts, ",") + `}`
}

// FuzzReferences holds that no schema of references goes round for ever.
func FuzzReferences(f *testing.F) {
	f.Add([]byte("\x01\x05\x0a\x02\x00\x01\x00\x02"), false)
	f.Fuzz(func(t *testing.T, from []byte, draft7 bool) {
		m := maker{from: from, left: 40}
		schema := `{"$schema":"https://json-schema.org/draft/2020-12/schema",` + m.schema()[1:]
		if draft7 {
			schema = strings.Replace(schema, "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", 1)
		}
		s, err := Compile([]byte(strings.Replace(schema, ",}", "}", 1)))
		if err != nil {
			return
		}
		if wrong, steps, err := s.Validate([]byte(`{"a":{"a":1,"b":[1,{"a":null}]},"b":[[],"x"]}`), 10_000); err == nil && steps > 20_000 {
			t.Errorf("%d steps for %s: %v", steps, schema, wrong)
		}
	})
}

func TestResolve(t *testing.T) {
	for name, want := range map[string]string{
		"#/top":               "0",
		"#/$defs/a%20b/x":     "1",
		"#here":               `{"$anchor":"here","x":1}`,
		"#/$defs/l/1/z~0~1":   "3",
		"http://s/1":          `{"$id":"http://s/1#","in":{"k":4}}`,
		"http://s/1#/in/k":    "4",
		"#/$defs/l/2":         "",
		"#/$defs/l/-1":        "",
		"#/top/x":             "",
		"#nowhere":            "",
		"http://elsewhere/#/": "",
	} {
		text := fmt.Sprintf(`{"$ref":%q,"$defs":{"a b":{"$anchor":"here","x":1},"l":[{"y":2},{"z~/":3}],"id":{"$id":"http://s/1#","in":{"k":4}}},"top":0}`, name)
		s, err := Compile([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if n := s.Resolve(s.Root().Get("$ref")); n != nil {
			got = string(n.Raw)
		}
		if got != want {
			t.Errorf("%s leads to %s, want %s", name, got, want)
		}
	}
}

// TestProblems holds that everything that is wrong is told, with the keyword and
// where that is in the schema.
func TestProblems(t *testing.T) {
	const text = `{"required":["z"],"properties":{"a":{"$ref":"#/$defs/d~e"},"b":{"anyOf":[{"required":["x"]},{"required":["y"]}]},"c":{"format":"date"}},"$defs":{"d~e":{"items":{"type":"string","maxLength":1}}},"additionalProperties":false}`
	root, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Options{}.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := parse([]byte(`{"a":[1,"ab","c"],"b":{},"c":"soon","x":0}`))
	problems, err := s.Problems(v, func(name, text string) string { return text + " is not a " + name })
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&got, "%s|%s|%s|%s|%v|%d\n", strings.Join(p.Path, "."), p.Text, p.Keyword, p.Schema, p.Format, len(p.Branches))
	}
	const want = `z|is required|required|/required|false|0
a.0|is a number, must be string|type|/$defs/d~0e/items/type|false|0
a.1|has 2 characters, must have at most 1|maxLength|/$defs/d~0e/items/maxLength|false|0
b|matches none of the alternatives|anyOf|/properties/b/anyOf|false|2
c|soon is not a date|format|/properties/c/format|true|0
x|additional property not allowed|additionalProperties|/additionalProperties|false|0
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

// TestLargeObject holds that a reference into an object that is large finds the last
// of a name, as Get does.
func TestLargeObject(t *testing.T) {
	s, err := Compile([]byte(`{"$ref":"#/m/x","m":{"x":0` + strings.Repeat(`,"y":1`, 100) + `,"x":2}}`))
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Resolve(s.Root().Get("$ref")); n == nil || string(n.Raw) != "2" || n != s.Root().Get("m").Get("x") {
		t.Errorf("it leads to %+v", n)
	}
}

// What a schema of a tool costs, and a call of it.
func BenchmarkTool(b *testing.B) {
	schema := []byte(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"path":{"type":"string","minLength":1,"pattern":"^[a-z/]+$"},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"},"kind":{"enum":["replace","insert","delete"]}},"required":["oldText","newText"],"additionalProperties":false}},"limit":{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]},"dryRun":{"type":"boolean","default":false}},"required":["path","edits"],"additionalProperties":false}`)
	value := []byte(`{"path":"a/b","edits":[` + strings.Repeat(`{"oldText":"some text of a file","newText":"some other text","kind":"insert"},`, 20) + `{"oldText":"a","newText":"b"}],"limit":null,"dryRun":true}`)
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			if _, err := Compile(schema); err != nil {
				b.Fatal(err)
			}
		}
	})
	s, _ := Compile(schema)
	b.Run("validate", func(b *testing.B) {
		for b.Loop() {
			if wrong, _, err := s.Validate(value, 0); wrong != nil || err != nil {
				b.Fatal(wrong, err)
			}
		}
	})
	b.Run("refuse", func(b *testing.B) {
		for b.Loop() {
			if wrong, _, _ := s.Validate([]byte(`{"path":"a","edits":[{"oldText":"x"}]}`), 0); wrong == nil {
				b.Fatal("it is valid")
			}
		}
	})
	b.Run("fault", func(b *testing.B) {
		for b.Loop() {
			if Fault(schema) != nil || RemoteRef(schema) != "" {
				b.Fatal("it has a fault")
			}
		}
	})
}
