package check

import (
	"bytes"
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
		if got := excerpt([]byte(tt.in)); got != tt.want {
			t.Errorf("excerpt(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("caf\xe9 \x1b[0m日本"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := excerpt(b)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
			t.Errorf("excerpt(%q) = %q is not safe to show", b, got)
		}
		if n := len(got); n > 4*excerptColumns*4 {
			t.Errorf("excerpt(%q) has %d bytes", b, n)
		}
	})
}

func TestRepeatedKey(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{`{"a":1,"b":2}`, "", false},
		{`{"a":1,"b":{"a":2},"c":["a","a",{"a":1}]}`, "", false},
		{`{"a":1,"a":2}`, "a", true},
		{`{"x":{"id":1,"\u0069d":2}}`, "id", true},
		{`[{"k":"k"},{"k":"\"k\":"}]`, "", false},
		{`{"a":"{\"b\":1,\"b\":2}","c`, "", false},
		{`}]{"a":1,"a`, "", false},
	}
	for _, tt := range tests {
		if got, ok := repeatedKey([]byte(tt.in)); got != tt.want || ok != tt.ok {
			t.Errorf("repeatedKey(%s) = %q, %v", tt.in, got, ok)
		}
	}
}

func TestSignatureOf(t *testing.T) {
	tests := []struct {
		line, want string
	}{
		{"[dotenv@17.2.3] injecting env (3) from .env", "dotenv"},
		{"◇ injected env (0) from .env", "dotenv"},
		{"npm warn deprecated inflight@1.0.6", "npm"},
		{"added 31 packages in 2s", "npm"},
		{"> node server.js", "npm-run"},
		{"info: Microsoft.Hosting.Lifetime[14]", "dotnet"},
		{"      Now listening on: http://localhost:5000", "dotnet"},
		{" :: Spring Boot ::                (v3.2.0)", "spring"},
		{"Traceback (most recent call last):", "traceback"},
		{"(node:71) [DEP0040] DeprecationWarning: punycode", "node"},
		{"INFO:root:ready", "python-logging"},
		{"INFO:     Uvicorn running on http://127.0.0.1:8000", "uvicorn"},
		{"\x1b[32minfo\x1b[39m: ready", "logger"},
		{"\x1b[1mready\x1b[0m", "ansi"},
		{"{'jsonrpc': '2.0'}", "python-repr"},
		{"[object Object]", "js-object"},
		{"HTTP/1.1 200 OK", "http"},
		{"Usage: server [options]", "usage"},
		{"2026-11-20T10:00:00Z ready", "logger"},
		{"[10:00:00] ready", "logger"},
		{"    at Object.<anonymous> (/srv/s.js:1:7)", "stack"},
		{"Server started!", "text"},
	}
	for _, tt := range tests {
		if got := signatureOf([]byte(tt.line), true).name; got != tt.want {
			t.Errorf("signatureOf(%q) = %s, want %s", tt.line, got, tt.want)
		}
	}
	if got := signatureOf([]byte("Server started!"), false).name; got != "banner" {
		t.Errorf("before any message: %s, want banner", got)
	}
}

func TestWrite(t *testing.T) {
	for _, r := range All() {
		var text bytes.Buffer
		if err := WriteText(&text, r); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 && !strings.Contains(line, "https://") {
				t.Errorf("%s: a line of %d columns: %s", r.ID, n, line)
			}
		}
		for _, part := range []string{r.ID, r.Title, r.Severity.String(), r.revisions()} {
			if !strings.Contains(text.String(), part) {
				t.Errorf("%s: WriteText leaves out %q", r.ID, part)
			}
		}
	}
}
