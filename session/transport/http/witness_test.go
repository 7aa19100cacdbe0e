package http

import (
	"bytes"
	"io"
	"sync"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/session/transport"
)

// patience guards against hanging; nothing waits that long when all is well.
const patience = time.Minute

// A seen is what a tap has of one round trip.
type seen struct {
	events []session.HTTPEvent
	bodies [2][]byte // bodies are those of the request and the response.
	lost   [2]int64
}

// event returns the first event of that name; its zero value if there is none.
func (s seen) event(name string) session.HTTPEvent {
	for _, ev := range s.events {
		if ev.Event == name {
			return ev
		}
	}
	return session.HTTPEvent{}
}

// A witness is the consumer of a tap.
type witness struct {
	t    *testing.T
	log  *Log
	done chan struct{}

	mu      sync.Mutex
	changed chan struct{} // changed is closed and replaced at each batch.
	trips   map[int]*seen
	sums    func(trip int, s session.Stream, data []byte) // sums is called instead of keeping bodies, if it is set.
}

func newWitness(t *testing.T) *witness {
	w := &witness{t: t, log: &Log{Tap: transport.NewTap(time.Now(), transport.TapConfig{}), Key: []byte("key")},
		done: make(chan struct{}), changed: make(chan struct{}), trips: map[int]*seen{}}
	go w.run()
	t.Cleanup(func() {
		w.log.Wait()
		w.log.Tap.Close()
		<-w.done
	})
	return w
}

func (w *witness) run() {
	defer close(w.done)
	for {
		batch, _, err := w.log.Tap.Take(0)
		if err == io.EOF {
			return
		}
		w.mu.Lock()
		for _, o := range batch {
			w.see(o)
		}
		close(w.changed)
		w.changed = make(chan struct{})
		w.mu.Unlock()
	}
}

func (w *witness) see(o session.Observation) {
	s := w.trips[o.Trip]
	if s == nil {
		s = &seen{}
		w.trips[o.Trip] = s
	}
	ended := len(s.events) > 0 && s.events[len(s.events)-1].Event == "end"
	if ended {
		w.t.Errorf("round trip %d: %v after its end", o.Trip, o.Kind)
	}
	switch o.Kind {
	case session.ObsHTTP:
		s.events = append(s.events, *o.HTTP)
	case session.ObsBytes:
		if w.sums != nil {
			w.sums(o.Trip, o.Stream, o.Data)
			return
		}
		if o.Stream == session.S2C && s.event("res").Event == "" {
			w.t.Errorf("round trip %d: a body before its head: %q", o.Trip, o.Data)
		}
		s.bodies[o.Stream] = append(s.bodies[o.Stream], o.Data...)
	case session.ObsGap:
		s.lost[o.Gap.Stream] += o.Gap.Bytes
	}
}

// wait waits until a round trip is as it is wanted, and returns it.
func (w *witness) wait(trip int, what string, ok func(*seen) bool) seen {
	w.t.Helper()
	timeout := time.After(patience)
	for {
		w.mu.Lock()
		s := w.trips[trip]
		if s != nil && ok(s) {
			copied := seen{events: append([]session.HTTPEvent(nil), s.events...), lost: s.lost}
			for i := range s.bodies {
				copied.bodies[i] = bytes.Clone(s.bodies[i])
			}
			w.mu.Unlock()
			return copied
		}
		changed := w.changed
		w.mu.Unlock()
		select {
		case <-changed:
		case <-timeout:
			w.t.Fatalf("round trip %d: no %s, got %+v", trip, what, s)
		}
	}
}

// whole waits for the end of a round trip.
func (w *witness) whole(trip int) seen {
	w.t.Helper()
	return w.wait(trip, "end", func(s *seen) bool { return s.event("end").Event != "" })
}
