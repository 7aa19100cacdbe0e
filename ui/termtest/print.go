package termtest

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// longest is the most bytes a cell holds: combining characters beyond are lost.
const longest = 128

// width is what a grapheme takes where each character counts by itself.
func width(text string) int {
	if len(text) == 1 {
		return 1
	}
	return ansi.WcWidth.StringWidth(text)
}

// widthOf is how many cells a grapheme takes now.
func (t *Terminal) widthOf(text string) int {
	if t.modes[modeGraphemes] {
		return ansi.GraphemeWidth.StringWidth(text)
	}
	return width(text)
}

// print puts a character at the cursor.
func (t *Terminal) print(r rune) {
	if r >= 0x80 && r < 0xa0 {
		t.note("C1 U+%04X", r)
		return
	}
	text := asciiText(r)
	w := 1
	if r >= utf8.RuneSelf {
		if t.modes[modeGraphemes] && t.joins(text) {
			return
		}
		if w = t.widthOf(text); w == 0 {
			t.join(text, 0)
			return
		}
	}
	t.putNext(text, w)
}

// asciiText is string(r), without an allocation for ASCII: the runtime has a string for
// each byte.
func asciiText(r rune) string {
	if uint32(r) < utf8.RuneSelf {
		return string([]byte{byte(r)})
	}
	return string(r)
}

// putNext puts a grapheme at the cursor and moves on.
func (t *Terminal) putNext(text string, w int) {
	g := t.on
	if w > g.w {
		return
	}
	if t.at.wrap || t.at.x+w > g.w {
		if t.modes[modeAutoWrap] {
			t.at.x, t.at.wrap = 0, false
			t.index()
		} else {
			t.at.x = g.w - w
		}
	}
	if t.inserts {
		g.shift(t.at.y, t.at.x, -w, t.at.style.Bg)
	}
	g.put(t.at.x, t.at.y, w, text, t.at.style)
	t.last = text
	t.at.x += w
	if t.at.x >= g.w {
		t.at.x, t.at.wrap = g.w-1, t.modes[modeAutoWrap]
	}
}

// before returns the grapheme left of the cursor, where combining characters go;
// false if there is none.
func (t *Terminal) before() (x int, ok bool) {
	x = t.at.x
	if !t.at.wrap {
		x--
	}
	row := t.on.rows[t.at.y]
	for x > 0 && row[x].rest {
		x--
	}
	return x, x >= 0
}

// join adds a character to the grapheme left of the cursor, which grows by some
// cells.
func (t *Terminal) join(text string, grow int) {
	x, ok := t.before()
	if !ok {
		return
	}
	c := &t.on.rows[t.at.y][x]
	if c.text == "" {
		c.text = " "
	}
	if len(c.text)+len(text) > longest {
		return
	}
	joined, style := c.text+text, c.style
	if grow <= 0 || t.at.x+grow > t.on.w || t.at.wrap {
		c.text, t.last = joined, joined
		return
	}
	t.at.x = x
	t.putNext(joined, ansi.GraphemeWidth.StringWidth(joined))
	t.on.rows[t.at.y][x].style = style
}

// joins adds a character to the grapheme left of the cursor if they make up one
// cluster.
func (t *Terminal) joins(text string) bool {
	x, ok := t.before()
	if !ok {
		return false
	}
	old := t.on.rows[t.at.y][x].text
	if old == "" {
		return false
	}
	cluster, w := ansi.FirstGraphemeCluster(old+text, ansi.GraphemeWidth)
	if len(cluster) != len(old)+len(text) {
		return false
	}
	cells := 1
	for x+cells < t.on.w && t.on.rows[t.at.y][x+cells].rest {
		cells++
	}
	t.join(text, w-cells)
	return true
}
