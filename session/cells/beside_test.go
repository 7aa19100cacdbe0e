package cells

import (
	"slices"
	"strings"
	"testing"
)

// TestBeside holds that a text that is long goes on below itself, that every line
// is as wide as was asked, and that each column has its own paint.
func TestBeside(t *testing.T) {
	plain := func(text string) string { return text }
	for _, tt := range []struct {
		text string
		w    int
		want []string
	}{
		{"one two", 20, []string{"  K     one two     "}},
		{"one two 3", 17, []string{"  K     one two  ", "        3        "}}, // The last cell is blank.
		{"one two three", 17, []string{"  K     one two  ", "        three    "}},
		{"one two", 6, []string{"  K   "}},
		{"", 20, nil},
	} {
		if got := Beside("k", strings.ToUpper, tt.text, plain, 8, tt.w); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %d cells: %q, want %q", tt.text, tt.w, got, tt.want)
		}
	}
}
