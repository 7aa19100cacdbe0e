//go:build realpeers

package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/verdict/report"
	"wiretea/ui/cli/term"
)

// realPeer is an npm server and what to do with it.
type realPeer struct {
	name  string
	args  func(dir string) []string
	env   func(dir string) []string
	sends func(dir string) []string
	lines int // lines is how many lines of stdout are to be expected at the least.
}

var realPeers = []realPeer{
	{
		name: "mcp-server-everything",
		sends: func(string) []string {
			return []string{"tools/list", "resources/list", "prompts/list", `tools/call {"name":"echo","arguments":{"message":"hi"}}`, "ping"}
		},
		lines: 6,
	},
	{
		name: "mcp-server-filesystem",
		args: func(dir string) []string { return []string{dir} },
		sends: func(dir string) []string {
			return []string{"tools/list", `tools/call {"name":"list_directory","arguments":{"path":"` + dir + `"}}`}
		},
		lines: 3,
	},
	{
		name: "mcp-server-memory",
		env: func(dir string) []string {
			return []string{"--env", "MEMORY_FILE_PATH=" + filepath.Join(dir, "memory.jsonl")}
		},
		sends: func(string) []string {
			return []string{"tools/list", `tools/call {"name":"read_graph","arguments":{}}`}
		},
		lines: 3,
	},
	{
		name: "mcp-server-sequential-thinking",
		sends: func(string) []string {
			return []string{"tools/list", `tools/call {"name":"sequentialthinking","arguments":{"thought":"one","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}}`}
		},
		lines: 3,
	},
}

// TestRealPeers speaks to servers from npm. A healthy conversation yields no
// error and no warning, and the recording is equal to a capture that was taken
// at the server itself.
func TestRealPeers(t *testing.T) {
	for _, peer := range realPeers {
		for _, era := range []string{"auto", "legacy"} {
			t.Run(peer.name+"/"+era, func(t *testing.T) { peer.test(t, peerPath(t, "node_modules", ".bin", peer.name), era) })
		}
	}
}

func (p *realPeer) test(t *testing.T, server, era string) {
	dir := t.TempDir()
	file := filepath.Join(dir, "session.mcpcap.jsonl")
	args := []string{"run", "--plain", "--era", era, "--shutdown-grace", patience.String(), "--record", file}
	if p.env != nil {
		args = append(args, p.env(dir)...)
	}
	for _, line := range p.sends(dir) {
		args = append(args, "--send", line)
	}
	captures := map[string]string{"c2s": filepath.Join(dir, "in"), "s2c": filepath.Join(dir, "out"), "stderr": filepath.Join(dir, "err")}
	// The capture: what tee sees on both sides of the server.
	script := `tee "$0" | "$3" ${4+"$4"} 2>"$2" | tee "$1"; cat "$2" >&2`
	args = append(args, "--", "sh", "-c", script, captures["c2s"], captures["s2c"], captures["stderr"], server)
	if p.args != nil {
		args = append(args, p.args(dir)...)
	}
	var out, errw bytes.Buffer
	if code := runMain(t.Context(), args, strings.NewReader(""), &out, &errw); code != term.ExitFine {
		t.Fatalf("exit code %d\n%s\n%s", code, &out, &errw)
	}
	for stream, capture := range captures {
		p.compare(t, stream, file, capture)
	}
	out.Reset()
	if code := runMain(t.Context(), []string{"check", "--format", "json", file}, nil, &out, &errw); code != term.ExitFine {
		t.Errorf("check: exit code %d\n%s\n%s", code, &out, &errw)
	}
	var r report.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Summary["error"]+r.Summary["warning"] > 0 || r.Exchanges.Pending > 0 || r.Era != "legacy" {
		t.Errorf("check says %+v", r)
	}
}

func (p *realPeer) compare(t *testing.T, stream, file, capture string) {
	t.Helper()
	want, err := os.ReadFile(capture)
	if err != nil {
		t.Fatal(err)
	}
	var got, errw bytes.Buffer
	if code := runMain(t.Context(), []string{"export", "--format", "bytes", "--with-secrets", "--dir", stream, file}, nil, &got, &errw); code != term.ExitFine {
		t.Fatalf("export %s: exit code %d: %s", stream, code, &errw)
	}
	if a, b := sha256.Sum256(got.Bytes()), sha256.Sum256(want); !slices.Equal(a[:], b[:]) {
		t.Errorf("%s: recorded %d bytes differ from the %d bytes at the server", stream, got.Len(), len(want))
	}
	if lines := bytes.Count(want, []byte("\n")); stream == "s2c" && lines < p.lines {
		t.Errorf("only %d lines of stdout", lines)
	}
}
