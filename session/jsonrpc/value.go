package jsonrpc

import (
	"bytes"
	"math"

	"wiretea/session/json/lex"
)

// Unquoted returns the decoded text of a String. An unpaired surrogate becomes
// U+FFFD; bytes that are not UTF-8 stay as they are. It reports false for
// another type and for a string that was cut at MaxCapture.
func (v *Value) Unquoted() (string, bool) {
	if v.Type != String || !v.Whole() {
		return "", false
	}
	text := v.Raw[1 : len(v.Raw)-1]
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text), true
	}
	var buf [MaxCapture]byte
	text, _ = lex.AppendUnescaped(buf[:0], text)
	return string(text), true
}

// Is reports whether v is a whole String whose decoded text is text. It does
// not allocate.
func (v *Value) Is(text string) bool {
	if v.Type != String || !v.Whole() {
		return false
	}
	own := v.Raw[1 : len(v.Raw)-1]
	if bytes.IndexByte(own, '\\') < 0 {
		return string(own) == text
	}
	var buf [MaxCapture]byte
	own, _ = lex.AppendUnescaped(buf[:0], own)
	return string(own) == text
}

// Int returns the value of a Number written as an integer: a minus sign
// perhaps, and digits. It reports false for 1.0 and 1e3, for what does not fit,
// and for another type.
func (v *Value) Int() (int64, bool) {
	if v.Type != Number || !v.Whole() {
		return 0, false
	}
	digits, negative := bytes.CutPrefix(v.Raw, []byte{'-'})
	var n int64 // negative or zero, as there is one more of these
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		d := int64(c - '0')
		if n < (math.MinInt64+d)/10 {
			return 0, false
		}
		n = n*10 - d
	}
	if !negative {
		if n == math.MinInt64 {
			return 0, false
		}
		n = -n
	}
	return n, true
}

// numberBegin takes a number from its first byte on.
func (s *Scanner) numberBegin(p []byte, i int) int {
	switch p[i] {
	case '-':
		s.state = numMinus
	case '0':
		s.state = numZero
	default:
		s.state = numInt
	}
	return s.number(p, i+1)
}

// number goes on with a number, as far as it or p goes.
func (s *Scanner) number(p []byte, i int) int {
	st := s.state
	for ; i < len(p); i++ {
		next := numberNext[st][numberClass[p[i]]]
		if next == atNext && !(s.depth == 0 && tokenByte(p[i])) {
			s.state = atNext
			if s.depth == s.caps.end {
				s.valueEnd(p, i)
			}
			return i
		}
		if next < numMinus {
			s.fail(i)
			return i
		}
		st = next
	}
	s.state = st
	return i
}

// The classes of bytes that make a difference inside a number.
const (
	isOther = iota
	isZero
	isDigit
	isPoint
	isE
	isSign
	numClasses
)

var numberClass = [256]uint8{
	'0': isZero, '1': isDigit, '2': isDigit, '3': isDigit, '4': isDigit,
	'5': isDigit, '6': isDigit, '7': isDigit, '8': isDigit, '9': isDigit,
	'.': isPoint, 'e': isE, 'E': isE, '+': isSign, '-': isSign,
}

// numberNext is the state that a byte of a class leads to; atNext where the
// number has ended before it, and 0 where it cannot be.
var numberNext = [...][numClasses]state{
	numMinus: {isZero: numZero, isDigit: numInt},
	numZero:  {isOther: atNext, isPoint: numDot, isE: numExp},
	numInt:   {isOther: atNext, isZero: numInt, isDigit: numInt, isPoint: numDot, isE: numExp},
	numDot:   {isZero: numFrac, isDigit: numFrac},
	numFrac:  {isOther: atNext, isZero: numFrac, isDigit: numFrac, isE: numExp},
	numExp:   {isZero: numPower, isDigit: numPower, isSign: numSign},
	numSign:  {isZero: numPower, isDigit: numPower},
	numPower: {isOther: atNext, isZero: numPower, isDigit: numPower},
}
