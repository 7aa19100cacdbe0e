package display

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/ui/cli/term"
	"wiretea/ui/config"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/screen"
)

// Show runs the screen on the sessions of opt, with the user's settings, until the
// user leaves or ctx ends. begun runs in a goroutine of its own once the screen is
// there, and its error is shown; nil runs nothing.
func Show(ctx context.Context, opt screen.Options, says *Notices, themeName string, begun func(context.Context) error) error {
	if _, err := term.ParseFilter(opt.Filter); err != nil {
		return err
	}
	set, dir := Settings(says, themeName)
	opt.Settings, opt.Dark, opt.NoColour, opt.History = set, true, term.Getenv("NO_COLOR") != "", HistoryFolder()
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
	set, err := config.Load(dir)
	if err != nil {
		fmt.Fprintln(says, term.OneLine(err.Error()))
	}
	if _, err := keys.Rebind(set.Keys); err != nil {
		fmt.Fprintln(says, term.OneLine("config.toml: "+err.Error()))
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
	context.AfterFunc(ctx, func() { exitUnless(over) })
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
const stuckLimit = capture.StopLimit + 2*time.Second

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
