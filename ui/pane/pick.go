package pane

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
)

// chunk is how many rows one command looks at.
const chunk = 1 << 16

// maxLater bounds the frames that have not ended and are looked at again; there
// is one for each stream that flows.
const maxLater = 4096

// A Picker knows the rows that were found so far. Its methods belong to one
// goroutine; want is called from commands, one at a time.
type RowPicker struct {
	want  func(s *session.Snapshot, r session.Row) bool
	rows  []uint32 // rows is sorted.
	later []uint32 // later are the growing frames among the rows before next.
	next  uint32   // next is the first row that was not looked at.
	busy  bool     // busy: a command is under way.
	stale bool     // stale: what it finds is dropped, as the session has gone back.
}

// New returns a Picker that has looked at nothing. want says whether a row is
// wanted; it must depend on its arguments only.
func NewRowPicker(want func(s *session.Snapshot, r session.Row) bool) *RowPicker {
	return &RowPicker{want: want}
}

// found is what a command has to say.
type found struct {
	owner       *RowPicker
	next        uint32
	rows, later []uint32
}

// Rows returns the rows that were found, in ascending order. The slice must not
// be changed, and holds until the next call of Take or Next.
func (p *RowPicker) Rows() []uint32 { return p.rows }

// Seen returns how many rows were looked at.
func (p *RowPicker) Seen() int { return int(p.next) }

// Next returns a command that looks at rows of the snapshot that were not looked
// at, nil where there are none or one is under way. Where the snapshot has fewer
// rows than were looked at it shows an earlier moment, and the others are forgotten.
func (p *RowPicker) Next(s *session.Snapshot) tea.Cmd {
	p.goBack(uint32(s.Len()))
	from, to := p.next, uint32(s.Len())
	grown := func(i uint32) bool { return s.Row(i).Kind != session.RowGrowing }
	if p.busy || from >= to && !slices.ContainsFunc(p.later, grown) {
		return nil
	}
	to = max(from, min(to, from+chunk))
	p.busy = true
	later := slices.Clone(p.later)
	return func() tea.Msg {
		f := found{owner: p, next: to}
		look := func(i uint32) {
			switch r := s.Row(i); {
			case p.want(s, r):
				f.rows = append(f.rows, i)
			case r.Kind == session.RowGrowing && len(f.later) < maxLater:
				f.later = append(f.later, i)
			}
		}
		for _, i := range later {
			look(i)
		}
		for i := from; i < to; i++ {
			look(i)
		}
		return f
	}
}

// goBack forgets the rows from n on.
func (p *RowPicker) goBack(n uint32) {
	if n >= p.next {
		return
	}
	before := func(rows []uint32) []uint32 {
		at, _ := slices.BinarySearch(rows, n)
		return slices.Clip(rows[:at])
	}
	p.rows, p.later, p.next, p.stale = before(p.rows), before(p.later), n, p.busy
}

// Take takes the answer of a command of this Picker's, and reports false for any
// other message. There may be more to look at: Next is to be called again.
func (p *RowPicker) Take(msg tea.Msg) bool {
	f, ok := msg.(found)
	if !ok || f.owner != p {
		return false
	}
	p.busy = false
	if p.stale {
		p.stale = false
		return true
	}
	p.next, p.later = f.next, f.later
	for _, i := range f.rows {
		if n := len(p.rows); n == 0 || p.rows[n-1] < i {
			p.rows = append(p.rows, i)
			continue
		}
		if at, there := slices.BinarySearch(p.rows, i); !there {
			p.rows = slices.Insert(p.rows, at, i)
		}
	}
	return true
}
