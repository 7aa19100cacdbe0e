package recorder

import "wiretea/session"

// maxMarks is how many frames are remembered for those that replace or answer them: as many as
// control.MaxHeld are held, and more that were decided on at once.
const maxMarks = 16 << 10

// forgotten is said of a frame that replaces or answers one that is not remembered.
const forgotten = "; which record it replaces or answers is not known any more"

// marks are the record numbers of frames that others may replace or answer, by their marks.
type marks struct {
	numbers map[int64]uint64
	order   []int64 // order has the marks in the order in which they came, as a ring from first.
	first   int     // first is where the oldest is, once there are maxMarks.
}

// add remembers a frame.
func (m *marks) add(mark int64, n uint64) {
	if m.numbers == nil {
		m.numbers = map[int64]uint64{}
	}
	if _, known := m.numbers[mark]; known {
		return // A long one has several records: the first counts.
	}
	m.numbers[mark] = n
	if len(m.order) < maxMarks {
		m.order = append(m.order, mark)
		return
	}
	delete(m.numbers, m.order[m.first])
	m.order[m.first] = mark
	m.first = (m.first + 1) % maxMarks
}

// appendDecided appends what was decided on the frame of the record that is being written;
// nothing for nil.
func (w *Writer) appendDecided(dst []byte, d *session.Decided) []byte {
	if d == nil {
		return dst
	}
	if d.Mark != 0 {
		w.marks.add(d.Mark, w.n)
	}
	by := d.By
	if of := w.marks.numbers[d.Of]; of != 0 {
		dst = appendInt(dst, "of", int64(of))
	} else if d.Of != 0 {
		by += forgotten
	}
	return appendField(dst, "by", by)
}

// decisionOn returns what was decided on a chunk, nil for nothing: it comes right before it,
// unless the bytes are in a gap.
func (w *Writer) decisionOn(o *session.Observation) *session.Decided {
	d := w.decided
	w.decided = session.Observation{}
	if d.Conn != o.Conn || d.Trip != o.Trip || d.Stream != o.Stream || d.Way != o.Way {
		return nil
	}
	return &d.Decided
}
