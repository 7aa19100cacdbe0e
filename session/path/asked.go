package path

import (
	"sync"
	"time"

	"wiretea/session"
)

// maxAsked is how many requests under way are remembered.
const maxAsked = 65_536

// askedKey names a request that is under way.
type askedKey struct {
	scope  int // scope is the connection or the round trip in which ids are unique.
	sender session.Stream
	id     string // id is its raw text.
}

// asked are the requests that are under way, so that their responses can be told apart.
type asked struct {
	mu   sync.Mutex
	open map[askedKey]question
}

// A question is what a response has of its request.
type question struct {
	method, target string
	token          string // token is the raw text of its progress token; empty for none.
	modern         bool
	at             time.Time // at is when it came.
}

func (a *asked) add(key askedKey, q question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[askedKey]question{}
	}
	if len(a.open) >= maxAsked {
		for old := range a.open {
			delete(a.open, old)
			break
		}
	}
	a.open[key] = q
}

// find returns the request that a response answers.
func (a *asked) find(key askedKey) question {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open[key]
}

// drop forgets a request.
func (a *asked) drop(key askedKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, key)
}

// forget forgets the requests of a scope.
func (a *asked) forget(scope int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key := range a.open {
		if key.scope == scope {
			delete(a.open, key)
		}
	}
}
