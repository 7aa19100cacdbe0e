package transport

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

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
// With a session.Judge both streams are forwarded line by line, as it decides:
//
//	client ──► line hold ──► injector ──► server
//	client ◄────────────── line hold ◄─── server
//	               │ Decide: pass, alter, drop, answer
//	               ▼
//	         session.Judge
//
// In the record injected bytes have the way out and removed ones the way in, at their
// place in the stream.
type Gate struct {
	in    injector
	asked lineHold // asked is the stream to the server, while a Judge decides.
	out   lineHold
	backs [2]backlog // backs are the Judge's own lines to the server and to the client.

	relays [2]atomic.Pointer[Relay] // relays are those of the two streams, once they are open.
	server atomic.Pointer[Process]  // server is nil where its process is not ours.
}

// A Process is the server, as faults act on it: a Child. Its methods do nothing once it has
// ended.
type Process interface {
	Kill()                 // Kill kills it.
	Suspend(time.Duration) // Suspend stops it for that time.
	Resume()               // Resume ends Suspend.
}

// Serves says which process the faults act on.
func (g *Gate) Serves(p Process) { g.server.Store(&p) }

// NewGate returns a Gate for the relays of one connection. The filter may be nil. Lines longer than limit
// bytes are not held; 0 means DefaultHold.
func NewGate(filter ResponseFilter, limit int) *Gate {
	limit = cmp.Or(limit, DefaultHold)
	g := &Gate{in: injector{atLineEnd: true}}
	g.asked = lineHold{gate: g, stream: session.C2S, limit: limit, atLineEnd: true}
	g.out = lineHold{gate: g, stream: session.S2C, filter: filter, limit: limit, atLineEnd: true}
	g.backs[session.C2S].give = func(line []byte, d *session.Decided) bool {
		_ = g.in.put(context.Background(), line, d) // It fails when the stream has ended.
		return true
	}
	g.backs[session.S2C].give = g.out.give
	return g
}

// Decide makes only whole lines pass from now on, as the Judge decides; nil ends that.
func (g *Gate) Decide(j session.Judge) {
	for _, s := range []*lineHold{&g.asked, &g.out} {
		if j == nil {
			s.judge.Store(nil)
			s.release()
			continue
		}
		s.judge.Store(&j)
	}
}

// carryC2S forwards a chunk of the client's.
func (g *Gate) carryC2S(r *Relay, chunk []byte) (over bool, err error) {
	if !g.asked.on() && (!g.asked.begun || g.asked.leave()) {
		return g.in.carry(r, chunk)
	}
	if !g.asked.begun {
		g.asked.begun, g.asked.atLineEnd = true, g.in.atLineEnd // Only the relay has written until now.
	}
	return g.asked.carry(r, chunk)
}

func (g *Gate) backTo(s session.Stream) *backlog { return &g.backs[s&1] }

// Put writes a line, with its line feed, to the server, once the stream is at the end
// of a line and has room: a chunk of the client's is split there if necessary, and its
// parts stay in order. Until then ctx can end the call, and nothing is written.
// Afterwards the line is written whole, however long that takes, or the error says why
// the server will never get it. ErrStreamEnded is returned when the stream has ended.
func (g *Gate) Put(ctx context.Context, line []byte) error { return g.in.put(ctx, line, nil) }

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
func (g *Gate) Flush() {
	g.settle(&g.out)
	g.out.flush()
}

// Settle has the Judge settle what waits in both streams, because the session ends.
func (g *Gate) Settle() {
	g.asked.ended()
	g.out.ended()
}

// settle has what waits in a stream settled, and written, unless that cannot be.
func (g *Gate) settle(s *lineHold) {
	if s.ended(); s == &g.asked && g.in.idle() || s == &g.out && s.between() {
		g.backs[s.stream&1].wait()
	}
}

func (g *Gate) open(r *Relay) {
	if r.Stream != session.Stderr {
		g.relays[r.Stream].Store(r)
	}
	switch r.Stream {
	case session.C2S:
		g.in.open(r)
		g.asked.open(r)
	case session.S2C:
		g.out.open(r)
	case session.Stderr:
	}
}

// shut is called by the relay when it ends.
func (g *Gate) shut(r *Relay) {
	switch r.Stream {
	case session.C2S:
		g.settle(&g.asked)
		g.asked.flush()
		g.resume()
		g.backs[session.C2S].rush(g.in.quiet())
		g.in.shut()
	case session.S2C:
		g.settle(&g.out)
		g.out.flush()
		g.out.tear()
		g.backs[session.S2C].rush(true)
		g.backs[session.S2C].wait()
		g.out.shut()
	case session.Stderr:
	}
}
