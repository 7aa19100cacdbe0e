package report

import (
	"strings"
	"testing"
)

// TestBreakLine holds that lines are broken at spaces and nothing is lost.
func TestBreakLine(t *testing.T) {
	for _, tt := range []struct {
		line   string
		width  int
		indent string
		want   string
	}{
		{"as it is", 0, "  ", "as it is"},
		{"one two three", 7, "  ", "one two|three"},
		{"one two three four", 9, "  ", "one two|three|four"},
		{"    hint   a word that goes on", 16, "  ", "    hint   a|word that goes|on"},
		{"averyveryverylongword b", 5, "  ", "averyveryverylongword|b"},
		{"\x1b[31mred\x1b[m two three", 8, "", "\x1b[31mred\x1b[m two|three"},
	} {
		if got := strings.Join(breakLine(tt.line, tt.width, tt.indent), "|"); got != tt.want {
			t.Errorf("%q at %d: got %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}
