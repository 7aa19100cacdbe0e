package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPage holds that docs/security.md says of every command what it may touch.
func TestSecurityPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| command | reads |")
	said := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\|([^|]+)\|`).FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row[1], -1) {
			said[name[1]] = true
		}
	}
	names := []string{"wiretea", "completion", "help"}
	for _, c := range commands {
		names = append(names, c.name)
	}
	for _, name := range names {
		if !said[name] {
			t.Errorf("docs/security.md does not say what %s may touch", name)
		}
		delete(said, name)
	}
	for name := range said {
		t.Errorf("docs/security.md has a row for %s, and wiretea has no such command", name)
	}
}
