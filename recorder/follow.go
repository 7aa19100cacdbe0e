package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"wiretea/session"
)

// settle is how long, in nanoseconds, a live session's clock stays behind the
// real one: time for what was read from the wire to reach the log, so that a
// timer never fires for a message that is on its way into the file.
const settle = int64(250 * time.Millisecond)

// batch is after how many records Moved is called at the latest; a long one counts as
// several, one for each 256 bytes.
const batch = 4096

// A Follower reads a log to its end and feeds an Analyzer, live or not.
type Follower struct {
	Log      Log
	Analyzer *session.Analyzer

	// Now returns the session's time in nanoseconds. It drives timeouts while
	// nothing is recorded. Nil for a session that is over: no time passes but
	// that of its records.
	Now func() int64

	// Live, without Now, has the session's time be that since its header's start.
	Live bool

	// Once stops at the present end of the log instead of waiting for more.
	Once bool

	// Moved, unless nil, is called from Run's goroutine whenever the analysis
	// has moved on, after a batch of records or a passage of time.
	Moved func()

	// Damage and Torn are, after Run, what had to be skipped and how many bytes
	// stand behind the last whole record.
	Damage Damage
	Torn   int64
}

// Run feeds the analyzer until the log has ended or ctx is done, and then closes
// it. It returns nil at the end, ctx's error, or the error that made the log
// unreadable; a panic of the analysis is such an error.
func (f *Follower) Run(ctx context.Context) error {
	return f.run(ctx, func(r *Reader) error { return Ahead(ctx, r, false, Decoding, f.take(ctx)) })
}

// Decoding returns a Work that decodes frames, so that the Analyzer need not.
func Decoding() Work[session.Decoded] {
	dec := new(session.Decoder)
	return func(rec *session.Record, _ []byte, out *session.Decoded) { dec.Decode(rec, out) }
}

// take returns a function that feeds the analyzer, and says now and then that it has moved.
func (f *Follower) take(ctx context.Context) func(*session.Record, []byte, *session.Decoded) error {
	fed := 0
	return func(rec *session.Record, _ []byte, _ *session.Decoded) error {
		f.Analyzer.Add(rec)
		// A raw record may hold thousands of short frames.
		if fed += 1 + len(rec.Body)>>8; fed >= batch {
			fed = 0
			f.moved()
			return ctx.Err()
		}
		return nil
	}
}

// run is Run. What the log has now is read by catchUp.
func (f *Follower) run(ctx context.Context, catchUp func(r *Reader) error) (err error) {
	defer f.moved()
	defer f.Analyzer.Close()
	r := NewReader(f.Log, 0)
	defer func() { f.Damage, f.Torn = r.Damage(), r.Torn() }()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p) // A file that nobody has thought of takes no list away.
		}
	}()
	var rec session.Record
	if err := catchUp(r); err != nil {
		return err
	}
	take := f.take(ctx)
	over := false // over: the log has ended, and is read to its end.
	for {
		size := f.Log.Size()
		err := r.Next(&rec)
		if err == nil {
			if err := take(&rec, nil, nil); err != nil {
				return err
			}
			continue
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		if f.Once || over {
			f.torn(r)
			return nil
		}
		f.moved()
		if f.Live && f.Now == nil {
			f.Now = SinceStart(r.header)
		}
		if err := f.wait(ctx, size); errors.Is(err, ErrFinished) {
			over = true // Only now is it known that a torn first line is not a header.
		} else if err != nil {
			return err
		}
	}
}

// torn tells the analyzer that the log, which nobody writes any more, ends within a record.
func (f *Follower) torn(r *Reader) {
	if file, isFile := f.Log.(*File); r.Torn() <= 0 || r.header == nil || isFile && file.Live() == Live {
		return
	}
	gap := session.Gap{Stream: session.AnyStream, Bytes: r.Torn(), Frames: -1, Why: torn}
	f.Analyzer.Add(&session.Record{Kind: session.RecGap, Off: r.Offset(), T: r.t, T1: r.t, Stream: gap.Stream, Gap: gap})
}

// wait returns once the log is larger than size. Meanwhile it lets the session's
// time pass.
func (f *Follower) wait(ctx context.Context, size int64) error {
	for {
		due, timed := f.Analyzer.Next()
		if f.Now == nil || !timed {
			return f.Log.Wait(ctx, size)
		}
		left := time.Duration(due + settle - f.Now())
		if left > 0 {
			until, cancel := context.WithTimeout(ctx, left)
			err := f.Log.Wait(until, size)
			cancel()
			if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			continue
		}
		f.Analyzer.Advance(f.Now() - settle)
		f.moved()
	}
}

func (f *Follower) moved() {
	if f.Moved != nil {
		f.Moved()
	}
}

// SinceStart returns the clock of a live session, in nanoseconds since its start;
// nil where h is nil, so that the time of the last record counts.
func SinceStart(h *session.Header) func() int64 {
	if h == nil {
		return nil
	}
	t0 := h.T0
	return func() int64 { return int64(time.Since(t0)) }
}
