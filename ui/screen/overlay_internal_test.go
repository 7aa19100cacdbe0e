package screen

import (
	"slices"
	"testing"
)

// TestExplained holds that facts stay beside their labels, and addresses whole as
// far as they fit.
func TestExplained(t *testing.T) {
	const url = "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio"
	for _, tt := range []struct {
		line string
		w    int
		want []string
	}{
		{"see        " + url, 100, []string{" see        " + url}},
		{"see        " + url, 72, []string{" see        " + url[:60], "            " + url[60:]}},
		{"fix        log to stderr and nowhere else at all, ever", 40, []string{" fix        log to stderr and nowhere", "            else at all, ever"}},
		{"With the stdio transport the server's stdout", 30, []string{" With the stdio transport the", " server's stdout"}},
		{"fix        a b", 8, []string{" fix", " a b"}},
	} {
		if got := explained(tt.line, tt.w); !slices.Equal(got, tt.want) {
			t.Errorf("%d cells: %q, want %q", tt.w, got, tt.want)
		}
	}
}
