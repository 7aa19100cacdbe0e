package termimage

import (
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/host"
	"wiretea/ui/pane"
)

// Pictures are the images that the terminal draws over the cells that panes left blank.
// The terminal is asked what it can do when the first pane has an image; a session
// without images costs nothing.
type Pictures struct {
	terminal Terminal
	asked    bool

	want  []pane.Picture // want are those that are to be seen, with their places on the screen.
	under string         // under is what the frame has in their lines.
	drawn bool           // drawn: some may be on the terminal.

	waits bool // waits: a drawing is on its way.
	again bool // again: since it was asked for, more has changed.
}

// Forget is called when the terminal has lost what was drawn: it is drawn again.
func (p *Pictures) Forget() { p.want, p.under = nil, "" }

// settle is the time after which a frame is on the terminal, and the least one between
// two drawings.
const settle = 80 * time.Millisecond

// Ask asks the terminal once whether it draws images.
func (p *Pictures) Ask() tea.Cmd {
	if p.asked {
		return nil
	}
	p.asked = true
	return func() tea.Msg {
		cell := CellOf(os.Stdin.Fd()) // zero = the device does not tell it
		return host.OwnMsg{Take: func() tea.Cmd {
			p.terminal.Sized(cell)
			return pane.Program(tea.Raw(Ask))
		}}
	}
}

// Hear takes an answer of the terminal. It reports false for any other message.
func (p *Pictures) Hear(msg tea.Msg) bool { return p.terminal.Hear(msg) }

// Drawn reports whether the terminal draws images.
func (p *Pictures) Drawn() bool { return p.terminal.Protocol != None }

// Follow has the images drawn that have come into sight, and takes away those that went. want
// are those that are to be seen, with their places in the frame.
func (p *Pictures) Follow(want []pane.Picture, frame string) tea.Cmd {
	under := ""
	for _, pic := range want {
		lines := strings.Split(frame, "\n")
		from, to := min(pic.Area.Min.Y, len(lines)), min(pic.Area.Max.Y, len(lines))
		under += strings.Join(lines[from:to], "\n")
	}
	same := slices.Equal(want, p.want)
	// The renderer writes a line from its first change to its last, over what is between.
	// Images of Kitty are above the text.
	if same && (under == p.under || p.terminal.Protocol == Kitty) {
		return nil
	}
	p.want, p.under = want, under
	var cmds []tea.Cmd
	if p.again = p.waits; !p.waits {
		cmds = append(cmds, p.soon())
	}
	if !same && p.drawn {
		p.drawn = false
		cmds = append(cmds, p.clear())
	}
	return tea.Batch(cmds...)
}

// soon has the images drawn once the frame is on the terminal.
func (p *Pictures) soon() tea.Cmd {
	p.waits = true
	return tea.Tick(settle, func(time.Time) tea.Msg { return host.OwnMsg{Take: p.draw} })
}

// clear takes away what was drawn.
func (p *Pictures) clear() tea.Cmd {
	if seq, ok := p.terminal.Clear(); ok {
		return pane.Program(tea.Raw(seq))
	}
	return pane.Program(tea.ClearScreen)
}

// draw draws what is to be seen: the frame with the blank cells is on the terminal.
func (p *Pictures) draw() tea.Cmd {
	var cmds []tea.Cmd
	if p.waits = false; p.again { // The latest frame may not be there yet.
		p.again = false
		cmds = append(cmds, p.soon())
	}
	if len(p.want) > 0 {
		p.drawn = true
		terminal, want := p.terminal, p.want
		cmds = append(cmds, func() tea.Msg {
			var b strings.Builder
			if seq, ok := terminal.Clear(); ok {
				b.WriteString(seq)
			}
			for _, pic := range want {
				seq, err := terminal.Draw(pic.Image, pic.Area)
				if err != nil {
					return pane.Failed(err)
				}
				b.WriteString(seq)
			}
			return pane.ProgramMsg{Cmd: tea.Raw(b.String())}
		})
	}
	return tea.Batch(cmds...)
}
