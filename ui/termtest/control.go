package termtest

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// execute carries out a control character.
func (t *Terminal) execute(b byte) {
	switch b {
	case ansi.BEL:
		t.bells++
	case ansi.BS:
		t.at.x, t.at.wrap = max(0, t.at.x-1), false
	case ansi.HT:
		t.tab(1)
	case ansi.LF, ansi.VT, ansi.FF:
		t.index()
		if t.opt.Newline {
			t.at.x = 0
		}
		t.at.wrap = false
	case ansi.CR:
		t.at.x, t.at.wrap = 0, false
	case ansi.NUL, ansi.CAN, ansi.DEL:
	default:
		t.note("C0 %#02x", b)
	}
}

// escape carries out an escape sequence of one or two characters.
func (t *Terminal) escape(cmd ansi.Cmd) {
	switch cmd.Intermediate() {
	case 0:
	case '(', ')', '*', '+': // character sets: only the usual ones are harmless
		if f := cmd.Final(); f != 'B' && f != 'A' {
			t.note("ESC %c %c", cmd.Intermediate(), f)
		}
		return
	default:
		t.note("ESC %c %c", cmd.Intermediate(), cmd.Final())
		return
	}
	switch cmd.Final() {
	case '\\': // ST, which has ended a string
	case '7':
		t.save()
	case '8':
		t.restore()
	case 'D':
		t.index()
	case 'E':
		t.at.x = 0
		t.index()
	case 'M':
		t.reverseIndex()
	case 'H':
		t.tabs[t.at.x] = true
	case 'c':
		t.reset()
	case '=', '>': // keypad
	default:
		t.note("ESC %c", cmd.Final())
	}
}

// index moves down, scrolling at the region's end.
func (t *Terminal) index() {
	switch {
	case t.at.y == t.bott-1:
		t.on.scroll(t.top, t.bott, 1, t.at.style.Bg)
	case t.at.y < t.on.h-1:
		t.at.y++
	}
}

// reverseIndex moves up, scrolling at the region's begin.
func (t *Terminal) reverseIndex() {
	t.at.wrap = false
	switch {
	case t.at.y == t.top:
		t.on.scroll(t.top, t.bott, -1, t.at.style.Bg)
	case t.at.y > 0:
		t.at.y--
	}
}

// tab moves by tab stops, backwards where n is negative.
func (t *Terminal) tab(n int) {
	t.at.wrap = false
	for ; n > 0 && t.at.x < t.on.w-1; n-- {
		for t.at.x++; t.at.x < t.on.w-1 && !t.tabs[t.at.x]; t.at.x++ {
		}
	}
	for ; n < 0 && t.at.x > 0; n++ {
		for t.at.x--; t.at.x > 0 && !t.tabs[t.at.x]; t.at.x-- {
		}
	}
}

func (t *Terminal) screenIndex() int {
	if t.on == t.alt {
		return 1
	}
	return 0
}

func (t *Terminal) save() {
	at := t.at
	at.origin = t.modes[modeOrigin]
	t.saved[t.screenIndex()] = at
}

func (t *Terminal) restore() {
	t.at = t.saved[t.screenIndex()]
	t.modes[modeOrigin] = t.at.origin
}

// command carries out an OSC sequence, whose text is in t.osc.
func (t *Terminal) command(cmd int) {
	text := string(t.osc)
	_, arg, _ := strings.Cut(text, ";")
	switch cmd {
	case 0, 2:
		t.title = arg
	case 1: // the icon's title
	case 8:
		_, t.at.style.Link, _ = strings.Cut(arg, ";")
	case 9: // progress
	case 10:
		t.ask(cmd, arg, t.opt.Light, "0000/0000/0000", "ffff/ffff/ffff")
	case 11:
		t.ask(cmd, arg, t.opt.Light, "ffff/ffff/ffff", "0000/0000/0000")
	case 12:
		t.ask(cmd, arg, t.opt.Light, "0000/0000/0000", "ffff/ffff/ffff")
	case 110, 111, 112:
	case 52:
		_, data, _ := strings.Cut(arg, ";")
		if data == "?" {
			t.reply("\x1b]52;c;%s\x07", base64.StdEncoding.EncodeToString([]byte(t.clip)))
			return
		}
		clip, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			t.note("OSC 52 %v", err)
			return
		}
		t.clip = string(clip)
	default:
		t.note("OSC %q", text)
	}
}

// ask answers a question for a colour. Setting one is not done.
func (t *Terminal) ask(cmd int, arg string, light bool, ifLight, ifDark string) {
	if arg != "?" {
		return
	}
	if light {
		ifDark = ifLight
	}
	t.reply("\x1b]%d;rgb:%s\x1b\\", cmd, ifDark)
}

// dcs answers what a device control string asks.
func (t *Terminal) dcs(cmd ansi.Cmd, _ ansi.Params, data []byte) {
	switch {
	case cmd.Intermediate() == '+' && cmd.Final() == 'q': // XTGETTCAP: unknown
		t.reply("\x1bP0+r%s\x1b\\", data)
	case cmd.Intermediate() == '$' && cmd.Final() == 'q': // DECRQSS: invalid
		t.reply("\x1bP0$r\x1b\\")
	default:
		t.note("DCS %c %q", cmd.Final(), data)
	}
}

// reply answers a query.
func (t *Terminal) reply(format string, args ...any) {
	if len(t.replies) < bound {
		t.replies = append(t.replies, fmt.Sprintf(format, args...)...)
	}
}
