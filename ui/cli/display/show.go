package display

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
	"wiretea/ui/config"
	"wiretea/ui/pane"
	"wiretea/ui/screen"
	"wiretea/ui/style"
)

// Show runs the screen on the sessions of opt, with the user's settings, until the
// user leaves or ctx ends. begun runs in a goroutine of its own once the screen is
// there, and its error is shown; nil runs nothing.
func Show(ctx context.Context, opt screen.Options, says *Notices, themeName string, begun func(context.Context) error) error {
	if _, err := term.ParseFilter(opt.Filter); err != nil {
		return err
	}
	set, dir := Settings(says, themeName)
	opt.Settings, opt.Dark, opt.NoColour, opt.History, opt.Folder = set, true, term.Getenv("NO_COLOR") != "", HistoryFolder(), dir
	return Run(ctx, screen.New(opt), dir, says, begun)
}

// Settings returns the settings of the screen and the folder that they are saved in;
// an empty folder means that they are not saved. says is told what is wrong with
// them.
func Settings(says io.Writer, themeName string) (config.Settings, string) {
	dir, err := config.Dir()
	if err != nil {
		dir = ""
	}
	set, _ := config.Load(dir)
	switch n := len(set.Faults); n {
	case 0:
	case 1:
		fmt.Fprintln(says, term.OneLine(set.Faults[0].Error()))
	default:
		fmt.Fprintf(says, "%s; %d more are listed in :settings\n", term.OneLine(set.Faults[0].Error()), n-1)
	}
	if themeName != "" {
		set.Theme = themeName
	}
	return set, dir
}

// A Model is a whole screen and its settings.
type Model interface {
	tea.Model
	Settings() config.Settings
	Close()
}

// Run runs a screen until the user leaves or ctx ends, and saves its settings in dir.
// begun is as with Show.
func Run(ctx context.Context, root Model, dir string, says *Notices, begun func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	program := tea.NewProgram(root, tea.WithoutSignalHandler(), tea.WithFilter(screen.Coalesce()))
	says.show(program)
	var work sync.WaitGroup
	// After a signal the terminal is restored too, unless it accepts nothing any
	// more: the screen would wait for it for ever.
	work.Go(func() { <-ctx.Done(); program.Quit() })
	over := make(chan struct{})
	context.AfterFunc(ctx, func() {
		select {
		case <-over:
		case <-time.After(stuckLimit):
			os.Exit(term.ExitServer)
		}
	})
	if begun != nil {
		work.Go(func() {
			defer recoverInto(program)
			if err := begun(ctx); err != nil && ctx.Err() == nil {
				program.Send(pane.SayMsg{Text: term.OneLine(err.Error()), Severity: session.Error})
			}
		})
	}
	_, err := program.Run()
	close(over)
	cancel()
	work.Wait()
	root.Close()
	if dir != "" {
		if serr := root.Settings().Save(dir); serr != nil {
			fmt.Fprintf(term.Output(os.Stderr), "wiretea: %v\n", serr)
		}
	}
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// stuckLimit is how long a screen may take to end once it is told to. A server
// and its record have ended by then.
const stuckLimit = capture.StopLimit + 2*time.Second

// recoverInto ends the screen, so that the terminal is itself again, when a
// goroutine of ours panics; the panic is then reported by the program.
func recoverInto(program *tea.Program) {
	if p := recover(); p != nil {
		program.Kill()
		fmt.Fprintf(term.Output(os.Stderr), "wiretea: internal error: %v\n", p)
	}
}

// CanShow returns why the full screen cannot be shown; empty if it can.
func CanShow(in io.Reader, out io.Writer) string {
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

// FallsBack reports whether the screen cannot be shown, and then says on stderr that lines are
// printed instead.
func FallsBack(cmd *cobra.Command) bool {
	why := CanShow(cmd.InOrStdin(), cmd.OutOrStdout())
	if why != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "wiretea: %s: printing line by line, as with --plain\n", why)
	}
	return why != ""
}

// ThemeFlag adds --theme to a command.
func ThemeFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().Var((*themeName)(name), "theme", "colour theme of the screen, by `NAME`; completion lists them")
	_ = cmd.RegisterFlagCompletionFunc("theme", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return style.Names(), cobra.ShellCompDirectiveNoFileComp
	})
}

// A themeName is the value of --theme: the name of a theme.
type themeName string

func (f *themeName) String() string { return string(*f) }
func (f *themeName) Type() string   { return "NAME" }

func (f *themeName) Set(words string) error {
	if !slices.ContainsFunc(style.Names(), func(known string) bool { return strings.EqualFold(known, words) }) {
		return fmt.Errorf("%q is not a theme: %s", words, text.Nearest(words, style.Names(), "light and dark come from the terminal, completion lists the themes"))
	}
	*f = themeName(words)
	return nil
}

// HistoryFolder is where composed requests are kept, a file for each server: beside the
// sessions. It is empty where the home folder is unknown.
func HistoryFolder() string {
	dir, err := recorder.SessionsFolder("")
	if err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(dir), "history")
}

// Notices is a writer for lines that would go to stderr. It shows them on the screen
// once there is one. The zero Notices keeps them until then.
type Notices struct {
	mu      sync.Mutex
	program *tea.Program
	kept    []string // kept are those that came before the screen.
}

// Write takes whole lines.
func (n *Notices) Write(p []byte) (int, error) {
	text := strings.TrimPrefix(strings.TrimSpace(string(p)), "wiretea: ")
	n.mu.Lock()
	program := n.program
	if program == nil {
		n.kept = append(n.kept, text)
	}
	n.mu.Unlock()
	if program != nil {
		// Send waits for the screen, and a terminal that is stopped must
		// not block the writer.
		go program.Send(pane.SayMsg{Text: text, Severity: session.Warning})
	}
	return len(p), nil
}

// show shows what was kept, and everything that is written from now on.
func (n *Notices) show(program *tea.Program) {
	n.mu.Lock()
	n.program = program
	kept := n.kept
	n.kept = nil
	n.mu.Unlock()
	for _, text := range kept {
		go program.Send(pane.SayMsg{Text: text, Severity: session.Warning})
	}
}

// Restyling gives the theme of the settings for a terminal with a dark or a light background,
// or for the background that the settings choose.
func Restyling(set config.Settings, noColour bool) func(dark bool) *style.Theme {
	return func(dark bool) *style.Theme { return style.New(set.Theme, set.Dark(dark), noColour) }
}

// Slow returns a capture.Config.Slow that says a line for each wait.
func Slow(errw io.Writer) func(capture.Wait) {
	return func(w capture.Wait) { fmt.Fprintf(errw, "wiretea: %s\n", WaitWords(w)) }
}

// WaitWords says for what and how long something waits, and until when, on one line
// that is safe to print.
func WaitWords(w capture.Wait) string {
	words := term.Visible(strings.TrimSpace(w.Method+" "+w.Target)) + " waits for " + text.Wait(w.For)
	switch {
	case w.Launcher != "":
		return words + ": " + w.Launcher + " has not started the server, it may be downloading or building it; the time limit does not run meanwhile"
	case w.Limit > 0 && w.Probe:
		words += "; wiretea tries initialize at " + text.Wait(w.Limit)
	case w.Limit > 0:
		words += "; wiretea gives up at " + text.Wait(w.Limit)
	}
	if w.Starting {
		words += "; the server may still be starting"
	}
	return words
}
