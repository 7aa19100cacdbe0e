package jsonview

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

func beginsValue(c byte) bool {
	switch c {
	case '{', '[', '"', '-', 't', 'f', 'n':
		return true
	}
	return c >= '0' && c <= '9'
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainEnd returns the first place from i on with a quote, a backslash or a
// control character.
func plainEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^('"'*ones), w^('\\'*ones)
		hit := ((quote - ones) &^ quote) | ((slash - ones) &^ slash) | ((w - ' '*ones) &^ w)
		if hit &= highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)>>3
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		i++
	}
	return i
}

// stringEnd returns the place behind the string that begins at i, or the place
// of what is wrong with it.
func stringEnd(b []byte, i int) (end int, wrong string) {
	for i++; ; {
		i = plainEnd(b, i)
		switch {
		case i >= len(b):
			return len(b), endsEarly
		case b[i] == '"':
			return i + 1, ""
		case b[i] != '\\':
			return i, "a string contains a control character"
		case i+1 >= len(b):
			return len(b), endsEarly
		}
		switch b[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
		case 'u':
			n := hexDigits(b[i+2 : min(i+6, len(b))])
			switch {
			case n == 4:
				i += 6
			case i+2+n == len(b):
				return len(b), endsEarly
			default:
				return i, "not a JSON escape"
			}
		default:
			return i, "not a JSON escape"
		}
	}
}

// hexDigits counts the hexadecimal digits that b begins with.
func hexDigits(b []byte) int {
	for i, c := range b {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return i
		}
	}
	return len(b)
}

// literalEnd returns the place behind the word that begins at i.
func literalEnd(b []byte, i int, word string) (end int, wrong string) {
	rest := b[i:]
	switch {
	case len(rest) >= len(word) && string(rest[:len(word)]) == word && ends(b, i+len(word)):
		return i + len(word), ""
	case len(rest) < len(word) && word[:len(rest)] == string(rest):
		return len(b), endsEarly
	}
	return i, noValue
}

// ends reports whether a number or a literal may end before i.
func ends(b []byte, i int) bool {
	if i == len(b) {
		return true
	}
	switch b[i] {
	case ',', ']', '}', ' ', '\n', '\r', '\t', '"', '{', '[', ':':
		return true
	}
	return false
}

// numberEnd returns the place behind the number that begins at i.
func numberEnd(b []byte, i int) (end int, wrong string) {
	at := i
	if b[i] == '-' {
		i++
	}
	lead := i
	i = digitsEnd(b, i)
	ok := i > lead && (b[lead] != '0' || i == lead+1)
	if ok && i < len(b) && b[i] == '.' {
		from := i + 1
		i = digitsEnd(b, from)
		ok = i > from
	}
	if ok && i < len(b) && b[i]|0x20 == 'e' {
		from := i + 1
		if from < len(b) && (b[from] == '+' || b[from] == '-') {
			from++
		}
		i = digitsEnd(b, from)
		ok = i > from
	}
	switch {
	case ok && ends(b, i):
		return i, ""
	case !ok && i == len(b):
		return len(b), endsEarly
	}
	return at, "not a JSON number"
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// endOfText returns the place behind the line feed of the line that i is in.
func endOfText(b []byte, i int) int {
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(b)
}
