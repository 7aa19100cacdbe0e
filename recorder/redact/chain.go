package redact

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"wiretea/session"
)

// Bounds of a chain, in bytes: from how many on it is looked at, and how many of
// its last ones are kept to go on with.
const (
	maxChain  = 4 << 20
	keepChain = 64 << 10
)

// A chain is neighbouring records of a stream that may belong together: raw
// records, lines of a value or of a key that is printed over several lines. A
// message on one line belongs to none.
type chain struct {
	text   []byte
	pieces []piece
	gap    bool // gap: bytes are missing after the last piece, so that the next one may begin anywhere.
}

// A piece is the body of one record in a chain.
type piece struct {
	off      int64 // off is the record's in the log.
	from, to int   // from and to are where it is in the text.
	raw      bool
}

// chains puts chains together. flush is called with each.
type chains struct {
	open    map[stream]*chain
	flush   func(*chain)
	several bool // several: there was one with more than one piece.
}

func newChains(flush func(*chain)) *chains { return &chains{open: map[stream]*chain{}, flush: flush} }

// add takes a frame, raw bytes or a gap.
func (cs *chains) add(rec *session.Record, line []byte) {
	if rec.Kind == session.RecGap {
		for _, c := range cs.open {
			c.gap = true
		}
		return
	}
	at := streamOf(rec)
	c := cs.open[at]
	if rec.Kind == session.RecFrame && alone(rec, line) {
		if c != nil {
			cs.end(at, c)
		}
		return
	}
	if c == nil {
		c = &chain{}
		cs.open[at] = c
	}
	cs.several = cs.several || len(c.pieces) > 0
	if n := len(c.pieces); n > 0 && c.pieces[n-1].raw && rec.Kind == session.RecFrame && !c.gap && !bytes.HasSuffix(c.text, []byte("\n")) {
		c.text = append(c.text, '\n') // A line that begins in raw records ends in them.
	}
	c.gap = false
	from := len(c.text)
	c.text = append(c.text, rec.Body...)
	c.pieces = append(c.pieces, piece{rec.Off, from, len(c.text), rec.Kind == session.RecRaw})
	c.text = append(c.text, rec.Term...)
	if len(c.text) >= maxChain {
		cs.flush(c)
		c.cut()
	}
}

// cut leaves the last pieces.
func (c *chain) cut() {
	first := len(c.pieces) - 1
	for first > 0 && len(c.text)-c.pieces[first].from < keepChain {
		first--
	}
	by := c.pieces[first].from
	c.text = append([]byte(nil), c.text[by:]...)
	c.pieces = append([]piece(nil), c.pieces[first:]...)
	for i := range c.pieces {
		c.pieces[i].from -= by
		c.pieces[i].to -= by
	}
}

func (cs *chains) end(at stream, c *chain) {
	delete(cs.open, at)
	cs.flush(c)
}

// close ends all chains, in the order of their streams.
func (cs *chains) close() {
	for _, at := range slices.SortedFunc(maps.Keys(cs.open), func(a, b stream) int {
		return cmp.Or(a.conn-b.conn, a.trip-b.trip, int(a.stream)-int(b.stream), int(a.way)-int(b.way))
	}) {
		cs.end(at, cs.open[at])
	}
}

// alone reports whether a record is a message on one line, which is looked at by
// itself.
func alone(rec *session.Record, line []byte) bool {
	at := bodyAt(rec, line) + len(`,"`)
	return rec.Kind == session.RecFrame && len(rec.Body) > 0 && rec.Body[0] == '{' && at < len(line) && line[at] == 'b'
}

// learnChain learns what a chain holds.
func (r *Redactor) learnChain(c *chain) {
	for _, s := range r.spans(c.text, session.RecRaw) {
		i := r.known.learn(s.Value, s.Kind)
		r.edit(c, mark{from: s.From, to: s.To, secret: i})
	}
}

// edit notes what is to be replaced in the pieces of a chain.
func (r *Redactor) edit(c *chain, m mark) {
	began := false // began: the placeholder is in an earlier raw piece of the same line.
	for _, p := range c.pieces {
		from, to := max(m.from, p.from), min(m.to, p.to)
		if from >= to {
			continue
		}
		r.edits[p.off] = append(r.edits[p.off], mark{from: from - p.from, to: to - p.from, secret: m.secret, empty: p.raw && began})
		began = p.raw || began
	}
}

// findInChains notes the known secrets that are across the cuts of chains.
func (r *Redactor) findInChains(ctx context.Context) error {
	cs := newChains(func(c *chain) {
		for _, m := range r.find.marks(c.text) {
			for _, p := range c.pieces {
				if m.from < p.to && m.to > p.to || m.from < p.from && m.to > p.from {
					r.edit(c, m)
					break
				}
			}
		}
	})
	if err := r.walk(ctx, 0, func(rec *session.Record, line []byte) error {
		if rec.Kind == session.RecFrame || rec.Kind == session.RecRaw || rec.Kind == session.RecGap {
			cs.add(rec, line)
		}
		return nil
	}); err != nil {
		return err
	}
	cs.close()
	return nil
}
