package transport

import (
	"crypto/sha256"
	"hash"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"wiretea/session"
)

// patience guards against hanging; nothing waits that long when all is well.
const patience = 2 * time.Minute

// A witness is the consumer of a tap: it keeps the events, hashes the bytes, and
// checks what holds for every batch.
type witness struct {
	t    *testing.T
	tap  *Tap
	done chan struct{}

	mu      sync.Mutex
	changed chan struct{} // changed is closed and replaced at each batch.
	events  []session.Observation
	sums    [3]hash.Hash
	bytes   [3]int64
	heads   [3][]byte // heads are each stream's first bytes.
	gaps    int64
	last    int64
}

func newWitness(t *testing.T) *witness {
	w := &witness{t: t, tap: NewTap(time.Now(), TapConfig{}), done: make(chan struct{}), changed: make(chan struct{})}
	for i := range w.sums {
		w.sums[i] = sha256.New()
	}
	go w.run()
	t.Cleanup(w.close)
	return w
}

func (w *witness) run() {
	defer close(w.done)
	for {
		batch, _, err := w.tap.Take(0)
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
	if o.T < w.last {
		w.t.Errorf("time runs backwards: %d after %d", o.T, w.last)
	}
	w.last = o.T
	switch o.Kind {
	case session.ObsBytes:
		w.sums[o.Stream].Write(o.Data)
		w.bytes[o.Stream] += int64(len(o.Data))
		if room := 4096 - len(w.heads[o.Stream]); room > 0 {
			w.heads[o.Stream] = append(w.heads[o.Stream], o.Data[:min(room, len(o.Data))]...)
		}
	case session.ObsGap:
		w.gaps += o.Gap.Bytes
	case session.ObsIO, session.ObsProc:
		w.events = append(w.events, o)
	}
}

// await waits until the condition holds; it is asked after each batch, under the
// lock.
func (w *witness) await(what string, ok func() bool) {
	w.t.Helper()
	guard := time.NewTimer(patience)
	defer guard.Stop()
	for {
		w.mu.Lock()
		met, changed := ok(), w.changed
		w.mu.Unlock()
		if met {
			return
		}
		select {
		case <-changed:
		case <-guard.C:
			w.t.Fatalf("no %s; events: %v", what, w.story())
		}
	}
}

// awaitText waits for a text among a stream's first bytes.
func (w *witness) awaitText(s session.Stream, text string) {
	w.t.Helper()
	w.await(text, func() bool { return slices.Contains(splitLines(w.heads[s]), text) })
}

// awaitEvent waits for an event in the words of story.
func (w *witness) awaitEvent(words string) {
	w.t.Helper()
	w.await(words, func() bool {
		return slices.ContainsFunc(w.events, func(o session.Observation) bool { return tell(o) == words })
	})
}

// close ends the tap and waits for the witness to have seen everything.
func (w *witness) close() {
	w.tap.Close()
	<-w.done
}

// story returns the events so far, one line each, without what differs from run
// to run.
func (w *witness) story() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for _, o := range w.events {
		lines = append(lines, tell(o))
	}
	return lines
}

func (w *witness) tells(words string) bool { return slices.Contains(w.story(), words) }

// before checks the order of two events.
func (w *witness) before(first, second string) {
	w.t.Helper()
	story := w.story()
	i, j := slices.Index(story, first), slices.Index(story, second)
	if i < 0 || j < 0 || i > j {
		w.t.Errorf("want %q before %q in %q", first, second, story)
	}
}

func (w *witness) head(s session.Stream) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.heads[s])
}
