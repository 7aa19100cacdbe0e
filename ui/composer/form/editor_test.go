package form

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"wiretea/session/cells"
)

// TestEditorMoves holds where the cursor goes; ^ is the cursor.
func TestEditorMoves(t *testing.T) {
	for _, c := range []struct{ from, keys, want string }{
		{"ab^", "left", "a^b"},
		{"日本^", "left backspace", "^本"},
		{"👍🏽^", "backspace", "^"},
		{"e\u0301^x", "left", "^e\u0301x"},
		{"one two^", "ctrl+left", "one ^two"},
		{"^one two", "ctrl+right", "one^ two"},
		{"a.b^", "ctrl+w", "a.^"},
		{"x\nab^c\ny", "home", "x\n^abc\ny"},
		{"x\nab^c\ny", "end", "x\nabc^\ny"},
		{"x\nab^c\ny", "ctrl+u", "x\n^c\ny"},
		{"x\nab^c\ny", "ctrl+k", "x\nab^\ny"},
		{"^", "backspace delete left right home end ctrl+w ctrl+k ctrl+_ ctrl+y", "^"},
		{"a^", "ctrl+j", "a\n^"},
		{"ab\ncd^", "left left left left", "a^b\ncd"},
		{"a^b", "delete ctrl+_ ctrl+_", "a^b"},
	} {
		at := strings.Index(c.from, "^")
		e := newEditor(strings.Replace(c.from, "^", "", 1))
		e.at = at
		for _, key := range strings.Fields(c.keys) {
			if mine, _ := e.key(keyNamed(key)); !mine {
				t.Errorf("%s is not a key of a text", key)
			}
		}
		if got := string(e.text[:e.at]) + "^" + string(e.text[e.at:]); got != c.want {
			t.Errorf("%q %s: %q, want %q", c.from, c.keys, got, c.want)
		}
	}
}

// FuzzEditor holds that whatever is typed, the cursor stands between characters,
// rows follow one another without gap, all undone gives the beginning, and all
// redone the end.
func FuzzEditor(f *testing.F) {
	f.Add("one two\n日本 👍🏽 e\u0301", "abcdefghijklm", 7)
	f.Add("\x1b[31m\u2028\xff\r\n\t", "0123zyx", 1)
	f.Add(strings.Repeat("long ", 2000)+"日", "uuuddud", 30)
	names := strings.Fields("left right home end ctrl+left ctrl+right backspace delete ctrl+w alt+d ctrl+u ctrl+k ctrl+j")
	f.Fuzz(func(t *testing.T, text, keys string, w int) {
		if w = w % 90; w < 1 || len(keys) > 100 || len(text) > 9000 {
			return
		}
		e := newEditor(text)
		c := canvas{theme: colourless, inks: jsonInks, cursor: true, wrong: -1}
		for i, key := range []byte(keys) {
			switch {
			case int(key)%20 < len(names):
				e.key(keyNamed(names[int(key)%20]))
			case key%20 < 15:
				e.up()
			case key%20 < 17:
				e.down()
			case i%2 == 0:
				e.insert(string(rune(key)))
			default:
				e.paste("a\n日")
			}
			if e.at < 0 || e.at > len(e.text) || utf8.ValidString(text) && e.at < len(e.text) && !utf8.RuneStart(e.text[e.at]) {
				t.Fatalf("the cursor is at %d of %q", e.at, e.text)
			}
			for _, line := range c.lines(e, w, 5) {
				if n := cells.Width(line); w > 11 && n != w {
					t.Fatalf("a row of %d cells, not %d: %q", n, w, line)
				}
				if strings.ContainsAny(ansi.Strip(line), "\x1b\x07\n\r") {
					t.Fatalf("%q reaches the screen", line)
				}
			}
			if i%16 == 0 {
				checkRows(t, e)
			}
		}
		end := e.String()
		for range maxEdits {
			e.undo()
		}
		if e.String() != text {
			t.Fatalf("undone %q, began with %q", e.text, text)
		}
		for range maxEdits {
			e.redo()
		}
		if e.String() != end {
			t.Fatalf("redone %q, ended with %q", e.text, end)
		}
	})
}

func checkRows(t *testing.T, e *editor) {
	for at, n := 0, 0; n < 300; n++ {
		if got := e.rowStart(at); got != at {
			t.Fatalf("row %d of %q begins at %d, not %d", n, e.text, at, got)
		}
		end, next := e.row(at)
		if next < 0 {
			if end != len(e.text) {
				t.Fatalf("the last row of %q ends at %d", e.text, end)
			}
			return
		}
		if next <= at || next-end > 1 {
			t.Fatalf("row %d of %q: %d to %d, then %d", n, e.text, at, end, next)
		}
		at = next
	}
}

// FuzzNotation holds that every run of bytes has a notation that can be typed.
func FuzzNotation(f *testing.F) {
	f.Add([]byte("\x00\xff\r\n\\n\u2028\U000e0041\xed\xa0\x80日"))
	f.Fuzz(func(t *testing.T, b []byte) {
		text := notation(b)
		if got := string(denote([]byte(text))); got != string(b) {
			t.Fatalf("%q is written %s, which stands for %q", b, text, got)
		}
		for _, r := range text {
			if r < ' ' || r == 0x7f {
				t.Fatalf("%q has %U", text, r)
			}
		}
	})
}
