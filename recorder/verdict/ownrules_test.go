package verdict

import (
	"regexp"
	"slices"
	"testing"

	"wiretea/session/check/rule"
)

// TestTexts holds that each rule has its texts, and that no text is without a rule.
func TestTexts(t *testing.T) {
	var texts []string
	for _, heading := range regexp.MustCompile(`(?m)^\[(.+)\]$`).FindAllStringSubmatch(rule.Source, -1) {
		texts = append(texts, heading[1])
	}
	slices.Sort(texts)
	if rules := RuleIDs(); !slices.Equal(texts, rules) {
		t.Errorf("rules.txt has texts of\n%q\nthe rules are\n%q", texts, rules)
	}
}
