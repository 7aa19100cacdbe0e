package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"wiretea/recorder/verdict/report"
	"wiretea/recorder/watch"
	"wiretea/session/client"
	"wiretea/session/filewatch"
	"wiretea/session/json/diff"
	"wiretea/session/text"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
	"wiretea/ui/source"
	"wiretea/ui/viewer"
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

// start begins to watch the files, if any are to be, until stop is called.
func (o *watchOptions) start(ctx context.Context) (files *filewatch.Files, stop func(), err error) {
	if !o.on() {
		return nil, func() {}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	files = &filewatch.Files{Paths: o.paths}
	if err := files.Start(ctx); err != nil {
		cancel()
		return nil, nil, &term.Failure{Code: term.ExitUsage, Hint: "--watch is best given the folder of the sources alone", Err: err}
	}
	stop = func() { cancel(); files.Wait() }
	if _, err := files.Taken(ctx); err != nil {
		stop()
		return nil, nil, &term.Failure{Code: term.ExitUsage, Hint: "TMPDIR names a folder in which a folder can be made", Err: err}
	}
	return files, stop, nil
}

// watched makes a session one whose server is restarted when files change. tell is told
// what happens; nil = the screen is. What cannot be sent of --send is said to errw.
func (o *runOptions) watched(src *viewer.Session, files *filewatch.Files, tell func(watch.News), errw io.Writer) *viewer.Watched {
	return viewer.Watch(src, viewer.WatchConfig{
		Files: files, Build: o.watch.build, Absent: o.absent, Ignore: o.watch.ignore, Sends: o.sends,
		Tell: tell, Failure: term.StartFailure, Unsent: func(err error) { fmt.Fprintf(errw, "wiretea: %v\n", err) },
	})
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

// playWatched is play with files that are watched: it goes on until it is told to
// stop.
func (o *runOptions) playWatched(ctx context.Context, in io.Reader, out, errw io.Writer) (int, error) {
	files, stop, err := o.watch.start(ctx)
	if err != nil {
		return term.ExitUsage, err
	}
	defer stop()
	printer, err := term.NewPrinting(out, o.filter, o.json)
	if err != nil {
		return term.ExitUsage, err
	}
	ctx, printer.Gone = context.WithCancel(ctx)
	defer printer.Gone()
	lines := &lockedWriter{w: out}
	printer.Printer.Out = lines
	src, err := o.View(flags.Place(o.Server.Argv), false, printer.Moved, errw)
	if err != nil {
		return term.ExitUsage, err
	}
	news := plainNews{out: lines, ignore: o.watch.patterns}
	if o.json {
		news.out = errw
	}
	s := o.watched(src, files, news.tell, errw)
	stopTyping := typing(ctx, s, in, errw)
	s.Run(ctx)
	stopTyping()
	stop()
	err = errors.Join(src.Close(ctx), printer.Last(src.Snapshot(), src.Log()), files.Err())
	return term.ExitFine, errors.Join(err, o.finish(out, errw, src.Run))
}

// typing sends lines as they are typed, until in ends, ctx does, or the function
// that it returns is called. Each goes out once the one before it is on its way.
func typing(ctx context.Context, s *viewer.Watched, in io.Reader, errw io.Writer) (stop func()) {
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

// A plainNews prints what a watcher tells, between the lines of the traffic.
type plainNews struct {
	out    io.Writer // out takes whole lines in one piece.
	ignore []diff.Path
}

func (p *plainNews) tell(n watch.News) {
	var b strings.Builder
	if text, _ := n.Words(); text != "" {
		fmt.Fprintf(&b, "— %s\n", text)
	}
	switch {
	case n.Built != nil:
		p.built(&b, n.Built)
	case n.Called != nil:
		p.called(&b, n.Called)
	}
	if b.Len() > 0 {
		_, _ = io.WriteString(p.out, b.String()) // who reads the traffic notices
	}
}

// built prints the output of a build that failed.
func (p *plainNews) built(b *strings.Builder, built *watch.Built) {
	fmt.Fprintf(b, "— %s\n", built)
	if built.OK() {
		return
	}
	lines := source.BuildLines(built, report.LongPrinted)
	if over := len(lines) - report.MostPrinted; over > 0 {
		fmt.Fprintf(b, "  … %s before\n", text.Plural(int64(over), "line"))
		lines = lines[over:]
	}
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
	b.WriteString("— the old server keeps running\n")
}

// called prints the difference of two answers.
func (p *plainNews) called(b *strings.Builder, c *watch.CallDone) {
	switch {
	case c.Err != nil:
		fmt.Fprintf(b, "— %s: %v\n", &c.Call, c.Err)
		return
	case c.Call.Answer.Word == "":
		fmt.Fprintf(b, "— %s is answered; no earlier answer to compare with\n", &c.Call)
		return
	}
	old, new := watch.Sides(c.Call.Answer, c.Now)
	lines, _, err := diff.Lines(old, new, p.ignore...)
	if err != nil {
		fmt.Fprintf(b, "— %s: the results are not compared: %v\n", &c.Call, err)
		return
	}
	report.WriteDifference(b, c.Call.String(), lines)
}
