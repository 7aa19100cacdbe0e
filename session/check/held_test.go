package check

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wiretea/session"
)

// TestHeldIsTheReason holds that each near miss with something held here breaks its rule where
// the same message crosses: either when it came, or when it went on.
func TestHeldIsTheReason(t *testing.T) {
	held := regexp.MustCompile(`(?m)^.* (?:c2s|s2c)/held .*\n`)
	went := regexp.MustCompile(`(?m)^.* (?:c2s|s2c)/went .*\n`)
	way := regexp.MustCompile(`(c2s|s2c)/(?:held|went)|(trip [0-9]+) kept`)
	event := regexp.MustCompile(`(trip [0-9]+) held `)
	for _, f := range families {
		for _, file := range glob(t, f.Name) {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			rule, _ := ruleOf(f, name)
			if rule == nil || !strings.HasPrefix(name, rule.ID+"-near-held") {
				continue
			}
			t.Run(f.Name+"/"+name, func(t *testing.T) {
				ar, err := txtar.ParseFile(file)
				if err != nil {
					t.Fatal(err)
				}
				var found []session.Finding
				for _, gone := range []*regexp.Regexp{held, went} {
					text := gone.ReplaceAllString(string(ar.Files[0].Data), "")
					text = event.ReplaceAllString(way.ReplaceAllString(text, "$1$2"), "$1 sse ")
					found = append(found, analyze(parseConversation(t, text).framed()).Findings()...)
				}
				if !slices.ContainsFunc(found, func(f session.Finding) bool { return f.Rule == rule.ID }) {
					t.Errorf("where nothing is held it finds %v", found)
				}
			})
		}
	}
}
