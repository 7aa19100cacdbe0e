package jsonrpc

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// stringState is a string under way, between two plain bytes.
type stringState struct {
	escape escape
	unit   rune // unit is what has come of a \u escape.
	high   rune // high is a high surrogate whose other half must follow now, or 0.
}

// escape is where in an escape sequence the next byte is.
type escape uint8

const (
	noEscape  escape = iota
	escapeAny        // after the backslash
	escapeHex4
	escapeHex3
	escapeHex2
	escapeHex1 // before the last hexadecimal digit
)

const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	slants = '\\' * ones
	blanks = ' ' * ones
)

// plain returns the index of the first byte of p from i on that is not plain in
// a string: a quote, a backslash, a control character, or no ASCII; or len(p).
func plain(p []byte, i int) int {
	for len(p)-i >= 8 {
		// A borrow can only come out of a byte that is marked itself, so the
		// lowest mark is right.
		if m := marks(binary.LittleEndian.Uint64(p[i:])) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(p) && plainByte[p[i]] {
		i++
	}
	return i
}

// plainLong is plain where a long text is likely: it goes by four words at a time
// before, and by blocks once four words were plain.
func plainLong(p []byte, i int) int {
	for len(p)-i >= 32 {
		q := p[i : i+32]
		a, b := binary.LittleEndian.Uint64(q), binary.LittleEndian.Uint64(q[8:])
		c, d := binary.LittleEndian.Uint64(q[16:]), binary.LittleEndian.Uint64(q[24:])
		if (marks(a)|marks(b)|marks(c)|marks(d))&highs != 0 {
			break
		}
		if i += 32; wide {
			i += plainBlocks(p[i:])
			break
		}
	}
	return plain(p, i)
}

// marks sets the highest bit of each byte of w that is not plain, and of no byte
// below the first of them. Turning over one bit makes the quote the neighbour of the
// control characters, so that one comparison finds both.
func marks(w uint64) uint64 {
	return w | ((w ^ 2*ones) - (' '+1)*ones) | ((w ^ slants) - ones)
}

// plainByte are the bytes that plain skips.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// valueString takes a string value from the byte after its quote on.
func (s *Scanner) valueString(p []byte, i int) int {
	if len(p)-i < 64 {
		i = plain(p, i)
	} else if m := marks(binary.LittleEndian.Uint64(p[i:])) & highs; m != 0 {
		i += bits.TrailingZeros64(m) >> 3
	} else {
		i = plainLong(p, i+8)
	}
	if i < len(p) && p[i] == '"' {
		s.state = atNext
		if s.depth == s.caps.end {
			s.valueEnd(p, i+1)
		}
		return i + 1
	}
	s.state, s.key = inString, false
	return s.str(p, i)
}

// keyString takes a key from the byte after its quote on, and what follows it as
// far as that is simple.
func (s *Scanner) keyString(p []byte, i int) int {
	from := i
	i = plain(p, i)
	if i == len(p) || p[i] != '"' {
		s.state, s.key = inString, true
		s.keyText.begin(from)
		return s.str(p, i)
	}
	s.keyEnd(p[from:i], sum(p[from:i]))
	i++
	if i == len(p) || p[i] != ':' {
		return i
	}
	s.state = atValue
	i++
	if i == len(p) || p[i] <= ' ' {
		return i
	}
	return s.value(p, i)
}

// str goes on with a string, as far as it or p goes.
func (s *Scanner) str(p []byte, i int) int {
	st := &s.quoted
	for i < len(p) {
		switch c := p[i]; {
		case s.partial.need > 0:
			i = s.runeMore(p, i)
		case st.escape != noEscape:
			if !s.escaped(c) {
				s.fail(i)
				return i
			}
			i++
			s.keyText.from = i
		case c == '\\' && !s.key && st.high == 0 && i+1 < len(p) && simple[p[i+1]] != 0:
			i = plain(p, i+2) // nearly always
		case c == '\\':
			if s.key {
				s.keyText.add(p[s.keyText.from:i])
			}
			st.escape = escapeAny
			i++
		case st.high != 0:
			s.loneHigh()
		case c == '"':
			return s.strEnd(p, i)
		case c < ' ':
			s.fail(i)
			return i
		case c >= utf8.RuneSelf:
			i = s.runes(p, i)
		default:
			i = plainLong(p, i)
		}
	}
	if s.key && st.escape == noEscape {
		s.keyText.add(p[s.keyText.from:])
	}
	return i
}

// strEnd takes the quote that ends a string.
func (s *Scanner) strEnd(p []byte, i int) int {
	if !s.key {
		s.state = atNext
		if s.depth == s.caps.end {
			s.valueEnd(p, i+1)
		}
		return i + 1
	}
	k := &s.keyText
	k.add(p[k.from:i])
	s.keyEnd(k.text(), k.hash.sum())
	return i + 1
}

// simple are the characters of the two-byte escapes.
var simple = [256]byte{
	'"': '"', '\\': '\\', '/': '/',
	'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escaped takes a byte after a backslash. It reports whether it can be there.
func (s *Scanner) escaped(c byte) bool {
	st := &s.quoted
	if st.escape == escapeAny {
		if c == 'u' {
			st.escape, st.unit = escapeHex4, 0
			return true
		}
		if st.high != 0 {
			s.loneHigh()
		}
		st.escape = noEscape
		if s.key && simple[c] != 0 {
			s.keyText.addByte(simple[c])
		}
		return simple[c] != 0
	}
	digit, ok := hexDigit(c)
	if !ok {
		return false
	}
	st.unit = st.unit<<4 | digit
	if st.escape != escapeHex1 {
		st.escape++
		return true
	}
	st.escape = noEscape
	s.unit(st.unit)
	return true
}

// unit takes the UTF-16 code unit that a \u escape stands for.
func (s *Scanner) unit(u rune) {
	st := &s.quoted
	if st.high != 0 {
		if r := utf16.DecodeRune(st.high, u); r != utf8.RuneError {
			st.high = 0
			s.keyRune(r)
			return
		}
		s.loneHigh()
	}
	switch {
	case 0xD800 <= u && u < 0xDC00:
		st.high = u
	case 0xDC00 <= u && u < 0xE000:
		s.cur |= LoneSurrogate
		s.keyRune(utf8.RuneError)
	default:
		s.keyRune(u)
	}
}

// loneHigh notes that the other half of a surrogate pair did not come.
func (s *Scanner) loneHigh() {
	s.quoted.high = 0
	s.cur |= LoneSurrogate
	s.keyRune(utf8.RuneError)
}

// keyRune adds an unescaped rune to the key, if the string is one.
func (s *Scanner) keyRune(r rune) {
	if s.key {
		s.keyText.addRune(r)
	}
}

// hexDigit returns the value of a hexadecimal digit.
func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10, true
	}
	return 0, false
}

// IsUTF16 reports whether a line is text in UTF-16: it has that byte order
// mark, or every other byte is zero as in ASCII text.
func IsUTF16(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return true
	}
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i&1]++
		}
	}
	most, least := max(zeros[0], zeros[1]), min(zeros[0], zeros[1])
	return most > 3 && most*3 > len(head) && least*8 < most
}
