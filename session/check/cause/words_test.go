package cause

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
		{"java, before it runs", "Error occurred during initialization of VM\nToo small maximum heap\n", "Too small maximum heap"},
		{"dotnet", "You must install or update .NET to run this application.\n\nApp: /a/s.dll\nFramework: 'Microsoft.NETCore.App', version '9.0.0' (x64)\n\n" +
			"The following frameworks were found:\n  8.0.4 at [/usr/lib/dotnet]\n\nLearn more:\nhttps://aka.ms/dotnet/app-launch-failed\n", "Framework: 'Microsoft.NETCore.App', version '9.0.0' (x64)"},
		{"node, a text as reason", "node:internal/process/promises:389\n      new UnhandledPromiseRejection(reason);\n      ^\n\nUnhandledPromiseRejection: This error originated either by throwing " +
			"inside of an async function. The promise rejected with the reason \"no token\".\n    at f (node:internal/process/promises:389:7)\n", "a promise was rejected with \"no token\""},
		{"node, without a script", "[stdin]:1\n{\"jsonrpc\":\"2.0\"}\n          ^\n\nSyntaxError: Unexpected token ':'\n    at x (node:internal/vm:185:14)\n", "SyntaxError: Unexpected token ':' ([stdin]:1: {\"jsonrpc\":\"2.0\"})"},
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

// TestPlace holds which line of the program itself a trace names.
func TestPlace(t *testing.T) {
	for name, tt := range map[string]struct{ stderr, want string }{
		"python":            {"Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    f()\n  File \"/v/lib/python3.11/x.py\", line 1, in g\n    y\nKeyError: 'x'\n", "a.py, line 4"},
		"node":              {"/app/a.js:2\nx.y\n^\n\nTypeError: x\n    at f (/app/b.js:7:1)\n", "/app/a.js:2"},
		"node, a library":   {"/app/node_modules/l/i.js:1\nthrow e\n^\n\nError: x\n    at g (/app/node_modules/l/i.js:1:7)\n    at f (file:///app/b.js:7:1)\n    at h (/app/c.js:9:1)\n", "/app/b.js:7"},
		"node, without own": {"node:fs:1\nthrow e\n^\n\nError: x\n    at node:fs:1:2\n", ""},
		"go":                {"panic: x\n\ngoroutine 1 [running]:\nruntime.gopanic()\n\t/usr/local/go/src/runtime/panic.go:5 +0x2c\nexample.com/a.f()\n\t/app/main.go:5 +0x2c\n", "/app/main.go:5"},
		"java":              {"Exception in thread \"main\" java.lang.RuntimeException: a\n\tat java.base/java.util.X.y(X.java:3)\n\tat A.main(A.java:3)\n", "A.java:3"},
		"rust":              {"thread 'main' panicked at src/main.rs:3:5:\nno tea\n", "src/main.rs:3:5"},
		"rust, a library":   {"thread 'main' panicked at /rustc/1/library/core/src/x.rs:3:5:\nno tea\n", ""},
		"an older trace":    {"/app/a.js:2\nx.y\n^\n\nTypeError: x\nError: the end\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var w Words
			for line := range strings.Lines(tt.stderr) {
				w.Add(1, []byte(strings.TrimSuffix(line, "\n")))
			}
			if got := w.Place(w.Last(0, 1)); got != tt.want {
				t.Errorf("got %q, want %q, of %q", got, tt.want, w.Last(0, 1))
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
