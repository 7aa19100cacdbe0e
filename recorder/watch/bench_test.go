package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"wiretea/session/filewatch"
)

// fakeFiles are files that change when a test says so; they are told as
// watch.Files tells them.
type fakeFiles struct {
	changed chan string
	batches chan filewatch.Batch
	taken   chan chan filewatch.Batch
}

func newFakeFiles(ctx context.Context) *fakeFiles {
	f := &fakeFiles{make(chan string), make(chan filewatch.Batch), make(chan chan filewatch.Batch)}
	go func() {
		defer close(f.batches)
		var batch filewatch.Batch
		var out chan filewatch.Batch
		still := time.NewTimer(0)
		for {
			select {
			case path := <-f.changed:
				batch.Add(path)
				out = nil
				still.Reset(filewatch.DefaultQuiet)
			case <-still.C:
				if len(batch) > 0 {
					out = f.batches
				}
			case out <- batch:
				batch, out = nil, nil
			case reply := <-f.taken:
				reply <- batch
				batch, out = nil, nil
			case <-ctx.Done():
				return
			}
		}
	}()
	return f
}

func (f *fakeFiles) Batches() <-chan filewatch.Batch { return f.batches }
func (f *fakeFiles) Folders() int                    { return 2 }
func (f *fakeFiles) Named() []string                 { return []string{"src"} }
func (f *fakeFiles) Err() error                      { return nil }

func (f *fakeFiles) Taken(ctx context.Context) (filewatch.Batch, error) {
	reply := make(chan filewatch.Batch, 1)
	select {
	case f.taken <- reply:
		return <-reply, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A bench is a watcher whose files, build and server are a test's. All that it
// tells is written down with its time.
type bench struct {
	*Watcher
	files *fakeFiles
	began time.Time

	buildTakes time.Duration
	writes     func(build int) []string // writes are the files that build number i writes, half way through.
	broken     map[int]bool             // broken are the builds that fail.
	builds     int

	startTakes time.Duration
	logs       func(call int) []string // logs are the files that the server writes when it is asked.
	callTakes  time.Duration
	first      error // first is why the first start fails.
	dead       bool  // dead: the server does not start any more.
	unasked    bool  // unasked: nothing was sent yet.
	calls      int
	whys       []string // whys are the reasons of the restarts.

	mu  sync.Mutex
	log []string
}

func (b *bench) say(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = append(b.log, fmt.Sprintf("%4.1f ", time.Since(b.began).Seconds())+fmt.Sprintf(format, args...))
}

// pause waits, or is given up.
func (b *bench) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *bench) Build(ctx context.Context) Built {
	b.builds++
	n := b.builds
	_ = b.pause(ctx, b.buildTakes/2)
	if b.writes != nil {
		for _, path := range b.writes(n) {
			b.files.changed <- path
		}
	}
	if err := b.pause(ctx, b.buildTakes/2); err != nil {
		b.say("build %d given up", n)
		return Built{Signal: "terminated"}
	}
	if b.broken[n] {
		return Built{Code: 2}
	}
	return Built{}
}

func (b *bench) RestartFor(ctx context.Context, why string) error {
	b.whys = append(b.whys, why)
	if err := b.pause(ctx, b.startTakes); err != nil {
		b.say("start given up: %v", err)
		return err
	}
	if b.dead {
		return errors.New("no such file")
	}
	return nil
}

func (b *bench) Last() (Call, bool) {
	return Call{Method: "tools/call", Name: "echo", Answer: Answer{"result", fmt.Appendf(nil, "%d", b.calls)}}, !b.unasked
}

func (b *bench) Call(ctx context.Context, call Call) (Answer, error) {
	b.calls++
	if b.logs != nil {
		for _, path := range b.logs(b.calls) {
			b.files.changed <- path
		}
	}
	if err := b.pause(ctx, b.callTakes); err != nil {
		b.say("call given up: %v", err)
		return Answer{}, err
	}
	return Answer{"result", fmt.Appendf(nil, "%d", b.calls)}, nil
}

// news writes down what the watcher tells.
func (b *bench) news(n News) {
	switch {
	case n.Building != nil:
		b.say("building: %s", strings.Join(n.Building.Changed, " "))
	case n.Built != nil:
		b.say("%s", n.Built)
	case n.Restarted != nil:
		b.say("restarted: %v", n.Restarted.Err)
	case n.Called != nil:
		b.say("%s: %s, was %s, %v", strings.TrimSpace(n.Called.Call.Method+" "+n.Called.Call.Name), n.Called.Now.Body, n.Called.Call.Answer.Body, n.Called.Err)
	case n.Own != "":
		b.say("the server's own: %s", n.Own)
	}
}

// A step is something that somebody does at a time after the start.
type step struct {
	at float64 // at is in seconds.
	do func(b *bench)
}

func saves(path string) func(*bench) { return func(b *bench) { b.files.changed <- path } }

func each(paths ...string) func(int) []string { return func(int) []string { return paths } }
