package clientconfig

import (
	"fmt"
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
			"@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -4,6 +5,5 @@\n 4\n 5\n 6\n-7\n 8\n 9\n"},
	} {
		got := strings.TrimPrefix(unified("f", []byte(test.before), []byte(test.after)), "--- f\n+++ f\n")
		if got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}
