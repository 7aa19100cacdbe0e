package session

import "wiretea/session/mcp"

// maxTurns bounds the list of transitions; of later ones only the last state is
// known.
const maxTurns = 16 << 10

// A transition is a change of a connection that neither its rows nor its times
// show.
type transition struct {
	Conn int
	Rows uint32 // Rows is how many rows there were.
	T    int64
	life
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

// life is the part of a Conn that changes in transitions.
type life struct {
	Phase       Phase
	Era         mcp.Era
	Version     mcp.Version
	VersionText string

	ServerModern, ServerLegacy bool
	Initialized                bool
	ProbeDone                  bool
	Ended                      bool

	ProbeT int64
	People int64
}

func (c *Conn) life() life {
	return life{
		Phase: c.Phase, Era: c.Era, Version: c.Version, VersionText: c.VersionText,
		ServerModern: c.ServerModern, ServerLegacy: c.ServerLegacy,
		Initialized: c.Initialized, ProbeDone: c.ProbeDone, Ended: c.Ended, ProbeT: c.ProbeT, People: c.People,
	}
}

// relive restores an earlier state of the connection.
func (c *Conn) relive(l *life) {
	c.Phase, c.Era, c.Version, c.VersionText = l.Phase, l.Era, l.Version, l.VersionText
	c.ServerModern, c.ServerLegacy = l.ServerModern, l.ServerLegacy
	c.Initialized, c.ProbeDone, c.Ended, c.ProbeT, c.People = l.Initialized, l.ProbeDone, l.Ended, l.ProbeT, l.People
}

// noteTransition records a change, if there was one.
func (c *conn) noteTransition() {
	now := c.Conn.life()
	if now == c.told || len(c.a.turns) >= maxTurns {
		return
	}
	c.told = now
	c.a.turns = append(c.a.turns, transition{c.ID, c.a.store.n, c.a.clock, now})
}
