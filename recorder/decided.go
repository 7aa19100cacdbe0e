package recorder

import "wiretea/session"

// maxMarks is how many frames are remembered for those that replace or answer them.
const maxMarks = 4096

// marks are the record numbers of frames that others may replace or answer, by their marks.
type marks struct {
	numbers map[int64]uint64
	order   []int64 // order has the marks, oldest first.
}

// add remembers a frame.
func (m *marks) add(mark int64, n uint64) {
	if m.numbers == nil {
		m.numbers = map[int64]uint64{}
	}
	if _, known := m.numbers[mark]; known {
		return // A long one has several records: the first counts.
	}
	if len(m.order) == maxMarks {
		delete(m.numbers, m.order[0])
		m.order = m.order[:copy(m.order, m.order[1:])]
	}
	m.numbers[mark] = n
	m.order = append(m.order, mark)
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
	if of := w.marks.numbers[d.Of]; of != 0 {
		dst = appendInt(dst, "of", int64(of))
	}
	return appendField(dst, "by", d.By)
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
