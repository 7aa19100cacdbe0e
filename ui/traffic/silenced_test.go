package traffic

import (
	"slices"
	"testing"

	"wiretea/ui/keys"
)

// Where rules are silenced, w goes past the rows at which only they are.
func TestFindingSilenced(t *testing.T) {
	s := newStage(t, everything(), false)
	s.goTo(1)
	s.do(keys.FindNext)
	first := s.cursor()
	for _, f := range s.c.Snap.RowFindings(s.p.Cursor()) {
		s.c.Silenced = append(s.c.Silenced, f.Rule)
	}
	if len(s.c.Silenced) == 0 {
		t.Fatalf("nothing stands at #%d", first)
	}
	s.goTo(1)
	s.do(keys.FindNext)
	if s.cursor() == first || s.cursor() == 1 {
		t.Errorf("w goes to #%d, the silenced ones stand at #%d", s.cursor(), first)
	}
	for _, f := range s.c.Snap.RowFindings(s.p.Cursor()) {
		if slices.Contains(s.c.Silenced, f.Rule) {
			t.Errorf("w goes to %s, which is silenced", f.Rule)
		}
	}
	for _, f := range s.c.Snap.Findings() {
		s.c.Silenced = append(s.c.Silenced, f.Rule)
	}
	s.goTo(1)
	s.said = nil
	s.do(keys.FindNext)
	if r := s.c.Snap.Row(s.p.Cursor()); !r.Failed() {
		t.Errorf("w goes to #%d, where nothing failed, and says %q", s.cursor(), s.notice())
	}
	s.filter("-is:error")
	s.goTo(1)
	s.said = nil
	s.do(keys.FindNext)
	if s.cursor() != 1 || s.notice() != "no finding and no error in the rows shown" {
		t.Errorf("w goes to #%d, says %q", s.cursor(), s.notice())
	}
}
