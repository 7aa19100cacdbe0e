package termimage

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// A Protocol is how a terminal takes images. The zero Protocol is None.
type Protocol uint8

const (
	None Protocol = iota
	Kitty
	ITerm // ITerm is the protocol of iTerm2, which WezTerm and others have too.
	Sixel
)

// queryID is the image number of the query to terminals with Kitty's protocol.
const queryID = 31

// Ask is what a terminal is asked: whether it takes Kitty's graphics, its name and
// version, the size of a cell in pixels, and its attributes. Every terminal answers the
// last one, and answers in the order of the questions.
const Ask = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\" + ansi.RequestNameVersion + "\x1b[16t" + ansi.RequestPrimaryDeviceAttributes

// A Terminal is what a terminal has answered. The zero Terminal has answered nothing.
type Terminal struct {
	Protocol Protocol    // Protocol is the best one of those that it has; None until it has answered.
	Cell     image.Point // Cell is the size of a cell in pixels; zero = unknown.

	kitty, iterm bool
}

// Hear takes an answer. It reports false for any other message.
func (t *Terminal) Hear(msg any) bool {
	switch msg := msg.(type) {
	case uv.KittyGraphicsEvent:
		t.kitty = t.kitty || msg.Options.ID == queryID && string(msg.Payload) == "OK"
	case tea.TerminalVersionMsg:
		t.iterm = strings.HasPrefix(msg.Name, "iTerm2") || strings.HasPrefix(msg.Name, "WezTerm")
	case uv.CellSizeEvent:
		t.Sized(image.Pt(msg.Width, msg.Height))
	case uv.PrimaryDeviceAttributesEvent:
		t.Protocol = t.best(msg)
	default:
		return false
	}
	return true
}

// Sized says how large a cell is, in pixels. Sizes that cannot be are passed over.
func (t *Terminal) Sized(cell image.Point) {
	if cell.X > 0 && cell.Y > 0 && cell.X <= maxCell && cell.Y <= maxCell {
		t.Cell = cell
	}
}

// maxCell is the largest size of a cell that is believed, in pixels.
const maxCell = 128

// best is the best protocol of those that a terminal with these attributes has. Sixels
// are drawn only where the size of a cell is known.
func (t *Terminal) best(attributes []int) Protocol {
	const sixels = 4
	switch {
	case t.kitty:
		return Kitty
	case t.iterm:
		return ITerm
	case t.Cell != image.Point{} && slices.Contains(attributes, sixels):
		return Sixel
	}
	return None
}
