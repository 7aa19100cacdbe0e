package verdict

import (
	"maps"
	"slices"
	"testing"

	"wiretea/session/check/rule"
)

// TestTexts holds that each rule has its texts, and that no text is without a rule.
func TestTexts(t *testing.T) {
	texts := slices.Sorted(maps.Keys(rule.Texts()))
	if rules := RuleIDs(); !slices.Equal(texts, rules) {
		t.Errorf("rules.txt has texts of\n%q\nthe rules are\n%q", texts, rules)
	}
}
