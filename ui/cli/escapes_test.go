package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder"
)

// TestNothingPaints gives every command that reads recordings files whose names, and whose
// header, process and end records, hold escape sequences, C1 and bidirectional controls:
// none of them reaches the text that people read, and none of any format a terminal.
func TestNothingPaints(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names are not allowed")
	}
	t.Setenv("HOME", t.TempDir())
	plainTerminal(t)
	const evil = "\x1b[31m\u009b2J\u202e\x07\x1b]0;x\a\r\b"
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	q := string(quoted)
	dir := filepath.Join(t.TempDir(), evil)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	content := `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":` + q + `,"tool":` + q + `,"t0":"2026-11-20T10:00:00Z","mode":` + q + `,"tr":` + q + `,"name":` + q + `,"cmd":[` + q + `],"cwd":` + q + `,"envk":[` + q + `],"url":` + q + `}
{"k":"proc","n":1,"t":1,"ev":"start","pid":1,"fds":[` + q + `]}
{"k":"f","n":2,"t":2,"d":"c2s","b":{"jsonrpc":"2.0","id":` + q + `,"method":` + q + `,"params":{"name":` + q + `}}}
{"k":"f","n":3,"t":3,"d":"s2c","b":{"jsonrpc":"2.0","id":` + q + `,"error":{"code":1,"message":` + q + `}}}
{"k":"f","n":4,"t":3,"d":"err","s":` + q + `}
{"k":"f","n":5,"t":3,"d":"s2c","s":` + q + `}
{"k":"io","n":6,"t":4,"d":"s2c","ev":` + q + `,"side":` + q + `}
{"k":"gap","n":7,"t":4,"d":"s2c","bytes":1,"why":` + q + `}
garbage
{"k":"proc","n":8,"t":5,"ev":"signal","sig":` + q + `,"by":` + q + `}
{"k":"proc","n":9,"t":5,"ev":"exit","code":-1,"sig":` + q + `}
{"k":"end","n":10,"t":6,"frames":1,"bytes":1,"lost":0,"why":` + q + `}
`
	for _, name := range []string{"ok", "no header", "torn"} {
		file := filepath.Join(dir, name+evil+recorder.Suffix)
		text := map[string]string{"ok": content, "no header": "x\n" + content, "torn": content[:len(content)-5]}[name]
		writeFile(t, file, text)
		for i, words := range append(readingCommands(), []string{"mock", "FILE"}) {
			args := filled(words, file, dir, filepath.Join(dir, "out", string(rune('a'+i))))
			if shown, ok := atTerminal(t, args...); ok {
				unpainted(t, words, shown)
			}
			got := inProcess(t.Context(), args...)
			said := got.err
			if machine := slices.Contains(words, "--json") || slices.Contains(words, "bytes") || slices.Contains(words, "--dir") || slices.Contains(words, "cat") || slices.Contains(words, "-") ||
				slices.Contains(words, "repair") || words[0] == "mock" || slices.ContainsFunc(words, func(w string) bool {
				return slices.Contains([]string{"json", "junit", "sarif", "har", "jsonl", "curl", "html"}, w)
			}); !machine {
				said += got.out
			}
			unpainted(t, words, said)
		}
	}
}

// unpainted fails where a command says what a terminal would obey.
func unpainted(t *testing.T, words []string, said string) {
	t.Helper()
	for _, bad := range []string{"\x1b", "\u009b", "\u202e", "\a", "\b", "\r"} {
		if at := strings.Index(said, bad); at >= 0 {
			t.Errorf("%q: %q in %q", words, bad, said[max(0, at-60):min(len(said), at+20)])
			return
		}
	}
}
