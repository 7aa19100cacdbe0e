package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"wiretea/session/filewatch"
	"wiretea/session/transport"
	"wiretea/ui/source"
)

// A watcher builds and restarts a server when the files change that it is made of,
// and asks it again what it was asked last:
//
//	idle ── files change ──► building ── fine ──► restarting ──► calling ──► idle
//	  ▲                        │  ▲ files changed meanwhile        │
//	  └───────── failed ───────┘  └────────────────────────────────┘
//
// What a build or the server itself writes below the watched folders does not make
// it go round for ever: see ownFiles. It owns no process: builder and server do.
type watcher struct {
	files  changes
	build  builder // build is nil where there is nothing to build.
	server restarter
	tell   func(watchNews) // tell is called from run's goroutine alone.
	now    func() time.Time
	moved  func() // moved is called when the state has changed.

	wake chan struct{} // wake has a token when somebody wants a build now.
	own  ownFiles

	mu    sync.Mutex // mu guards what follows.
	state source.WatchState
	off   bool
}

// What a watcher works on.
type (
	// changes tell what was changed: watch.Files.
	changes interface {
		Batches() <-chan filewatch.Batch
		Taken(ctx context.Context) (filewatch.Batch, error)
		Folders() int
		Named() []string
		Err() error
	}

	// A builder builds the server. It returns when the build has ended, which it
	// does, with all that it started, when ctx ends.
	builder interface {
		Build(ctx context.Context) source.Built
	}

	// A restarter is the server.
	restarter interface {
		// Restart ends the server and starts it again.
		Restart(ctx context.Context) error

		// Last is the last request that the user sent, and its answer.
		Last() (lastCall, bool)

		// Call sends a request and returns its answer.
		Call(ctx context.Context, call lastCall) (callAnswer, error)
	}
)

// A lastCall is a request that the user has sent, and what came of it.
type lastCall struct {
	method, name string // name is the tool, the prompt or the uri; may be empty.
	params       []byte // params are its bytes; nil = none.
	answer       callAnswer
}

// A callAnswer is the result of a request, or its error. The zero answer is none.
type callAnswer struct {
	word string // word is result or error, empty = there is no answer.
	body []byte
}

// watchNews is what a watcher tells, in its order. One of the fields is set.
type watchNews struct {
	building  *buildBegun
	built     *source.Built
	restarted *restartDone // restarted is also the first start.
	called    *callDone
	own       string // own is a file that the server writes itself, so that it does not count any more.
	ignore    string // ignore is a path that does not count, from the command line.
	ended     error  // ended is why nothing is watched any more.
}

type (
	// A buildBegun says why: what was changed, nothing where somebody asked for it.
	buildBegun struct {
		changed filewatch.Batch
		again   bool // again: it changed while the round before went on.
	}

	// A restartDone server was restarted, or not.
	restartDone struct {
		first bool // first: it was started, not restarted.
		took  time.Duration
		err   error
	}

	// A callDone was sent again. What it was answered before is in call.
	callDone struct {
		call lastCall
		now  callAnswer
		err  error
	}
)

// run starts the server with start, and watches until ctx ends, or the watching does.
// A program that cannot be started is built at once.
func (w *watcher) run(ctx context.Context, start func(context.Context) error) {
	var missing *transport.StartError
	changed, _ := w.restart(ctx, func(ctx context.Context) error {
		err := start(ctx)
		_ = errors.As(err, &missing)
		return err
	}, true)
	changed, again := w.meanwhile(ctx, changed)
	// What is not there may have to be built first.
	if again || missing != nil && w.build != nil && ctx.Err() == nil {
		w.round(ctx, changed)
	}
	w.set(source.WatchIdle)
	for {
		select {
		case <-ctx.Done():
			return
		case batch, more := <-w.files.Batches():
			switch {
			case !more:
				if err := w.files.Err(); err != nil && ctx.Err() == nil {
					w.tell(watchNews{ended: err})
				}
				w.set(source.WatchOver)
				return
			case w.isOff() || w.own.server(batch):
				continue
			}
			w.own.outside(batch)
			w.round(ctx, batch)
		case <-w.wake:
			w.own.outside(nil)
			w.round(ctx, nil)
		}
		w.set(source.WatchIdle)
	}
}

// round builds, restarts and asks again, as often as files change meanwhile.
func (w *watcher) round(ctx context.Context, changed filewatch.Batch) {
	for again, on := false, true; on && ctx.Err() == nil; again = true {
		fine, more := w.built(ctx, changed, again)
		switch {
		case more != nil:
			changed = more
			continue
		case !fine || ctx.Err() != nil:
			return
		}
		changed, on = w.restartedAndAsked(ctx)
	}
}

// built builds, where there is something to build. It reports whether the server
// can be restarted, and what else was changed meanwhile.
func (w *watcher) built(ctx context.Context, changed filewatch.Batch, again bool) (fine bool, more filewatch.Batch) {
	if w.build == nil {
		w.tell(watchNews{building: &buildBegun{changed, again}})
		return true, nil
	}
	// What has changed up to now is in this build.
	if _, err := w.files.Taken(ctx); err != nil {
		return false, nil
	}
	w.set(source.WatchBuilding)
	w.tell(watchNews{building: &buildBegun{changed, again}})
	built := w.build.Build(ctx)
	if ctx.Err() != nil {
		return false, nil
	}
	w.failed(!built.OK())
	w.tell(watchNews{built: &built})
	meanwhile, err := w.files.Taken(ctx)
	if err != nil {
		return false, nil
	}
	more, _ = w.own.during(byBuild, meanwhile)
	return built.OK(), more
}

// restartedAndAsked restarts the server and sends the last call again. It returns
// what was changed meanwhile, and whether that needs another round.
func (w *watcher) restartedAndAsked(ctx context.Context) (filewatch.Batch, bool) {
	if w.build == nil {
		if _, err := w.files.Taken(ctx); err != nil {
			return nil, false
		}
	}
	// The answer that the new one is compared with is read before the server ends.
	call, any := w.server.Last()
	changed, fine := w.restart(ctx, w.server.Restart, false)
	if fine && any {
		changed = joined(changed, w.ask(ctx, call))
	}
	return w.meanwhile(ctx, changed)
}

// meanwhile returns what was changed while the server was started and asked, with
// what is not told yet, and whether that needs another round.
func (w *watcher) meanwhile(ctx context.Context, changed filewatch.Batch) (filewatch.Batch, bool) {
	rest, err := w.files.Taken(ctx)
	if err != nil {
		return nil, false
	}
	fresh, own := w.own.during(byServer, joined(changed, rest))
	for _, path := range own {
		w.tell(watchNews{own: path})
	}
	return fresh, fresh != nil
}

// restart starts the server, and tells how that went.
func (w *watcher) restart(ctx context.Context, start func(context.Context) error, first bool) (changed filewatch.Batch, fine bool) {
	w.set(source.WatchRestarting)
	began := w.now()
	changed, whole, err := w.unlessChanged(ctx, start)
	if whole {
		w.tell(watchNews{restarted: &restartDone{first, w.now().Sub(began), err}})
	}
	return changed, whole && err == nil
}

// ask sends the call again, and tells what it was answered.
func (w *watcher) ask(ctx context.Context, call lastCall) filewatch.Batch {
	w.set(source.WatchCalling)
	var answer callAnswer
	changed, whole, err := w.unlessChanged(ctx, func(ctx context.Context) (err error) {
		answer, err = w.server.Call(ctx, call)
		return err
	})
	if whole {
		w.tell(watchNews{called: &callDone{call, answer, err}})
	}
	return changed
}

// unlessChanged does what may take its time. When somebody changes a file
// meanwhile it is given up: the server is about to end. It returns the changes so
// far, and whether it was done as a whole.
func (w *watcher) unlessChanged(ctx context.Context, do func(context.Context) error) (changed filewatch.Batch, whole bool, err error) {
	doing, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() {
		err := errPanicked
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("internal error: %v", p)
			}
			done <- err
		}()
		err = do(doing)
	}()
	batches := w.files.Batches()
	for {
		select {
		case batch, more := <-batches:
			if !more {
				batches = nil
				continue
			}
			changed = joined(changed, batch)
			if slices.ContainsFunc(batch, func(path string) bool { return w.own.counts(byServer, path) }) {
				cancel(errChangedAgain)
			}
		case err := <-done:
			return changed, context.Cause(doing) == nil, err
		}
	}
}

var errPanicked = errors.New("internal error")

// errChangedAgain is why something is given up whose server is about to end.
var errChangedAgain = errors.New("the files have changed again")

// joined are the changes of two batches.
func joined(a, b filewatch.Batch) filewatch.Batch {
	all := filewatch.Batch{}
	for _, batch := range []filewatch.Batch{a, b} {
		for _, path := range batch {
			all.Add(path)
		}
	}
	return all
}

// Now builds and restarts although nothing has changed.
func (w *watcher) Now() {
	select {
	case w.wake <- struct{}{}:
	default: // it is about to
	}
}

// Turn switches the watching on or off. What is under way goes on.
func (w *watcher) Turn(on bool) {
	w.mu.Lock()
	w.off = !on
	w.mu.Unlock()
	w.moved()
}

func (w *watcher) isOff() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.off
}

// State says how it stands.
func (w *watcher) State() source.WatchState {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.state
	s.Named, s.Folders, s.Off = namedPaths(w.files.Named()), w.files.Folders(), w.off
	if s.Phase != source.WatchIdle && s.Phase != source.WatchOver {
		s.For = w.now().Sub(s.Since)
	}
	return s
}

func (w *watcher) set(phase source.WatchPhase) {
	w.mu.Lock()
	if w.state.Phase != phase {
		w.state.Phase, w.state.Since = phase, w.now()
	}
	w.mu.Unlock()
	w.moved()
}

// failed keeps whether the latest build failed.
func (w *watcher) failed(yes bool) {
	w.mu.Lock()
	w.state.Failed = yes
	w.mu.Unlock()
}
