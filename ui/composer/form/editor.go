package form

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/cells"
	"wiretea/session/lazy"
	"wiretea/session/text"
)

// maxTyped is how long a text may become by typing and pasting, in bytes.
const maxTyped = 16 << 20

// An editor is a text with a cursor. It may have several lines.
type editor struct {
	text []byte
	at   int // at is the byte behind the cursor.
	top  int // top is the first byte of the window.
	want int // want is the column that up and down keep to; -1 = where the cursor is.
	w    int // w is how wide the rows are, as drawn last.

	from, to int  // from and to are the line that was looked at last,
	known    bool // if known: what was typed since may have changed it.

	done, undone []edit
	changes      int // changes counts how often the text has changed.
}

// An edit is a change that can be taken back.
type edit struct {
	at            int
	removed, put  []byte
	before, after int  // before and after are where the cursor was, and is.
	typing        bool // typing: what is typed next belongs to it.
}

// maxEdits is how many edits can be taken back.
const maxEdits = 500

func newEditor(text string) *editor {
	return &editor{text: []byte(text), at: len(text), want: -1, w: 80}
}

// String returns the text.
func (e *editor) String() string { return string(e.text) }

// replace puts a text in the place of text[from:to]. It reports false where the
// text would be too long.
func (e *editor) replace(from, to int, put []byte, typing bool) bool {
	if len(e.text)-(to-from)+len(put) > maxTyped {
		return false
	}
	change := edit{at: from, removed: bytes.Clone(e.text[from:to]), put: bytes.Clone(put), before: e.at, after: from + len(put), typing: typing}
	e.undone = nil
	if last := len(e.done) - 1; typing && last >= 0 && e.done[last].typing && e.done[last].after == from && from == to {
		e.done[last].put = append(e.done[last].put, put...)
		e.done[last].after = change.after
	} else {
		if len(e.done) >= maxEdits {
			e.done = append(e.done[:0], e.done[1:]...)
		}
		e.done = append(e.done, change)
	}
	e.set(change.at, len(change.removed), change.put, change.after)
	return true
}

// set changes the text.
func (e *editor) set(at, remove int, put []byte, cursor int) {
	tail := bytes.Clone(e.text[at+remove:])
	e.text = append(append(e.text[:at], put...), tail...)
	e.at, e.want, e.known = cursor, -1, false
	e.changes++
}

func (e *editor) undo() {
	if last := len(e.done) - 1; last >= 0 {
		c := e.done[last]
		e.done, e.undone = e.done[:last], append(e.undone, c)
		e.set(c.at, len(c.put), c.removed, c.before)
	}
}

func (e *editor) redo() {
	if last := len(e.undone) - 1; last >= 0 {
		c := e.undone[last]
		e.undone, e.done = e.undone[:last], append(e.done, c)
		e.set(c.at, len(c.removed), c.put, c.after)
	}
}

// insert types a text at the cursor.
func (e *editor) insert(text string) bool { return e.replace(e.at, e.at, []byte(text), len(text) < 16) }

// paste puts a text at the cursor. Terminals send a carriage return for the end
// of a line.
func (e *editor) paste(text string) bool {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return e.replace(e.at, e.at, []byte(text), false)
}

// lineStart is the beginning of the line of i.
func (e *editor) lineStart(i int) int {
	if !e.known || i < e.from || i > e.to {
		e.from, e.to, e.known = bytes.LastIndexByte(e.text[:i], '\n')+1, e.lineEnd(i), true
	}
	return e.from
}

// lineEnd is where it ends.
func (e *editor) lineEnd(i int) int {
	if n := bytes.IndexByte(e.text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(e.text)
}

// before is where the character in front of i begins.
func (e *editor) before(i int) int {
	if i == 0 {
		return 0
	}
	if e.text[i-1] == '\n' {
		return i - 1
	}
	from := max(e.lineStart(i), i-64)
	for from < i && !utf8.RuneStart(e.text[from]) {
		from++
	}
	for from < i {
		_, _, size := glyph(e.text[from:])
		if from+size >= i {
			return from
		}
		from += size
	}
	return i - 1 // There are only bytes that begin no character.
}

// after is the place behind the character at i.
func (e *editor) after(i int) int {
	if i >= len(e.text) {
		return i
	}
	_, _, size := glyph(e.text[i:])
	return i + size
}

// wordBefore is where the word in front of i begins, wordAfter where the one
// behind it ends.
func (e *editor) wordBefore(i int) int {
	for i > 0 && !isWord(e.text[:i], utf8.DecodeLastRune) {
		i = e.before(i)
	}
	for i > 0 && isWord(e.text[:i], utf8.DecodeLastRune) {
		i = e.before(i)
	}
	return i
}

func (e *editor) wordAfter(i int) int {
	for i < len(e.text) && !isWord(e.text[i:], utf8.DecodeRune) {
		i = e.after(i)
	}
	for i < len(e.text) && isWord(e.text[i:], utf8.DecodeRune) {
		i = e.after(i)
	}
	return i
}

func isWord(b []byte, decode func([]byte) (rune, int)) bool {
	r, _ := decode(b)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// glyph is the character that b begins with: how it is drawn, how many cells
// that takes, and of how many bytes it is.
func glyph(b []byte) (words string, width, size int) {
	if c := b[0]; c >= ' ' && c < 0x7f && (len(b) == 1 || b[1] < utf8.RuneSelf) {
		return string(b[:1]), 1, 1
	}
	if b[0] < ' ' { // Not with what follows: CR LF is one cluster, but ends a row.
		words = text.Visible(b[:1], 0)
		return words, cells.Width(words), 1
	}
	return text.Glyph(b)
}

// block is how many bytes of a line are laid out together: rows do not begin
// with each change of a line that is very long.
const block = 4096

// row lays out the row that begins at from: where it ends, and where the next
// one begins, -1 = there is none.
func (e *editor) row(from int) (end, next int) {
	start := e.lineStart(from)
	stop := e.boundary(start, (from-start)/block+1)
	for at, used := from, 0; ; {
		if at >= len(e.text) {
			return at, -1
		}
		if e.text[at] == '\n' {
			return at, at + 1
		}
		if at >= stop && at > from {
			return at, at
		}
		_, width, size := glyph(e.text[at:])
		if used+width > e.w && at > from {
			return at, at
		}
		at, used = min(at+size, max(stop, at+1)), used+width
	}
}

// boundary is where block n of the line that begins at start begins.
func (e *editor) boundary(start, n int) int {
	at := start + n*block
	for at < len(e.text) && !utf8.RuneStart(e.text[at]) {
		at++
	}
	return at
}

// rowStart is the beginning of the row of i.
func (e *editor) rowStart(i int) int {
	start := e.lineStart(i)
	at := start
	if n := (i - start) / block; n > 0 {
		if at = e.boundary(start, n); at > i {
			at = e.boundary(start, n-1)
		}
	}
	for {
		end, next := e.row(at)
		if next < 0 || i < next || next > end && i <= end {
			return at
		}
		at = next
	}
}

// inRow is the place in a row at a column, or its end.
func (e *editor) inRow(start, column int) int {
	end, next := e.row(start)
	if next == end && end > start {
		end = e.before(end) // Behind it is the next row.
	}
	at := start
	for used := 0; at < end; {
		_, width, size := glyph(e.text[at:])
		if used+width > column {
			break
		}
		at, used = at+size, used+width
	}
	return min(at, end)
}

// up and down move by a row. They report false where there is none.
func (e *editor) up() bool {
	start := e.rowStart(e.at)
	if start == 0 {
		return false
	}
	e.toRow(e.rowStart(start - 1))
	return true
}

func (e *editor) down() bool {
	_, next := e.row(e.rowStart(e.at))
	if next < 0 {
		return false
	}
	e.toRow(next)
	return true
}

func (e *editor) toRow(start int) {
	if e.want < 0 {
		e.want = 0
		for at := e.rowStart(e.at); at < e.at; {
			_, width, size := glyph(e.text[at:])
			at, e.want = at+size, e.want+width
		}
	}
	e.at = e.inRow(start, e.want)
}

// window returns where the rows begin that are seen in h of them, the cursor's
// among them.
func (e *editor) window(w, h int) []int {
	e.w = max(1, w)
	cursor := e.rowStart(e.at)
	top := e.rowStart(min(e.top, len(e.text)))
	if cursor < top {
		top = cursor
	}
	rows := e.rowsFrom(top, h)
	if cursor > rows[len(rows)-1] {
		top = cursor
		for range h - 1 {
			if top == 0 {
				break
			}
			top = e.rowStart(top - 1)
		}
		rows = e.rowsFrom(top, h)
	}
	e.top = top
	return rows
}

func (e *editor) rowsFrom(top, h int) []int {
	rows := []int{top}
	for len(rows) < h {
		_, next := e.row(rows[len(rows)-1])
		if next < 0 {
			break
		}
		rows = append(rows, next)
	}
	return rows
}

// edits are what the keys do in a text, by their names.
var edits = lazy.Value[map[string]func(*editor)]{New: func() map[string]func(*editor) {
	return byKey(map[string]func(*editor){
		"left ctrl+b":                         func(e *editor) { e.move(e.before(e.at)) },
		"right ctrl+f":                        func(e *editor) { e.move(e.after(e.at)) },
		"home ctrl+a":                         func(e *editor) { e.move(e.lineStart(e.at)) },
		"end ctrl+e":                          func(e *editor) { e.move(e.lineEnd(e.at)) },
		"ctrl+left alt+left alt+b":            func(e *editor) { e.move(e.wordBefore(e.at)) },
		"ctrl+right alt+right alt+f":          func(e *editor) { e.move(e.wordAfter(e.at)) },
		"backspace ctrl+h":                    func(e *editor) { e.remove(e.before(e.at), e.at) },
		"delete ctrl+d":                       func(e *editor) { e.remove(e.at, e.after(e.at)) },
		"ctrl+w alt+backspace ctrl+backspace": func(e *editor) { e.remove(e.wordBefore(e.at), e.at) },
		"alt+d ctrl+delete":                   func(e *editor) { e.remove(e.at, e.wordAfter(e.at)) },
		"ctrl+u":                              func(e *editor) { e.remove(e.lineStart(e.at), e.at) },
		"ctrl+k":                              func(e *editor) { e.remove(e.at, e.lineEnd(e.at)) },
		"ctrl+_ ctrl+/":                       (*editor).undo,
		"ctrl+y":                              (*editor).redo,
		"ctrl+j alt+enter shift+enter":        func(e *editor) { e.insert("\n") },
	})
}}

// byKey splits the names of keys that do the same.
func byKey(table map[string]func(*editor)) map[string]func(*editor) {
	out := map[string]func(*editor){}
	for keys, do := range table {
		for name := range strings.FieldsSeq(keys) {
			out[name] = do
		}
	}
	return out
}

func (e *editor) move(to int) { e.at, e.want = to, -1 }

func (e *editor) remove(from, to int) {
	if from < to {
		e.replace(from, to, nil, false)
	}
}

// key carries out a key. It reports whether the key was for the text, and
// whether the text has changed.
func (e *editor) key(msg tea.KeyPressMsg) (mine, changed bool) {
	if do, ok := edits.Get()[msg.String()]; ok {
		was := e.changes
		do(e)
		return true, e.changes != was
	}
	if msg.Text == "" || msg.Mod&(tea.ModCtrl|tea.ModAlt) != 0 && msg.Mod&(tea.ModCtrl|tea.ModAlt) != tea.ModCtrl|tea.ModAlt {
		return false, false
	}
	e.insert(msg.Text)
	return true, true
}
