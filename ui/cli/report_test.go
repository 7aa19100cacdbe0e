package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wiretea/ui/cli/term"
)

// TestCheckJSON holds the members of check's JSON and their order: programs
// read it.
func TestCheckJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	writeFile(t, file, string(recordDemo(t, "log-line", `tools/call {"name":"echo"}`)))
	got := inProcess(t.Context(), "check", "--format", "json", file)
	want := `tool source era protocolVersion frames
		bytes bytes.c2s bytes.s2c bytes.stderr
		exchanges exchanges.total exchanges.pending exchanges.errors exchanges.refused
		process process.exitCode process.signal process.state
		diagnosis
		findings findings.rule findings.severity findings.fault findings.frame findings.count findings.message findings.hint findings.ref findings.breaks
		summary summary.error summary.info summary.warning`
	if diff := cmp.Diff(strings.Fields(want), memberPaths(t, got.out)); diff != "" || got.code != term.ExitFound {
		t.Errorf("%s\n%v", diff, got)
	}
}

// memberPaths lists the members of a JSON object and of those in it, in order.
func memberPaths(t *testing.T, text string) (paths []string) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	var path []string // the members that are open; "" for an array
	name := true      // the next string is a name
	for {
		token, err := dec.Token()
		if err != nil {
			break
		}
		delim, isDelim := token.(json.Delim)
		switch {
		case isDelim && (delim == '{' || delim == '['):
			path = append(path, "")
			name = delim == '{'
			continue
		case isDelim:
			path = path[:len(path)-1]
		case name && len(path) > 0:
			path[len(path)-1] = token.(string)
			paths = append(paths, strings.Join(strings.Fields(strings.Join(path, " ")), "."))
			name = false
			continue
		}
		name = true
	}
	if len(path) > 0 || len(paths) == 0 {
		t.Fatalf("this is no JSON object: %s", text)
	}
	return paths
}
