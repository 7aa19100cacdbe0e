package clientconfig

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	number := func(from, to int) (s string) {
		for i := from; i <= to; i++ {
			s += fmt.Sprintln(i)
		}
		return s
	}
	for name, test := range map[string]struct{ before, after, want string }{
		"same":      {"a\n", "a\n", ""},
		"from none": {"", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
		"to none":   {"a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
		"no break":  {"a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		"two hunks": {number(1, 20), "0\n" + number(1, 19) + "x\n",
			"@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -17,4 +18,4 @@\n 17\n 18\n 19\n-20\n+x\n"},
		"touching": {number(1, 9), "0\n" + number(1, 6) + number(8, 9),
			"@@ -1,9 +1,9 @@\n+0\n 1\n 2\n 3\n 4\n 5\n 6\n-7\n 8\n 9\n"},
	} {
		got := strings.TrimPrefix(unified("f", []byte(test.before), []byte(test.after)), "--- f\n+++ f\n")
		if got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// TestCompare: the steps lead from any list of lines to any other.
func TestCompare(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func() []string {
		all := make([]string, random.IntN(12))
		for i := range all {
			all[i] = string(rune('a' + random.IntN(4)))
		}
		return all
	}
	for range 5000 {
		a, b := some(), some()
		var before, after []string
		for _, s := range compare(a, b) {
			if s.sign != '+' {
				before = append(before, s.line)
			}
			if s.sign != '-' {
				after = append(after, s.line)
			}
		}
		if strings.Join(before, "") != strings.Join(a, "") || strings.Join(after, "") != strings.Join(b, "") {
			t.Fatalf("%q to %q: %v", a, b, compare(a, b))
		}
	}
}
