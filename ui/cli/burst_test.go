//go:build unix

package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// burstServer answers a call with a burst of notifications, and keeps what it
// wrote and what it read.
const burstServer = `
. "$1/prelude"
put() { printf '%%s\n' "$1" | tee -a "$out"; }
on_call() {
  seq -f '{"jsonrpc":"2.0",  "method":"notifications/tools/list_changed","params":{"n":%%.0f, "x":1.0}}' %d | tee -a "$out"
  result "$echoed"
}
out=$2
serve
`

// TestBurst holds promise 2 on the whole program: a burst of frames, as fast as
// the server can write them, is recorded without a byte missing, and each stream
// is equal to what the server itself kept of it.
func TestBurst(t *testing.T) {
	t.Parallel()
	frames := 1_000_000
	if testing.Short() || raceEnabled {
		frames = 50_000
	}
	dir := t.TempDir()
	script, kept, file := filepath.Join(dir, "server.sh"), filepath.Join(dir, "stdout"), filepath.Join(dir, "session.mcpcap.jsonl")
	if err := os.WriteFile(script, fmt.Appendf(nil, burstServer, frames), 0o600); err != nil {
		t.Fatal(err)
	}
	faults, err := filepath.Abs("testdata/faults")
	if err != nil {
		t.Fatal(err)
	}
	var out, errw bytes.Buffer
	code := runMain(t.Context(), []string{"run", "--plain", "--filter", "m:tools/call", "--era", "legacy", "--record", file, "--send", `tools/call {"name":"echo"}`,
		"--", "sh", script, faults, kept}, nil, &out, &errw)
	if code != term.ExitFine {
		t.Fatalf("exit code %d\n%s\n%s", code, &out, &errw)
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(want, []byte("\n")); lines != frames+2 {
		t.Fatalf("the server wrote %d lines", lines)
	}
	if recordedSum(t, file, "s2c") != sha256.Sum256(want) {
		t.Errorf("what is recorded differs from the %d bytes that the server wrote", len(want))
	}
	// A busy machine may take so long for a call that an information says so.
	if all := text.Plural(int64(frames)+5, "frame"); !strings.Contains(out.String(), all) || strings.ContainsAny(out.String(), "✖⚠") {
		t.Errorf("run: %s", &out)
	}
}
