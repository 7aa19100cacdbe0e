package check

// perConn keeps a checker's state of each connection that has not ended. The
// zero value is empty. Nearly always one connection is alive, so that the latest
// is found without a look-up.
type perConn[T any] struct {
	states map[int]*T
	id     int
	last   *T
}

// get returns the state of a connection, a zero one where it is new.
func (p *perConn[T]) get(id int) *T {
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

// drop forgets a connection.
func (p *perConn[T]) drop(id int) {
	delete(p.states, id)
	p.last = nil
}

// A rowMark remembers one row, or none.
type rowMark struct {
	row uint32
	set bool
}

func (m rowMark) is(row uint32) bool { return m.set && m.row == row }

// put remembers a row and reports whether it was another one before.
func (m *rowMark) put(row uint32) bool {
	fresh := !m.is(row)
	m.row, m.set = row, true
	return fresh
}
