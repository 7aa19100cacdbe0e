package form

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/style"
)

// editor is the text of raw and of malformed mode.
func (f *Form) editor() *editor {
	if f.mode == Malformed {
		return f.bytes
	}
	return f.plain
}

// textKey edits the text of raw or malformed mode.
func (f *Form) textKey(msg tea.KeyPressMsg) tea.Cmd {
	e := f.editor()
	switch msg.String() {
	case "up":
		e.up()
		return nil
	case "down":
		e.down()
		return nil
	case "pgup", "pgdown":
		for range f.seen.page() {
			if msg.String() == "pgup" {
				e.up()
			} else {
				e.down()
			}
		}
		return nil
	case "ctrl+home":
		e.move(0)
		return nil
	case "ctrl+end":
		e.move(len(e.text))
		return nil
	case "enter": // In raw mode with the margin of the line before.
		start := e.lineStart(e.at)
		margin := start
		for margin < e.at && e.text[margin] == ' ' && f.mode == Raw {
			margin++
		}
		e.insert("\n" + string(e.text[start:margin]))
		return f.check()
	case "tab":
		e.insert("  ")
		return f.check()
	}
	if _, changed := e.key(msg); changed {
		return f.check()
	}
	return nil
}

// An ink is a style up to a place in a text.
type ink struct {
	end   int
	style style.Style
}

// maxLook is how far before the window its tokens are looked for.
const maxLook = 1 << 20

// jsonInks are the styles of JSON from text[from] to text[to].
func jsonInks(t *style.Theme, text []byte, from, to int) []ink {
	at := max(bytes.LastIndexByte(text[:from], '\n')+1, from-maxLook)
	var out []ink
	for at < to {
		end, style := at+1, t.Punct
		switch c := text[at]; {
		case c == '"':
			end = looseEnd(text, at, to+maxLook)
			style = t.String
			if next := bytes.TrimLeft(text[end:min(len(text), end+64)], " \n\t\r"); len(next) > 0 && next[0] == ':' {
				style = t.Key
			}
		case c == '-' || c >= '0' && c <= '9':
			end, style = wordEnd(text, at), t.Number
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			end, style = wordEnd(text, at), t.Literal
		case c >= 0x80:
			style = t.Error
		}
		if at = end; at > from {
			out = append(out, ink{at, style})
		}
	}
	return out
}

// looseEnd is where a string ends in a text that may be no JSON: at its line's
// end at the latest.
func looseEnd(b []byte, i, most int) int {
	for i++; i < len(b) && i < most; i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\n':
			return i
		case '\\':
			i++
		}
	}
	return min(i, len(b))
}

func wordEnd(b []byte, i int) int {
	for i < len(b) && !strings.ContainsRune(" \n\t\r,:[]{}\"", rune(b[i])) {
		i++
	}
	return i
}

// escapeInks are the styles of malformed mode: what is an escape stands out.
func escapeInks(t *style.Theme, text []byte, from, to int) []ink {
	at := max(0, from-10)
	for at > 0 && text[at-1] == '\\' {
		at--
	}
	var out []ink
	for at < to {
		_, size := escaped(text[at:])
		style := t.Escape
		if size == 0 {
			size, style = 1, t.Text
		}
		if at += size; at > from {
			out = append(out, ink{at, style})
		}
	}
	return out
}

// plainInks is one style for all.
func plainInks(look style.Style) func(*style.Theme, []byte, int, int) []ink {
	return func(_ *style.Theme, _ []byte, _, to int) []ink { return []ink{{to, look}} }
}
