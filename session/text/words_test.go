package text

import (
	"slices"
	"testing"
)

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                               nil,
		"  ":                             nil,
		"a b\tc":                         {"a", "b", "c"},
		`a 'b c' "d e"`:                  {"a", "b c", "d e"},
		`a\ b 'c\d' "e\"f" "g\h"`:        {"a b", `c\d`, `e"f`, `g\h`},
		`'' ""`:                          {"", ""},
		`x'y'z`:                          {"xyz"},
		`node server.js --greet 'ça va'`: {"node", "server.js", "--greet", "ça va"},
	} {
		if got, err := SplitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`a 'b`, `a "b`, `a\`} {
		if got, err := SplitWords(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}
