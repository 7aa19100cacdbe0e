package termtest

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// leased is a model that a program has until end. Bubble Tea keeps a program in memory
// until the last of its commands has returned, and a timer may be minutes long: a hundred
// tests have a hundred programs. Of one that has ended no command is waited for, and the
// model is gone.
type leased struct {
	model tea.Model
	marks int           // marks counts markKey, see Session.Settle.
	read  chan struct{} // read has a token once all input that it was given was read, or the program is over.
	ended chan struct{}
}

// lastKey ends the input of a program that is to be killed. Bubble Tea's reader waits for
// ever, and keeps the program, where it has an event when nobody takes one any more.
var lastKey = []byte("\x1b[24;8~")

const lastKeyName = "ctrl+alt+shift+f12"

// markKey asks for markedTitle.
var markKey = []byte("\x1b[23;8~")

const markKeyName = "ctrl+alt+shift+f11"

// markedTitle ends the window's title once n marks have been read.
func markedTitle(n int) string { return fmt.Sprintf(" (%d)", n) }

// seen says that all input that it was given was read.
func (l *leased) seen() {
	select {
	case l.read <- struct{}{}:
	default: // that was said before
	}
}

// end takes the model away. The program must have ended.
func (l *leased) end() {
	close(l.ended)
	l.model = nil
}

func (l *leased) Init() tea.Cmd { return l.command(l.model.Init()) }

func (l *leased) View() tea.View {
	view := l.model.View()
	if l.marks > 0 {
		view.WindowTitle += markedTitle(l.marks)
	}
	return view
}

func (l *leased) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case lastKeyName:
			l.seen()
			return l, nil
		case markKeyName:
			l.marks++
			return l, nil
		}
	}
	model, cmd := l.model.Update(msg)
	l.model = model
	return l, l.command(cmd)
}

// command is a command that returns no later than end.
func (l *leased) command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		type result struct {
			msg      tea.Msg
			panicked any
		}
		done := make(chan result, 1)
		go func() {
			var r result
			defer func() {
				r.panicked = recover()
				done <- r
			}()
			r.msg = cmd()
		}()
		select {
		case <-l.ended:
			return nil
		case r := <-done:
			if r.panicked != nil {
				panic(r.panicked) // as without us: the program ends
			}
			batch, ok := r.msg.(tea.BatchMsg)
			if !ok {
				return r.msg
			}
			for i, cmd := range batch {
				batch[i] = l.command(cmd)
			}
			return batch
		}
	}
}
