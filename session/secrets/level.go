package secrets

import (
	"bytes"
	"html"
	"iter"
	"sort"
	"strconv"
	"unicode/utf8"

	"wiretea/session/json/lex"
)

// A Level is a text with layers of escapes taken off. Of {"a":"{\"b\":1}"} the first
// Level is the text itself, and the second is {"b":1}. Each quote of a layer
// that was taken off is replaced by a control character, another one for each layer, so that
// what was within a string can be told from what it says.
type Level struct {
	Text  []byte
	below *Level // below is the level this one was made of; nil for the text itself.
	jumps []jump
	depth int
}

// A jump is an escape: n bytes at Text[at:], which are m bytes at raw of the level below.
type jump struct {
	at, raw uint32
	n, m    uint8
}

const (
	maxLevels = 6    // maxLevels is how many layers of escapes are taken off.
	firstEdge = 0x0e // firstEdge stands for a quote of the first layer.
)

// isEdge reports whether a byte stands for a quote of a layer below.
func isEdge(c byte) bool { return c >= firstEdge && c < firstEdge+maxLevels }

// Levels yields the text, then what it says, layer by layer, until there are no
// escapes: colours, those of JSON and of the languages like it, at last those of HTML
// and of URLs.
func Levels(text []byte) iter.Seq[*Level] {
	return func(yield func(*Level) bool) {
		l := &Level{Text: text}
		for up := l; up != nil; up = l.unescaped() {
			if l = up; !yield(l) {
				return
			}
			if up := l.without(0x1b, l.depth, colour); up != nil {
				if l = up; !yield(l) {
					return
				}
			}
		}
		if up := l.without('&', maxLevels, entity); up != nil {
			if l = up; !yield(l) {
				return
			}
		}
		if up := l.without('%', maxLevels, octet); up != nil {
			yield(up)
		}
	}
}

// unescaped is the next level, nil where there are no escapes.
func (l *Level) unescaped() *Level {
	if l.depth >= maxLevels || bytes.IndexByte(l.Text, '\\') < 0 {
		return nil
	}
	up := &Level{below: l, depth: l.depth + 1}
	up.Text, up.jumps = decode(l.Text, firstEdge+byte(l.depth))
	if len(up.jumps) == 0 {
		return nil
	}
	return up
}

// decode takes one layer of escapes off a text and puts edge for its quotes. What is no
// escape stays.
func decode(text []byte, edge byte) ([]byte, []jump) {
	out := make([]byte, 0, len(text))
	var jumps []jump
	for i := 0; ; {
		next := bytes.IndexByte(text[i:], '\\')
		end := i + next
		if next < 0 {
			end = len(text)
		}
		from := len(out)
		out = append(out, text[i:end]...)
		for q := bytes.IndexByte(out[from:], '"'); q >= 0; q = bytes.IndexByte(out[from:], '"') {
			out[from+q] = edge
			from += q + 1
		}
		if end == len(text) {
			return out, jumps
		}
		r, n := escape(text[end:])
		if n == 0 {
			out = append(out, '\\')
			i = end + 1
			continue
		}
		at := len(out)
		out = utf8.AppendRune(out, r)
		jumps = append(jumps, jump{uint32(at), uint32(end), uint8(len(out) - at), uint8(n)})
		i = end + n
	}
}

// escape reads an escape of JSON, or one that its relatives have besides.
func escape(v []byte) (rune, int) {
	if r, n := lex.Escape(v); n > 0 || len(v) < 2 {
		return r, n
	}
	switch {
	case v[1] == '\'':
		return '\'', 2
	case v[1] == 'x' && len(v) >= 4:
		if c, err := strconv.ParseUint(string(v[2:4]), 16, 7); err == nil {
			return rune(c), 4
		}
	}
	return 0, 0
}

// without is the level without the escapes that begin with a mark, nil if there are none. read
// returns what the escape at the beginning of v says, and its length, 0 for none.
func (l *Level) without(mark byte, depth int, read func(v []byte) (plain string, n int)) *Level {
	var up Level
	from := 0 // from is the beginning of what is not copied yet.
	for i := 0; ; {
		next := bytes.IndexByte(l.Text[i:], mark)
		if next < 0 {
			break
		}
		at := i + next
		plain, n := read(l.Text[at:])
		if i = at + max(n, 1); n > 0 {
			up.Text = append(append(up.Text, l.Text[from:at]...), plain...)
			up.jumps = append(up.jumps, jump{uint32(len(up.Text) - len(plain)), uint32(at), uint8(len(plain)), uint8(n)})
			from = i
		}
	}
	if len(up.jumps) == 0 {
		return nil
	}
	return &Level{append(up.Text, l.Text[from:]...), l, up.jumps, depth}
}

// colour reads a control sequence of a terminal (ECMA-48 §5.4), which says nothing.
func colour(v []byte) (string, int) {
	if len(v) < 2 || v[1] != '[' {
		return "", 0
	}
	end := run(v[:min(len(v), 64)], 2, func(c byte) bool { return c >= ' ' && c < '@' })
	if end < len(v) && v[end] >= '@' && v[end] < 0x7f {
		return "", end + 1
	}
	return "", 0
}

// octet reads an escape of a URL.
func octet(v []byte) (string, int) {
	if len(v) < 3 || !hex(v[1]) || !hex(v[2]) {
		return "", 0
	}
	c, _ := strconv.ParseUint(string(v[1:3]), 16, 8) // two hexadecimal digits
	return string([]byte{byte(c)}), 3
}

// entity reads a character reference of HTML that stands for ASCII.
func entity(v []byte) (string, int) {
	end := bytes.IndexByte(v[:min(len(v), 10)], ';') + 1
	plain := html.UnescapeString(string(v[:end]))
	if len(plain) != 1 || plain[0] < ' ' {
		return "", 0
	}
	return plain, end
}

// Raw returns where Text[from:to], which is not empty, is in the text that the
// levels are of. It holds whole escapes.
func (l *Level) Raw(from, to int) (int, int) {
	for ; l.below != nil; l = l.below {
		first, _ := l.unit(from)
		_, last := l.unit(to - 1)
		from, to = first, last
	}
	return from, to
}

// unit returns which bytes of the level below a byte comes from.
func (l *Level) unit(at int) (from, to int) {
	i := sort.Search(len(l.jumps), func(i int) bool { return int(l.jumps[i].at) > at }) - 1
	if i < 0 {
		return at, at + 1
	}
	j := l.jumps[i]
	if at < int(j.at)+int(j.n) {
		return int(j.raw), int(j.raw) + int(j.m)
	}
	at += int(j.raw) + int(j.m) - int(j.at) - int(j.n)
	return at, at + 1
}

// Plain is what a part of a text says without any of its escapes.
func Plain(part []byte) string {
	for range maxLevels {
		if bytes.IndexByte(part, '\\') < 0 {
			break
		}
		out, jumps := decode(part, '"')
		if len(jumps) == 0 {
			break
		}
		part = out
	}
	return string(part)
}
