package jsonrpc

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
