package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"wiretea/recorder"
	"wiretea/recorder/inventory"
	"wiretea/ui/home"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/tour"
)

// An Opened is a session that was opened, and its life.
type Opened struct {
	Source source.Source
	Tour   tour.Tour                   // Tour is what plays in it; nil = nothing does.
	Begin  func(context.Context) error // Begin is what the session does by itself, until ctx ends; nil = nothing.

	// Close ends the session, once, and returns what there is to say about it, a line each.
	Close func(context.Context) []string
}

// An Opener opens the sessions that home asks for, and closes what is open at the end. Its
// functions must be set; they may take their time. Its methods may be called from any
// goroutine.
type Opener struct {
	Recording func(path string) (*Opened, error)       // Recording opens a session file.
	Attach    func(path string) (*Opened, error)       // Attach opens a live session of another process.
	Run       func(inventory.Command) (*Opened, error) // Run starts a server.
	Demo      func() (*Opened, error)                  // Demo begins the tour.
	Warn      io.Writer                                // Warn takes what the user should see, a line at a time.

	mu   sync.Mutex // mu guards what follows.
	open []*visit
	over bool // over: nothing is opened any more.
}

// A visit is a session, or several as one, that is open.
type visit struct {
	opener *Opener
	begin  func(context.Context) error // begin is what the session does by itself; nil = nothing.
	close  func(context.Context) []string

	mu      sync.Mutex // mu guards started, ended and stop.
	started bool       // started: begin runs, or has run, until begun is closed.
	ended   bool
	begun   chan struct{}
	stop    context.CancelFunc
	closing sync.Once
	lines   []string
}

// Open implements screen.Doors.
func (d *Opener) Open(_ context.Context, what home.Ask) (*screen.Visit, error) {
	switch what := what.(type) {
	case home.Client:
		return d.several(what.Sessions)
	case home.Run:
		return d.one(d.Run(what.Command))
	case home.Demo:
		return d.one(d.Demo())
	}
	return d.one(d.stored(what))
}

// stored opens a recording, or a live session of another process.
func (d *Opener) stored(what home.Ask) (*Opened, error) {
	switch what := what.(type) {
	case home.Open:
		return d.Recording(what.Path)
	case home.Attach:
		return d.Attach(what.Path)
	}
	return nil, fmt.Errorf("unknown entry %T", what)
}

// one is the visit of one session.
func (d *Opener) one(o *Opened, err error) (*screen.Visit, error) {
	if err != nil {
		return nil, err
	}
	return d.enter(&visit{begin: o.Begin, close: o.Close}, &screen.Visit{Sources: []source.Source{o.Source}, Tour: o.Tour})
}

// several opens several sessions as one. One that cannot be opened is said, and left out.
func (d *Opener) several(asks []home.Ask) (*screen.Visit, error) {
	out := &screen.Visit{Merged: true}
	var ends []func(context.Context) []string
	var failed error
	for _, ask := range asks {
		o, err := d.stored(ask)
		if err != nil {
			failed = err
			fmt.Fprintf(d.Warn, "%s is left out: %v\n", nameOf(ask), err)
			continue
		}
		out.Sources, ends = append(out.Sources, o.Source), append(ends, o.Close)
	}
	if len(out.Sources) == 0 {
		return nil, failed
	}
	return d.enter(&visit{close: func(ctx context.Context) (lines []string) {
		for _, end := range ends {
			lines = append(lines, end(ctx)...)
		}
		return lines
	}}, out)
}

// nameOf is the name of a session file.
func nameOf(what home.Ask) string {
	switch what := what.(type) {
	case home.Open:
		return recorder.SessionName(what.Path)
	case home.Attach:
		return recorder.SessionName(what.Path)
	}
	return "a session"
}

var errOver = errors.New("wiretea is exiting")

// enter keeps a visit until it is closed.
func (d *Opener) enter(v *visit, out *screen.Visit) (*screen.Visit, error) {
	v.opener, v.begun, v.stop = d, make(chan struct{}), func() {}
	d.mu.Lock()
	over := d.over
	if !over {
		d.open = append(d.open, v)
	}
	d.mu.Unlock()
	if over {
		v.close(context.Background())
		return nil, errOver
	}
	if v.begin != nil {
		out.Begin = v.run
	}
	out.Close = func() string { return forHome(v.end(context.Background())) }
	return out, nil
}

// forHome puts into one line what is said about a session, with its recording by
// its name: it is in the list.
func forHome(lines []string) string {
	short := make([]string, len(lines))
	for i, line := range lines {
		if path, ok := strings.CutPrefix(line, "recorded: "); ok {
			line = "recorded as " + recorder.SessionName(path)
		}
		short[i] = line
	}
	return strings.Join(short, " · ")
}

// run runs what the session does by itself.
func (v *visit) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v.mu.Lock()
	if v.ended {
		v.mu.Unlock()
		return nil
	}
	v.started, v.stop = true, cancel
	v.mu.Unlock()
	defer close(v.begun)
	err := v.begin(ctx)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return err
}

// end closes the session, once, and returns what there is to say about it.
func (v *visit) end(ctx context.Context) []string {
	v.closing.Do(func() {
		v.mu.Lock()
		v.ended = true
		started, stop := v.started, v.stop
		v.mu.Unlock()
		stop()
		if started {
			defer func() { <-v.begun }()
		}
		v.lines = v.close(ctx)
	})
	v.opener.mu.Lock()
	v.opener.open = slices.DeleteFunc(v.opener.open, func(other *visit) bool { return other == v })
	v.opener.mu.Unlock()
	return v.lines
}

// End closes all that is open, opens nothing more, and returns what there is to say, a
// line each.
func (d *Opener) End(ctx context.Context) []string {
	d.mu.Lock()
	d.over = true
	open := slices.Clone(d.open)
	d.mu.Unlock()
	var lines []string
	for _, v := range open {
		lines = append(lines, v.end(ctx)...)
	}
	return lines
}
