package transport

import (
	"context"
	"errors"

	"wiretea/session"
)

// ErrStreamEnded is returned by Gate.Put when nothing more can be written to the server.
var ErrStreamEnded = errors.New("the stream to the server has ended")

// A ResponseFilter says which of the server's lines the client must not see. Its methods
// are called by one goroutine at a time, while the stream waits: they return at
// once.
type ResponseFilter interface {
	// Ours reports whether a line is taken out of the stream. It has its
	// terminator, unless the stream ended without. It is valid during the call;
	// where keep is set it may be kept for good, and not changed.
	Ours(line []byte, keep bool) bool

	// TooLong is told of a line that grew too long to be held, and is forwarded
	// whatever it is: its parts, in order, the last one with end set. Where the
	// stream ends in mid-line none is the last.
	TooLong(part []byte, end bool)

	// Ended is called once, when nothing more comes from the server.
	Ended()
}

// DefaultHold is the longest line that is held until its end, in bytes.
const DefaultHold = 16 << 20

// A Gate stands in the two streams of a connection and lets somebody act on them:
// put lines of his own into the stream to the server, and take the answers out of
// the one that comes back. While nobody does, it costs a lock a chunk and alters
// nothing. It knows lines, and not what is in them: a ResponseFilter does.
//
//	client ──► inlet ──────────────► server
//	             ▲ Put: whole lines, between the client's own
//	client ◄── sieve ◄────────────── server
//	             │ Hold: line by line, those that are Ours stay here
//	             ▼
//	           ResponseFilter
//
// What is put has the Way out in the record, what is taken the Way in; both stand
// in their stream where they were put and taken.
type Gate struct {
	in  injector
	out responseHold
}

// NewGate returns a Gate for the relays of one connection. Lines longer than limit
// bytes are not held; 0 means DefaultHold.
func NewGate(judge ResponseFilter, limit int) *Gate {
	if limit == 0 {
		limit = DefaultHold
	}
	return &Gate{in: injector{atLineEnd: true}, out: responseHold{filter: judge, limit: limit, atLineEnd: true}}
}

// Put writes a line, with its line feed, to the server, once the stream stands at
// the end of a line and has room: a chunk of the client's is split there if that
// is needed, and its parts stay in order. Until then ctx can end it, and nothing
// is written; afterwards the line is written whole, however long that takes, or an
// error says why the server will never have it. ErrShut is returned when the
// stream has ended.
func (g *Gate) Put(ctx context.Context, line []byte) error { return g.in.put(ctx, line) }

// Hold lets nothing pass from the server but whole lines that are not Ours, from
// the next line on. It returns at once, and holds for all that is read afterwards.
func (g *Gate) Hold() { g.out.active.Store(true) }

// Resume ends Hold, at once. The beginning of a line may still be held: Release is
// to be called after it.
func (g *Gate) Resume() { g.out.active.Store(false) }

// Release forwards the beginning of a line that is held, if Hold does not hold
// any more. That takes as long as the client takes to read.
func (g *Gate) Release() { g.out.release() }

// Flush forwards at once what is held, because its end will not come any more.
func (g *Gate) Flush() { g.out.flush() }

func (g *Gate) open(r *Relay) {
	switch r.Stream {
	case session.C2S:
		g.in.open(r)
	case session.S2C:
		g.out.open(r)
	case session.Stderr:
	}
}

// shut is called by the relay when it ends.
func (g *Gate) shut(r *Relay) {
	switch r.Stream {
	case session.C2S:
		g.in.shut()
	case session.S2C:
		g.out.shut()
	case session.Stderr:
	}
}
