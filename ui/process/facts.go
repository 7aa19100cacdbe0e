package process

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

const (
	mostConns   = 16   // connections that are shown, the latest ones
	mostEvents  = 24   // events of a connection that are kept, the latest ones
	mostTail    = 20   // last lines of stderr of a connection
	tailText    = 1024 // bytes of each of them
	rowsAtOnce  = 512  // rows that one command reads
	mostLookups = 1 << 22
)

// facts are what has to be read to be known. Once a command has handed them over
// they never change.
type facts struct {
	version        int
	events, shakes int // events and shakes count the rows that were read.
	conns          map[int]*conn
}

// A conn is what was read of a connection.
type conn struct {
	start     session.Proc // start is the event of its start.
	left      []int        // left are the processes that it left behind.
	failed    string       // failed is why it could not be started.
	events    []event
	skipped   int // skipped counts the events that were too many.
	handshake *recorder.Handshake
	tail      []event // tail are the last lines of stderr.
	tailOf    int64   // tailOf is how many lines of stderr there were when tail was read.
}

// An event is something that happened to the process or to a stream, in words.
type event struct {
	t    int64
	text string
}

// learn returns the command that reads what is not known yet, nil where all is
// or one is under way.
func (p *Pane) learn(c *pane.Context) tea.Cmd {
	if p.busy {
		return nil
	}
	if p.facts.events > len(p.events.Rows()) || p.facts.shakes > len(p.shakes.Rows()) {
		p.facts = facts{version: p.facts.version + 1} // An earlier moment is shown: it is found out again.
	}
	l := learning{snap: c.Snap, log: c.Log, facts: p.facts, copied: map[int]bool{}}
	l.events = more(p.events.Rows(), p.facts.events)
	l.shakes = more(p.shakes.Rows(), p.facts.shakes)
	all := c.Snap.Conns()
	for i := max(0, len(all)-mostConns); i < len(all); i++ {
		known := p.facts.conns[all[i].ID]
		if n := all[i].Frames[session.Stderr]; n > 0 && (known == nil || known.tailOf != n) {
			l.tails = append(l.tails, tailJob{all[i].ID, n, p.before(c.Snap, i)})
		}
	}
	if len(l.events)+len(l.shakes)+len(l.tails) == 0 {
		return nil
	}
	p.busy = true
	return pane.Work(p, func() pane.Then {
		facts := l.run()
		return func(c *pane.Context) tea.Cmd {
			p.facts, p.busy = facts, false
			return p.look(c)
		}
	})
}

// more returns a copy of the rows that were not read, as many as are read at
// once.
func more(rows []uint32, read int) []uint32 {
	return slices.Clone(rows[read:min(len(rows), read+rowsAtOnce)])
}

// before returns the row before which the lines of the connection are: where
// the next one began.
func (p *Pane) before(s *session.Snapshot, i int) uint32 {
	all := s.Conns()
	if i+1 < len(all) {
		for _, row := range p.events.Rows() {
			if r := s.Row(row); r.Kind == session.RowProc && int(r.Conn) == all[i+1].ID {
				return row
			}
		}
	}
	return uint32(s.Len())
}

// A tailJob asks for the last lines of stderr of a connection that has n of them,
// before a row.
type tailJob struct {
	conn   int
	n      int64
	before uint32
}

// learning is one command's work.
type learning struct {
	snap           *session.Snapshot
	log            recorder.Log
	events, shakes []uint32
	tails          []tailJob
	facts          facts
	copied         map[int]bool // copied are the connections that are the command's own.
}

func (l *learning) run() facts {
	l.facts.version++
	l.facts.conns = maps.Clone(l.facts.conns)
	if l.facts.conns == nil {
		l.facts.conns = make(map[int]*conn)
	}
	for _, row := range l.events {
		l.event(row)
	}
	for _, row := range l.shakes {
		_ = l.conn(int(l.snap.Row(row).Conn)).handshake.Add(l.log, l.snap, row) // What cannot be read says nothing.
	}
	for _, job := range l.tails {
		l.tail(job)
	}
	l.facts.events += len(l.events)
	l.facts.shakes += len(l.shakes)
	return l.facts
}

// conn returns a connection's facts to be changed.
func (l *learning) conn(id int) *conn {
	c := l.facts.conns[id]
	switch {
	case c == nil:
		c = &conn{handshake: recorder.NewHandshake()}
	case l.copied[id]:
		return c
	default:
		own, shake := *c, *c.handshake
		own.events, own.handshake = slices.Clone(c.events), &shake
		c = &own
	}
	l.facts.conns[id], l.copied[id] = c, true
	return c
}

// event reads an event.
func (l *learning) event(row uint32) {
	r := l.snap.Row(row)
	c := l.conn(int(r.Conn))
	ev := event{t: r.T}
	var rec session.Record
	if r.Kind == session.RowProc {
		proc := session.Proc{Event: l.snap.Name(r.Method)} // One that cannot be read has no more than its word.
		if err := recorder.NewReader(l.log, r.Off).Next(&rec); err == nil && rec.Kind == session.RecProc {
			proc = rec.Proc
		}
		switch proc.Event {
		case "start":
			c.start = proc
		case "orphans":
			c.left = proc.PIDs
		case "failed":
			c.failed = proc.Err
		}
		if ev.text = (&session.Record{Kind: session.RecProc, Proc: proc}).Words(); rec.Kind == session.RecPath {
			ev.text = rec.Words()
		}
	} else {
		ev.text = l.snap.StreamWords(r)
	}
	if len(c.events) == mostEvents {
		c.events = slices.Delete(c.events, 0, 1)
		c.skipped++
	}
	c.events = append(c.events, ev)
}

// tail reads the last lines of stderr of a connection.
func (l *learning) tail(job tailJob) {
	c := l.conn(job.conn)
	c.tail, c.tailOf = nil, job.n
	for i, looked := job.before, 0; i > 0 && len(c.tail) < mostTail && looked < mostLookups; looked++ {
		i--
		r := l.snap.Row(i)
		if r.Kind != session.RowStderr || int(r.Conn) != job.conn {
			continue
		}
		raw, err := recorder.ReadFrame(l.log, r, 0, tailText)
		if err != nil {
			raw = []byte(err.Error())
		}
		c.tail = append(c.tail, event{r.T, text.Visible(raw, 0)})
		if int64(len(c.tail)) == job.n {
			break
		}
	}
	slices.Reverse(c.tail)
}
