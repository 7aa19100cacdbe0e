package highlight

import (
	"strings"
	"testing"
)

// samples are texts of every language, with pieces that must be found in them.
var samples = []struct {
	language, text string
	pieces         map[string]Kind
}{
	{"markdown", "# Title\n\nSome **strong** `code` text.\n\n```go\nfunc main() {}\n```\n", map[string]Kind{"# Title": Strong, "**strong**": Strong, "`code`": String, "func": Keyword}},
	{"go", "package main\n\n// Main.\nfunc main() { x := \"a\" + `b` + 12 }\n", map[string]Kind{"package": Keyword, "// Main.": Comment, "func": Keyword, "main(": Plain, "\"a\"": String, "`b`": String, "12": Number}},
	{"python", "import os\n\ndef f(x):\n    # why\n    return \"a\"\n", map[string]Kind{"def": Keyword, "# why": Comment, "return": Keyword}},
	{"json", "{\n  \"a\": [1, true]\n}", map[string]Kind{"\"a\"": Name, "1": Number, "true": Keyword}},
	{"diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n", map[string]Kind{"-old": Deleted, "+new": Inserted}},
	{"xml", "<?xml version=\"1.0\"?>\n<a b=\"c\">d</a>\n", map[string]Kind{"<a": Name, "\"c\"": String}},
	{"html", "<!DOCTYPE html>\n<p class=\"x\">hi</p>\n<script>let a = 1;</script><style>p { color: red }</style>\n", map[string]Kind{"class": Name, "\"x\"": String, "let": Keyword}},
	{"bash", "#!/bin/sh\nif true; then echo \"a\"; fi\n", map[string]Kind{"if": Keyword, "then": Keyword}},
	{"yaml", "# about\nname: tea\nport: 12\nlist:\n  - a\n", map[string]Kind{"# about": Comment, "name": Name}},
	{"sql", "SELECT a FROM b WHERE c = 'd';\n", map[string]Kind{"SELECT": Keyword, "'d'": String}},
	{"typescript", "interface A { b: string }\nexport const c: A = { b: \"d\" };\ntype E = A;\n", map[string]Kind{"interface": Keyword, "\"d\"": String}},
	{"log", "2026-11-25T10:00:00.123Z INFO listening addr=:8080 took=12ms\n2026-11-25T10:00:01Z ERROR \"disk full\"\n", map[string]Kind{"2026-11-25T10:00:00.123Z": Comment, "INFO": Keyword, "addr": Name, "12ms": Number, "ERROR": Deleted, "\"disk full\"": String, "listening": Plain}},
	{"log", "Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in f\n    return g(1)\nKeyError: 'x'\n", map[string]Kind{"Traceback": Strong, "File": Keyword, "\"/srv/a.py\", line 3": String, "KeyError": Deleted}},
	{"log", "TypeError: x is not a function\n    at f (/srv/a.js:10:5)\n    at node:internal/main:17:47\n", map[string]Kind{"TypeError": Deleted, "at f": Keyword, "/srv/a.js:10:5": String}},
	{"log", "panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:12 +0x1d\n", map[string]Kind{"panic": Strong, "goroutine": Strong, "/srv/main.go:12": String}},
	{"log", "[INFO] a\n[ERROR] b\nlevel=warn c\n", map[string]Kind{"INFO": Keyword, "ERROR": Deleted, "warn": Strong}},
	{"javascript", "function f(a) {\n  return a + 1; // one\n}\nconst b = () => {\n};\n", map[string]Kind{"function": Keyword, "// one": Comment}},
}

func TestText(t *testing.T) {
	for _, s := range samples {
		spans := Text(s.text, s.language)
		if len(spans) < 3 || spans[len(spans)-1].End != len(s.text) {
			t.Errorf("%s: spans %v of %d bytes", s.language, spans, len(s.text))
			continue
		}
		for piece, want := range s.pieces {
			if got := kindAt(spans, strings.Index(s.text, piece)); got != want && want != Plain {
				t.Errorf("%s: %q is %d, want %d", s.language, piece, got, want)
			}
		}
		if got := Language(s.text); got != s.language {
			t.Errorf("%s: taken for %q", s.language, got)
		}
	}
}

func kindAt(spans []Span, at int) Kind {
	for _, s := range spans {
		if at < s.End {
			return s.Kind
		}
	}
	return Plain
}

// TestPlainText holds that other text is not taken for source text.
func TestPlainText(t *testing.T) {
	for _, text := range []string{"", "done", "Hello, world.\nHow are you?\n", "3 files found", "a < b", "{not json}", "from here to there", "Error: no such file", "[INFO] ready", "2026-11-25T10:00:00Z", "name: tea"} {
		if got := Language(text); got != "" {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
	if Text("a", "") != nil || Text("a", "no such language") != nil || Text("\xff", "go") != nil {
		t.Error("there are spans")
	}
}

// TestTextIsBounded holds that long texts are worked through in part, and that
// texts on which rules take long come to an end.
func TestTextIsBounded(t *testing.T) {
	long := strings.Repeat("func f() { /* é */ }\n", 10_000)
	if spans := Text(long, "go"); len(spans) == 0 || spans[len(spans)-1].End > MaxText {
		t.Errorf("%d spans", len(spans))
	}
	for language, piece := range map[string]string{"markdown": " *a", "go": "/*", "python": "\"\"\" ", "html": "<a ", "diff": "\x1b[31m", "bash": "$((", "log": "a.a-"} {
		Text(strings.Repeat(piece, MaxText/len(piece)), language)
	}
}

func FuzzText(f *testing.F) {
	for i, s := range samples {
		f.Add(s.text, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		language := samples[int(n)%len(samples)].language
		end := 0
		for _, s := range Text(text, language) {
			if s.End <= end || s.End > len(text) || s.Kind >= NumKinds {
				t.Fatalf("%s: a span ends at %d behind %d, of %d", language, s.End, end, len(text))
			}
			end = s.End
		}
		Language(text)
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat(samples[0].text, 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text, "markdown")
	}
}
