package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/recorder/watch"
	"wiretea/session/client"
	"wiretea/session/filewatch"
	"wiretea/session/json/diff"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
	"wiretea/ui/source"
)

// watchOptions are the flags of run about files that change.
type watchOptions struct {
	paths  []string
	build  string // build is a shell command; empty = there is nothing to build.
	ignore []string

	patterns []diff.Path // patterns are ignore, after check.
}

func (o *watchOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.paths, "watch", nil, "restart the server and send the last request again when `PATH`, a file or folder, changes; repeatable")
	f.StringVar(&o.build, "build", "", "with --watch: shell `COMMAND` that builds the server first, run in the current folder")
	f.StringArrayVar(&o.ignore, "ignore-path", nil, "with --watch: `PATH` in results that does not count as a difference, as in ..timestamp; repeatable")
	_ = cmd.RegisterFlagCompletionFunc("watch", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault // files and folders
	})
	_ = cmd.RegisterFlagCompletionFunc("build", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("ignore-path", cobra.NoFileCompletions)
}

func (o *watchOptions) on() bool { return len(o.paths) > 0 }

// check says what is wrong with the flags.
func (o *watchOptions) check() error {
	switch {
	case o.on() && o.build != "":
		if err := watch.CheckShell(); err != nil {
			return term.Usage("install it, or build by hand and leave --build out", "--build: %w", err)
		}
	case !o.on() && o.build != "":
		return term.Usage("--watch PATH says which files it is built from", "--build without --watch")
	case !o.on() && len(o.ignore) > 0:
		return term.Usage("results are compared with --watch PATH", "--ignore-path without --watch")
	}
	for _, path := range o.paths {
		if _, err := os.Stat(path); err != nil {
			return term.Usage("name an existing file or folder, relative to the current folder", "--watch: %w", err)
		}
	}
	var err error
	o.patterns, err = term.Paths("ignore-path", o.ignore)
	return err
}

// start begins to watch the files, if any are to be.
func (o *watchOptions) start(ctx context.Context) (*filewatch.Files, error) {
	if !o.on() {
		return nil, nil
	}
	files := &filewatch.Files{Paths: o.paths}
	if err := files.Start(ctx); err != nil {
		return nil, &term.Failure{Code: term.ExitUsage, Hint: "--watch is best given the folder of the sources alone", Err: err}
	}
	return files, nil
}

// watched makes a session one whose server is restarted when files change. What is to be
// sent is, once it has started, whenever that is; what goes wrong with that goes to errw.
func (o *runOptions) watched(src *display.Session, files *filewatch.Files, tell func(watch.News), errw io.Writer) *watchedSource {
	s := &watchedSource{Session: src, builds: o.watch.build != "", news: make(chan tea.Msg, 16), sends: o.sends, errw: errw}
	s.watcher = watch.New(files, s, tell, src.Notify)
	if o.watch.build != "" {
		s.watcher.Build = &watch.ShellBuild{Command: o.watch.build}
		s.watcher.Absent = o.absent
	}
	return s
}

// absent reports whether the server's program is named by a path at which there is none.
func (o *runOptions) absent() bool {
	if len(o.Server.Argv) == 0 || strings.Contains(o.Server.Argv[0], "://") || !strings.ContainsRune(o.Server.Argv[0], filepath.Separator) {
		return false
	}
	path := o.Server.Argv[0]
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Server.Cwd, path)
	}
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// run starts the server and watches, until ctx ends or nothing is watched any more.
func (s *watchedSource) run(ctx context.Context) {
	s.mu.Lock()
	s.life = ctx
	s.mu.Unlock()
	s.watcher.Run(ctx, func(ctx context.Context) error {
		_, err := s.Connect(ctx)
		s.greet(err)
		return err
	})
	s.talks.Wait()
}

// Restart implements source.Server.
func (s *watchedSource) Restart(ctx context.Context) error { return s.RestartFor(ctx, "") }

// RestartFor implements watch.Server.
func (s *watchedSource) RestartFor(ctx context.Context, why string) error {
	err := s.Session.RestartFor(ctx, why)
	s.greet(err)
	return err
}

// greet sends what is to be sent first, once there is somebody to send it to.
func (s *watchedSource) greet(err error) {
	s.mu.Lock()
	ctx := s.life
	s.mu.Unlock()
	if err != nil || ctx == nil {
		return
	}
	s.greeting.Do(func() {
		s.talks.Go(func() {
			for _, line := range s.sends {
				if err := s.Send(ctx, line); err != nil && ctx.Err() == nil {
					fmt.Fprintf(s.errw, "wiretea: %v\n", err)
				}
			}
		})
	})
}

// watchedScreen is what showLive shows, and what it begins with, where files are
// watched.
func (o *runOptions) watchedScreen(src *display.Session, files *filewatch.Files, says *display.Notices) (source.Source, func(context.Context) error) {
	s := o.watched(src, files, nil, says)
	return s, func(ctx context.Context) error {
		news := screenNews(ctx, s.news)
		for _, pattern := range o.watch.ignore {
			news(watch.News{Ignore: pattern})
		}
		s.watcher.Tell = news
		s.run(ctx)
		return nil
	}
}

// playWatched is play with files that are watched: it goes on until it is told to
// stop.
func (o *runOptions) playWatched(ctx context.Context, in io.Reader, out, errw io.Writer) (int, error) {
	files, err := o.watch.start(ctx)
	if err != nil {
		return term.ExitUsage, err
	}
	printer, err := term.NewPrinting(out, o.filter, o.json)
	if err != nil {
		return term.ExitUsage, err
	}
	ctx, printer.Gone = context.WithCancel(ctx)
	defer printer.Gone()
	lines := &lockedWriter{w: out}
	printer.Printer.Out = lines
	src, err := display.NewSession(flags.Place(o.Server.Argv), &o.Session, false, printer.Moved, errw)
	if err != nil {
		return term.ExitUsage, err
	}
	news := plainNews{out: lines, ignore: o.watch.patterns}
	if o.json {
		news.out = errw
	}
	s := o.watched(src, files, news.tell, errw)
	stopTyping := s.typing(ctx, in, errw)
	s.run(ctx)
	stopTyping()
	err = errors.Join(src.Close(ctx), printer.Last(src.Snapshot(), src.Log()), files.Err())
	return term.ExitFine, errors.Join(err, o.finish(out, errw, src.Run))
}

// typing sends lines as they are typed, until in ends, ctx does, or the function
// that it returns is called. Each goes out once the one before it is on its way.
func (s *watchedSource) typing(ctx context.Context, in io.Reader, errw io.Writer) (stop func()) {
	if in == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		complain := func(err error) { fmt.Fprintf(errw, "wiretea: %v\n", err) }
		talk := client.Conversation{Send: func(ctx context.Context, line string) {
			if err := s.Send(ctx, line); err != nil && ctx.Err() == nil && !errors.Is(err, client.ErrNothing) {
				complain(err)
			}
		}}
		talk.Stream(ctx, typedLines(ctx, in, complain))
	})
	return func() { cancel(); work.Wait() }
}

// A lockedWriter lets several goroutines write, each write in one piece.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// A watchedSource is a session whose server is restarted when its files change.
type watchedSource struct {
	*display.Session
	watcher *watch.Watcher
	builds  bool
	news    chan tea.Msg

	sends    []string
	errw     io.Writer
	greeting sync.Once
	talks    sync.WaitGroup

	mu    sync.Mutex // mu guards what follows.
	typed watch.Typed
	life  context.Context // life is run's; nil before it.
}

// Send notes what is sent.
func (s *watchedSource) Send(ctx context.Context, line string) error {
	if method, _, err := client.ParseLine(line); err == nil && method != "" && !client.IsNotification(method) {
		s.note(method)
	}
	return s.Session.Send(ctx, line)
}

// Resend notes what is sent.
func (s *watchedSource) Resend(ctx context.Context, m recorder.Request) error {
	if !client.IsNotification(m.Method) {
		s.note(m.Method)
	}
	return s.Session.Resend(ctx, m)
}

func (s *watchedSource) note(method string) {
	s.mu.Lock()
	s.typed = watch.Typed{Method: method, At: s.Now()}
	s.mu.Unlock()
}

// Watch implements source.Watching.
func (s *watchedSource) Watch() watch.State {
	st := s.watcher.State()
	st.Builds = s.builds
	return st
}

// TurnWatch implements source.Watching.
func (s *watchedSource) TurnWatch(on bool) { s.watcher.Switch(on) }

// Rebuild implements source.Watching.
func (s *watchedSource) Rebuild() { s.watcher.Now() }

// News implements source.Watching.
func (s *watchedSource) News() <-chan tea.Msg { return s.news }

// Last implements watch.Server.
func (s *watchedSource) Last() (watch.Call, bool) {
	s.mu.Lock()
	typed := s.typed
	s.mu.Unlock()
	return watch.LastRequest(s.Snapshot(), s.Log(), typed)
}

// Call implements watch.Server. An error answer is an answer.
func (s *watchedSource) Call(ctx context.Context, call watch.Call) (watch.Answer, error) {
	c := s.Client()
	if c == nil {
		return watch.Answer{}, capture.ErrNotConnected
	}
	var params json.RawMessage
	if len(call.Params) > 0 {
		params = call.Params
	}
	reply, err := c.Call(ctx, call.Method, params)
	var rpc *client.RPCError
	switch {
	case errors.As(err, &rpc) && reply != nil:
		return watch.Answer{Word: "error", Body: reply.Error}, nil
	case err != nil:
		return watch.Answer{}, err
	}
	return watch.Answer{Word: "result", Body: reply.Result}, nil
}
