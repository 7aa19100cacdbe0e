package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNotices holds that the licences are those of the versions in go.mod, each with its
// text. Whether they are complete, .ci/run asks the build list.
func TestNotices(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllStringSubmatch(string(mod), -1) {
		versions[m[1]] = m[2]
	}
	parts := regexp.MustCompile(`(?m)^={80}\n(\S+) (v\S+)\n\n`).FindAllStringSubmatchIndex(notices, -1)
	if len(parts) < 20 {
		t.Fatalf("%d licences", len(parts))
	}
	for i, at := range parts {
		path, version := notices[at[2]:at[3]], notices[at[4]:at[5]]
		if versions[path] != version {
			t.Errorf("notices.txt has %s %s, go.mod %q: go run ./.ci/notices ui/cli/notices.txt", path, version, versions[path])
		}
		end := len(notices)
		if i+1 < len(parts) {
			end = parts[i+1][0]
		}
		if text := notices[at[1]:end]; !strings.Contains(strings.ToLower(text), "copyright") {
			t.Errorf("%s has no licence text", path)
		}
	}
}
