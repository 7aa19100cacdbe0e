package form

import (
	"strings"
	"testing"
)

// TestProblems holds what is said of values, and where.
func TestProblems(t *testing.T) {
	for _, c := range []struct{ schema, values, want string }{
		{`{"type":"string"}`, `1`, "is a number, must be string"},
		{`{"type":["string","null"]}`, `1`, "is a number, must be string or null"},
		{`{"type":"integer"}`, `1.5`, "is a number, must be integer"},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer"}`, `1e3`, ""},
		{`{"type":"integer"}`, `123456789012345678901234567890`, ""},
		{`{"type":"number","minimum":1}`, `0.9`, "must be at least 1"},
		{`{"type":"number","exclusiveMaximum":1}`, `1.0`, "must be less than 1"},
		{`{"type":"number","maximum":5}`, `1e400`, "must be at most 5"},
		{`{"type":"number","maximum":5}`, `-1e99999999999`, ""},
		{`{"type":"number","multipleOf":0.5}`, `1.25`, "must be a multiple of 0.5"},
		{`{"type":"string","minLength":3}`, `"é"`, "has 1 character, must have at least 3"},
		{`{"type":"string","maxLength":1}`, `"日本"`, "has 2 characters, must have at most 1"},
		{`{"type":"string","pattern":"^a+$"}`, `"b"`, "does not match ^a+$"},
		{`{"enum":["a","b"]}`, `"c"`, `must be one of "a", "b"`},
		{`{"enum":[1,2]}`, `1.0`, ""},
		{`{"const":"a"}`, `"c"`, `must be "a"`},
		{`{"type":"array","minItems":2}`, `[1]`, "has 1 item, must have at least 2"},
		{`{"type":"array","uniqueItems":true}`, `[1,{"a":2},{"a":2}]`, "2 is the same as item 2, all must differ"},
		{`{"type":"array","items":{"type":"string"}}`, `["a",1,null]`, "1 is a number, must be string; 2 is null, must be string"},
		{`{"type":"object","properties":{"a":{"type":"object","required":["b"]}}}`, `{"a":{}}`, "a.b is required"},
		{`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"x":1}`, "x additional property not allowed"},
		{`{"type":"object","minProperties":1}`, `{}`, "has 0 members, must have at least 1"},
		{`{"type":"string","format":"date"}`, `"2026-02-30"`, "not a valid date (example: 2026-11-21)"},
		{`{"type":"string","format":"date-time"}`, `"2026-02-03T10:00:00.5+01:00"`, ""},
		{`{"type":"string","format":"email"}`, `"ann"`, "not a valid email (example: ann@example.org)"},
		{`{"type":"string","format":"uri"}`, `"example.org"`, "not a valid uri (example: https://example.org/a)"},
		{`{"type":"string","format":"uuid"}`, `"123E4567-e89b-12d3-a456-426614174000"`, ""},
		{`{"type":"string","format":"ipv4"}`, `"1.2.3"`, "not a valid ipv4 (example: 192.0.2.1)"},
		{`{"type":"string","format":"of our own"}`, `"x"`, ""},
		// What the form itself does not show.
		{`{"type":"object","properties":{"a":{"not":{"type":"string"}}}}`, `{"a":"x"}`, "a must not match the schema of not"},
		{`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{}}}`, `{}`, "matches none of the alternatives"},
		{`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, "matches more than one of the alternatives"},
		{`{"type":"object","dependentRequired":{"a":["b"]}}`, `{"a":1}`, `b is required beside "a"`},
		{`{"type":"array","contains":{"const":1}}`, `[2]`, "has no item that matches contains"},
		// The value fits another alternative than the first.
		{`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"},"n":{"type":"integer"}},"required":["k","n"]}]}`, `{"k":"b","n":"x"}`, "n is a string, must be integer"},
		// draft-07: items as a list, dependencies, definitions.
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"},{"$ref":"#/definitions/n"}],"additionalItems":false,"definitions":{"n":{"type":"number"}}}`, `["a","b"]`, "1 is a string, must be number"},
	} {
		if got := problems(formOf(t, c.schema, c.values)); got != c.want {
			t.Errorf("%s of %s:\n got %q\nwant %q", c.values, c.schema, got, c.want)
		}
	}
}

// TestProblemsAtFields holds that problems are at their fields, go with them,
// and go away.
func TestProblemsAtFields(t *testing.T) {
	f := formOf(t, pydanticSchema, `{"to":{"street":"s"},"items":[{"sku":"a"},{"sku":""}]}`)
	press(t, f, "ctrl+home alt+e")
	if got := strings.Join(f.focus().field.path(), "."); got != "items.1.sku" {
		t.Errorf("went to %s", got)
	}
	press(t, f, "alt+up")
	if x := f.find([]string{"items", "0", "sku"}); len(x.problems) != 1 {
		t.Errorf("the problem did not move along: %q", x.problems)
	}
	if x := f.find([]string{"items", "1", "sku"}); len(x.problems) != 0 {
		t.Errorf("the problem stayed: %q", x.problems)
	}
	press(t, f, "'b'")
	if !f.Valid() {
		t.Errorf("still %s", problems(f))
	}
}

// TestStaleChecks holds that one check runs at a time, and that an answer about
// values that are no more says nothing.
func TestStaleChecks(t *testing.T) {
	f := formOf(t, `{"type":"object","properties":{"a":{"type":"string","maxLength":1}}}`, "")
	first := f.Update(letter('x'))
	if second := f.Update(letter('y')); second != nil {
		t.Error("a second check began while the first was under way")
	}
	if f.Checked() {
		t.Error("the values count as checked while they are not")
	}
	next := f.Update(first())
	if next == nil || !f.Valid() {
		t.Fatalf("no second check after the first, or a stale answer was taken: %s", problems(f))
	}
	f.Update(next())
	if got := problems(f); got != "a has 2 characters, must have at most 1" || !f.Checked() {
		t.Errorf("problems %q", got)
	}
	if f.Update(checked{form: New(Config{}), problems: []Problem{{Text: "of another"}}}); problems(f) == "of another" {
		t.Error("took the answer of another form")
	}
}

// TestNotes holds what is said where not all can be judged, and that the
// rest is.
func TestNotes(t *testing.T) {
	for schema, note := range map[string]string{
		`{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}`: "the schema cannot be used to validate: it is written in http://json-schema.org/draft-04/schema#",
		`{"type":"integer","pattern":"(?<=a)"}`:                                  "the values are not validated in full: ",
		`{"type":"integer","$ref":"https://example.org/x.json"}`:                 "the values are not validated in full: ",
		`{"type":"integer","allOf":[{"$ref":"#"}]}`:                              "the values are not validated in full: it refers to itself without end",
	} {
		f := formOf(t, schema, `"x"`)
		if !strings.HasPrefix(f.checks.note, note) || note == "" {
			t.Errorf("%s: note %q, want %q", schema, f.checks.note, note)
		}
		if got := problems(f); got != "is a string, must be integer" {
			t.Errorf("%s: %q", schema, got)
		}
	}
	f := formOf(t, `{"type":`, "")
	if !strings.HasPrefix(f.checks.note, "the schema is not JSON: line 1") || f.root.manner != asRaw {
		t.Errorf("note %q", f.checks.note)
	}
}

// TestRequiredIsNoErrorYet holds that a required field is marked, and becomes an error once
// the user has left it empty, or tries to send.
func TestRequiredIsNoErrorYet(t *testing.T) {
	begin := func() *Form { return formOf(t, githubSchema, "") }
	says := func(f *Form, step string, wants ...string) {
		t.Helper()
		got := screen(t, f, 100, 30)
		for _, want := range wants {
			text, absent := strings.CutPrefix(want, "!")
			if strings.Contains(got, text) == absent {
				t.Errorf("%s: want %q in\n%s", step, want, got)
			}
		}
	}
	f := begin()
	says(f, "at first", "* required: method, owner, repo", "owner*", "!✖", "!missing")
	if f.Valid() || len(f.Problems()) != 3 {
		t.Errorf("what is sent is taken for valid: %s", problems(f))
	}
	press(t, f, "tab")
	says(f, "method is left", "✖ method is required", "missing  enter chooses", "!3 problems")
	press(t, f, "'ann'")
	says(f, "owner is typed", "✖ method is required", "!owner is required")
	press(t, f, "ctrl+u")
	says(f, "owner is emptied", "✖ 2 problems: method is required")
	f = begin()
	press(t, f, "ctrl+s")
	says(f, "it was to be sent", "✖ 3 problems: method is required", "!* required")
	f = formOf(t, githubSchema, `{"method":"nope"}`)
	says(f, "what came is wrong", "✖ ", "method", "!✖ is required")
}
