package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

// TestPolicyImport holds that an imported policy is one, that it decides as kvlar's suite
// expects, and that what is lost, failed or not run is said, with the exit code.
func TestPolicyImport(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"database.yaml", "database.test.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "session", "decide", "policy", "kvlar", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), string(text))
	}
	policy, suite := filepath.Join(dir, "policy.toml"), filepath.Join(dir, "database.test.yaml")
	got := inProcess(t.Context(), "policy", "import", filepath.Join(dir, "database.yaml"))
	if got.code != term.ExitFine || got.err != "" {
		t.Fatal(got)
	}
	writeFile(t, policy, got.out)
	if got := inProcess(t.Context(), "policy", "check", policy); got.code != term.ExitFine || !strings.Contains(got.out, "where options.limit greater_than 1000") {
		t.Error(got)
	}
	if got := inProcess(t.Context(), "policy", "test", policy, "--suite", suite); got.code != term.ExitFine || !strings.Contains(got.out, ": 0 of 19 cases failed\n") {
		t.Error(got)
	}

	// It extends the other one, and has a rule that no policy of ours can say.
	child := filepath.Join(dir, "child.yaml")
	writeFile(t, child, "name: child\nextends: [database.yaml, strict]\nrules: [{id: \"bob\\u001b[2J\", match_on: {agent_ids: [bob]}, effect: {type: allow}}]\n")
	got = inProcess(t.Context(), "policy", "import", child)
	if got.code != term.ExitFound || !strings.Contains(got.err, "agent_ids cannot be carried over; the rule is left out") || !strings.Contains(got.err, `extends "strict": `) || strings.Contains(got.err, "\x1b") {
		t.Error(got)
	}
	if !strings.Contains(got.out, "id = 'no-drop'") || !strings.Contains(got.out, "id = 'missing-strict'") {
		t.Error(got)
	}
	writeFile(t, suite, "tests:\n- {id: a, action: {resource: x}, expect: allow}\n- {id: b, action: {resource: x, action_type: file_read}, expect: allow}\n")
	if got := inProcess(t.Context(), "policy", "test", policy, "--suite", suite); got.code != term.ExitFound || !strings.Contains(got.out, "failed   a  expected allow, got deny by _default_deny") || !strings.Contains(got.out, "1 of 2 cases failed, 1 not run") {
		t.Error(got)
	}
	for _, args := range [][]string{{"import", suite}, {"import", dir}, {"test", policy, "--suite", child}, {"test", policy, "--suite", dir}, {"test", policy}} {
		if got := inProcess(t.Context(), append([]string{"policy"}, args...)...); got.code != term.ExitUsage || got.out != "" {
			t.Errorf("%q: %v", args, got)
		}
	}
}
