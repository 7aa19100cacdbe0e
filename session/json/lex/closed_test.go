package lex

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestClosed(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`:                  `{"a":1}`,
		`{"a":[1,{"b":"c"}],"d":"`: `{"a":[1,{"b":"c"}],"d":"…"}`,
		`{"a":"hello`:              `{"a":"hello…"}`,
		`{"a":"x\`:                 `{"a":"x…"}`,
		`{"a":"x\\`:                `{"a":"x\\…"}`,
		`{"a":"x\u00`:              `{"a":"x…"}`,
		"{\"a\":\"x\xe2\x82":       `{"a":"x…"}`,
		`{"a":12`:                  `{"a":}`,
		`{"a":tru`:                 `{"a":}`,
		`{"a":1,"b`:                `{"a":1,"b…"}`,
		`[[1,2`:                    `[[1,]]`,
		`12`:                       `12`,
		``:                         ``,
	} {
		if got := string(Closed([]byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// FuzzClosed holds that of every beginning of a text the members that are whole are
// found, and that the text is not written to.
func FuzzClosed(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":["é\n",{"c":"\ud83d\ude00"}]}`, `{"a":"\\"}`, `]`, `{"a`, "\xff"} {
		f.Add([]byte(s), 7)
	}
	f.Fuzz(func(t *testing.T, text []byte, n int) {
		whole := string(text)
		n = max(0, min(n, len(text)))
		closed := Closed(text[:n])
		if string(text) != whole {
			t.Fatalf("%q became %q", whole, text)
		}
		if !json.Valid(text) || len(text) == 0 || text[0] != '{' {
			return
		}
		for key, value := range Members(closed) {
			if value[0] == '"' && (!json.Valid(value) || !utf8.Valid(value) && utf8.Valid(text)) {
				t.Fatalf("%q of %q is %q", key, closed, value)
			}
			if !json.Valid(key) {
				t.Fatalf("the key %q of %q", key, closed)
			}
		}
	})
}
