package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder/verdict/project"
	"wiretea/ui/cli/term"
)

// TestTrust holds for every setting whether it counts before its file is accepted, that a
// changed file, a changed baseline and another folder's count anew, and that check says
// in one visible line what it took.
func TestTrust(t *testing.T) {
	file := newTape().frame("s2c", "hello").tools("echo:A").bye().save(t, "s.jsonl")
	t.Setenv("HOME", t.TempDir())
	counts := map[string]struct {
		value  string
		always bool
	}{
		"era": {`"legacy"`, false}, "protocol-version": {`"2025-06-18"`, false}, "call": {`['x={"a":"\u001b[2J"}']`, false}, "probe": {"true", false}, "max-time": {`"1m"`, false},
		"max-line": {`"1GiB"`, false}, "fail-on": {`"error"`, false}, "severity": {`{stdout-not-json = "info"}`, false}, "ignore": {`["stdout-not-json"]`, false},
		"max-latency": {`{"*" = "1h"}`, true}, "max-context": {"9999", true}, "baseline": {`"baseline.json"`, false}, "tools-lock": {`"tools.json"`, true},
	}
	for _, name := range project.Names() {
		setting, listed := counts[name]
		if !listed {
			t.Errorf("%s is not tested", name)
			continue
		}
		dir := t.TempDir()
		t.Chdir(dir)
		writeFile(t, "baseline.json", inProcess(t.Context(), "check", "--json", file).out)
		said := func() (taken, waiting bool) {
			got := inProcess(t.Context(), "check", file)
			line, _, _ := strings.Cut(strings.TrimPrefix(got.err, "wiretea.toml: "), "\n")
			if strings.ContainsAny(got.err, "\x1b\u009b") {
				t.Errorf("%s: raw controls: %q", name, got.err)
			}
			took, waits, _ := strings.Cut(line, "do not count: ")
			return strings.Contains(took, name+" = "), strings.Contains(waits, name)
		}
		writeFile(t, project.File, "[check]\n"+name+" = "+setting.value+"\n")
		if taken, waiting := said(); taken != setting.always || waiting == setting.always {
			t.Errorf("%s before: taken %t, waiting %t", name, taken, waiting)
		}
		if _, err := os.Stat("tools.json"); err == nil {
			t.Errorf("%s: a lock was written for a file that was not accepted", name)
		}
		if got := inProcess(t.Context(), "trust", "--yes"); got.code != term.ExitFine || !strings.Contains(got.err, name+" = ") || strings.Contains(got.err, "\x1b") {
			t.Errorf("%s: %v", name, got)
		}
		if taken, waiting := said(); !taken || waiting {
			t.Errorf("%s after: taken %t, waiting %t", name, taken, waiting)
		}
		if name == "baseline" {
			writeFile(t, "baseline.json", `{"findings":[]}`)
		} else {
			writeFile(t, project.File, "[check]\n"+name+" = "+setting.value+"\n# another\n")
		}
		if taken, _ := said(); taken != setting.always {
			t.Errorf("%s: a change counts unseen", name)
		}
	}
}

// TestTrustList holds that what was accepted is listed, and can be forgotten.
func TestTrustList(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "a\x1b[2J")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, project.File), "[check]\nprobe = true\n")
	if got := inProcess(t.Context(), "trust", dir); got.code != term.ExitUsage || !strings.Contains(got.err, "probe = true (runs something)") {
		t.Errorf("nobody was asked: %v", got)
	}
	file := filepath.Join(dir, project.File)
	if got, want := inProcess(t.Context(), "trust", file), "is not a folder\n  hint: name the folder that has "+project.File; got.code != term.ExitUsage || !strings.Contains(got.err, want) {
		t.Errorf("a file: %v", got)
	}
	if got := inProcess(t.Context(), "trust", "--list"); got.out != "" || got.err != "no settings are accepted\n" {
		t.Error(got)
	}
	for _, step := range []struct{ args, want string }{{"--yes", ""}, {"--list", "accepted"}, {"--forget", ""}, {"--list", ""}} {
		got := inProcess(t.Context(), "trust", step.args, dir)
		if got.code != term.ExitFine || !strings.Contains(got.out, step.want) || strings.ContainsAny(got.out+got.err, "\x1b") || step.want == "" && got.out != "" {
			t.Errorf("%s: %v", step.args, got)
		}
	}
}
