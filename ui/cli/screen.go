package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"wiretea/session"
	"wiretea/session/filewatch"
	"wiretea/ui/cli/term"
	"wiretea/ui/config"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/screen"
	"wiretea/ui/style"
)

// canShow says why there can be no full screen, empty = there can.
func canShow(in io.Reader, out io.Writer) string {
	switch {
	case term.Getenv("TERM") == "dumb":
		return "the terminal is dumb"
	case !term.IsTerminal(out):
		return "standard output is not a terminal"
	case !term.IsTerminal(in):
		return "standard input is not a terminal"
	}
	return ""
}

// fallsBack reports whether the plain form must do, and says why.
func fallsBack(cmd *cobra.Command) bool {
	why := canShow(cmd.InOrStdin(), cmd.OutOrStdout())
	if why != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "wiretea: %s: printing line by line, as with --plain\n", why)
	}
	return why != ""
}

// themeFlag adds the flag that chooses a theme.
func themeFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().Var((*themeName)(name), "theme", "colours of the screen: the `NAME` of a theme; completion lists them")
	_ = cmd.RegisterFlagCompletionFunc("theme", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return style.Names(), cobra.ShellCompDirectiveNoFileComp
	})
}

// A themeName is the value of the flag: a theme that there is.
type themeName string

func (f *themeName) String() string { return string(*f) }
func (f *themeName) Type() string   { return "NAME" }

func (f *themeName) Set(text string) error {
	if !slices.ContainsFunc(style.Names(), func(known string) bool { return strings.EqualFold(known, text) }) {
		return fmt.Errorf("%q is not a theme: %s", text, term.Nearest(text, style.Names(), "light and dark come from the terminal, completion lists the themes"))
	}
	*f = themeName(text)
	return nil
}

// A notices takes the lines that would go to stderr and gives them to the
// screen while there is one.
type notices struct {
	mu      sync.Mutex
	program *tea.Program
	kept    []string // kept are those that came before the screen.
}

// Write takes whole lines.
func (n *notices) Write(p []byte) (int, error) {
	text := strings.TrimPrefix(strings.TrimSpace(string(p)), "wiretea: ")
	n.mu.Lock()
	program := n.program
	if program == nil {
		n.kept = append(n.kept, text)
	}
	n.mu.Unlock()
	if program != nil {
		// Send waits for the screen, and a terminal that is stopped must
		// not hold up whoever has something to say.
		go program.Send(pane.Say{Text: text, Severity: session.Warning})
	}
	return len(p), nil
}

// show gives what was kept to the screen, and all that comes.
func (n *notices) show(program *tea.Program) {
	n.mu.Lock()
	n.program = program
	kept := n.kept
	n.kept = nil
	n.mu.Unlock()
	for _, text := range kept {
		go program.Send(pane.Say{Text: text, Severity: session.Warning})
	}
}

// display runs the screen on the sessions of opt, whose settings it finds, until
// the user leaves or ctx ends. begun, unless nil, runs in a goroutine of its own
// once the screen is there; its error is shown.
func display(ctx context.Context, opt screen.Options, says *notices, themeName string, begun func(context.Context) error) error {
	if _, err := term.ParseFilter(opt.Filter); err != nil {
		return err
	}
	set, dir := screenSettings(says, themeName)
	opt.Settings, opt.Dark, opt.NoColour, opt.History = set, true, term.Getenv("NO_COLOR") != "", historyFolder()
	return runModel(ctx, screen.New(opt), dir, says, begun)
}

// screenSettings are the settings of a screen, and the folder that they are kept
// in; empty = they are not. What is wrong with them is said.
func screenSettings(says io.Writer, themeName string) (config.Settings, string) {
	dir, err := config.Dir()
	if err != nil {
		dir = ""
	}
	set, err := config.Load(dir)
	if err != nil {
		fmt.Fprintln(says, term.OneLine(err.Error()))
	}
	if err := keys.Rebind(set.Keys); err != nil {
		fmt.Fprintln(says, term.OneLine("config.toml: "+err.Error()))
	}
	if themeName != "" {
		set.Theme = themeName
	}
	return set, dir
}

// A rootModel is a whole screen, with what is to be kept of it.
type rootModel interface {
	tea.Model
	Settings() config.Settings
}

// runModel runs a screen until the user leaves or ctx ends, and keeps its
// settings in dir. begun is as with display.
func runModel(ctx context.Context, root rootModel, dir string, says *notices, begun func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	program := tea.NewProgram(root, tea.WithoutSignalHandler(), tea.WithFilter(screen.Coalesce()))
	says.show(program)
	var work sync.WaitGroup
	// Whoever ends us by a signal gets the terminal back as well, unless it
	// takes nothing any more: the screen would write into it for ever.
	work.Go(func() { <-ctx.Done(); program.Quit() })
	over := make(chan struct{})
	context.AfterFunc(ctx, func() { exitUnless(over) })
	if begun != nil {
		work.Go(func() {
			defer recoverInto(program)
			if err := begun(ctx); err != nil && ctx.Err() == nil {
				program.Send(pane.Say{Text: term.OneLine(err.Error()), Severity: session.Error})
			}
		})
	}
	_, err := program.Run()
	close(over)
	cancel()
	work.Wait()
	if dir != "" {
		if serr := root.Settings().Save(dir); serr != nil {
			fmt.Fprintf(os.Stderr, "wiretea: %v\n", serr)
		}
	}
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// stuckLimit is how long a screen may take to end once it is told to. A server
// and its record have ended by then.
const stuckLimit = stopLimit + 2*time.Second

// exitUnless ends the process unless the screen is over in time.
func exitUnless(over <-chan struct{}) {
	select {
	case <-over:
	case <-time.After(stuckLimit):
		os.Exit(term.ExitServer)
	}
}

// recoverInto ends the screen, so that the terminal is itself again, when a
// goroutine of ours panics; the panic is then reported by the program.
func recoverInto(program *tea.Program) {
	if p := recover(); p != nil {
		program.Kill()
		fmt.Fprintf(os.Stderr, "wiretea: internal error: %v\n", p)
	}
}

// showLive runs the screen on a server of ours.
func (o *runOptions) showLive(ctx context.Context, out, errw io.Writer) (int, error) {
	says, rings := &notices{}, newBell()
	o.askOnScreen(rings.ring)
	files, err := o.watch.start(ctx)
	if err != nil {
		return term.ExitUsage, err
	}
	src, err := startSource(strings.Join(o.server.argv, " "), o, rings, says)
	if err != nil {
		return term.ExitUsage, err
	}
	// The server and its record end also where the terminal is stuck.
	defer context.AfterFunc(ctx, func() { _ = src.Close(ctx) })()
	shown, begin := o.begin(src, files, says)
	err = display(ctx, screen.Options{Sources: []screen.Source{shown}, Filter: o.filter}, says, o.theme, begin)
	return o.farewell(ctx, src, out, errw, err)
}

// begin says what of a session is shown, and what happens once it is.
func (o *runOptions) begin(src *liveSource, files *filewatch.Files, says *notices) (screen.Source, func(context.Context) error) {
	if o.watch.on() {
		return o.watchedScreen(src, files, says)
	}
	return src, func(ctx context.Context) error {
		if err := src.connect(ctx); err != nil {
			return startFailure(err)
		}
		for _, line := range o.sends {
			if err := src.Send(ctx, line); err != nil {
				return err
			}
		}
		return nil
	}
}

// farewell ends the session, says what it came to, and gives back what it held.
func (o *runOptions) farewell(ctx context.Context, src *liveSource, out, errw io.Writer, err error) (int, error) {
	err = errors.Join(err, src.Close(ctx))
	s := src.Snapshot()
	fmt.Fprintln(out, closingLine(s))
	if path := src.Path(); path != "" {
		fmt.Fprintf(errw, "recorded: %s\n", path)
	}
	src.l.sayLoss(errw)
	err = errors.Join(err, src.l.release())
	o.record.prune(errw)
	return term.ExitFine, err
}

// showFiles runs the screen on recordings.
func showFiles(ctx context.Context, paths []string, filter, themeName string, fresh freshOptions) error {
	var sources []screen.Source
	for _, path := range paths {
		src, err := openSource(path)
		if err != nil {
			return err
		}
		defer src.close()
		src.fresh.opt = fresh
		sources = append(sources, src)
	}
	return display(ctx, screen.Options{Sources: sources, Filter: filter}, &notices{}, themeName, nil)
}

// closingLine is how the last server process ended, and how long it took to.
func closingLine(s *session.Snapshot) string {
	conns := s.Conns()
	if len(conns) == 0 || !conns[len(conns)-1].Started {
		return "no server was started"
	}
	c := conns[len(conns)-1]
	took := ""
	if c.StdinEOF > 0 && c.ExitT > c.StdinEOF {
		took = " " + format.Duration(c.ExitT-c.StdinEOF) + " after its input was closed"
	}
	switch {
	case !c.Exited:
		return "the server has not ended"
	case c.ExitSig != "":
		return "server ended by " + c.ExitSig + took
	}
	return fmt.Sprintf("server exited with code %d%s", c.ExitCode, took)
}
