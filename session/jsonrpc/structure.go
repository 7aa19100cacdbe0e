package jsonrpc

import "encoding/binary"

// run decodes p, the chunk that begins at s.base.
func (s *Scanner) run(p []byte) {
	for i := 0; i < len(p); {
		switch s.state {
		case atTop, atValue, atElem, atMember, atKey, atColon, atNext:
			i = s.structure(p, i)
		case inString:
			s.keyText.from = i
			i = s.str(p, i)
		case inLiteral:
			i = s.lit(p, i)
		case numMinus, numZero, numInt, numDot, numFrac, numExp, numSign, numPower:
			i = s.number(p, i)
		case atText, inBOM:
			i = s.begin(p, i)
		case atDelim:
			if tokenByte(p[i]) {
				s.fail(i)
				continue
			}
			s.state = atNext
			s.valueEnd(p, i)
		case inJunk:
			i = s.junk(p, i)
		}
	}
}

// structure decodes from p[i] on what stands between the tokens, and the tokens
// that lie whole in p, until another state takes over. It is the hot loop.
func (s *Scanner) structure(p []byte, i int) int {
	for i < len(p) && s.state <= atNext {
		c := p[i]
		if c <= ' ' {
			i = s.space(p, i)
			continue
		}
		switch s.state {
		case atNext:
			if c == ',' && s.inObject() && i+1 < len(p) && p[i+1] == '"' {
				i = s.keyString(p, i+2) // nearly always
				continue
			}
			i = s.next(p, i)
		case atColon:
			if c != ':' {
				s.fail(i)
				return i
			}
			s.state = atValue
			i++
		case atKey, atMember:
			switch {
			case c == '"':
				i = s.keyString(p, i+1)
			case c == '}' && s.state == atMember:
				i = s.close(p, i)
			default:
				s.fail(i)
				return i
			}
		case atElem:
			if c == ']' {
				i = s.close(p, i)
				continue
			}
			i = s.value(p, i)
		case atValue, atTop:
			i = s.value(p, i)
		}
	}
	return i
}

// next takes the byte after a value inside an array or object.
func (s *Scanner) next(p []byte, i int) int {
	object := s.inObject()
	switch c := p[i]; {
	case c == ',' && object:
		s.state = atKey
		return i + 1
	case c == ',':
		s.state = atValue
		return i + 1
	case c == '}' && object, c == ']' && !object:
		return s.close(p, i)
	}
	s.fail(i)
	return i
}

// value takes the first byte of a value, and the rest as far as it is simple.
func (s *Scanner) value(p []byte, i int) int {
	c := p[i]
	t := typeOf[c]
	if t == Absent {
		s.fail(i)
		return i
	}
	if s.path.target != toNone {
		s.valueBegin(t, i)
	}
	switch t {
	case String:
		return s.valueString(p, i+1)
	case Object:
		s.path.open(s.depth-s.caps.level0(), true)
		s.push(1)
		s.keys.open()
		s.state = atMember
		return i + 1
	case Array:
		s.path.open(s.depth-s.caps.level0(), false)
		s.push(0)
		s.state = atElem
		return i + 1
	case Number:
		return s.numberBegin(p, i)
	}
	s.state = inLiteral
	s.literal.word, s.literal.n = literals[c], 1
	return s.lit(p, i+1)
}

// close takes the bracket that ends the innermost array or object.
func (s *Scanner) close(p []byte, i int) int {
	if s.inObject() {
		s.keys.close()
	}
	s.pop()
	s.path.close(s.depth - s.caps.level0())
	s.state = atNext
	if s.depth == 0 && s.batch {
		s.batch = false
		s.values++
		s.batches++
		s.state = atTop
		return i + 1
	}
	if s.depth == s.caps.end {
		s.valueEnd(p, i+1)
	}
	return i + 1
}

// typeOf tells a value's type by its first byte; Absent where none begins so.
var typeOf = [256]Type{
	'"': String, '{': Object, '[': Array, 't': Bool, 'f': Bool, 'n': Null, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number,
	'5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// space skips white space from p[i] on, and fails at another control character.
func (s *Scanner) space(p []byte, i int) int {
	from := i
	for i < len(p) && whiteSpace[p[i]] {
		if c := p[i]; c == '\n' || c == '\r' {
			s.cur |= RawLineSeparator
		}
		i++
		for len(p)-i >= 8 && binary.LittleEndian.Uint64(p[i:]) == blanks {
			i += 8
		}
	}
	if i > from && s.depth == 0 {
		s.cur |= OuterSpace
	}
	if i < len(p) && p[i] < ' ' {
		s.fail(i)
	}
	return i
}

// whiteSpace are the four characters that may stand between tokens.
var whiteSpace = [256]bool{' ': true, '\t': true, '\n': true, '\r': true}

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// begin skips a byte order mark at the text's beginning.
func (s *Scanner) begin(p []byte, i int) int {
	s.path.target = toMessage
	s.caps.end = -1
	switch {
	case p[i] != byteOrderMark[s.bom] && s.bom > 0:
		s.fail(i - s.bom)
		s.junk([]byte(byteOrderMark[:s.bom]), 0)
		return i
	case p[i] != byteOrderMark[0] && s.bom == 0:
		s.state = atTop
		return i
	}
	s.state = inBOM
	if s.bom++; s.bom == len(byteOrderMark) {
		s.state = atTop
		s.cur |= ByteOrderMark
	}
	return i + 1
}

// literals are the words by their first byte.
var literals = [256]string{'t': "true", 'f': "false", 'n': "null"}

// literalState is a literal under way.
type literalState struct {
	word string
	n    int // n counts its bytes that have come.
}

// lit takes the bytes of a literal after its first.
func (s *Scanner) lit(p []byte, i int) int {
	l := &s.literal
	for ; i < len(p); i++ {
		if p[i] != l.word[l.n] {
			s.fail(i)
			return i
		}
		if l.n++; l.n == len(l.word) {
			if s.depth == 0 {
				s.state = atDelim
				return i + 1
			}
			s.state = atNext
			if s.depth == s.caps.end {
				s.valueEnd(p, i+1)
			}
			return i + 1
		}
	}
	return i
}

// tokenByte reports whether c, right after a number or a literal, would belong
// to it.
func tokenByte(c byte) bool {
	switch {
	case '0' <= c && c <= '9', 'a' <= c|0x20 && c|0x20 <= 'z':
		return true
	}
	return c == '+' || c == '-' || c == '.' || c == '_'
}
