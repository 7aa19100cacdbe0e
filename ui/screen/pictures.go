package screen

import (
	"image"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/graphics"
	"wiretea/ui/pane"
)

// pictures are the images that the terminal draws over the cells that panes left blank.
// The terminal is asked what it can do when the first pane has an image; a session
// without images costs nothing.
type pictures struct {
	terminal graphics.Terminal
	asked    bool

	want  []pane.Picture // want are those that are to be seen, with their places on the screen.
	under string         // under is what the frame has in their lines.
	drawn bool           // drawn: some may be on the terminal.

	waits bool // waits: a drawMsg is on its way.
	again bool // again: since it was asked for, more has changed.
}

// forget is called when the terminal has lost what was drawn: it is drawn again.
func (p *pictures) forget() { p.want, p.under = nil, "" }

// askMsg: the device of the terminal has told the size of a cell; zero = it has not.
type askMsg struct{ cell image.Point }

// drawMsg: the frame with the blank cells is on the terminal.
type drawMsg struct{}

// settle is the time after which a frame is on the terminal, and the least one between
// two drawings.
const settle = 80 * time.Millisecond

// askTerminal asks the terminal once whether it draws images.
func (s *Screen) askTerminal() tea.Cmd {
	if s.pictures.asked || s.prefs.Theme.NoColour {
		return nil
	}
	s.pictures.asked = true
	return func() tea.Msg {
		return askMsg{graphics.CellOf(os.Stdin.Fd())}
	}
}

// graphics tells the panes whether the terminal draws images.
func (s *Screen) graphics() {
	for _, t := range s.tabs {
		t.Ctx.Graphics = s.pictures.terminal.Protocol != graphics.None
	}
	s.dirty = true
}

// follow has the images drawn that have come into sight, and takes away those that went.
func (s *Screen) follow() tea.Cmd {
	p := &s.pictures
	if p.terminal.Protocol == graphics.None || !s.sized {
		return nil
	}
	s.View() // It places them.
	want, under := s.inSight()
	same := slices.Equal(want, p.want)
	// The renderer writes a line from its first change to its last, over what is between.
	// Images of Kitty are above the text.
	if same && (under == p.under || p.terminal.Protocol == graphics.Kitty) {
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
func (p *pictures) soon() tea.Cmd {
	p.waits = true
	return tea.Tick(settle, func(time.Time) tea.Msg { return drawMsg{} })
}

// clear takes away what was drawn.
func (p *pictures) clear() tea.Cmd {
	if seq, ok := p.terminal.Clear(); ok {
		return pane.Program(tea.Raw(seq))
	}
	return pane.Program(tea.ClearScreen)
}

// inSight are the images of the panes that are shown, and the lines of the frame that they
// are in. A box over the panes hides all.
func (s *Screen) inSight() (all []pane.Picture, under string) {
	if s.overlay != nil || s.w < leastW || s.h < leastH {
		return nil, ""
	}
	for _, at := range s.layout.Place(s.bodyRect()) {
		from, ok := s.tab().Pane(at.Scope).(pane.Pictured)
		if !ok {
			continue
		}
		in := at.Inside()
		for _, pic := range from.Pictures() {
			pic.Area = pic.Area.Add(image.Pt(in.X, in.Y))
			all = append(all, pic)
		}
	}
	for _, pic := range all {
		lines := strings.Split(s.last, "\n")
		from, to := min(pic.Area.Min.Y, len(lines)), min(pic.Area.Max.Y, len(lines))
		under += strings.Join(lines[from:to], "\n")
	}
	return all, under
}

// drawPictures draws what is to be seen.
func (s *Screen) drawPictures(*tab, drawMsg) tea.Cmd {
	p := &s.pictures
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
