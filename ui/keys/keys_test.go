package keys

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var table Map

var update = flag.Bool("update", false, "write docs/keys.md")

// TestTable holds that no key does two things in one place, that every action
// stands in the table once, and that each has something to say for itself.
func TestTable(t *testing.T) {
	if err := table.clash(); err != nil {
		t.Error(err)
	}
	seen := map[Action]bool{}
	names := map[string]bool{}
	for _, b := range Table {
		if seen[b.Action] || b.Name != "" && names[b.Name] {
			t.Errorf("%s stands twice", b.Action)
		}
		seen[b.Action], names[b.Name] = true, true
		if len(b.Keys) == 0 || len(b.Scopes) == 0 || groupTitles[b.Group] == "" {
			t.Errorf("%s is not whole: %+v", b.Action, b)
		}
		if b.Help == "" && !strings.HasPrefix(string(b.Action), "depth-") {
			t.Errorf("%s has no help", b.Action)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		key   string
		scope Scope
		want  Action
	}{
		{"j", Traffic, Down}, {"j", Detail, Down}, {"o", Traffic, Pair}, {"o", Stderr, ""}, {"tab", Stats, NextPane},
		{"y y", Findings, CopyValue}, {"y r", Stderr, CopyRaw}, {"h", Detail, Fold}, {"h", Traffic, StepBack}, {"space", Stats, Play}, {"<", Stats, SortBack}, {"<", Traffic, Slower}, {"ctrl+c", Global, Quit},
	} {
		if got, _ := table.Lookup(c.key, c.scope); got != c.want {
			t.Errorf("Lookup(%q, %s) = %q, want %q", c.key, c.scope, got, c.want)
		}
	}
	if !table.Begins("y", Traffic) || table.Begins("j", Traffic) {
		t.Error("y begins a chord, and j does not")
	}
}

func TestRebind(t *testing.T) {
	m, err := Rebind(map[string][]string{"pair": {"ctrl+a"}})
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := m.Lookup("ctrl+a", Traffic); a != Pair {
		t.Errorf("ctrl+a does %q", a)
	}
	if a, known := table.Lookup("ctrl+a", Traffic); known {
		t.Errorf("ctrl+a does %q in the table", a)
	}
	for name, keys := range map[string][]string{"pair": {"j"}, "nothing": {"x"}, "follow": nil, "mark": {"y"}} {
		if _, err := Rebind(map[string][]string{name: keys}); err == nil {
			t.Errorf("%s = %q was taken", name, keys)
		}
	}
}

// TestDocs holds that docs/keys.md is what the table says.
func TestDocs(t *testing.T) {
	const page = "../../docs/keys.md"
	var b strings.Builder
	if err := writeMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != b.String() {
		t.Errorf("docs/keys.md is stale (%v); run go test ./ui/keys -run Docs -update", err)
	}
}
