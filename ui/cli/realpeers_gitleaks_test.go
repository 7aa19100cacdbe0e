//go:build realpeers

package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"wiretea/recorder/redact/redacttest"
)

// placeholdersAllowed is a configuration of gitleaks: its own rules, one of which takes any
// word in the header of a curl command for a secret.
const placeholdersAllowed = `[extend]
useDefault = true
[[rules]]
id = "curl-auth-header"
[[rules.allowlists]]
regexes = ['''redacted-[a-z0-9-]*value''']
`

// TestRealPeerGitleaks holds that another scanner finds no secret in the copy, in the
// exports and in the report of a session with each secret of the corpus, over stdio and
// HTTP, in which it finds many.
func TestRealPeerGitleaks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "gitleaks.toml")
	writeFile(t, config, placeholdersAllowed)
	everything := withDecisions(string(redacttest.Everything()))
	for transport, content := range map[string]string{"stdio": everything, "http": tripOf(everything)} {
		file, exports := filepath.Join(dir, transport+".mcpcap.jsonl"), filepath.Join(dir, transport)
		writeFile(t, file, content)
		if found := gitleaks(t, config, file); len(found) < 200 {
			t.Errorf("%s: gitleaks finds only %d secrets in the session, so this test says nothing", transport, len(found))
		}
		if err := os.Mkdir(exports, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, args := range sharedForms(file, transport == "http") {
			got := wiretea(t, "", args...)
			if got.out == "" || got.code != 0 && args[0] != "scan" {
				t.Errorf("%q: %v", args, got)
			}
			writeFile(t, filepath.Join(exports, name), got.out)
		}
		for _, format := range []string{"text", "json", "junit", "sarif", "github"} {
			writeFile(t, filepath.Join(exports, "check."+format), wiretea(t, "", "check", "--format", format, file).out)
		}
		for _, found := range gitleaks(t, config, exports) {
			t.Errorf("%s: gitleaks finds %s in %s: %s", transport, found.RuleID, filepath.Base(found.File), found.Match)
		}
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
