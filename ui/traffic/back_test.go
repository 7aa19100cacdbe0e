package traffic

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/ui/pane"
)

// TestBack goes through the moments of a session at random, while the commands of the
// pane are late, and holds that at rest it lists what a pane lists that has seen only
// the last of them.
func TestBack(t *testing.T) {
	tp := generated(t, 600)
	whole := tp.snap(t)
	for _, filter := range []string{"", "is:pending", "lat>1ms", "is:error | is:finding", "b:progress"} {
		t.Run(strings.ReplaceAll(filter, ":", " "), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(len(filter))))
			s, film := newStage(t, tp, false), analysis.NewPlayback(tp, whole)
			s.filter(filter)
			s.search("id")
			var queue []tea.Cmd
			for round := range 300 {
				if rng.IntN(2) == 0 {
					n := rng.Uint32N(uint32(whole.Len())) + 1
					if rng.IntN(3) > 0 { // mostly a step
						n = uint32(max(1, min(whole.Len(), s.c.Snap.Len()+rng.IntN(3)-1)))
					}
					snap, err := film.At(t.Context(), n, whole.TimeAt(n))
					if err != nil {
						t.Fatal(err)
					}
					s.c.Snap = snap
					queue = append(queue, s.p.Update(s.c, pane.MovedMsg{}))
				}
				for rng.IntN(3) > 0 && len(queue) > 0 {
					queue = s.one(queue)
				}
				if round%30 != 29 {
					continue
				}
				for len(queue) > 0 {
					queue = s.one(queue)
				}
				fresh := newStage(t, tp, false)
				fresh.c.Snap = s.c.Snap
				fresh.p = New()
				fresh.filter(filter)
				fresh.tell(pane.MovedMsg{})
				if got, want := s.p.list(), fresh.p.list(); !slices.Equal(got, want) {
					t.Fatalf("at row %d: %d rows, want %d:\n%v\n%v", s.c.Snap.Len(), len(got), len(want), got, want)
				}
				if n := len(s.p.search.hits); n > 0 && s.p.search.hits[n-1] >= uint32(s.c.Snap.Len()) {
					t.Errorf("a hit at row %d of %d", s.p.search.hits[n-1], s.c.Snap.Len())
				}
				if at := s.p.Cursor(); at != session.NoRow && at >= uint32(s.c.Snap.Len()) {
					t.Errorf("the cursor is at row %d of %d", at, s.c.Snap.Len())
				}
				s.screen(80, 20, false)
			}
		})
	}
}

// one carries out one of the commands that wait, not always the first.
func (s *stage) one(queue []tea.Cmd) []tea.Cmd {
	cmd := queue[0]
	queue = queue[1:]
	if cmd == nil {
		return queue
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		queue = append(queue, msg...)
	case pane.Answer:
		queue = append(queue, s.p.Update(s.c, msg))
	}
	return queue
}

// TestComments: a comment is at the end of its row, whole below the list where the
// row is selected, and keeps the row among those that are gone through.
func TestComments(t *testing.T) {
	s := newStage(t, everything(), false)
	s.goTo(6)
	s.run(s.p.SetNote(s.c, s.p.Cursor(), false, "here it \x1b[31mbegins to go wrong"))
	golden(t, s.screen(100, 14, false)+s.screen(60, 14, false)+s.screen(24, 14, false)+s.screen(60, 5, false))
	s.do("mark")
	if noted, ok := s.said[len(s.said)-1].(pane.NotedMsg); !ok || !noted.Mark || noted.Text == "" {
		t.Errorf("the mark says %+v", s.said)
	}
	s.goTo(13)
	s.do("mark-next")
	if s.cursor() != 6 || len(s.p.Marks()) != 1 || len(s.p.Noted()) != 1 {
		t.Errorf("at #%d, marks %v", s.cursor(), s.p.Marks())
	}
	s.run(s.p.SetNote(s.c, s.p.Cursor(), false, ""))
	if len(s.p.Noted()) != 0 || s.p.Comment(s.p.Cursor()) != "" {
		t.Error("it is still there")
	}
}
