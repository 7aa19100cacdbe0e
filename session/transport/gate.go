package transport

import (
	"context"
	"errors"

	"wiretea/session"
)

// ErrStreamEnded is returned by Gate.Put when nothing more can be written to the server.
var ErrStreamEnded = errors.New("the stream to the server has ended")

// A ResponseFilter decides which of the server's lines the client must not see. Its
// methods are called by one goroutine at a time, while the stream waits: they return at
// once.
type ResponseFilter interface {
	// Ours reports whether a line is removed from the stream. It includes its
	// terminator, except at the end of the stream. It is valid during the call; if keep
	// is set, it may be kept, and must not be changed.
	Ours(line []byte, keep bool) bool

	// TooLong receives a line that is too long to be held, and is forwarded in any
	// case: its parts, in order, the last one with end set. Where the stream ends in
	// mid-line no part has it.
	TooLong(part []byte, end bool)

	// Ended is called once, when nothing more comes from the server.
	Ended()
}

// DefaultHold is the longest line that is held until its end, in bytes.
const DefaultHold = 16 << 20

// A Gate acts on the two streams of a connection: it injects lines into the stream to
// the server, and removes the answers from the stream that comes back. While it is not
// in use, it costs a lock a chunk and alters nothing. It knows lines, and not their
// content: a ResponseFilter does.
//
//	client ──► injector ───────────► server
//	             ▲ Put: whole lines, between the client's own
//	client ◄── response hold ◄────── server
//	             │ Hold: line by line, without those that are Ours
//	             ▼
//	           ResponseFilter
//
// In the record injected bytes have the way out and removed ones the way in, at their
// place in the stream.
type Gate struct {
	in  injector
	out responseHold
}

// NewGate returns a Gate for the relays of one connection. Lines longer than limit
// bytes are not held; 0 means DefaultHold.
func NewGate(filter ResponseFilter, limit int) *Gate {
	if limit == 0 {
		limit = DefaultHold
	}
	return &Gate{in: injector{atLineEnd: true}, out: responseHold{filter: filter, limit: limit, atLineEnd: true}}
}

// Put writes a line, with its line feed, to the server, once the stream is at the end
// of a line and has room: a chunk of the client's is split there if necessary, and its
// parts stay in order. Until then ctx can end the call, and nothing is written.
// Afterwards the line is written whole, however long that takes, or the error says why
// the server will never get it. ErrStreamEnded is returned when the stream has ended.
func (g *Gate) Put(ctx context.Context, line []byte) error { return g.in.put(ctx, line) }

// Hold makes only whole lines pass from the server, those that are not Ours, from the
// next line on. It returns at once, and applies to all that is read afterwards.
func (g *Gate) Hold() { g.out.active.Store(true) }

// Resume ends Hold, at once. The beginning of a line may still be held: call Release
// after it.
func (g *Gate) Resume() { g.out.active.Store(false) }

// Release forwards the held beginning of a line, unless Hold applies again. It takes
// as long as the client takes to read.
func (g *Gate) Release() { g.out.release() }

// Flush forwards what is held at once: the end of the line will not come.
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
