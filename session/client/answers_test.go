package client

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/session/mcp"
)

func elicit(params string) Question {
	return Question{Method: mcp.ElicitationCreate, Params: json.RawMessage(params)}
}

func sample(params string) Question {
	return Question{Method: mcp.SamplingCreateMessage, Params: json.RawMessage(params)}
}

// said is an answer as it goes over the wire.
func said(a Answer) string {
	result, refusal, err := a.wire()
	if err != nil {
		return err.Error()
	}
	return string(result) + string(refusal)
}

// TestAnswers holds which rule of a file answers which question, and how.
func TestAnswers(t *testing.T) {
	a, err := ParseAnswers([]byte("\xef\xbb\xbf" + `[
		{"method": "elicitation", "message": "your name", "times": 1, "accept": {"name": "Ada", "n": 1.0}},
		{"method": "elicitation", "message": "your name", "cancel": true},
		{"method": "elicitation/create", "fields": ["age", "name"], "defaults": true, "accept": {"age": 36}},
		{"method": "elicitation", "fields": ["age"], "result": {"action": "x"}},
		{"method": "elicitation", "mode": "url", "message": "pay", "accept": {}},
		{"method": "elicitation", "mode": "form", "message": "broken", "defaults": true},
		{"method": "sampling", "message": "weather", "text": "Sunny.", "model": "m", "stopReason": "s"},
		{"method": "sampling", "message": "joke", "error": {"code": -1, "message": "no", "data": [1.0]}},
		{"method": "roots", "result": {"roots": []}},
		{"message": "terse", "decline": true}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	const declined, refused = `{"action":"decline"}`, `{"code":-1,"message":"User rejected sampling request"}`
	schema := `"requestedSchema":{"type":"object","properties":{"name":{"type":"string","default":"Bob"},"age":{"type":"integer","default":1}}}`
	for _, c := range []struct {
		name string
		q    Question
		want string
	}{
		{"the first time", elicit(`{"message":"What is your name?"}`), `{"action":"accept","content":{"name": "Ada", "n": 1.0}}`},
		{"the second", elicit(`{"message":"What is your name?"}`), `{"action":"cancel"}`},
		{"defaults", elicit(`{"message":"m",` + schema + `}`), `{"action":"accept","content":{"age": 36,"name":"Bob"}}`},
		{"fields", elicit(`{"message":"m","requestedSchema":{"properties":{"age":1,"x":2}}}`), `{"action": "x"}`},
		{"url", elicit(`{"mode":"url","message":"please pay"}`), `{"action":"accept"}`},
		{"url that no rule has", elicit(`{"mode":"url","message":"m"}`), declined},
		{"form for a url", elicit(`{"message":"please pay"}`), declined},
		{"no schema", elicit(`{"message":"broken","requestedSchema":[]}`), `{"code":-32602,"message":"filling in the defaults: the requested schema cannot be used: it is not an object"}`},
		{"text", sample(`{"messages":[{"content":{"type":"text","text":"how is the weather?"}}]}`), `{"role":"assistant","content":{"type":"text","text":"Sunny."},"model":"m","stopReason":"s"}`},
		{"list of content", sample(`{"messages":[{"content":[{"type":"image"},{"type":"text","text":"a joke"}]}]}`), `{"code":-1,"message":"no","data":[1.0]}`},
		{"system prompt", sample(`{"systemPrompt":"a joke","messages":[]}`), `{"code":-1,"message":"no","data":[1.0]}`},
		{"any method", sample(`{"systemPrompt":"be terse"}`), refused},
		{"nothing fits", sample(`{"messages":7}`), refused},
		{"roots", Question{Method: mcp.RootsList}, `{"roots": []}`},
		{"not params", elicit(`7`), declined},
	} {
		if got := said(a.Ask(context.Background(), c.q)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestBadAnswers(t *testing.T) {
	for text, want := range map[string]string{
		``: "unexpected end", `{}`: "not rules: it is an array", `[1]`: "not rules: it is an array", `[]`: "no rules: it is an array",
		`[{"times":"2"}]`: "times cannot be a JSON string", `[{"error":{"code":1.5}}]`: "error.code cannot be a JSON number", `[`: "byte 1", `[{}]`: "rule 1: no answer",
		`[{"decline":true},{"method":"sampling","text":"a","decline":true}]`: "rule 2: more than one answer",
		`[{"decline":true,"tmes":1}]`:                                        "tmes",
		`[{"method":"tools/call","decline":true}]`:                           "unknown method",
		`[{"method":"elicitation","mode":"x","decline":true}]`:               "unknown mode",
		`[{"method":"elicitation","accept":[]}]`:                             "not an object",
		`[{"method":"sampling","result":7}]`:                                 "not an object",
		`[{"method":"sampling","accept":{}}]`:                                "accept",
		`[{"method":"elicitation","text":"a"}]`:                              "text",
		`[{"method":"sampling","mode":"url","text":"a"}]`:                    "mode",
		`[{"times":-1,"decline":true}]`:                                      "times",
	} {
		if _, err := ParseAnswers([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestWords holds what a user's words stand for, and that a file declares what
// it answers and no more.
func TestWords(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	form := file("form", `[{"method":"elicitation","defaults":true}]`)
	url := file("url", `[{"method":"elicitation","mode":"url","accept":{}}]`)
	both := file("both", `[{"decline":true}]`)
	sampling := file("sampling", `[{"method":"sampling","text":"a"}]`)
	bad := file("bad", `[{"text":"a"}]`)
	for _, c := range []struct {
		sampling, elicitation string
		human                 Asker
		caps, err             string
	}{
		{caps: `{}`},
		{sampling: "none", elicitation: "none", caps: `{}`},
		{sampling: "ask", elicitation: "ask", human: Decliner, caps: `{"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}`},
		{sampling: "ask", err: "no user to ask"},
		{elicitation: "ask", err: "no user to ask"},
		{sampling: "decline", elicitation: "decline", caps: `{"sampling":{},"elicitation":{"form":{},"url":{}}}`},
		{sampling: "text:hi", elicitation: "accept", caps: `{"sampling":{},"elicitation":{"form":{},"url":{}}}`},
		{elicitation: form, caps: `{"elicitation":{"form":{}}}`},
		{elicitation: url, caps: `{"elicitation":{"url":{}}}`},
		{sampling: both, elicitation: both, caps: `{"sampling":{},"elicitation":{"form":{},"url":{}}}`},
		{sampling: sampling, caps: `{"sampling":{}}`},
		{sampling: form, err: "no answer for it"},
		{elicitation: sampling, err: "no answer for it"},
		{elicitation: bad, err: "rule 1"},
		{sampling: filepath.Join(dir, "none"), err: "no such file"},
	} {
		var cfg Config
		err := errors.Join(cfg.SetSampling(c.sampling, c.human), cfg.SetElicitation(c.elicitation, c.human))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		cl, newErr := newClient(cfg)
		if err != nil || newErr != nil {
			t.Errorf("%+v: %v, %v", c, err, newErr)
			continue
		}
		if got := string(cl.capabilities("2025-11-25", false)); got != c.caps {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestAgreeable(t *testing.T) {
	for params, want := range map[string]string{
		`{"mode":"url","url":"https://example.org"}`:                                                         `{"action":"accept"}`,
		`{"requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`:                         `{"action":"accept","content":{}}`,
		`{"requestedSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}`:        `{"action":"decline"}`,
		`{"requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":1}}}}`:             `{"action":"decline"}`,
		`{"requestedSchema":{"type":"object","properties":{"a":{"type":"number","default": 1.0}}}}`:          `{"action":"accept","content":{"a":1.0}}`,
		`{"requestedSchema":{"type":"object","properties":{"a":{"type":"integer","default":1},"b":true}}}`:   `{"action":"accept","content":{"a":1}}`,
		`{"requestedSchema":{"type":"object","properties":{"a":{"type":"integer","default":1},"a\u0062":1}}`: `{"action":"decline"}`,
		`{}`: `{"action":"decline"}`,
	} {
		if got := said(Agreeable.Ask(context.Background(), elicit(params))); got != want {
			t.Errorf("%s: %s, want %s", params, got, want)
		}
	}
	if got := said(Agreeable.Ask(context.Background(), sample(`{}`))); !strings.Contains(got, "rejected") {
		t.Errorf("sampling: %s", got)
	}
}

// TestValidateForm holds whose fault a form is that is not right.
func TestValidateForm(t *testing.T) {
	object := func(properties string) string {
		return `{"type":"object","properties":{` + properties + `},"required":["a"]}`
	}
	for _, c := range []struct {
		schema, content string
		want            error
	}{
		{object(`"a":{"type":"string","minLength":2}`), `{"a":"xy"}`, nil},
		{object(`"a":{"type":"string","minLength":2}`), `{"a":"x"}`, ErrForm},
		{object(`"a":{"type":"string"}`), `{}`, ErrForm},
		{object(`"a":{"type":"integer"}`), `{"a":1.5}`, ErrForm},
		{object(`"a":{"type":"string","oneOf":[{"const":"x","title":"X"}]}`), `{"a":"y"}`, ErrForm},
		{object(`"a":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}`), `{"a":["x"]}`, nil},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`, `{}`, nil},
		{object(`"a":{"type":"string"}`), `{`, ErrForm},
		{object(`"a":{"type":7}`), `{}`, ErrFormSchema},
		{object(`"a":{"type":"string","pattern":"("}`), `{"a":"x"}`, ErrFormSchema},
		{`null`, `{}`, ErrFormSchema},
		{`7`, `{}`, ErrFormSchema},
		{``, `{}`, ErrFormSchema},
		// Validated, these would never come to an end.
		{`{"$ref":"#"}`, `{}`, ErrFormSchema},
		{`{"\u0024ref":"#"}`, `{}`, ErrFormSchema},
		{`{"allOf":[{"$ref":"#"}]}`, `{}`, ErrFormSchema},
		{object(`"a":{"$dynamicRef":"#"}`), `{"a":1}`, ErrForm},
		{object(`"a":{"$ref":"#/$defs/b"}`), `{"a":1}`, ErrFormSchema},
		{`{"properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`, `{"a":"x"}`, nil},
		{`{"properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`, `{"a":1}`, ErrForm},
		{strings.Repeat(`{"not":`, 5000) + `{}` + strings.Repeat(`}`, 5000), `{}`, ErrFormSchema},
	} {
		if err := validateForm(json.RawMessage(c.schema), json.RawMessage(c.content)); !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%.80s with %s: %v, want %v", c.schema, c.content, err, c.want)
		}
	}
}
