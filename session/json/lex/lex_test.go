package lex

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzQuote holds that what is quoted is JSON that says the same, whatever the bytes.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c\n\r\t\b\x00\x1f", "\u2028\u2029é\U0001F600", "\xff\xe2\x80", "1234567\"", "\xe2\x82\xac euro"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := []byte(Quote(text))
		var said string
		if err := json.Unmarshal(quoted, &said); err != nil || said != string([]rune(text)) {
			t.Fatalf("%q became %s, which says %q: %v", text, quoted, said, err)
		}
		if got := Unquote(quoted); got != said {
			t.Fatalf("%s says %q, want %q", quoted, got, said)
		}
		if StringEnd(quoted, 0) != len(quoted) || ValueEnd(quoted, 0) != len(quoted) {
			t.Fatalf("%s ends at %d", quoted, StringEnd(quoted, 0))
		}
		if utf8.ValidString(text) && string(AppendQuoteValid(nil, []byte(text))) != string(quoted) {
			t.Fatalf("%q is quoted in two ways", text)
		}
	})
}

// FuzzUnquote holds that a string says what encoding/json has it say.
func FuzzUnquote(f *testing.F) {
	for _, s := range []string{`"a"`, `"\u00e9\ud83d\ude00\ud800x\udc00\/\b\f"`, `"\ud800\u0041"`, "\"\xff\"", `"`, `"\u12"`, `7`, `""`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := Unquote(raw)
		var want string
		if json.Unmarshal(raw, &want) == nil && len(raw) > 0 && raw[0] == '"' && raw[len(raw)-1] == '"' && got != want {
			t.Fatalf("%q says %q, want %q", raw, got, want)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q says %q", raw, got)
		}
	})
}

// FuzzBroken holds that nothing panics, or returns a place outside, for a text that is
// anything.
func FuzzBroken(f *testing.F) {
	for _, s := range []string{`{"a":1`, `{"a`, `[1,`, `{"a":}`, `{,}`, `"\`, `[1 2]`, `{"a":1}}`, `]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for i := range text {
			if end := StringEnd(text, i); end > len(text) || end <= i {
				t.Fatalf("the string at %d of %q ends at %d", i, text, end)
			}
			if end := ValueEnd(text, i); end > len(text) || end >= 0 && end <= i {
				t.Fatalf("the value at %d of %q ends at %d", i, text, end)
			}
		}
		for range Items(text) {
		}
		for range Members(text) {
		}
		Nesting(text)
		list, ok := List(text)
		var object map[string]json.RawMessage
		if isObject := json.Unmarshal(text, &object) == nil && object != nil; ok != isObject {
			t.Fatalf("%q is an object: %v", text, ok)
		}
		if !ok {
			return
		}
		var again map[string]json.RawMessage
		if err := json.Unmarshal(AppendObject(nil, list...), &again); err != nil || len(again) != len(object) {
			t.Fatalf("%q became %q: %v", text, AppendObject(nil, list...), err)
		}
		if compact := AppendCompact(nil, text); !json.Valid(compact) || len(compact) > len(text) {
			t.Fatalf("%q became %q", text, compact)
		}
	})
}

// FuzzNumber holds that numbers have one way to be written if and only if they are
// equal.
func FuzzNumber(f *testing.F) {
	for _, s := range [][2]string{{"1", "1.0"}, {"1e3", "1000"}, {"-0", "0.00"}, {"12", "1.2e1"}, {"0.1e-2", "1e-3"}, {"1", "-1"}, {"10", "1"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 40 || len(b) > 40 || !isNumber(a) || !isNumber(b) {
			return
		}
		x, okX := new(big.Rat).SetString(a)
		y, okY := new(big.Rat).SetString(b)
		if same := string(Number([]byte(a))) == string(Number([]byte(b))); okX && okY && same != (x.Cmp(y) == 0) {
			t.Fatalf("%s is %s, %s is %s", a, Number([]byte(a)), b, Number([]byte(b)))
		}
	})
}

// isNumber reports whether a text is a number of JSON with a bearable exponent.
func isNumber(text string) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	return json.Valid([]byte(text)) && strings.ContainsAny(text[:1], "-0123456789") && len(exponent) < 4
}
