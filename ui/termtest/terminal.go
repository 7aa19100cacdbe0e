package termtest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// Options say what kind of terminal it is.
type Options struct {
	Light     bool // Light: the background is light; told to those who ask.
	Graphemes bool // Graphemes: the terminal can measure whole grapheme clusters (mode 2027).
	Sync      bool // Sync: it can hold the display during an update (mode 2026).
	Newline   bool // Newline: a line feed also returns to the first column, as the line discipline of a real terminal would.
}

// A Terminal is a screen, and what belongs to one. It is not safe for use by
// several goroutines at once.
type Terminal struct {
	opt    Options
	parser *ansi.Parser
	rune   []byte // rune is the part of a UTF-8 sequence that has come.
	osc    []byte // osc is the text of an OSC sequence as it comes.

	main, alt *grid
	on        *grid // on is the grid that is shown.

	at      cursor
	saved   [2]cursor // saved are the cursors of DECSC, for main and alternate.
	top     int       // top and bottom bound the scrolling region; bottom is exclusive.
	bott    int
	tabs    []bool
	modes   map[int]bool // modes are the private modes that are set.
	inserts bool         // inserts: characters are inserted (IRM).
	last    string       // last is the last grapheme printed, for REP.

	title   string
	clip    string
	bells   int
	frames  int
	hold    bool
	replies []byte
	unknown []string
}

// A cursor is where the next character goes, and how it looks.
type cursor struct {
	x, y   int
	wrap   bool // wrap: the row is full; the next character goes to the next one.
	style  Style
	origin bool
}

// Private modes that mean something here.
const (
	modeOrigin    = 6
	modeAutoWrap  = 7
	modeCursor    = 25
	modeAltPlain  = 47
	modeAltClear  = 1047
	modeSave      = 1048
	modeAltSave   = 1049
	modePaste     = 2004
	modeSync      = 2026
	modeGraphemes = 2027
)

// bound is the most of each kind of thing that is kept: unknown sequences, bytes
// of replies that were not fetched.
const bound = 1 << 16

// New returns a blank terminal of w columns and h rows, each at least 1.
func New(w, h int, opt Options) *Terminal {
	w, h = max(1, w), max(1, h)
	t := &Terminal{opt: opt, parser: ansi.NewParser()}
	t.parser.SetDataSize(4096)
	t.parser.SetHandler(ansi.Handler{
		Execute:   t.execute,
		HandleCsi: t.csi,
		HandleEsc: t.escape,
		HandleDcs: t.dcs,
		HandleOsc: func(cmd int, _ []byte) { t.command(cmd) },
		HandleSos: func([]byte) { t.note("SOS") },
		HandlePm:  func([]byte) { t.note("PM") },
		HandleApc: func([]byte) {},
	})
	t.main, t.alt = newGrid(w, h), newGrid(w, h)
	t.reset()
	return t
}

// reset is RIS: as if just switched on.
func (t *Terminal) reset() {
	t.on = t.main
	for y := range t.main.h {
		t.main.blank(y, 0, t.main.w, 0)
		t.alt.blank(y, 0, t.alt.w, 0)
	}
	t.at, t.saved = cursor{}, [2]cursor{}
	t.modes = map[int]bool{modeCursor: true, modeAutoWrap: true}
	t.inserts, t.last, t.hold = false, "", false
	t.top, t.bott = 0, t.main.h
	t.defaultTabs()
}

// Size returns columns and rows.
func (t *Terminal) Size() (w, h int) { return t.on.w, t.on.h }

// Resize changes the size. What no longer fits is lost; nothing is reflowed.
func (t *Terminal) Resize(w, h int) {
	w, h = max(1, w), max(1, h)
	drop := max(0, t.at.y-h+1)
	other := t.alt
	if t.on == t.alt {
		other = t.main
	}
	t.on.resize(w, h, drop)
	other.resize(w, h, max(0, other.h-h))
	t.at.y -= drop
	t.at.x, t.at.wrap = min(t.at.x, w-1), false
	for i := range t.saved {
		t.saved[i].x, t.saved[i].y = min(t.saved[i].x, w-1), min(t.saved[i].y, h-1)
	}
	t.top, t.bott = 0, h
	t.defaultTabs()
}

func (t *Terminal) defaultTabs() {
	t.tabs = make([]bool, t.main.w)
	for x := 8; x < len(t.tabs); x += 8 {
		t.tabs[x] = true
	}
}

// Write takes what a program writes. It never fails.
func (t *Terminal) Write(p []byte) (int, error) {
	for _, b := range p {
		t.take(b)
	}
	if !t.hold {
		t.frames++
	}
	return len(p), nil
}

// take takes one byte. Bytes above ASCII never reach the parser: it would read
// some of them as controls, which no terminal in UTF-8 does.
func (t *Terminal) take(b byte) {
	if b < utf8.RuneSelf {
		t.flush()
		before := t.parser.State()
		if before == parser.GroundState && b >= ' ' && b < 0x7f {
			t.print(rune(b))
			return
		}
		if before == parser.OscStringState && b >= ' ' && len(t.osc) < bound {
			t.osc = append(t.osc, b)
		}
		t.parser.Advance(b)
		if t.parser.State() == parser.OscStringState && before != parser.OscStringState {
			t.osc = t.osc[:0]
		}
		return
	}
	switch t.parser.State() {
	case parser.OscStringState:
		if len(t.osc) < bound {
			t.osc = append(t.osc, b)
		}
		return
	case parser.DcsStringState, parser.SosStringState, parser.PmStringState, parser.ApcStringState:
		return
	case parser.GroundState:
	default:
		t.note("sequence broken off")
		t.parser.Reset()
	}
	t.rune = append(t.rune, b)
	for len(t.rune) > 0 && utf8.FullRune(t.rune) {
		r, n := utf8.DecodeRune(t.rune)
		t.rune = append(t.rune[:0], t.rune[n:]...)
		t.print(r)
	}
}

// flush shows an unfinished UTF-8 sequence as what it is.
func (t *Terminal) flush() {
	for range t.rune {
		t.print(utf8.RuneError)
	}
	t.rune = t.rune[:0]
}

// note collects what is not understood.
func (t *Terminal) note(format string, args ...any) {
	if len(t.unknown) < bound {
		t.unknown = append(t.unknown, fmt.Sprintf(format, args...))
	}
}

// Screen returns the rows as text, without trailing blanks.
func (t *Terminal) Screen() []string {
	lines := make([]string, t.on.h)
	for y := range lines {
		lines[y] = t.on.line(y)
	}
	return lines
}

// String returns the rows as one text, each ended by a line feed.
func (t *Terminal) String() string { return strings.Join(t.Screen(), "\n") + "\n" }

// Cell returns the grapheme that begins at a place and its style. A blank cell's
// text is a space, that of the right part of a wide character empty.
func (t *Terminal) Cell(x, y int) (text string, style Style) {
	if x < 0 || y < 0 || x >= t.on.w || y >= t.on.h {
		return "", Style{}
	}
	c := t.on.rows[y][x]
	if c.text == "" && !c.rest {
		return " ", c.style
	}
	return c.text, c.style
}

// Cursor returns where the cursor is and whether it is shown.
func (t *Terminal) Cursor() (x, y int, shown bool) { return t.at.x, t.at.y, t.modes[modeCursor] }

// Title returns the window's title.
func (t *Terminal) Title() string { return t.title }

// Clipboard returns what was copied last (OSC 52).
func (t *Terminal) Clipboard() string { return t.clip }

// AltScreen reports whether the alternate screen is shown.
func (t *Terminal) AltScreen() bool { return t.on == t.alt }

// Mode reports whether a private mode is set, 2004 for bracketed paste.
func (t *Terminal) Mode(n int) bool { return t.modes[n] }

// Modes returns the private modes that are set, sorted.
func (t *Terminal) Modes() []int {
	var set []int
	for n, on := range t.modes {
		if on {
			set = append(set, n)
		}
	}
	slices.Sort(set)
	return set
}

// Bells counts how often the bell rang.
func (t *Terminal) Bells() int { return t.bells }

// Frames counts how often the display changed: a write, or an update that the
// program bracketed (mode 2026).
func (t *Terminal) Frames() int { return t.frames }

// Holding reports whether the program is amid an update that it bracketed.
func (t *Terminal) Holding() bool { return t.hold }

// Replies returns what the terminal has answered to queries since the last call.
func (t *Terminal) Replies() []byte {
	r := t.replies
	t.replies = nil
	return r
}

// Unknown returns what was written and not understood, at most 65,536 of it.
func (t *Terminal) Unknown() []string { return t.unknown }
