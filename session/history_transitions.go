package session

// maxTurns bounds the list of transitions; of later ones only the last state is
// known.
const maxTurns = 16 << 10

// A transition is a change of a connection that neither its rows nor its times
// show.
type transition struct {
	Conn int
	Rows uint32 // Rows is how many rows there were.
	T    int64
	ConnState
}

// A lateness is when a request became late.
type lateness struct {
	T    int64
	Row  uint32 // Row is the request.
	Rows uint32 // Rows is how many rows there were.
}

// maxLates bounds the list of them; for later ones only the row shows it.
const maxLates = 1 << 20

// late records that a request became late.
func (a *Analyzer) late(row uint32) {
	a.totals.Late++
	if len(a.lates) < maxLates {
		a.lates = append(a.lates, lateness{a.clock, row, a.store.n})
	}
}

// noteTransition records a change, if there was one.
func (c *conn) noteTransition() {
	now := c.ConnState
	if now == c.told || len(c.a.turns) >= maxTurns {
		return
	}
	c.told = now
	c.a.turns = append(c.a.turns, transition{c.ID, c.a.store.n, c.a.clock, now})
}
