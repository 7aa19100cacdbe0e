package client

import (
	"bytes"
	"encoding/json"
	"testing"

	"wiretea/session/json/lex"

	"github.com/google/go-cmp/cmp"
)

func TestStamp(t *testing.T) {
	add := []lex.Member{{Name: "v", Value: json.RawMessage(`"2026"`)}, {Name: "c", Value: json.RawMessage(`{}`)}}
	for _, c := range []struct{ in, want string }{
		{``, `{"_meta":{"v":"2026","c":{}}}`},
		{`{}`, `{"_meta":{"v":"2026","c":{}}}`},
		{`{ }`, `{ "_meta":{"v":"2026","c":{}}}`},
		{`{"name":"echo", "n" : 1.0}`, `{"name":"echo", "n" : 1.0,"_meta":{"v":"2026","c":{}}}`},
		{`{"_meta":{},"z":1}`, `{"_meta":{"v":"2026","c":{}},"z":1}`},
		{`{"a":1,"_meta": { "t":7 },"z":1}`, `{"a":1,"_meta": { "t":7 ,"v":"2026","c":{}},"z":1}`},
		// What the user wrote wins.
		{`{"_meta":{"c":5,"t":7}}`, `{"_meta":{"c":5,"t":7,"v":"2026"}}`},
		{`{"_meta":{"c":1,"v":2}}`, `{"_meta":{"c":1,"v":2}}`},
		{`{"\u005fmeta":{"c":1}}`, `{"\u005fmeta":{"c":1,"v":"2026"}}`},
		{`{"_Meta":{"c":1}}`, `{"_Meta":{"c":1},"_meta":{"v":"2026","c":{}}}`},
		// What is not an object cannot carry it, and goes out as it is.
		{`[1]`, `[1]`},
		{`7`, `7`},
		{`{"_meta":null}`, `{"_meta":null}`},
		{`{"_meta":[1]}`, `{"_meta":[1]}`},
	} {
		in := json.RawMessage(c.in)
		if got := string(stamp(in, add)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
		if string(in) != c.in {
			t.Errorf("%s was changed in place to %s", c.in, in)
		}
	}
}

// FuzzStamp holds that stamping only adds.
func FuzzStamp(f *testing.F) {
	f.Add(`{"a":{"_meta":1},"_meta":{"x":"}"}}`)
	f.Add(`{"_meta":{"v":"}{"},"_meta":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		params, err := oneLine(json.RawMessage(text))
		if err != nil || params == nil {
			return
		}
		if bytes.ContainsAny(params, "\r\n") {
			t.Fatalf("%q is not one line", params)
		}
		got := stamp(params, []lex.Member{{Name: "v", Value: json.RawMessage(`"2026"`)}})
		if !json.Valid(got) {
			t.Fatalf("%q became %q", params, got)
		}
		before, ok := lex.List(params)
		if !ok {
			if !bytes.Equal(got, params) {
				t.Fatalf("%q became %q", params, got)
			}
			return
		}
		after, _ := lex.List(got)
		stamped := 0
		for i, m := range before {
			if after[i].Name != m.Name || !bytes.Equal(after[i].Value, m.Value) && m.Name != "_meta" {
				t.Fatalf("%q became %q", params, got)
			}
		}
		for _, m := range after {
			if inner, ok := lex.List(m.Value); m.Name == "_meta" && ok && hasKey(inner, "v") {
				stamped++
			} else if m.Name == "_meta" && !ok {
				stamped++ // the user's own, left alone
			}
		}
		if stamped == 0 {
			t.Fatalf("%q became %q", params, got)
		}
	})
}

func hasKey(list []lex.Member, key string) bool {
	for _, m := range list {
		if m.Name == key {
			return true
		}
	}
	return false
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"  \n ":                  "",
		" {\"a\" :1.0} ":         `{"a" :1.0}`,
		"{\n\"a\":\r\n\"b\\n\"}": `{ "a":  "b\n"}`,
	} {
		got, err := oneLine(json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"{", "nope", `{"a":1} x`, `{"a":"` + "\n" + `"}`} {
		if got, err := oneLine(json.RawMessage(in)); err == nil {
			t.Errorf("%q gave %q", in, got)
		}
	}
}

func TestParseLine(t *testing.T) {
	type parsed struct{ Method, Params, Err string }
	for _, c := range []struct {
		line string
		want parsed
	}{
		{"tools/list", parsed{Method: "tools/list"}},
		{"  ping \r\n", parsed{Method: "ping"}},
		{`tools/call {"name":"echo","arguments":{"message":"hi"}}`, parsed{Method: "tools/call", Params: `{"name":"echo","arguments":{"message":"hi"}}`}},
		{"tools/call\t{ }", parsed{Method: "tools/call", Params: "{ }"}},
		{`tools/call{"name":"echo"}`, parsed{Method: "tools/call", Params: `{"name":"echo"}`}},
		{`tools/call ["echo"]`, parsed{Method: "tools/call", Params: `["echo"]`}},
		{`{"jsonrpc":"2.0", "method":"x"}`, parsed{Params: `{"jsonrpc":"2.0", "method":"x"}`}},
		{`{broken`, parsed{Params: `{broken`}},
		{`[1]`, parsed{Params: `[1]`}},
		{"", parsed{Err: "nothing to send"}},
		{"tools/call echo", parsed{Err: `parameters of tools/call must be a JSON object, as in tools/call {"name":"echo"}; got "echo"`}},
		{`tools/call {"name":echo}`, parsed{Err: "parameters of tools/call are not JSON: invalid character 'e' looking for beginning of value (at byte 9)"}},
		{`tools/call {"name":"echo"`, parsed{Err: "parameters of tools/call are not JSON: unexpected end of JSON input (at byte 14)"}},
		{`"tools/list"`, parsed{Err: `"\"tools/list\"" is not a method: write it plain, as in tools/list`}},
		{`tools/list, please`, parsed{Err: `"tools/list," is not a method: write it plain, as in tools/list`}},
	} {
		method, params, err := ParseLine(c.line)
		got := parsed{Method: method, Params: string(params)}
		if err != nil {
			got.Err = err.Error()
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.line, diff)
		}
	}
}
