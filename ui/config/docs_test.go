package config_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/ui/config"
	"wiretea/ui/style"
)

var update = flag.Bool("update", false, "write the table of docs/settings.md anew")

// TestDocs holds that docs/settings.md has all settings, and that its example is one without
// faults.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "settings.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("\n| setting | default | what it does |\n|---|---|---|\n")
	known := config.Known()
	for i := range known {
		k := &known[i]
		says := k.Says
		if n := len(k.Values); n > 0 && n < 6 {
			says += ": " + strings.Join(k.Values, ", ")
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", k.Path(), cmp.Or(k.Default, "the usual ones"), says)
	}
	before, rest, _ := strings.Cut(string(data), "<!-- settings -->\n")
	_, after, found := strings.Cut(rest, "<!-- end -->")
	if !found {
		t.Fatal("the table has no place")
	}
	want := before + "<!-- settings -->\n" + table.String() + "\n<!-- end -->" + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(data) {
		t.Error("docs/settings.md is out of date: go test ./ui/config -update")
	}
	_, example, _ := strings.Cut(want, "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	dir := t.TempDir()
	put(t, dir, "config.toml", example)
	if s, err := config.Load(dir); err != nil || len(s.Colours) != 2 || len(s.Layouts) != 1 || len(s.Filters) != 2 || s.Background != "light" {
		t.Errorf("the example is not understood: %v, %+v", err, s)
	}
	for _, name := range style.Colours() {
		if !strings.Contains(want, "`"+name+"`") {
			t.Errorf("the colour %s is not named", name)
		}
	}
}
