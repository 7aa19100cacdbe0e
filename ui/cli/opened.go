package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/recorder/inventory"
	"wiretea/session/client/http"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/run"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
	"wiretea/ui/home"
	"wiretea/ui/screen"
	"wiretea/ui/source"
)

// opener open the sessions that home asks for, and closes what is open at the end.
type opener struct {
	folder string // folder is where sessions are recorded.
	says   *display.Notices

	mu   sync.Mutex // mu guards what follows.
	open []*openedSession
	over bool // over: nothing is opened any more.
}

// An openedSession is a session that is open.
type openedSession struct {
	opener *opener
	begin  func(context.Context) error // begin is what the session does by itself; nil = nothing.
	close  func(context.Context) []string

	mu      sync.Mutex
	started bool // started: begin runs, or has run, until begun is closed.
	ended   bool
	begun   chan struct{}
	stop    context.CancelFunc
	closing sync.Once
	lines   []string
}

// Open implements screen.Doors.
func (d *opener) Open(_ context.Context, what home.Ask) (*screen.Visit, error) {
	switch what := what.(type) {
	case home.Open:
		return d.openFile(what.Path)
	case home.Attach:
		return d.attach(what.Path)
	case home.Client:
		return d.client(what.Sessions)
	case home.Run:
		return d.run(what.Command)
	case home.Demo:
		return d.demo()
	}
	return nil, fmt.Errorf("unknown entry %T", what)
}

var errOver = errors.New("wiretea is exiting")

// enter keeps a visit until it is closed.
func (d *opener) enter(v *openedSession, out *screen.Visit) (*screen.Visit, error) {
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
func (v *openedSession) run(ctx context.Context) error {
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
	return term.WithHint(err)
}

// end closes the session, once, and returns what there is to say about it.
func (v *openedSession) end(ctx context.Context) []string {
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
	v.opener.open = slices.DeleteFunc(v.opener.open, func(other *openedSession) bool { return other == v })
	v.opener.mu.Unlock()
	return v.lines
}

// end closes all that is open, and opens nothing more.
func (d *opener) end(ctx context.Context) []string {
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

// openFile opens a recording.
func (d *opener) openFile(path string) (*screen.Visit, error) {
	src, end, err := d.recording(path)
	if err != nil {
		return nil, err
	}
	return d.enter(&openedSession{close: end}, &screen.Visit{Sources: []source.Source{src}})
}

// recording is the session of a recording, and what ends it.
func (d *opener) recording(path string) (source.Source, func(context.Context) []string, error) {
	src, err := display.OpenRecording(path, display.FreshOptions{})
	if err != nil {
		return nil, nil, term.WithHint(err)
	}
	return src, func(context.Context) []string { src.Close(); return nil }, nil
}

// attach opens a live session of another process.
func (d *opener) attach(path string) (*screen.Visit, error) {
	src, end, err := d.attached(path)
	if err != nil {
		return nil, err
	}
	return d.enter(&openedSession{close: end}, &screen.Visit{Sources: []source.Source{src}})
}

// attached is a live session of another process, and what ends watching it.
func (d *opener) attached(path string) (source.Source, func(context.Context) []string, error) {
	src, err := display.OpenAttached(path, http.Options{}, d.says)
	if err != nil {
		return nil, nil, term.WithHint(err)
	}
	return src, func(context.Context) []string {
		defer src.Close()
		return src.Standing()
	}, nil
}

// client opens several sessions as one. One that cannot be opened is said, and left out.
func (d *opener) client(asks []home.Ask) (*screen.Visit, error) {
	visit, v := &screen.Visit{Merged: true}, &openedSession{}
	var ends []func(context.Context) []string
	v.close = func(ctx context.Context) (lines []string) {
		for _, end := range ends {
			lines = append(lines, end(ctx)...)
		}
		return lines
	}
	var failed error
	for _, ask := range asks {
		open, path := d.recording, ""
		switch ask := ask.(type) {
		case home.Attach:
			open, path = d.attached, ask.Path
		case home.Open:
			path = ask.Path
		}
		src, end, err := open(path)
		if err != nil {
			failed = err
			fmt.Fprintf(d.says, "%s is left out: %v\n", recorder.SessionName(path), err)
			continue
		}
		visit.Sources, ends = append(visit.Sources, src), append(ends, end)
	}
	if len(visit.Sources) == 0 {
		return nil, failed
	}
	return d.enter(v, visit)
}

// run starts a server as its client.
func (d *opener) run(c inventory.Command) (*screen.Visit, error) {
	limits, err := term.DefaultLimits()
	if err != nil {
		return nil, term.WithHint(err)
	}
	o := flags.Session{
		Server: flags.Server{Name: c.Server.Name, Argv: c.Argv, Shown: c.Shown, Cwd: c.Cwd, Env: c.Env, HTTP: flags.WithHeader(c.Header), Limits: limits},
		Record: flags.Record{Record: capture.Record{Dir: d.folder}},
	}
	src, err := display.NewSession(format.CommandLine(c.Shown), &o, true, nil, d.says)
	if err != nil {
		return nil, term.WithHint(err)
	}
	v := &openedSession{
		begin: func(ctx context.Context) error {
			if _, err := src.Connect(ctx); err != nil {
				return term.StartFailure(err)
			}
			return nil
		},
		close: func(ctx context.Context) []string { return goodbye(ctx, src) },
	}
	return d.enter(v, &screen.Visit{Sources: []source.Source{src}})
}

// demo plays the tour.
func (d *opener) demo() (*screen.Visit, error) {
	play, err := run.NewDemoPlay(d.says)
	if err != nil {
		return nil, err
	}
	v := &openedSession{begin: play.Run, close: func(ctx context.Context) []string {
		goodbye(ctx, play.Session)
		return nil
	}}
	return d.enter(v, &screen.Visit{Sources: []source.Source{play.Session}, Tour: play})
}

// goodbye is Farewell as lines.
func goodbye(ctx context.Context, src *display.Session) []string {
	var out, errw strings.Builder
	err := src.Farewell(ctx, &out, &errw, nil)
	lines := strings.Split(strings.TrimSpace(out.String()+errw.String()), "\n")
	if err != nil {
		lines = append(lines, term.OneLine(err.Error()))
	}
	return lines
}
