package traffic

import (
	"strings"
	"testing"
)

// Columns can be chosen, ordered and sized; what is wrong changes nothing.
func TestColumns(t *testing.T) {
	s := newStage(t, everything(), false)
	if err := s.p.SetColumns("latency what:20 info size:9 connection"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`   20.0 ms ←  call  echo          "Echo: hi"      `,
		`     81 B  c1`,
	} {
		if got := s.screen(90, 20, false); !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	if err := s.p.SetColumns("n what"); err != nil {
		t.Fatal(err)
	}
	if got := s.screen(90, 20, false); strings.Contains(got, "Echo: hi") || !strings.Contains(got, "   9 ←  call  echo") && !strings.Contains(got, "   9 ←  tools/call  echo") {
		t.Error(got)
	}
	before := s.screen(90, 20, false)
	for _, wrong := range []string{"n time", "what what", "what:0", "what:x", "what:201", "what info:9", "what nonsense\x1b"} {
		if err := s.p.SetColumns(wrong); err == nil || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if got := s.screen(90, 20, false); got != before {
		t.Errorf("wrong columns changed the lines:\n%s", got)
	}
}
