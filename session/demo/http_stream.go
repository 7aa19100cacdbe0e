package demo

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// keepAlive is how often a silent stream carries a comment, so that nothing on
	// the way closes it.
	keepAlive = 15 * time.Second

	// maxEvents is how many events of a stream are kept.
	maxEvents = 1000
)

// A stream is a sequence of messages to a client. It outlives the connections
// that carry it: [V4] basic/transports §Resumability and Redelivery.
type stream struct {
	number int  // number tells it from the session's other streams; 0 = its events have no ids.
	primed bool // primed: it begins with an event without data ([V4] basic/transports §Sending Messages).
	named  bool // named: events have the name message, as in the transport of 2024-11-05.

	mu     sync.Mutex
	events [][]byte
	begun  bool          // begun: a connection has carried it.
	gone   int           // gone is how many events before these were dropped.
	sent   int           // sent is how many events were written to a connection.
	due    int           // due is how many responses are missing: the last one ends the stream.
	over   bool          // over: nothing follows.
	turn   int           // turn numbers the connections: the latest one carries the stream.
	taken  bool          // taken: a connection carries it.
	change chan struct{} // change is closed when one of these changes.
}

func newStream(number, due int) *stream {
	return &stream{number: number, due: due, change: make(chan struct{})}
}

// put adds a message. answer says that it is the response to a request.
func (st *stream) put(body []byte, answer bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.over {
		return
	}
	if len(st.events) == maxEvents {
		st.events, st.gone = st.events[1:], st.gone+1
	}
	st.events = append(st.events, body)
	if answer {
		st.due--
		st.over = st.due == 0
	}
	st.changed()
}

// end ends the stream.
func (st *stream) end() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.over = true
	st.changed()
}

func (st *stream) changed() {
	close(st.change)
	st.change = make(chan struct{})
}

// only returns the only message of a stream that is over.
func (st *stream) only() (body []byte, ok bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.over || st.gone+len(st.events) != 1 {
		return nil, false
	}
	return st.events[0], true
}

// empty reports whether nothing was sent, and nothing follows.
func (st *stream) empty() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.over && st.gone+len(st.events) == 0
}

// ended reports whether nothing follows.
func (st *stream) ended() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.over
}

// carried reports whether a connection carries the stream.
func (st *stream) carried() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.taken
}

// carry writes the events after the first ones to a connection, or with -1 those
// that no connection carried, until the stream is over, ctx ends or another
// connection takes over.
func (st *stream) carry(ctx context.Context, w http.ResponseWriter, after int) {
	st.mu.Lock()
	st.turn++
	st.taken = true
	mine := st.turn
	if after < 0 {
		after = st.sent
	}
	prime := st.primed && !st.begun
	st.begun = true
	st.changed()
	st.mu.Unlock()
	defer func() {
		st.mu.Lock()
		st.taken = st.turn != mine
		st.mu.Unlock()
	}()
	streamHeader(w)
	flush := http.NewResponseController(w).Flush
	if prime {
		fmt.Fprintf(w, "id: %d-0\ndata:\n\n", st.number)
	}
	// A connection that is broken ends ctx, so errors of writing and flushing say nothing new.
	_ = flush()
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		text, next, over, change := st.next(after, mine)
		if text != nil {
			_, _ = w.Write(text)
			_ = flush()
			after = next
			tick.Reset(keepAlive)
		}
		if over {
			return
		}
		select {
		case <-change:
		case <-ctx.Done():
			return
		case <-tick.C:
			fmt.Fprint(w, ": keep-alive\n\n")
			_ = flush()
		}
	}
}

// next returns the events after the first ones as text, and how many there are
// by then. over: the connection has nothing more to carry.
func (st *stream) next(after, mine int) (text []byte, n int, over bool, change <-chan struct{}) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.turn != mine {
		return nil, after, true, nil
	}
	for n = max(after, st.gone); n < st.gone+len(st.events); n++ {
		if st.number > 0 {
			text = fmt.Appendf(text, "id: %d-%d\n", st.number, n+1)
		}
		if st.named {
			text = append(text, "event: message\n"...)
		}
		text = fmt.Appendf(text, "data: %s\n\n", st.events[n-st.gone])
	}
	if st.sent = max(st.sent, n); st.number == 0 {
		st.events, st.gone = nil, n // it cannot be resumed
	}
	return text, n, st.over, st.change
}
