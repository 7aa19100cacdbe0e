package rule

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", `""`},
		{"Server started!", `"Server started!"`},
		{`{"a":"b"}`, `"{"a":"b"}"`},
		{"\x1b[31mred\x1b[0m\r", `"\x1b[31mred\x1b[0m\r"`},
		{"tab\tnul\x00bell\a", `"tab\tnul\x00bell\a"`},
		{"caf\xe9", `"caf\xe9"`},
		{"bidi \u202e mark", `"bidi \u202e mark"`},
		{"┌─ 日本 😀", `"┌─ 日本 😀"`},
		{strings.Repeat("x", 76), `"` + strings.Repeat("x", 76) + `"`},
		{strings.Repeat("x", 77), `"` + strings.Repeat("x", 76) + `…"`},
		{strings.Repeat("日", 39), `"` + strings.Repeat("日", 38) + `…"`},
		{strings.Repeat("\x1b", 30), `"` + strings.Repeat(`\x1b`, 19) + `…"`},
	}
	for _, tt := range tests {
		if got := Excerpt([]byte(tt.in)); got != tt.want {
			t.Errorf("excerpt(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("caf\xe9 \x1b[0m日本"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Excerpt(b)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
			t.Errorf("excerpt(%q) = %q is not safe to show", b, got)
		}
		if n := len(got); n > 4*excerptColumns*4 {
			t.Errorf("excerpt(%q) has %d bytes", b, n)
		}
	})
}
