package jsonrpc

import "sync"

// A Scanner decodes one text after another, from bytes that may be split
// anywhere. Reset begins a text; the zero value is at the beginning of one
// that has no callback. It allocates nothing once it has warmed up. It is for
// one goroutine, and must not be copied while a text is under way.
//
// A message is given out as soon as its value is complete, so a batch's elements
// come one by one, also where the batch turns out to be broken later.
//
// Where an object has a member twice, the last one counts, as it does for most
// peers, and DuplicateKey is reported.
//
// A number or a literal must be followed by something that cannot belong to it:
// 01, 1.2.3, 10x and nullx are Malformed, not two values side by side.
type Scanner struct {
	// Unhashed leaves the Hash of captured values 0: each costs a look at every byte
	// of the value. It is set before Reset.
	Unhashed bool

	emit  func(*Message)
	state state
	key   bool  // key: the string that is being read is a key.
	base  int64 // base is the offset of the chunk's first byte.
	bad   int64 // bad is where the text went wrong, in state inJunk.

	nesting
	quoted  stringState
	partial runeState
	literal literalState
	bom     int // bom counts the bytes of a byte order mark that have come.

	keys    keySet
	keyText keyText
	path    path
	caps    captures

	values, batches, emitted int
	batch                    bool   // batch: the top-level value is an array.
	elem                     int    // elem is the next element's index.
	defects                  Defect // defects of the text, but those of the message under way.
	cur                      Defect // cur are those since the message under way began, or the last one ended.
	msg                      Message
	unknown                  string // unknown is the latest UnknownKey.
}

// state is where in the grammar the next byte is. Up to atNext it is between
// two tokens.
type state uint8

const (
	atText    state = iota // at the text's first byte
	inBOM                  // inside a byte order mark
	atTop                  // before, between or after top-level values
	atValue                // where a value must begin
	atElem                 // after [
	atMember               // after {
	atKey                  // after , in an object
	atColon                // after a key
	atNext                 // after a value inside an array or object
	atDelim                // after a top-level literal
	inString               // inside a string, after its quote
	inLiteral              // inside true, false or null
	numMinus               // after a number's minus sign
	numZero                // after its leading zero
	numInt                 // after a digit before the point
	numDot                 // after the point
	numFrac                // after a digit after the point
	numExp                 // after e
	numSign                // after the exponent's sign
	numPower               // after a digit of the exponent
	inJunk                 // after a byte that no JSON text has there
)

// Reset begins a new text. Each message is given to emit when its last byte has
// come; with a nil emit there are only the facts that End returns. The callback
// must not call the Scanner.
func (s *Scanner) Reset(emit func(*Message)) {
	s.emit = emit
	s.state = atText
	s.key = false
	s.base, s.bad = 0, 0
	s.nesting.reset()
	s.quoted, s.partial = stringState{}, runeState{}
	s.bom = 0
	s.keys.reset()
	s.path = path{}
	s.caps.drop()
	s.values, s.batches, s.emitted = 0, 0, 0
	s.batch = false
	s.elem = 0
	s.defects, s.cur = 0, 0
}

// Write takes the next bytes of the text. It keeps none of them.
func (s *Scanner) Write(p []byte) {
	s.run(p)
	if s.caps.n > 0 {
		s.settle(p)
	}
	s.base += int64(len(p))
}

// Syntax says how the text stands so far, as if it ended here.
func (s *Scanner) Syntax() Syntax {
	between := s.state == atText || s.state == atTop
	switch {
	case s.state == inJunk && s.values == 0:
		return Malformed
	case s.values > 1, s.values == 1 && !between:
		return Trailing
	case s.values == 1, s.canEnd():
		return Complete
	case between:
		return Empty
	}
	return Incomplete
}

// canEnd reports whether a top-level number or literal is complete if nothing
// more comes.
func (s *Scanner) canEnd() bool {
	if s.depth > 0 {
		return false
	}
	switch s.state {
	case atDelim, numZero, numInt, numFrac, numPower:
		return true
	}
	return false
}

// End ends the text and returns what is known of it. Reset begins the next.
func (s *Scanner) End() (t Text) {
	if s.canEnd() {
		s.state = atNext
		s.valueEnd(nil, 0)
	}
	if s.partial.need > 0 || s.state == inBOM {
		s.partial.need = 0
		s.cur |= InvalidUTF8
	}
	// Written field by field: a literal would be built elsewhere and copied.
	t.Syntax = s.Syntax()
	t.Defects = s.defects | s.cur
	t.Len = s.base
	t.Values = s.values
	t.Batches = s.batches
	t.Emitted = s.emitted
	t.BadAt = -1
	if s.state == inJunk {
		t.BadAt = s.bad
	}
	t.Depth = s.deepest
	return t
}

// fail notes that the byte at p[i] cannot be there. What was under way is
// dropped.
func (s *Scanner) fail(i int) {
	s.state = inJunk
	s.bad = s.base + int64(i)
	s.caps.drop()
}

var scanners = sync.Pool{New: func() any { return new(Scanner) }}

// Scan decodes a whole text.
func Scan(text []byte, emit func(*Message)) Text {
	s := scanners.Get().(*Scanner)
	s.Reset(emit)
	s.Write(text)
	t := s.End()
	s.emit = nil
	s.caps.clear(&s.msg)
	scanners.Put(s)
	return t
}

// nesting is the stack of open arrays and objects: one bit each.
type nesting struct {
	depth   int
	deepest int
	kinds   uint64   // kinds are the innermost up to 64, the last one in bit 0: 1 = object.
	outer   []uint64 // outer are the full words around them.
}

// maxKept is how many words a Scanner keeps for its next text.
const maxKept = 1 << 10

func (n *nesting) reset() {
	if cap(n.outer) > maxKept {
		n.outer = nil
	}
	n.depth, n.deepest, n.kinds, n.outer = 0, 0, 0, n.outer[:0]
}

// push enters an array (0) or object (1).
func (n *nesting) push(kind uint64) {
	if n.depth&63 == 0 && n.depth > 0 {
		n.outer = append(n.outer, n.kinds)
	}
	n.kinds = n.kinds<<1 | kind
	n.depth++
	n.deepest = max(n.deepest, n.depth)
}

// pop leaves the innermost one.
func (n *nesting) pop() {
	n.depth--
	n.kinds >>= 1
	if n.depth&63 == 0 && n.depth > 0 {
		last := len(n.outer) - 1
		n.kinds, n.outer = n.outer[last], n.outer[:last]
	}
}

// inObject reports whether the innermost one is an object.
func (n *nesting) inObject() bool { return n.kinds&1 != 0 }
