package timeline

import (
	"slices"

	"wiretea/recorder/analysis"
	"wiretea/session"
)

// A moment is a session when n rows had come and its clock was at clock, in
// nanoseconds.
type moment struct {
	n     uint32
	clock int64
}

// A step leads from a moment to another one. It is taken in a command.
type step func(p *analysis.Playback, from moment) arrival

// An arrival is where a step leads.
type arrival struct {
	moment
	row  uint32 // row is to be selected; NoRow = the latest.
	why  string // why says why there is nothing to go to, empty = there is.
	stay bool   // stay: the selection stays where a person has put it.
}

// earlier is how many rows there were before a moment: all of it, where time has passed since
// the latest one.
func earlier(p *analysis.Playback, from moment) uint32 {
	if from.n > 0 && from.clock > p.Whole().TimeAt(from.n) {
		return from.n
	}
	return p.Before(from.n)
}

// back goes to the frame before; where time has passed since the latest one, to that.
func back(p *analysis.Playback, from moment) arrival {
	n := earlier(p, from)
	if n == 0 {
		return arrival{why: "this is the first frame"}
	}
	return latest(p, n)
}

func on(p *analysis.Playback, from moment) arrival {
	if int(from.n) >= p.Whole().Len() {
		return arrival{why: "this is the last frame"}
	}
	return latest(p, from.n+1)
}

// filtered goes to the next frame that a filter lets through in the whole session, or the one
// before.
func filtered(through func(s *session.Snapshot, row uint32) bool, dir int) step {
	return func(p *analysis.Playback, from moment) arrival {
		i := int(from.n)
		if dir < 0 {
			i = int(earlier(p, from)) - 1
		}
		for ; i >= 0 && i < p.Whole().Len(); i += dir {
			if through(p.Whole(), uint32(i)) {
				return latest(p, uint32(i)+1)
			}
		}
		return nothing(dir, "no frame before this matches the filter", "no frame after this matches the filter")
	}
}

// latest is the moment at which the n-th row came.
func latest(p *analysis.Playback, n uint32) arrival {
	return arrival{moment: moment{n, p.Whole().TimeAt(n)}, row: session.NoRow}
}

// toRow goes to when a row came, and selects it.
func toRow(row uint32) step {
	return func(p *analysis.Playback, _ moment) arrival {
		a := latest(p, min(row, uint32(max(1, p.Whole().Len())-1))+1)
		a.row = row
		return a
	}
}

// toTime goes to a time, in nanoseconds; relative to where it goes from with by.
func toTime(t int64, by bool) step {
	return func(p *analysis.Playback, from moment) arrival {
		if by {
			t += from.clock
		}
		t = max(0, min(t, p.Whole().Clock()))
		return arrival{moment: moment{p.Whole().RowsAt(t), t}, row: session.NoRow}
	}
}

// toOperation goes to where the next operation ends, or back to where the one before
// did.
func toOperation(dir int) step {
	return func(p *analysis.Playback, from moment) arrival {
		if row, ok := beside(p.Whole().OperationEnds(), p, from, dir); ok {
			return latest(p, row+1)
		}
		return nothing(dir, "no operation ended before this", "no operation ends after this")
	}
}

// beside is the first of some rows, which ascend, that came after a moment, or the last one
// that came before it.
func beside(rows []uint32, p *analysis.Playback, from moment, dir int) (uint32, bool) {
	n := from.n
	if dir < 0 {
		n = p.Before(n)
	}
	at, _ := slices.BinarySearch(rows, n)
	if dir < 0 {
		at--
	}
	if at < 0 || at >= len(rows) {
		return 0, false
	}
	return rows[at], true
}

// nothing is where there is nothing to go to in a direction.
func nothing(dir int, before, after string) arrival {
	if dir < 0 {
		return arrival{why: before}
	}
	return arrival{why: after}
}

// toFinding goes to when something was found next, or before.
func toFinding(dir int) step {
	return func(p *analysis.Playback, from moment) arrival {
		if n, clock, row, ok := p.Whole().Reported(from.n, from.clock, dir); ok {
			return arrival{moment: moment{n, clock}, row: row}
		}
		return nothing(dir, "nothing was found before this", "nothing is found after this")
	}
}

// toMark goes to the next row of a list, or the one before.
func toMark(rows []uint32, dir int) step {
	return func(p *analysis.Playback, from moment) arrival {
		if row, ok := beside(rows, p, from, dir); ok {
			return toRow(row)(p, from)
		}
		return nothing(dir, "no mark before this", "no mark after this")
	}
}
