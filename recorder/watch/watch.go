package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"wiretea/session"
	"wiretea/session/filewatch"
	"wiretea/session/text"
	"wiretea/session/transport"
)

// A Watcher builds and restarts a server when its files change, and sends the last
// request again:
//
//	idle ── files change ──► building ── fine ──► restarting ──► calling ──► idle
//	  ▲                        │  ▲ files changed meanwhile        │
//	  └───────── failed ───────┘  └────────────────────────────────┘
//
// Its builder and its server own their processes.
type Watcher struct {
	files  Files
	Build  Builder // Build is nil if there is nothing to build.
	server Server

	// Absent reports whether the server's program does not exist, so that it has to be built
	// before it can be started; nil = it exists.
	Absent func() bool

	Tell  func(News) // Tell is called from the goroutine of Run.
	now   func() time.Time
	moved func() // moved is called when the state has changed.

	wake chan struct{} // wake has a token when somebody wants a build now.
	own  ownFiles

	mu    sync.Mutex // mu guards what follows.
	state State
	off   bool
}

// What a watcher works on.
type (
	// Files are the watched files, of package filewatch.
	Files interface {
		Batches() <-chan filewatch.Batch
		Taken(ctx context.Context) (filewatch.Batch, error)
		Folders() int
		Named() []string
		Err() error
	}

	// A Builder builds the server. It returns when the build has ended, which it
	// does, with all that it started, when ctx ends.
	Builder interface {
		Build(ctx context.Context) Built
	}

	// A Server can be restarted and asked.
	Server interface {
		// RestartFor ends the server and starts it again, for a reason in words; empty = somebody asked for it.
		RestartFor(ctx context.Context, why string) error

		// Last is the last request that the user sent, and its answer.
		Last() (Call, bool)

		// Call sends a request and returns its answer.
		Call(ctx context.Context, call Call) (Answer, error)
	}
)

// A Call is a request that the user has sent, with its response.
type Call struct {
	Method, Name string // Name is the tool, the prompt or the uri; may be empty.
	Params       []byte // Params are its bytes; nil = none.
	Answer       Answer
}

// An Answer is the result of a request, or its error. The zero Answer means that there
// is none.
type Answer struct {
	Word string // Word is "result" or "error"; empty if there is no answer.
	Body []byte
}

// News is what a Watcher reports, in order. One of the fields is set.
type News struct {
	Building  *BuildBegun
	Built     *Built
	Restarted *RestartDone // Restarted is also the first start.
	Called    *CallDone
	Own       string // Own is a file that the server writes itself, so that it does not count any more.
	Ignore    string // Ignore is a path that does not count, from the command line.
	Ended     error  // Ended is why nothing is watched any more.
}

type (
	// BuildBegun holds what was changed; nothing if the user asked for the build.
	BuildBegun struct {
		Changed filewatch.Batch
		Again   bool // Again: it changed while the round before went on.
	}

	// RestartDone reports a start of the server, or why it failed.
	RestartDone struct {
		First bool // First: it was started, not restarted.
		Took  time.Duration
		Err   error
	}

	// CallDone reports a request that was sent again; Call has the answer before that.
	CallDone struct {
		Call Call
		Now  Answer
		Err  error
	}
)

// New returns a Watcher of files, for which Build, Absent and Tell may be set until Run is
// called. moved is called whenever the State has changed.
func New(files Files, server Server, tell func(News), moved func()) *Watcher {
	return &Watcher{files: files, server: server, Tell: tell, now: time.Now, moved: moved, wake: make(chan struct{}, 1)}
}

// Run starts the server with start, and watches until ctx ends, or the watching does.
// A program that does not exist is built before it is started, and one that cannot be
// started is built at once.
func (w *Watcher) Run(ctx context.Context, start func(context.Context) error) {
	if w.Build == nil || w.Absent == nil || !w.Absent() {
		w.begin(ctx, start, w.Build != nil)
	} else if fine, _ := w.built(ctx, nil, false); fine {
		w.begin(ctx, start, false)
	}
	w.set(Idle)
	w.watch(ctx)
}

// begin starts the server for the first time. With build, a program that cannot be started
// is built.
func (w *Watcher) begin(ctx context.Context, start func(context.Context) error, build bool) {
	var missing *transport.StartError
	changed, _ := w.restart(ctx, func(ctx context.Context) error {
		err := start(ctx)
		_ = errors.As(err, &missing)
		return err
	}, true)
	changed, again := w.meanwhile(ctx, changed)
	// What is not there may have to be built first.
	if again || missing != nil && build && ctx.Err() == nil {
		w.round(ctx, changed)
	}
}

// watch goes round whenever files change, until ctx ends, or the watching does.
func (w *Watcher) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case batch, more := <-w.files.Batches():
			switch {
			case !more:
				if err := w.files.Err(); err != nil && ctx.Err() == nil {
					w.Tell(News{Ended: err})
				}
				w.set(Over)
				return
			case w.State().Off || w.own.server(batch):
				continue
			}
			w.own.outside(batch)
			w.round(ctx, batch)
		case <-w.wake:
			w.own.outside(nil)
			w.round(ctx, nil)
		}
		w.set(Idle)
	}
}

// round builds, restarts and asks again, as often as files change meanwhile.
func (w *Watcher) round(ctx context.Context, changed filewatch.Batch) {
	for again, on := false, true; on && ctx.Err() == nil; again = true {
		fine, more := w.built(ctx, changed, again)
		switch {
		case more != nil:
			changed = more
			continue
		case !fine || ctx.Err() != nil:
			return
		}
		changed, on = w.restartedAndAsked(ctx, why(changed))
	}
}

// built builds, where there is something to build. It reports whether the server
// can be restarted, and what else was changed meanwhile.
func (w *Watcher) built(ctx context.Context, changed filewatch.Batch, again bool) (fine bool, more filewatch.Batch) {
	if w.Build == nil {
		w.Tell(News{Building: &BuildBegun{changed, again}})
		return true, nil
	}
	// What has changed up to now is in this build.
	if _, err := w.files.Taken(ctx); err != nil {
		return false, nil
	}
	w.set(Building)
	w.Tell(News{Building: &BuildBegun{changed, again}})
	built := w.Build.Build(ctx)
	if ctx.Err() != nil {
		return false, nil
	}
	w.failed(!built.OK())
	w.Tell(News{Built: &built})
	meanwhile, err := w.files.Taken(ctx)
	if err != nil {
		return false, nil
	}
	more, _ = w.own.during(byBuild, meanwhile)
	return built.OK(), more
}

// restartedAndAsked restarts the server and sends the last call again. It returns
// what was changed meanwhile, and whether that needs another round.
func (w *Watcher) restartedAndAsked(ctx context.Context, why string) (filewatch.Batch, bool) {
	if w.Build == nil {
		if _, err := w.files.Taken(ctx); err != nil {
			return nil, false
		}
	}
	// The answer that the new one is compared with is read before the server ends.
	call, any := w.server.Last()
	changed, fine := w.restart(ctx, func(ctx context.Context) error { return w.server.RestartFor(ctx, why) }, false)
	if fine && any {
		changed = union(changed, w.ask(ctx, call))
	}
	return w.meanwhile(ctx, changed)
}

// why says in words why a server is restarted; empty where nothing has changed.
func why(changed filewatch.Batch) string {
	if len(changed) == 0 {
		return "" // Somebody asked for it.
	}
	words := filepath.Base(changed[0]) + " has changed"
	if more := len(changed) - 1; more > 0 {
		words = filepath.Base(changed[0]) + " and " + text.Plural(int64(more), "other file") + " have changed"
	}
	return words
}

// meanwhile returns what was changed while the server was started and asked, with
// what is not told yet, and whether that needs another round.
func (w *Watcher) meanwhile(ctx context.Context, changed filewatch.Batch) (filewatch.Batch, bool) {
	rest, err := w.files.Taken(ctx)
	if err != nil {
		return nil, false
	}
	fresh, own := w.own.during(byServer, union(changed, rest))
	for _, path := range own {
		w.Tell(News{Own: path})
	}
	return fresh, fresh != nil
}

// restart starts the server, and tells how that went.
func (w *Watcher) restart(ctx context.Context, start func(context.Context) error, first bool) (changed filewatch.Batch, fine bool) {
	w.set(Restarting)
	began := w.now()
	changed, whole, err := w.unlessChanged(ctx, start)
	if whole {
		w.Tell(News{Restarted: &RestartDone{first, w.now().Sub(began), err}})
	}
	return changed, whole && err == nil
}

// ask sends the call again, and tells what it was answered.
func (w *Watcher) ask(ctx context.Context, call Call) filewatch.Batch {
	w.set(Calling)
	var answer Answer
	changed, whole, err := w.unlessChanged(ctx, func(ctx context.Context) (err error) {
		answer, err = w.server.Call(ctx, call)
		return err
	})
	if whole {
		w.Tell(News{Called: &CallDone{call, answer, err}})
	}
	return changed
}

// unlessChanged does what may take its time. When somebody changes a file
// meanwhile it is given up: the server is about to end. It returns the changes so
// far, and whether it was done as a whole.
func (w *Watcher) unlessChanged(ctx context.Context, do func(context.Context) error) (changed filewatch.Batch, whole bool, err error) {
	doing, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() {
		err := errors.New("internal error")
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
			changed = union(changed, batch)
			if slices.ContainsFunc(batch, func(path string) bool { return w.own.counts(byServer, path) }) {
				cancel(errChangedAgain)
			}
		case err := <-done:
			return changed, context.Cause(doing) == nil, err
		}
	}
}

// errChangedAgain is why something is given up whose server is about to end.
var errChangedAgain = errors.New("the files have changed again")

// union are the changes of two batches.
func union(a, b filewatch.Batch) filewatch.Batch {
	all := filewatch.Batch{}
	for _, batch := range []filewatch.Batch{a, b} {
		for _, path := range batch {
			all.Add(path)
		}
	}
	return all
}

// Now builds and restarts without a change.
func (w *Watcher) Now() {
	select {
	case w.wake <- struct{}{}:
	default: // it is about to
	}
}

// Switch turns the watching on or off. A round that has begun goes on.
func (w *Watcher) Switch(on bool) {
	w.mu.Lock()
	w.off = !on
	w.mu.Unlock()
	w.moved()
}

// State returns what is being done.
func (w *Watcher) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.state
	s.Named, s.Folders, s.Off = namedPaths(w.files.Named()), w.files.Folders(), w.off
	if s.Phase != Idle && s.Phase != Over {
		s.For = w.now().Sub(s.Since)
	}
	return s
}

func (w *Watcher) set(phase Phase) {
	w.mu.Lock()
	if w.state.Phase != phase {
		w.state.Phase, w.state.Since = phase, w.now()
	}
	w.mu.Unlock()
	w.moved()
}

// failed keeps whether the latest build failed.
func (w *Watcher) failed(yes bool) {
	w.mu.Lock()
	w.state.Failed = yes
	w.mu.Unlock()
}

// mostNamed is how many paths are named.
const mostNamed = 3

// namedPaths are paths as they were given, the first of them, for a line.
func namedPaths(paths []string) string {
	more := ""
	if n := len(paths) - mostNamed; n > 0 {
		paths, more = paths[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	words := make([]string, len(paths))
	for i, path := range paths {
		words[i] = text.Visible([]byte(path), 0)
	}
	return strings.Join(words, ", ") + more
}

// String is the call in a few words, safe to print: "tools/call echo".
func (c *Call) String() string {
	return text.Visible([]byte(strings.TrimSpace(c.Method+" "+c.Name)), 120)
}

// String says which files changed, safe to print: the first one, and how many more. What
// an editor or a build has taken away again meanwhile does not count, unless nothing else
// did. It is empty if no file changed.
func (b *BuildBegun) String() string {
	var there filewatch.Batch
	for _, path := range b.Changed {
		if _, err := os.Lstat(path); err == nil {
			there.Add(path)
		}
	}
	if there == nil {
		there = b.Changed
	}
	if len(there) == 0 {
		return ""
	}
	words := text.Visible([]byte(filepath.Base(there[0])), 60)
	if n := len(there) - 1; n > 0 {
		words += " and " + text.Plural(int64(n), "other file")
	}
	words += " changed"
	if b.Again {
		words += " meanwhile"
	}
	return words
}

// Words say in a line what happened; they are empty for a build that has ended and an
// answer, which take more than a line, and for what need not be said.
func (n News) Words() (string, session.Severity) {
	switch {
	case n.Building != nil:
		return n.Building.String(), session.Info
	case n.Restarted != nil && n.Restarted.Err != nil:
		return fmt.Sprintf("not started: %v", n.Restarted.Err), session.Error
	case n.Restarted != nil && !n.Restarted.First:
		return "restarted in " + text.Duration(int64(n.Restarted.Took)), session.Info
	case n.Own != "":
		return text.Visible([]byte(filepath.Base(n.Own)), 60) + " is written by the server itself: its changes are ignored", session.Info
	case n.Ended != nil:
		return fmt.Sprintf("watching has stopped: %v", n.Ended), session.Error
	}
	return "", session.Info
}
