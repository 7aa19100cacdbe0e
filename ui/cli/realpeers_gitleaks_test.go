//go:build realpeers

package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"wiretea/recorder/export"
	"wiretea/recorder/redact/redacttest"
)

// placeholdersAllowed is a configuration of gitleaks: its own rules, for which our
// placeholders are not secrets.
const placeholdersAllowed = `[extend]
useDefault = true
[[allowlists]]
description = "placeholders"
regexes = ['''redacted-[a-z0-9-]*[0-9]''']
`

// TestRealPeerGitleaks holds that another scanner finds no secret in the copy and in the
// exports of a session with each secret of the corpus, in which it finds many.
func TestRealPeerGitleaks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "all.mcpcap.jsonl")
	writeFile(t, file, string(redacttest.Everything()))
	config := filepath.Join(dir, "gitleaks.toml")
	writeFile(t, config, placeholdersAllowed)
	if found := gitleaks(t, config, file); len(found) < 200 {
		t.Errorf("gitleaks finds only %d secrets in the session, so this test says nothing", len(found))
	}

	exports := filepath.Join(dir, "exports")
	if err := os.Mkdir(exports, 0o700); err != nil {
		t.Fatal(err)
	}
	commands := map[string][]string{"copy.mcpcap.jsonl": {"redact", file, "-"}}
	for _, f := range export.Formats {
		if f.Name != "curl" { // The session is not over HTTP.
			commands["export"+f.Ending] = []string{"export", "--format", f.Name, file}
		}
	}
	for _, stream := range []string{"c2s", "s2c", "stderr"} {
		commands[stream+".txt"] = []string{"export", "--dir", stream, file}
	}
	for name, args := range commands {
		got := wiretea(t, "", args...)
		if got.code != 0 || got.out == "" {
			t.Errorf("%q: %v", args, got)
		}
		writeFile(t, filepath.Join(exports, name), got.out)
	}
	for _, found := range gitleaks(t, config, exports) {
		t.Errorf("gitleaks finds %s in %s: %s", found.RuleID, filepath.Base(found.File), found.Match)
	}
}

// A leak is what gitleaks reports.
type leak struct{ RuleID, File, Match string }

// gitleaks returns what gitleaks finds in a file or folder.
func gitleaks(t *testing.T, config, path string) (found []leak) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.CommandContext(t.Context(), peerPath(t, "gitleaks"), "dir", "--no-banner", "--exit-code", "0", "--config", config, "--report-path", out, path)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	return found
}
