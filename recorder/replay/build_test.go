package replay

import "testing"

// TestPlaces holds that rows may come in any order.
func TestPlaces(t *testing.T) {
	var p places
	for i, row := range []uint32{7, 9, 3, 8} {
		p.set(row, int32(i))
	}
	for row, want := range map[uint32]int32{2: -1, 3: 2, 4: -1, 7: 0, 8: 3, 9: 1, 10: -1} {
		if got, ok := p.of(row); ok != (want >= 0) || ok && got != want {
			t.Errorf("row %d is at %d, %v", row, got, ok)
		}
	}
}

// TestDrawEnds holds that each end has what came by there.
func TestDrawEnds(t *testing.T) {
	lines := after(`→out {"jsonrpc":"2.0","id":"w","method":"ping"}`, `←in {"jsonrpc":"2.0","id":"w","result":{}}`, `→ {"jsonrpc":"2.0","id":1,"method":"ping"}`, `← {"jsonrpc":"2.0","id":1,"result":{}}`)
	for end, want := range map[End]int{ClientEnd: 5, ServerEnd: 7} {
		s := draw(t, end, lines...)[0]
		if len(s.Steps) != want || len(s.Messages) != want || s.Version != "2025-06-18" {
			t.Errorf("at end %d there are %d steps with %d messages of version %q, want %d", end, len(s.Steps), len(s.Messages), s.Version, want)
		}
		last := s.Messages[len(s.Messages)-1]
		if last.Of < 0 || s.Messages[last.Of].Answer != int32(len(s.Messages)-1) {
			t.Errorf("at end %d the last answer is %+v", end, last)
		}
	}
}
