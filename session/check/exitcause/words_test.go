package exitcause

import (
	"strings"
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	tests := []struct {
		name, stderr, want string
	}{
		{"nothing", "", ""},
		{"a banner alone", "ready on stdio", "ready on stdio"},
		{"python", "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    main()\nKeyError: 'DATABASE_URL'\n", "KeyError: 'DATABASE_URL'"},
		{"python, an exception of its own", "Traceback (most recent call last):\n  File \"a.py\", line 1\nNoTea: the pot is empty\nbye", "NoTea: the pot is empty"},
		{"python, one in handling another", "Traceback (most recent call last):\n  x\nKeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n" +
			"Traceback (most recent call last):\n  y\nValueError: 2", "ValueError: 2"},
		{"node", "/app/a.js:1\nthrow new Error('x')\n^\n\nError: x\n    at Object.<anonymous> (/app/a.js:1:7)\n    at Module._compile\n\nNode.js v22.1.0\n", "Error: x"},
		{"node, a module", "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/app/x.js'\n    at Function._resolve {\n  code: 'MODULE_NOT_FOUND'\n}\n", "Error: Cannot find module '/app/x.js'"},
		{"node, with a code", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'y'\n    at a\n", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'y'"},
		{"go", "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:5 +0x2c\nexit status 2", "panic: assignment to entry in nil map"},
		{"java", "Exception in thread \"main\" java.lang.RuntimeException: a\n\tat A.main(A.java:3)\nCaused by: java.io.IOException: b\n\t... 1 more", "java.io.IOException: b"},
		{"rust", "thread 'main' panicked at src/main.rs:3:5:\nno tea\nnote: run with `RUST_BACKTRACE=1`", "no tea"},
		{"rust, before 1.73", "thread 'main' panicked at 'no tea', src/main.rs:3:5\nnote: run with", "thread 'main' panicked at 'no tea', src/main.rs:3:5"},
		{"npm", "npm error code E404\nnpm error 404 Not Found - GET https://r/x\nnpm error A complete log of this run can be found in: /x.log", "npm error 404 Not Found - GET https://r/x"},
		{"a shell", "sh: 1: foo: not found", "sh: 1: foo: not found"},
		{"trouble before chatter", "listening\nfailed to open the database\nshutting down", "failed to open the database"},
		{"colours", "\x1b[31mTypeError: x is not a function\x1b[0m\r", "TypeError: x is not a function"},
		{"a word that only looks like one", "Errors: 0\nTerror is no exception", "Terror is no exception"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w Words
			now := int64(time.Hour)
			for line := range strings.Lines(tt.stderr) {
				w.Add(now, []byte(strings.TrimSuffix(line, "\n")))
			}
			if got := string(w.Last(0, now)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := w.Last(0, now+wordsCount+1); got != nil {
				t.Errorf("%q still counts later", got)
			}
		})
	}
}

func TestWordsAreCut(t *testing.T) {
	var w Words
	w.Add(0, []byte("Error: "+strings.Repeat("ä", 200)))
	got := w.Last(0, 0)
	if len(got) > len(w.help.text) || !strings.HasSuffix(string(got), "ä") {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-3:])
	}
}

func TestWordsOfNobody(t *testing.T) {
	var w *Words
	if w.Last(0, 0) != nil || w.Reason(0) != nil {
		t.Error("a server that said nothing has last words")
	}
}
