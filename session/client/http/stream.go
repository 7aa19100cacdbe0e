package http

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"wiretea/session/framing"
	"wiretea/session/mcp"
)

const (
	maxSyntax  = 64 << 10 // maxSyntax is how much of an event beside its data is kept, in bytes.
	maxFails   = 5        // maxFails is how often in a row a stream is asked for in vain.
	firstDelay = time.Second
	mostDelay  = 30 * time.Second

	// lingering is how long a stream stays open behind its answer: the server should
	// end it.
	lingering = 10 * time.Second

	// settled is how long a stream lives that was not ended at once.
	settled = 5 * time.Second
)

// An eventStream is a stream of events, over all its round trips.
type eventStream struct {
	conn  *Conn
	ctx   context.Context
	post  *post                               // post is what is answered; nil where nothing is.
	head  http.Header                         // head is the first response's.
	heard func()                              // heard is called when listen has got its first answer.
	took  func(name string, data []byte) bool // took takes events in the place of Read, where it returns true; nil for none.

	split  framing.Splitter
	syntax []byte // syntax is what the event has beside its data.
	data   []byte
	over   bool // over: data is longer than is kept.

	id       string        // id is that of the last event that had one.
	retry    time.Duration // retry is what the server wants; 0 = it has not said.
	events   int           // events counts them.
	bare     bool          // bare: it begins with JSON that is in no event.
	answered bool
	trailed  func() // trailed notes the end of a stream that was open behind its answer; nil before the answer.
	long     bool   // long: a message was longer than is kept.
}

// follow reads one round trip to its end, which it closes.
func (s *eventStream) follow(r *reply) error {
	defer func() {
		r.close()
		if s.trailed != nil {
			s.trailed()
		}
	}()
	s.split = framing.Splitter{Mode: framing.Events}
	s.syntax, s.data, s.over = nil, nil, false
	err := r.read(func(chunk []byte) error {
		before := s.answered
		s.split.Push(chunk, s.piece)
		if s.answered && !before {
			s.post.leave()
			time.AfterFunc(lingering, r.end)
		}
		return nil
	})
	s.split.Flush(s.piece)
	return err
}

// piece takes a part of an event.
func (s *eventStream) piece(p framing.Piece) {
	if len(s.syntax)+len(p.Pre) <= maxSyntax {
		s.syntax = append(s.syntax, p.Pre...)
	}
	if s.over = s.over || len(s.data)+len(p.Data) > maxMessage; s.over {
		s.data = nil
	} else {
		s.data = append(s.data, p.Data...)
	}
	if !p.End {
		return
	}
	s.event(len(p.Term) > 0)
	s.syntax, s.data, s.over = s.syntax[:0], nil, false
}

// event takes an event. One that the end of the stream cuts off is not whole, and its
// message may be.
func (s *eventStream) event(whole bool) {
	f := framing.EventFields(s.syntax)
	if f.HasID && whole && !strings.ContainsRune(f.ID, 0) {
		s.id = f.ID
	}
	if ms, err := strconv.ParseUint(f.Retry, 10, 31); err == nil {
		s.retry = time.Duration(ms) * time.Millisecond
	}
	if len(s.syntax) > 0 {
		s.bare = s.bare || s.events == 0 && bytes.HasPrefix(bytes.TrimSpace(s.syntax), []byte("{"))
		s.events++
	}
	switch {
	case s.over:
		s.long = true
	case len(bytes.TrimSpace(s.data)) == 0:
	case s.took != nil && s.took(f.Name, s.data):
	default:
		s.message()
	}
}

// message takes the data of an event.
func (s *eventStream) message() {
	var left []string
	if s.post != nil {
		left = s.post.left
	}
	a := look(s.data, left...)
	if a.answer {
		s.post.left = a.left
		if len(a.left) == 0 && !s.answered { // It is noted before the caller has the answer.
			s.answered, s.trailed = true, s.conn.trail()
		}
		s.conn.learn(s.post, s.head, a)
		if s.post.number != 0 {
			return
		}
	}
	s.conn.give(s.ctx, s.data)
	if a.answer && s.post.method == mcp.Initialize {
		s.post.sent() // What waits for the answer is answered behind it.
	}
}

// trail notes a stream that is open behind its answer, until ended is called.
func (c *Conn) trail() (ended func()) {
	end := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trailing = append(c.trailing, end)
	return sync.OnceFunc(func() {
		close(end)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.trailing = slices.DeleteFunc(c.trailing, func(other chan struct{}) bool { return other == end })
	})
}

// AwaitEnds waits until the streams that have brought their answers have ended, for limit
// at most.
func (c *Conn) AwaitEnds(ctx context.Context, limit time.Duration) {
	c.mu.Lock()
	all := slices.Clone(c.trailing)
	c.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for _, end := range all {
		select {
		case <-end:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// resume continues a stream that ended before its answer, where that is possible: by GET,
// whatever opened it ([V4] basic/transports §Resumability and Redelivery). cause is how
// it ended; what it returns is how it ended at last.
func (s *eventStream) resume(cause error) error {
	for fails := 0; s.id != "" && !s.answered && !s.conn.remote.opt.NoResume; {
		if !s.pause(fails) {
			return cause
		}
		before := s.events
		r, err := s.conn.ask(s.ctx, http.MethodGet, s.conn.place(), s.conn.current(), s.id)
		switch {
		case err != nil:
			cause = err
		case isStream(r):
			cause = s.follow(r)
		default:
			cause = fmt.Errorf("resuming it was refused: HTTP %d", r.StatusCode)
			s.conn.skip(r)
			if !passing(r.StatusCode) {
				return cause
			}
		}
		if fails++; s.events > before {
			fails = 0
		}
		if fails == maxFails {
			return cause
		}
	}
	return cause
}

// listen keeps the GET stream of a session open.
func (s *eventStream) listen(session sessionState) {
	for fails := 0; ; {
		before, began := s.events, time.Now()
		r, err := s.conn.ask(s.ctx, http.MethodGet, s.conn.place(), session, s.id)
		s.heard()
		switch {
		case err != nil:
		case isStream(r):
			err = s.follow(r)
		default:
			s.conn.skip(r)
			if !passing(r.StatusCode) {
				return
			}
			err = fmt.Errorf("HTTP %d", r.StatusCode)
		}
		if fails++; s.events > before || time.Since(began) > settled {
			fails = 0
		}
		switch {
		case s.ctx.Err() != nil, s.conn.remote.opt.NoResume:
			return
		case fails == maxFails:
			if err == nil {
				err = errors.New("the server ends it at once")
			}
			s.conn.remote.opt.Notice(fmt.Sprintf("the server's GET stream is not asked for again, after %d tries: %v", maxFails, err))
			return
		}
		if !s.pause(max(fails-1, 0)) {
			return
		}
	}
}

// isStream reports whether a response is a stream of events.
func isStream(r *reply) bool {
	return r.StatusCode == http.StatusOK && mediaType(r.Header) == typeEvents
}

// passing reports whether a refusal may be over soon.
func passing(status int) bool { return status >= 500 || status == http.StatusTooManyRequests }

// pause waits before a stream is asked for again: as long as the server wants, else
// longer each time. It reports false where the stream is not wanted any more.
func (s *eventStream) pause(fails int) bool {
	delay := cmp.Or(s.retry, min(firstDelay<<fails, mostDelay))
	select {
	case <-time.After(delay):
		return s.ctx.Err() == nil
	case <-s.conn.closing:
	case <-s.ctx.Done():
	}
	return false
}
