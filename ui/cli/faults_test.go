//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/verdict/report"
)

// TestFaultScripts runs check on servers written in the shell, outside the demo,
// each with one fault, and wants exactly its findings and nothing else. A script
// with a line "modern" runs in that era too.
func TestFaultScripts(t *testing.T) {
	t.Parallel()
	schema := filepath.Join("..", "..", "docs", "check.schema.json")
	scripts, err := filepath.Glob("testdata/faults/*.sh")
	if err != nil || len(scripts) < 50 {
		t.Fatalf("found %d scripts, %v", len(scripts), err)
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".sh")
		head := comments(t, script)
		play := func(t *testing.T, flags, wants string) {
			t.Parallel()
			var out, errw bytes.Buffer
			args := slices.Concat([]string{"check", "--format", "json", "--no-record", "--max-time", "20m"}, strings.Fields(flags), []string{"--", "sh", script})
			runMain(t.Context(), args, strings.NewReader(""), &out, &errw)
			fits(t, schema, out.String())
			wantFindings(t, out.Bytes(), wants)
			if t.Failed() {
				t.Logf("%s\n%s", &out, &errw)
			}
		}
		t.Run(name, func(t *testing.T) { play(t, head["args"], head["wants"]) })
		if wants, too := head["modern"]; too {
			if wants == "same" {
				wants = head["wants"]
			}
			flags := strings.Replace(head["args"], "--era legacy", "--era modern --env ERA=modern", 1)
			t.Run(name+", modern", func(t *testing.T) { play(t, flags, wants) })
		}
	}
}

// wantFindings wants a report with those findings, "RULE SEVERITY FAULT, …", in
// any order, and with a diagnosis where one of them is more than an info.
func wantFindings(t *testing.T, text []byte, wants string) {
	t.Helper()
	var got report.Report
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	found, want := []string{}, []string{}
	for _, f := range got.Findings {
		if f.Rule == "slow-response" || f.Rule == "slow-startup" {
			continue // The machine is busy; no script is slow.
		}
		found = append(found, strings.Join([]string{f.Rule, f.Severity, f.Fault}, " "))
		if f.Message == "" || f.Hint == "" && f.Severity != "info" {
			t.Errorf("%s says too little: %+v", f.Rule, f)
		}
	}
	if wants != "" {
		want = strings.Split(wants, ", ")
	}
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	if wrong := got.Summary["error"]+got.Summary["warning"] > 0; wrong == (got.Diagnosis == "") {
		t.Errorf("the diagnosis is %q", got.Diagnosis)
	}
}

// comments reads the "# name: value" lines of a script.
func comments(t *testing.T, script string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimPrefix(line, "# "), ":"); ok && line[0] == '#' {
			out[name] = strings.TrimSpace(value)
		}
	}
	return out
}
