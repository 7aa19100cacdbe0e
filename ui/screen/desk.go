package screen

import (
	"context"
	"slices"
	"sync"

	"wiretea/session/client"
)

// A Desk is where the server's questions wait for a person. It is a
// client.Asker; a Source that is Asking shows it to the screen. A question lies
// there until it is settled, or withdrawn by whoever asked.
type Desk struct {
	ring func()

	mu   sync.Mutex
	open []*Inquiry // open is replaced, never changed.
}

// An Inquiry is a question that lies on a Desk.
type Inquiry struct {
	client.Question
	answer chan client.Answer // answer has room for the only one.
}

// NewDesk returns an empty desk. ring is called from any goroutine, and must
// return at once, whenever a question comes or goes; nil = nobody is told.
func NewDesk(ring func()) *Desk {
	if ring == nil {
		ring = func() {}
	}
	return &Desk{ring: ring}
}

// Ask implements client.Asker: it waits for as long as a person takes, or until
// ctx ends.
func (d *Desk) Ask(ctx context.Context, q client.Question) client.Answer {
	one := &Inquiry{Question: q, answer: make(chan client.Answer, 1)}
	d.mu.Lock()
	d.open = append(slices.Clip(d.open), one)
	d.mu.Unlock()
	d.ring()
	select {
	case a := <-one.answer:
		return a
	case <-ctx.Done():
	}
	if d.take(one) {
		d.ring()
		return client.Answer{} // nobody is given it
	}
	return <-one.answer // it was settled at the same moment
}

// Open returns the questions that wait, oldest first. The slice must not be
// changed. It costs nothing.
func (d *Desk) Open() []*Inquiry {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// Settle answers a question. It reports false where it is not asked any more.
func (d *Desk) Settle(one *Inquiry, a client.Answer) bool {
	if !d.take(one) {
		return false
	}
	one.answer <- a
	d.ring()
	return true
}

// take takes a question from the desk. It reports false where it does not lie
// there.
func (d *Desk) take(one *Inquiry) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.open, one)
	if i < 0 {
		return false
	}
	d.open = slices.Concat(d.open[:i], d.open[i+1:])
	return true
}
