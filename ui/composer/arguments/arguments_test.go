package arguments

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The schema of TestTypeArguments has one of each.
const everySchema = `{"type":"object","properties":{
	"text":{"type":"string"},"n":{"type":"integer"},"x":{"type":"number"},"on":{"type":"boolean"},"none":{"type":["string","null"]},
	"either":{"anyOf":[{"type":"integer"},{"type":"string"}]},"only":{"type":["integer","null"]},
	"tags":{"type":"array","items":{"type":"string"}},"sizes":{"type":"array","items":{"type":"number"}},
	"colour":{"type":"string","enum":["red","green"]},"level":{"enum":[1,2]},"any":{},
	"filter":{"$ref":"#/$defs/filter"},"dotted.name":{"type":"integer"},
	"points":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}}}},
	"free":{"type":"object","additionalProperties":{"type":"integer"}}},
	"$defs":{"filter":{"type":"object","properties":{"lang":{"type":"string"},"max":{"type":"integer"},"inner":{"$ref":"#/$defs/filter"}},"required":["lang"]}}}`

func TestTypeArguments(t *testing.T) {
	for _, tt := range []struct {
		words  string // words are cut at "|".
		want   string
		faults []string // faults are beginnings.
	}{
		{words: ``, want: `{}`},
		{words: `text=5`, want: `{"text":"5"}`},
		{words: `text=`, want: `{"text":""}`},
		{words: `text=a=b <&>`, want: `{"text":"a=b <&>"}`},
		{words: `text="quoted"`, want: `{"text":"\"quoted\""}`},
		{words: `n=5`, want: `{"n":5}`},
		{words: `n=-5`, want: `{"n":-5}`},
		{words: `n=5.0`, want: `{"n":5.0}`},
		{words: `n=12345678901234567890`, want: `{"n":12345678901234567890}`},
		{words: `n=5.5`, want: `{"n":"5.5"}`, faults: []string{`n: "5.5" is not an integer`}},
		{words: `n=`, want: `{"n":""}`, faults: []string{`n: "" is not an integer`}},
		{words: `x=1.50`, want: `{"x":1.50}`},
		{words: `x=1e3`, want: `{"x":1e3}`},
		{words: `x=NaN`, want: `{"x":"NaN"}`, faults: []string{`x: "NaN" is not a number`}},
		{words: `on=true`, want: `{"on":true}`},
		{words: `on=yes`, want: `{"on":"yes"}`, faults: []string{`on: "yes" is not a boolean`}},
		{words: `none=null`, want: `{"none":null}`},
		{words: `either=7`, want: `{"either":7}`},
		{words: `either=seven`, want: `{"either":"seven"}`},
		{words: `only=null`, want: `{"only":null}`},
		{words: `only=x`, want: `{"only":"x"}`, faults: []string{`only: "x" is not an integer or null`}},
		{words: `tags=a`, want: `{"tags":["a"]}`},
		{words: `tags=a|tags=2`, want: `{"tags":["a","2"]}`},
		{words: `tags=["a", "b"]`, want: `{"tags":["a", "b"]}`},
		{words: `tags=["a"]|tags=b`, want: `{"tags":["a"]}`, faults: []string{`tags: given as a whole already`}},
		{words: `sizes=1|sizes=2.5`, want: `{"sizes":[1,2.5]}`},
		{words: `sizes=big`, want: `{"sizes":["big"]}`, faults: []string{`sizes: "big" is not a number`}},
		{words: `sizes:=[1,2]`, want: `{"sizes":[1,2]}`},
		{words: `sizes:=1|sizes:=2`, want: `{"sizes":1}`, faults: []string{`sizes: given as a whole already`}},
		{words: `colour=red`, want: `{"colour":"red"}`},
		{words: `colour=blue`, want: `{"colour":"blue"}`, faults: []string{`the arguments do not fit the schema: `}},
		{words: `level=2`, want: `{"level":2}`},
		{words: `any=5`, want: `{"any":5}`},
		{words: `any=text`, want: `{"any":"text"}`},
		{words: `any={"a":1}`, want: `{"any":{"a":1}}`},
		{words: `any="5"`, want: `{"any":"\"5\""}`},
		{words: `filter.lang=go|filter.max=3`, want: `{"filter":{"lang":"go","max":3}}`},
		{words: `filter.inner.lang=go|filter.lang=c`, want: `{"filter":{"inner":{"lang":"go"},"lang":"c"}}`},
		{words: `filter={"lang":"go"}`, want: `{"filter":{"lang":"go"}}`},
		{words: `filter=go`, want: `{"filter":"go"}`, faults: []string{`filter: "go" is not an object`}},
		{words: `filter.max=3`, want: `{"filter":{"max":3}}`, faults: []string{`filter.lang is missing: a string`}},
		{words: `filter.lnag=go|filter.lang=c`, want: `{"filter":{"lnag":"go","lang":"c"}}`, faults: []string{`filter.lnag is not an argument of it; did you mean lang?`}},
		{words: `dotted.name=5`, want: `{"dotted.name":5}`},
		{words: `points.0.x=1|points.0.y=2|points.1.x=3`, want: `{"points":[{"x":1,"y":2},{"x":3}]}`},
		{words: `points.1.x=1`, want: `{"points":null}`, faults: []string{`points.1.x: the items of a list`}},
		{words: `free.a=1|free.b=2`, want: `{"free":{"a":1,"b":2}}`},
		{words: `free.a=one`, want: `{"free":{"a":"one"}}`, faults: []string{`free.a: "one" is not an integer`}},
		{words: `text:="7"`, want: `{"text":"7"}`},
		{words: `n:=[1,`, want: `{}`, faults: []string{`n: "[1," is not JSON`}},
		{words: `text=a|text=b`, want: `{"text":"a"}`, faults: []string{`text: given twice`}},
		{words: `filter.lang=a|filter=b`, want: `{"filter":{"lang":"a"}}`, faults: []string{`filter: has members`}},
		{words: `text=a|text.b=c`, want: `{"text":"a"}`, faults: []string{`text.b: text has a value`}},
		{words: `tetx=a`, want: `{"tetx":"a"}`, faults: []string{`tetx is not an argument of it; did you mean text?`}},
		{words: `=a`, want: `{}`, faults: []string{`"=a" is not name=value`}},
		{words: `a`, want: `{}`, faults: []string{`"a" is not name=value`}},
	} {
		t.Run(tt.words, func(t *testing.T) {
			var words []string
			if tt.words != "" {
				words = strings.Split(tt.words, "|")
			}
			got, faults := FromWords(words, Read([]byte(everySchema)))
			if string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if !slices.EqualFunc(faults, tt.faults, strings.HasPrefix) {
				t.Errorf("faults %q, want %q", faults, tt.faults)
			}
		})
	}
}

// TestTypeWithoutSchema types what the words look like.
func TestTypeWithoutSchema(t *testing.T) {
	for _, text := range []string{``, `[]`, `{"type":5}`, `true`, `{"$ref":"#/nowhere"}`, `{"$ref":"#"}`, `{"$ref":"https://example.com/schema"}`} {
		got, faults := FromWords([]string{"a=1", "b=x", "c=true", "d=1", "d=y", "e.f=2"}, Read([]byte(text)))
		if want := `{"a":1,"b":"x","c":true,"d":[1,"y"],"e":{"f":2}}`; string(got) != want || len(faults) > 0 {
			t.Errorf("schema %s: %s, %q", text, got, faults)
		}
	}
}

// TestSchemasInCircles holds that a schema that refers to itself ends.
func TestSchemasInCircles(t *testing.T) {
	s := Read([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#"}],"properties":{"n":{"$ref":"#/$defs/c"}}},"c":{"$ref":"#/$defs/c"}}}`))
	if fault := s.validate([]byte(`{"n":5}`)); fault != "" {
		t.Errorf("it is taken for one that can be validated against: %s", fault)
	}
	if got, faults := FromWords([]string{"n=5"}, s); string(got) != `{"n":5}` || len(faults) > 0 {
		t.Errorf("%s, %q", got, faults)
	}
}

// FuzzTypeArguments holds that whatever a server calls a schema, and whatever is
// typed, gives JSON.
func FuzzTypeArguments(f *testing.F) {
	f.Add(everySchema, "filter.lang=go|tags=a|tags=b|points.0.x=1")
	f.Add(`{"properties":{"a":{"type":"array"}}}`, "a.0.0=1|a:={}|a=")
	f.Fuzz(func(t *testing.T, text, words string) {
		got, _ := FromWords(strings.Split(words, "|"), Read([]byte(text)))
		if !json.Valid(got) {
			t.Errorf("%s", got)
		}
	})
}

// TestSchemaTooDeep holds that a schema that is not read allows everything: it is nested too deep.
func TestSchemaTooDeep(t *testing.T) {
	text := strings.Repeat(`{"not":`, 4000) + `{"title":"` + strings.Repeat("x", 2<<20) + `"}` + strings.Repeat(`}`, 4000)
	if s := Read([]byte(text)); s.whole != nil || s.types() != nil {
		t.Errorf("it was read: %v", s.types())
	}
}
