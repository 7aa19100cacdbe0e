package lex

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzWalk holds that a walk sees what encoding/json sees, which puts other bytes for
// those that are not UTF-8.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `{"a":1,"b":[1,{"c":"}"}],"\u0061b":"\\\"x"}`, ` { "a" : [ ] , "b":{} } `, `[1,"a\\",null,true,-1.5e3,[[]],{"x":{}}]`, `"text"`, `7`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var whole json.RawMessage
		if !utf8.Valid(text) || json.Unmarshal(text, &whole) != nil {
			return
		}
		var items []json.RawMessage
		if json.Unmarshal(whole, &items) == nil && whole[0] == '[' {
			n := 0
			for i, got := range Items(whole) {
				if i != n || i >= len(items) || string(got) != string(items[i]) {
					t.Fatalf("item %d of %s is %s", i, whole, got)
				}
				n++
			}
			if n != len(items) {
				t.Fatalf("%s has %d items, want %d", whole, n, len(items))
			}
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(whole, &members) != nil || whole[0] != '{' {
			return
		}
		seen := map[string]string{}
		for key, value := range Members(whole) {
			if name := Unquote(key); IsText(key, name) {
				seen[name] = string(value)
			} else {
				t.Fatalf("%s does not say %q", key, name)
			}
		}
		for name, want := range members {
			if seen[name] != string(want) {
				t.Fatalf("%q of %s is %s", name, whole, seen[name])
			}
		}
	})
}
