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
)

// TestFaultScripts runs check on servers written in the shell, outside the demo,
// each with one fault, and wants exactly its finding and nothing else.
func TestFaultScripts(t *testing.T) {
	schema := schemaOf(t, filepath.Join("..", "..", "docs", "check.schema.json"))
	scripts, err := filepath.Glob("testdata/faults/*.sh")
	if err != nil || len(scripts) < 20 {
		t.Fatalf("found %d scripts, %v", len(scripts), err)
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".sh")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			head := comments(t, script)
			args := append([]string{"check", "--format", "json", "--no-record"}, strings.Fields(head["args"])...)
			var out, errw bytes.Buffer
			run(t.Context(), append(args, "--", "sh", script), strings.NewReader(""), &out, &errw)
			fits(t, schema, out.String())
			var got report
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("%v\n%s\n%s", err, &out, &errw)
			}
			found := []string{}
			for _, f := range got.Findings {
				found = append(found, strings.Join([]string{f.Rule, f.Severity, f.Fault}, " "))
				if f.Message == "" || f.Hint == "" && f.Severity != "info" {
					t.Errorf("%s says too little: %+v", f.Rule, f)
				}
			}
			want := []string{}
			if head["wants"] != "" {
				want = strings.Split(head["wants"], ", ")
			}
			slices.Sort(found)
			slices.Sort(want)
			if !slices.Equal(found, want) {
				t.Errorf("found %q, want %q\n%s\n%s", found, want, &out, &errw)
			}
		})
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
