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
		{`{"type":"number","maximum":5}`, `1e400`, ": maximum"},
		{`{"properties":{"a":{"items":{"properties":{"b":{"type":"string"}}}}}}`, `{"a":[{"b":"x"},{"b":1}]}`, "a.1.b: is a number, must be string"},
		{`{"properties":{"a":{"items":{"minimum":3}}}}`, `{"a":[3,4,2]}`, "a.2: minimum"},
		{`{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"required":["x"]}}}`, `{"a":{}}`, "a.x: is required"},
		{`{"allOf":[{"properties":{"a":{"enum":["b","c"]}}}]}`, `{"a":"d"}`, `a: must be one of "b", "c"`},
		{`{"properties":{"a":{"const":1}}}`, `{"a":2}`, `a: must be 1`},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"x":1}`, "x: additional property not allowed"},
		{`{"additionalProperties":{"type":"string"}}`, `{"x":1}`, "x: is a number, must be string"},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}`, `["a","b"]`, "1: is a string, must be number"},
		{`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"a":1}`, "a: fits none of the alternatives"},
		{`{"properties":{"a":{"oneOf":[{"type":"integer"},{"type":"number"}]}}}`, `{"a":1}`, "a: fits more than one of the alternatives"},
		{`{"properties":{"a":{"format":"date-time"}}}`, `{"a":"soon"}`, ""},
		{`{"properties":{"a":false}}`, `{"a":1}`, "a: is nothing that the schema allows"},
		// Trees that refer to themselves, and dialects.
		{`{"properties":{"Items":{},"$id":{"$anchor":"a","type":"string"},"b":{"$ref":"#a"}},"default":{"$anchor":"a"}}`, `{"b":1}`, "b: is a number, must be string"},
		{`{"$id":"https://example.com/s","properties":{"a":{"$ref":"https://example.com/s#/$defs/d%25"}},"$defs":{"d%":{"type":"string"}}}`, `{"a":1}`, "a: is a number, must be string"},
		{`{"properties":{"c":{"items":{"$ref":"#"}},"n":{"type":"string"}}}`, `{"c":[{"c":[{"n":1}]}]}`, "c.0.c.0.n: is a number, must be string"},
		{`{"$schema":"http://json-schema.org/draft-07/schema","type":"object"}`, `{}`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, `[1]`, "0: is a number, must be string"},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema#","type":"object"}`, `{}`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/s","type":"number"}},"definitions":{"s":{"type":"string"}}}`, `{"a":"x"}`, ""},
		{`{"multipleOf":2}`, `3`, ": multipleOf"},
		{`{"description":["x"],"examples":1,"type":"string"}`, `1`, ": is a number, must be string"},
		{`{"properties":{"a":{"$ref":"#/$defs/a%20b~0~1%C3%BC%25%22é"}},"$defs":{"a b~/ü%\"é":{"type":"string"}}}`, `{"a":1}`, "a: is a number, must be string"},
		{`{"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"a":1,"B":2}`, ": pattern"},
		// Here the library by itself would find other subschemas, and no end.
		{`{"$ref":"#a","contentSchema":{"$anchor":"a","$ref":"#"},"properties":{"x":{"$anchor":"a"}}}`, `{}`, ""},
		{`{"$id":"https://example.com/s","properties":{"a":{"$ref":"https://example.com/s#/properties/b"},"b":{}},"contentSchema":{"$id":"https://example.com/s","properties":{"b":{"$ref":"https://example.com/s#/properties/b"}}}}`, `{"a":1}`, ""},
		{`{"$defs":{"a/properties/x":{},"a":{"properties":{"x":{"$ref":"#/$defs/a%2Fproperties%2Fx"}}}},"$ref":"#/$defs/a"}`, `{"x":1}`, ""},
		{`{"properties":{"a":{"not":{"\u0024ref":"#"}}}}`, `{"a":1}`, "a: is what the schema rules out"},
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

// TestNoVerdict holds that what the library cannot tell, or might get wrong, is
// an error.
func TestNoVerdict(t *testing.T) {
	for _, c := range []struct{ schema, value string }{
		{`{"$ref":"#"}`, `{}`},
		{`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{}`},
		{`{"$REF":"#","AllOf":[{"$ref":"#"}]}`, `{}`},
		{`{"not":{"type":"object"},"not":{}}`, `{}`},
		// The library would find something else than what is written, and no end.
		{`{"if":false,"elſe":{"$ref":"#"}}`, `{}`},
		{`{"properties":{"a":{"$ID":"https://example.com/a","$ref":"#"}}}`, `{"a":1}`},
		{`{"properties":{"a":{"$ref":"#/$defs/b/properties/c"}},"$defs":{"b":{"$id":"https://example.com/b","properties":{"c":{"$ref":"#"}},"allOf":[{"$ref":"#/properties/c"}]}}}`, `{"a":1}`},
		{`{"default":{"$anchor":"x"},"$defs":{"b":{"$anchor":"x","$ref":"#x"}},"$ref":"#x"}`, `{}`},
		{`{"$defs":{"a":{"$anchor":"x"},"b":{"not":{"$anchor":"x","$ref":"#x"}}},"$ref":"#x"}`, `{}`},
		{`{"$defs":{"a":{"$defs":{"x":{}},"$defs":{"x":{"$ref":"#/$defs/a/$defs/x"}}}},"$ref":"#/$defs/a/$defs/x"}`, `{}`},
		{`{"$defs":{"a":{"$defs":{"x":{}},"$Defs":{"x":{"$ref":"#/$defs/a/$defs/x"}}}},"$ref":"#/$defs/a/$defs/x"}`, `{}`},
		{`{"multipleOf":0.1}`, `0.3`},
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

// TestTooInvolved holds that what takes the library long, or much memory, for a few
// bytes is an error at once.
func TestTooInvolved(t *testing.T) {
	const n = 20_000
	long := strings.Repeat("k", 100<<10)
	var subs, patterns, names, arrays strings.Builder
	for i := range n {
		fmt.Fprintf(&subs, `,"%d":{}`, i)
		fmt.Fprintf(&patterns, `,"%d":{"pattern":"a{0,1000}b"}`, i)
		fmt.Fprintf(&names, `,"%d"`, i)
		fmt.Fprintf(&arrays, `,["%d","%d"]`, i, n-i)
	}
	const slow = "((a{0,30}){0,30}b)"
	for name, c := range map[string]struct{ schema, value string }{
		// Each error on the way has the name of the place in it.
		"names":      {`{"$ref":"#/$defs/` + long + `","$defs":{"` + long + `":{"type":"object","additionalProperties":{"$ref":"#/$defs/` + long + `"}}}}`, strings.Repeat(`{"a":`, 95) + "1" + strings.Repeat("}", 95)},
		"quotes":     {`{"anyOf":[` + strings.Repeat(`{"type":"string"},`, 500) + `{"type":"null"}]}`, `["` + long + long + `"]`},
		"places":     {`{"properties":{"` + long + `":{"properties":{` + subs.String()[1:] + `}}}}`, `{}`},
		"patterns":   {`{"properties":{` + patterns.String()[1:] + `}}`, `{}`},
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
		if wrong, steps, err := s.Validate([]byte(c.value), 0); err == nil {
			t.Errorf("%s: %d steps, %v", name, steps, wrong != nil)
		}
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
		// Names of members that are words elsewhere, and what drafts see differently.
		{`{"properties":{"type":{"type":"string"},"required":{},"$ref":{"type":"string"},"items":{"type":"array"}}}`, ""},
		{`{"default":{"type":7},"examples":[{"type":7}],"const":{"$ref":7},"enum":[{"type":7}]}`, ""},
		{`{"exclusiveMinimum":true,"minimum":1}`, ""},
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

// FuzzReferences holds that no schema of references has the library go round for
// ever, which would end the program.
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
