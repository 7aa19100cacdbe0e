package waterfall

import (
	"context"
	"math"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// phases are the times at which the parts of a bar begin, on the clock of all.
type phases struct {
	begin int64 // begin is when the first byte of the request was read, over HTTP that of its head,
	sent  int64 // sent when its last byte was,
	head  int64 // head when the head of its HTTP response came, math.MaxInt64 = never, or elsewhere,
	first int64 // first when the first byte of the answer was read, end where there is none,
	end   int64 // and end when the last byte was, or now.
}

// phases are those of a request.
func (q *subject) phases() phases {
	ph := phases{begin: q.begin(), sent: q.row.T, head: math.MaxInt64, first: q.until(), end: q.until()}
	_, answered := q.c.Snap.Latency(q.i)
	if answered {
		answer := q.c.Snap.Row(q.row.Pair)
		ph.first = begin(&answer)
	}
	trip := q.trip()
	if trip == session.NoRow || answered && q.c.Snap.TripRow(q.row.Pair) != trip {
		return ph // The answer came by another round trip.
	}
	if response := q.c.Snap.Trip(trip).ResponseRow; response.Kind == session.RowTripResponse {
		ph.head = response.T
	}
	return ph
}

// trip is the row of the HTTP request that brought a request of the client, session.NoRow
// for none.
func (q *subject) trip() uint32 {
	if q.row.Stream != session.C2S {
		return session.NoRow
	}
	return q.c.Snap.TripRow(q.i)
}

// look is the style of a bar.
func (q *subject) look(th *style.Theme) style.Style {
	_, answered := q.c.Snap.Latency(q.i)
	answer := q.c.Snap.Row(q.row.Pair)
	switch {
	case !answered:
		return th.Warning
	case answer.Failed():
		return th.Error
	case q.row.Stream == session.S2C:
		return th.Asks
	}
	return th.Server
}

// A trip is the round trip of HTTP of a request, as it was read.
type trip struct {
	*session.Trip              // nil: nothing was read.
	rows          session.Trip // rows is what the rows said of it then.
	of            uint32       // of is the request.
	busy          bool
}

// readTrip returns the command that reads the round trip of the selected request; nil where
// it was read, and over stdio.
func (p *Pane) readTrip(c *pane.Context) tea.Cmd {
	at, ok := p.selected()
	if !ok || p.trip.busy {
		return nil
	}
	q := p.subject(c, at)
	row := q.trip()
	if row == session.NoRow {
		return nil
	}
	rows := q.c.Snap.Trip(row)
	if p.trip.Trip != nil && p.trip.of == at && p.trip.rows == rows {
		return nil
	}
	p.trip.busy = true
	log := q.c.Log
	return pane.Work(p, func() pane.Then {
		read := trip{Trip: recorder.ReadTrip(context.Background(), log, rows), rows: rows, of: at}
		return func(c *pane.Context) tea.Cmd {
			p.trip = read
			return p.readTrip(c)
		}
	})
}

// phaseWords say how long the parts of the selected request took.
func (p *Pane) phaseWords(q *subject) (words string) {
	if t := &p.trip; t.Trip != nil && t.of == q.i && q.trip() != session.NoRow {
		now := int64(0)
		if q.c.Live {
			now = q.c.Now
		}
		for _, ph := range t.Phases(now) {
			words += " · " + ph.Name + " " + text.Duration(ph.To-ph.From)
		}
		return words
	}
	if ph := q.phases(); ph.first > ph.sent && ph.first < ph.end {
		words = " · " + text.Duration(ph.first-ph.sent) + " to the first byte, " + text.Duration(ph.end-ph.first) + " to the last"
	}
	return words
}

const (
	blockSize  = 256 // requests in a block
	mostBlocks = 16  // blocks that one View looks at
)

// blocks are the times of the requests, a block of them at a time: from the first byte of
// one to the last byte of the answer of another. What waits goes on for ever.
func (c *chart) blocks(s *session.Snapshot) (all []gap) {
	for i, at := range c.requests {
		row := s.Row(at)
		from, to := begun(s, at, &row), int64(math.MaxInt64)
		if took, answered := s.Latency(at); answered {
			to = row.T + took
		} else if row.Flags&(session.FlagCancelled|session.FlagLost) != 0 {
			to = row.T
		}
		if i%blockSize == 0 {
			all = append(all, gap{from, to})
		}
		b := &all[len(all)-1]
		b.from, b.to = min(b.from, from), max(b.to, to)
	}
	return all
}

// overlapping says which requests waited at the same time as the selected one: it names the
// one that did so longest.
func (d *drawing) overlapping() string {
	at, list := d.p.list.At, d.p.got.requests
	q := d.p.subject(d.c, list[at])
	from, to, looked := q.begin(), q.until(), 0
	n, longest, name, more := 0, int64(0), "", false
	for k, b := range d.p.got.spans {
		if b.from >= to || b.to <= from {
			continue
		}
		if looked++; looked > mostBlocks {
			more = true
			break
		}
		for i := k * blockSize; i < min((k+1)*blockSize, len(list)); i++ {
			other := d.p.subject(d.c, list[i])
			shared := min(to, other.until()) - max(from, other.begin())
			if i == at || shared <= 0 {
				continue
			}
			if n++; shared > longest {
				longest, name = shared, nameOf(&other, d.label)
			}
		}
	}
	words := " · at the same time as " + name
	switch {
	case n == 0:
		return ""
	case n == 1 && more:
		return words + " and others"
	case n == 1:
		return words
	case more:
		words += " and at least "
	default:
		words += " and "
	}
	return words + text.Plural(int64(n-1), "other")
}
