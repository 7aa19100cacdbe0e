package source

import (
	"context"
	"slices"
	"sync"

	"wiretea/session/client"
)

// Questions is the queue in which the server's requests wait for a person's answer:
// elicitation, sampling, roots. It is a client.Asker; a Source that is Asking gives it
// to the screen. A question waits until it is settled, or withdrawn by the server.
type Questions struct {
	ring func()

	mu   sync.Mutex
	open []*Question // open is replaced, never changed.
}

// A Question waits in a queue of Questions.
type Question struct {
	client.Question
	answer chan client.Answer // answer has room for the only one.
}

// NewQuestions returns an empty queue. ring is called from any goroutine, and must
// return at once, whenever a question comes or goes; nil = nobody is told.
func NewQuestions(ring func()) *Questions {
	if ring == nil {
		ring = func() {}
	}
	return &Questions{ring: ring}
}

// Ask implements client.Asker: it waits for as long as a person takes, or until
// ctx ends.
func (q *Questions) Ask(ctx context.Context, asked client.Question) client.Answer {
	one := &Question{Question: asked, answer: make(chan client.Answer, 1)}
	q.mu.Lock()
	q.open = append(slices.Clip(q.open), one)
	q.mu.Unlock()
	q.ring()
	select {
	case a := <-one.answer:
		return a
	case <-ctx.Done():
	}
	if q.take(one) {
		q.ring()
		return client.Answer{} // nobody is given it
	}
	return <-one.answer // it was settled at the same moment
}

// Open returns the questions that wait, oldest first. The slice must not be
// changed. It costs nothing.
func (q *Questions) Open() []*Question {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.open
}

// Settle answers a question. It reports false where it is not asked any more.
func (q *Questions) Settle(one *Question, a client.Answer) bool {
	if !q.take(one) {
		return false
	}
	one.answer <- a
	q.ring()
	return true
}

// take takes a question from the queue. It reports false where it is not there.
func (q *Questions) take(one *Question) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.open, one)
	if i < 0 {
		return false
	}
	q.open = slices.Concat(q.open[:i], q.open[i+1:])
	return true
}
