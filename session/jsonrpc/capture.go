package jsonrpc

import "slices"

// maxOpen is how many values can be under way at once whose facts are wanted:
// the message, a member, and what is captured inside it.
const maxOpen = 4

// capture is a value under way whose facts are wanted.
type capture struct {
	target target
	split  bool   // split: it began in an earlier chunk. Its bytes so far are in its slot and in hash.
	depth  int    // depth of the array or object it is in, 0 = none
	span   *Span  // span is where its place goes.
	value  *Value // value is where its text goes; nil for what is only located.
	hash   running
}

// captures are the values under way, and what was captured of the message.
type captures struct {
	n       int // n counts the values under way in open.
	end     int // end is the last one's depth: a value that ends there is that one. -1 = none.
	open    [maxOpen]capture
	touched []target         // touched are the members that the message has.
	owned   [numTargets]bool // owned: the Raw of that one lies in its slot, not in the chunk.
	slots   []byte           // slots are MaxCapture bytes for each target.
}

// drop forgets the values under way.
func (c *captures) drop() { c.n, c.end = 0, -1 }

// level0 is the depth of the message under way; 0 = none.
func (c *captures) level0() int {
	if c.n == 0 {
		return 0
	}
	return c.open[0].depth
}

func (c *captures) push(t target, depth int, m *Message) *capture {
	o := &c.open[c.n]
	o.target, o.split, o.depth = t, false, depth
	o.span, o.value = m.place(t)
	c.n++
	c.end = depth
	return o
}

func (c *captures) pop() *capture {
	c.n--
	c.end = -1
	if c.n > 0 {
		c.end = c.open[c.n-1].depth
	}
	return &c.open[c.n]
}

// slot returns the memory for t's captured bytes.
func (c *captures) slot(t target) []byte {
	if c.slots == nil {
		c.slots = make([]byte, int(numTargets)*MaxCapture)
	}
	from := int(t) * MaxCapture
	return c.slots[from : from : from+MaxCapture]
}

// forget clears the fields of m that are inside a section.
func (c *captures) forget(m *Message, sec section) {
	c.touched = slices.DeleteFunc(c.touched, func(t target) bool {
		if t < toField || !within(Field(t-toField), sec) {
			return false
		}
		m.fields[t-toField] = Value{}
		return true
	})
}

// clear makes m the message that has nothing.
func (c *captures) clear(m *Message) {
	for _, t := range c.touched {
		if span, v := m.place(t); v != nil {
			*v = Value{}
		} else {
			*span = Span{}
		}
	}
	c.touched = c.touched[:0]
	m.UnknownKey = ""
}

// place returns where the facts of t go; nil for the text of what is only
// located.
func (m *Message) place(t target) (*Span, *Value) {
	var v *Value
	switch t {
	case toMessage:
		return &m.Span, nil
	case toParams:
		return &m.Params, nil
	case toResult:
		return &m.Result, nil
	case toError:
		return &m.Error, nil
	case toVersion:
		v = &m.Version
	case toID:
		v = &m.ID
	case toMethod:
		v = &m.Method
	default:
		v = &m.fields[t-toField]
	}
	return &v.Span, v
}

// valueBegin takes note of a value of type t that begins at p[i] and whose facts
// are wanted.
func (s *Scanner) valueBegin(t Type, i int) {
	to := s.path.target
	s.path.target = toNone
	if to == toMessage {
		if s.depth == 0 && t == Array {
			s.batch, s.elem = true, 0
			s.path.target = toMessage
			return
		}
		s.defects |= s.cur
		s.cur = 0
		s.caps.clear(&s.msg)
		s.path.next = atMessage
	}
	span := s.caps.push(to, s.depth, &s.msg).span
	if to != toMessage && span.Type == Absent {
		s.caps.touched = append(s.caps.touched, to)
	}
	span.Type, span.Off, span.Len = t, s.base+int64(i), 0
}

// valueEnd takes note that the innermost value under way ended before p[i].
func (s *Scanner) valueEnd(p []byte, i int) {
	c := s.caps.pop()
	c.span.Len = s.base + int64(i) - c.span.Off
	switch v := c.value; {
	case c.target == toMessage:
		s.messageEnd()
	case v == nil:
	case c.split:
		s.take(c, p[:i])
		if !s.Unhashed {
			v.Hash = c.hash.sum()
		}
	default:
		raw := p[v.Off-s.base : i]
		if !s.Unhashed {
			v.Hash = sum(raw)
		}
		v.Raw = raw[:min(len(raw), MaxCapture):min(len(raw), MaxCapture)]
		s.caps.owned[c.target] = false
	}
}

// take adds bytes to a captured value that is split.
func (s *Scanner) take(c *capture, p []byte) {
	if !s.Unhashed {
		c.hash.write(p)
	}
	v := c.value
	v.Raw = append(v.Raw, p[:min(len(p), MaxCapture-len(v.Raw))]...)
}

// settle takes out of the chunk p, which ends, what is captured in it.
func (s *Scanner) settle(p []byte) {
	for _, t := range s.caps.touched {
		if _, v := s.msg.place(t); v != nil && !s.caps.owned[t] {
			v.Raw = append(s.caps.slot(t), v.Raw...)
			s.caps.owned[t] = true
		}
	}
	for k := range s.caps.open[:s.caps.n] {
		c := &s.caps.open[k]
		if c.value == nil {
			continue
		}
		from := 0
		if !c.split {
			c.split = true
			if !s.Unhashed {
				c.hash.reset()
			}
			c.value.Raw = s.caps.slot(c.target)
			s.caps.owned[c.target] = true
			from = int(c.value.Off - s.base)
		}
		s.take(c, p[from:])
	}
}

// messageEnd gives out the message that is complete.
func (s *Scanner) messageEnd() {
	m := &s.msg
	m.Kind = m.kind()
	m.Elem = -1
	if s.batch {
		m.Elem = s.elem
		s.elem++
	}
	m.Defects = s.cur
	s.defects |= s.cur
	s.cur = 0
	s.path.target = toMessage
	if s.depth == 0 {
		s.values++
		s.state = atTop
	}
	s.emitted++
	if s.emit != nil {
		s.emit(m)
	}
}

// kind tells what m is by the members it has.
func (m *Message) kind() Kind {
	switch {
	case m.Method.Present() && m.ID.Present():
		return Request
	case m.Method.Present():
		return Notification
	case m.Error.Type != Absent:
		return Error
	case m.Result.Type != Absent:
		return Result
	}
	return Invalid
}
