package rule

// PerConn keeps a checker's state of each connection that has not ended. The
// zero value is empty. Nearly always one connection is alive, so that the latest
// is found without a look-up.
type PerConn[T any] struct {
	states map[int]*T
	id     int
	last   *T
}

// Get returns the state of a connection, a zero one where it is new.
func (p *PerConn[T]) Get(id int) *T {
	if p.last != nil && p.id == id {
		return p.last
	}
	s := p.states[id]
	if s == nil {
		if p.states == nil {
			p.states = make(map[int]*T)
		}
		s = new(T)
		p.states[id] = s
	}
	p.id, p.last = id, s
	return s
}

// Drop forgets a connection.
func (p *PerConn[T]) Drop(id int) {
	delete(p.states, id)
	p.last = nil
}

// A RowMark remembers one row, or none.
type RowMark struct {
	row uint32
	set bool
}

func (m RowMark) Is(row uint32) bool { return m.set && m.row == row }

// Put remembers a row and reports whether it was another one before.
func (m *RowMark) Put(row uint32) bool {
	fresh := !m.Is(row)
	m.row, m.set = row, true
	return fresh
}
