package capture

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check"
)

// A Recording is a session file that is being read, finished or still written. It
// owns the goroutine that reads and analyses it, and ends it in Close. Its methods
// return at once, except Close, and may be called from any goroutine.
type Recording struct {
	file     *recorder.File
	title    string // title names several sessions; empty = the recording's name.
	analyzer *session.Analyzer
	wake     Wake
	stop     context.CancelFunc
	done     chan struct{} // done is closed when the file has been read to its end.

	mu    sync.Mutex        // mu guards what follows.
	known *session.Snapshot // known is the session as a whole; nil while it is read.
	err   error
}

// OpenRecording opens a session file and begins to read it. The errors are those of
// recorder.Open.
func OpenRecording(path string) (*Recording, error) { return openRecording(path, NewWake()) }

func openRecording(path string, wake Wake) (*Recording, error) {
	f, err := recorder.Open(path)
	if err != nil {
		return nil, err
	}
	return read(f, wake), nil
}

// OpenMerged begins to read several sessions as one; see recorder.Merge. Close ends that before the
// logs may be closed.
func OpenMerged(logs []recorder.Log, names []string) *Recording {
	rec := read(recorder.Merge(logs, names), NewWake())
	rec.title = fmt.Sprintf("%d sessions on one clock", len(logs))
	return rec
}

// read begins to read a file.
func read(f *recorder.File, wake Wake) *Recording {
	rec := &Recording{file: f, wake: wake, done: make(chan struct{}), analyzer: session.NewAnalyzer(session.Config{Checkers: check.New(), Member: check.New})}
	log, closeNotifier := Notified(f)
	follower := &recorder.Follower{Log: log, Analyzer: rec.analyzer, Moved: rec.wake.Notify, Live: f.Live() == recorder.Live}
	ctx, cancel := context.WithCancel(context.Background())
	rec.stop = cancel
	go func() {
		defer closeNotifier()
		rec.read(ctx, follower)
	}()
	return rec
}

// read analyses the recording to its end; while it is being written, that is when
// the writer ends.
func (rec *Recording) read(ctx context.Context, f *recorder.Follower) {
	// Reading is false before the last token is sent, so a waiter sees the end.
	defer rec.wake.Notify()
	defer close(rec.done)
	defer func() {
		if p := recover(); p != nil {
			rec.mu.Lock()
			rec.err = fmt.Errorf("internal error: %v", p)
			rec.mu.Unlock()
		}
	}()
	err := f.Run(ctx)
	snap := rec.analyzer.Snapshot()
	rec.mu.Lock()
	rec.known = snap
	switch {
	case err != nil && ctx.Err() == nil:
		rec.err = err
	case f.Damage.Lines > 0:
		rec.err = fmt.Errorf("%d damaged lines, the first at byte %d", f.Damage.Lines, f.Damage.Off)
	case f.Torn > 0:
		rec.err = fmt.Errorf("the last record is torn off after %d bytes", f.Torn)
	}
	fine := rec.err == nil
	rec.mu.Unlock()
	if fine && ctx.Err() == nil {
		analysis.Keep(rec.file.Path(), rec.file, snap)
	}
}

// Header is the session's header; nil if the file has none yet.
func (rec *Recording) Header() *session.Header {
	if h := rec.file.Header(); h != nil {
		return h
	}
	return rec.Snapshot().Header()
}

// Title is the session's name.
func (rec *Recording) Title() string { return cmp.Or(rec.title, recorder.SessionName(rec.file.Path())) }

// Log is where bodies are read.
func (rec *Recording) Log() recorder.Log { return rec.file }

// Wake has a token when the analysis has advanced since the last one was taken.
func (rec *Recording) Wake() <-chan struct{} { return rec.wake }

// Path is the session file.
func (rec *Recording) Path() string { return rec.file.Path() }

// Snapshot returns the session as far as it has been read.
func (rec *Recording) Snapshot() *session.Snapshot {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.known != nil {
		return rec.known
	}
	return rec.analyzer.Snapshot()
}

// Reading reports whether the file has not been read to its end.
func (rec *Recording) Reading() bool {
	select {
	case <-rec.done:
		return false
	default:
		return true
	}
}

// Live reports whether the file is still being written.
func (rec *Recording) Live() bool { return rec.Reading() && rec.file.Live() == recorder.Live }

// Now is the session's time in nanoseconds; the last record's for one that is over.
func (rec *Recording) Now() int64 {
	if now := recorder.SinceStart(rec.Header()); now != nil && rec.Live() {
		return now()
	}
	return rec.Snapshot().Clock()
}

// Reason is what is wrong with the file; nil while nothing is.
func (rec *Recording) Reason() error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.err
}

// Close ends the reading and closes the file.
func (rec *Recording) Close() {
	rec.stop()
	<-rec.done
	_ = rec.file.Close()
}
