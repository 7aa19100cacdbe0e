package termtest

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// most is the largest parameter that is obeyed; no screen is larger.
const most = 1 << 16

// param returns a parameter, at least least, which also stands for a missing one.
func param(p ansi.Params, i, least int) int {
	n, _, ok := p.Param(i, least)
	if !ok {
		return least
	}
	return min(most, max(least, n))
}

// csi carries out a control sequence.
func (t *Terminal) csi(cmd ansi.Cmd, p ansi.Params) {
	done := false
	switch {
	case cmd.Prefix() == 0 && cmd.Intermediate() == 0:
		done = t.move(cmd.Final(), p) || t.edit(cmd.Final(), p) || t.set(cmd.Final(), p)
	case cmd.Prefix() == '?':
		done = t.private(cmd, p)
	default:
		done = t.other(cmd)
	}
	if !done {
		t.note("CSI %s", spelled(cmd, p))
	}
}

// spelled writes a control sequence as it came.
func spelled(cmd ansi.Cmd, p ansi.Params) string {
	var b strings.Builder
	if c := cmd.Prefix(); c != 0 {
		b.WriteByte(c)
	}
	p.ForEach(-1, func(i, n int, more bool) {
		if n >= 0 {
			fmt.Fprint(&b, n)
		}
		switch {
		case more:
			b.WriteByte(':')
		case i < len(p)-1:
			b.WriteByte(';')
		}
	})
	if c := cmd.Intermediate(); c != 0 {
		b.WriteByte(c)
	}
	b.WriteByte(cmd.Final())
	return b.String()
}

// move carries out what moves the cursor.
func (t *Terminal) move(final byte, p ansi.Params) bool {
	n := param(p, 0, 1)
	x, y := t.at.x, t.at.y
	switch final {
	case 'A':
		y = t.up(n)
	case 'B', 'e':
		y = t.down(n)
	case 'C', 'a':
		x += n
	case 'D':
		x -= n
	case 'E':
		x, y = 0, t.down(n)
	case 'F':
		x, y = 0, t.up(n)
	case 'G', '`':
		x = n - 1
	case 'd':
		y = t.row(n)
	case 'H', 'f':
		x, y = param(p, 1, 1)-1, t.row(n)
	case 'I':
		t.tab(n)
		return true
	case 'Z':
		t.tab(-n)
		return true
	default:
		return false
	}
	t.goTo(x, y)
	return true
}

func (t *Terminal) goTo(x, y int) {
	t.at.x, t.at.y, t.at.wrap = max(0, min(t.on.w-1, x)), max(0, min(t.on.h-1, y)), false
}

// up and down stay within the scrolling region if they begin in it.
func (t *Terminal) up(n int) int {
	if t.at.y >= t.top {
		return max(t.top, t.at.y-n)
	}
	return t.at.y - n
}

func (t *Terminal) down(n int) int {
	if t.at.y < t.bott {
		return min(t.bott-1, t.at.y+n)
	}
	return t.at.y + n
}

// row is the row that a program calls n.
func (t *Terminal) row(n int) int {
	if t.modes[modeOrigin] {
		return min(t.bott-1, t.top+n-1)
	}
	return n - 1
}

// edit carries out what erases, inserts, deletes and scrolls.
func (t *Terminal) edit(final byte, p ansi.Params) bool {
	g, bg, n := t.on, t.at.style.Bg, param(p, 0, 1)
	x, y := t.at.x, t.at.y
	inside := y >= t.top && y < t.bott
	switch final {
	case 'J':
		return t.eraseScreen(param(p, 0, 0))
	case 'K':
		return t.eraseLine(param(p, 0, 0))
	case 'X':
		g.blank(y, x, x+n, bg)
	case '@':
		g.shift(y, x, -n, bg)
	case 'P':
		g.shift(y, x, n, bg)
	case 'L':
		if inside {
			g.scroll(y, t.bott, -n, bg)
			t.at.x = 0
		}
	case 'M':
		if inside {
			g.scroll(y, t.bott, n, bg)
			t.at.x = 0
		}
	case 'S':
		g.scroll(t.top, t.bott, n, bg)
	case 'T':
		if len(p) > 1 { // mouse tracking
			return false
		}
		g.scroll(t.top, t.bott, -n, bg)
	case 'b':
		for range min(n, g.w) {
			if t.last == "" {
				break
			}
			t.putNext(t.last, t.widthOf(t.last))
		}
		return true
	default:
		return false
	}
	t.at.wrap = false
	return true
}

func (t *Terminal) eraseScreen(what int) bool {
	g, bg := t.on, t.at.style.Bg
	from, to := 0, g.h
	switch what {
	case 0:
		g.blank(t.at.y, t.at.x, g.w, bg)
		from = t.at.y + 1
	case 1:
		g.blank(t.at.y, 0, t.at.x+1, bg)
		to = t.at.y
	case 2:
	case 3: // the scrollback, which there is not
		return true
	default:
		return false
	}
	for y := from; y < to; y++ {
		g.blank(y, 0, g.w, bg)
	}
	t.at.wrap = false
	return true
}

func (t *Terminal) eraseLine(what int) bool {
	from, to := 0, t.on.w
	switch what {
	case 0:
		from = t.at.x
	case 1:
		to = t.at.x + 1
	case 2:
	default:
		return false
	}
	t.on.blank(t.at.y, from, to, t.at.style.Bg)
	t.at.wrap = false
	return true
}

// set carries out what changes the terminal's state, or asks for it.
func (t *Terminal) set(final byte, p ansi.Params) bool {
	switch final {
	case 'm':
		return t.sgr(p)
	case 'r':
		top, bottom := param(p, 0, 1)-1, param(p, 1, 0)
		if bottom == 0 || bottom > t.on.h {
			bottom = t.on.h
		}
		if top < bottom-1 {
			t.top, t.bott = top, bottom
			t.goTo(0, t.row(1))
		}
	case 's':
		t.save()
	case 'u':
		t.restore()
	case 'g':
		switch param(p, 0, 0) {
		case 0:
			t.tabs[t.at.x] = false
		case 3:
			clear(t.tabs)
		}
	case 'h', 'l':
		if param(p, 0, 0) != 4 {
			return false
		}
		t.inserts = final == 'h'
	case 'c':
		t.reply("\x1b[?62;22;52c")
	case 'n':
		return t.status(param(p, 0, 0))
	case 't':
		return t.window(p)
	default:
		return false
	}
	return true
}

func (t *Terminal) status(what int) bool {
	switch what {
	case 5:
		t.reply("\x1b[0n")
	case 6:
		t.reply("\x1b[%d;%dR", t.at.y+1, t.at.x+1)
	default:
		return false
	}
	return true
}

// window answers the questions for the size; titles on a stack are ignored.
func (t *Terminal) window(p ansi.Params) bool {
	switch param(p, 0, 0) {
	case 18:
		t.reply("\x1b[8;%d;%dt", t.on.h, t.on.w)
	case 14, 16, 22, 23:
	default:
		return false
	}
	return true
}

// private carries out the sequences that begin with a question mark.
func (t *Terminal) private(cmd ansi.Cmd, p ansi.Params) bool {
	switch {
	case cmd.Intermediate() == '$' && cmd.Final() == 'p':
		t.reply("\x1b[?%d;%d$y", param(p, 0, 0), t.modeState(param(p, 0, 0)))
	case cmd.Intermediate() != 0:
		return false
	case cmd.Final() == 'h' || cmd.Final() == 'l':
		p.ForEach(0, func(_, n int, _ bool) { t.mode(n, cmd.Final() == 'h') })
	case cmd.Final() == 'u': // the kitty keyboard, which this is not
	case cmd.Final() == 'W' && param(p, 0, 0) == 5:
		t.defaultTabs()
	case cmd.Final() == 'n' && param(p, 0, 0) == 996:
		scheme := 1
		if t.opt.Light {
			scheme = 2
		}
		t.reply("\x1b[?997;%dn", scheme)
	case cmd.Final() == 'm': // modifyOtherKeys asked for
	default:
		return false
	}
	return true
}

// modeState is what DECRQM answers: 0 not known, 1 set, 2 reset.
func (t *Terminal) modeState(n int) int {
	known := n < 2026 || n == modeSync && t.opt.Sync || n == modeGraphemes && t.opt.Graphemes
	switch {
	case !known:
		return 0
	case t.modes[n]:
		return 1
	}
	return 2
}

// mode sets or resets a private mode.
func (t *Terminal) mode(n int, on bool) {
	if n == modeGraphemes && !t.opt.Graphemes {
		return
	}
	was := t.modes[n]
	t.modes[n] = on
	switch n {
	case modeOrigin:
		t.goTo(0, t.row(1))
	case modeAltPlain, modeAltClear:
		t.switchTo(on, n == modeAltClear)
	case modeSave:
		t.saveOrRestore(on)
	case modeAltSave:
		if on && was {
			return
		}
		if on {
			t.save()
			t.switchTo(on, true)
			return
		}
		t.switchTo(on, false)
		if was {
			t.restore()
		}
	case modeSync:
		t.hold = on && t.opt.Sync
	}
}

func (t *Terminal) saveOrRestore(save bool) {
	if save {
		t.save()
	} else {
		t.restore()
	}
}

// switchTo shows the alternate screen, blank if asked for, or the main one.
func (t *Terminal) switchTo(alt, blank bool) {
	if !alt {
		t.on = t.main
		return
	}
	t.on = t.alt
	if blank {
		for y := range t.alt.h {
			t.alt.blank(y, 0, t.alt.w, t.at.style.Bg)
		}
	}
}

// other carries out the sequences with other prefixes and intermediates, none of
// which changes what is seen.
func (t *Terminal) other(cmd ansi.Cmd) bool {
	switch {
	case cmd.Prefix() == '>' && cmd.Final() == 'c':
		t.reply("\x1b[>1;10;0c")
	case cmd.Prefix() == '>' && cmd.Final() == 'q':
		t.reply("\x1bP>|wiretea\x1b\\")
	case cmd.Prefix() == '>' && cmd.Final() == 'm': // modifyOtherKeys
	case (cmd.Prefix() == '>' || cmd.Prefix() == '<' || cmd.Prefix() == '=') && cmd.Final() == 'u': // the kitty keyboard
	case cmd.Prefix() == 0 && cmd.Intermediate() == ' ' && cmd.Final() == 'q': // the cursor's shape
	case cmd.Prefix() == 0 && cmd.Intermediate() == '!' && cmd.Final() == 'p': // soft reset
		t.at.style, t.inserts, t.top, t.bott = Style{}, false, 0, t.on.h
		t.modes[modeOrigin], t.modes[modeCursor], t.modes[modeAutoWrap] = false, true, true
	default:
		return false
	}
	return true
}
