package jsonrpc

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// runeState is a rune of several bytes under way.
type runeState struct {
	need   uint8  // need counts the bytes that must still come.
	lo, hi byte   // lo and hi bound the next of them.
	bytes  uint32 // bytes are those that came, the last one lowest.
}

// LINE SEPARATOR and PARAGRAPH SEPARATOR as they are written in UTF-8.
const (
	lineSeparator      = 0xE280A8
	paragraphSeparator = 0xE280A9
)

// runes takes the runes of several bytes that are at p[i] and after.
func (s *Scanner) runes(p []byte, i int) int {
	for i < len(p) && p[i] >= utf8.RuneSelf {
		// The rune of three bytes whose first says nothing about the second is by
		// far the most frequent in long texts.
		if c := p[i]; len(p)-i > 2 && 0xE0 < c && c < 0xF0 && c != 0xED &&
			p[i+1]&0xC0 == 0x80 && p[i+2]&0xC0 == 0x80 {
			if c == 0xE2 && p[i+1] == 0x80 && p[i+2]|1 == 0xA9 {
				s.cur |= RawLineSeparator
			}
			i += 3
			continue
		}
		if i = s.runeBegin(p, i); s.partial.need > 0 {
			break
		}
	}
	return i
}

// runeBegin takes a rune from its first byte p[i] on, which is no ASCII.
func (s *Scanner) runeBegin(p []byte, i int) int {
	st := &s.partial
	c := p[i]
	st.lo, st.hi, st.bytes = 0x80, 0xBF, uint32(c)
	// The Unicode Standard, table 3-7.
	switch {
	case c < 0xC2, c > 0xF4:
		s.cur |= InvalidUTF8
		return i + 1
	case c < 0xE0:
		st.need = 1
	case c < 0xF0:
		st.need = 2
	default:
		st.need = 3
	}
	switch c {
	case 0xE0:
		st.lo = 0xA0
	case 0xED:
		st.hi = 0x9F
	case 0xF0:
		st.lo = 0x90
	case 0xF4:
		st.hi = 0x8F
	}
	return s.runeMore(p, i+1)
}

// runeMore takes the further bytes of a rune. It leaves a byte that does not
// belong to it.
func (s *Scanner) runeMore(p []byte, i int) int {
	st := &s.partial
	for ; i < len(p); i++ {
		c := p[i]
		if c < st.lo || st.hi < c {
			st.need = 0
			s.cur |= InvalidUTF8
			return i
		}
		st.lo, st.hi, st.bytes = 0x80, 0xBF, st.bytes<<8|uint32(c)
		if st.need--; st.need == 0 {
			if st.bytes == lineSeparator || st.bytes == paragraphSeparator {
				s.cur |= RawLineSeparator
			}
			return i + 1
		}
	}
	return i
}

// junk looks through the rest of a text that is not JSON for what matters below
// the level of syntax.
func (s *Scanner) junk(p []byte, i int) int {
	for i < len(p) {
		switch c := p[i]; {
		case s.partial.need > 0:
			i = s.runeMore(p, i)
		case c >= utf8.RuneSelf:
			i = s.runes(p, i)
		case c < ' ':
			switch c {
			case 0:
				s.cur |= NULByte
			case '\n', '\r':
				s.cur |= RawLineSeparator
			}
			i++
		default:
			i = printable(p, i)
		}
	}
	return i
}

// printable returns the index of the first byte of p after i that is a control
// character or no ASCII, or len(p).
func printable(p []byte, i int) int {
	for len(p)-i >= 8 {
		w := binary.LittleEndian.Uint64(p[i:])
		if m := (w | (w - blanks)) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(p) && ' ' <= p[i] && p[i] < utf8.RuneSelf {
		i++
	}
	return i
}
