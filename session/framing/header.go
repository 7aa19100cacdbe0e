package framing

import (
	"bytes"
	"strconv"
	"strings"
)

// MaxBody is the longest body, in bytes, that a header block can announce. A
// block that announces more is lines, as is one that announces nothing.
const MaxBody = 4 << 30

const (
	lengthName = "content-length:"
	typeName   = "content-type:"
)

// header is the beginning of a frame that may be a header block. Nothing of it
// is given out before that is decided.
type header struct {
	buf   []byte
	line  int  // line is where the unfinished line begins in buf.
	colon bool // colon: the unfinished line has its field name.
}

func (h *header) reset() { h.buf, h.line, h.colon = h.buf[:0], 0, false }

// verdict is what is known of a header after one more byte.
type verdict uint8

const (
	undecided verdict = iota
	block             // block: a whole header block, its empty line included.
	lines             // lines: no header block begins here, nor at a later line of what is held.
)

// add appends c, and says what that makes of the header.
func (h *header) add(c byte) verdict {
	h.buf = append(h.buf, c)
	cur := h.buf[h.line:]
	switch {
	case c == '\n':
		return h.endLine(cur)
	case h.colon:
		return undecided
	case h.line == 0:
		if !startsHeader(cur) {
			return lines
		}
		h.colon = c == ':'
	case len(cur) == 1 && c == '\r':
		return undecided // perhaps the empty line
	case cur[0] == '\r':
		return lines
	case len(cur) > 1 && c == ':':
		h.colon = true
	case !fieldByte(c):
		return lines
	}
	return undecided
}

// endLine judges the line cur, which a line feed has just ended.
func (h *header) endLine(cur []byte) verdict {
	switch {
	case len(cur) == 1, len(cur) == 2 && cur[0] == '\r':
		if _, ok := bodyLength(h.buf[:h.line]); !ok {
			return lines
		}
		return block
	case !h.colon:
		return lines
	}
	h.line, h.colon = len(h.buf), false
	return undecided
}

// header holds what p has of a header block that may begin here, until it is
// decided, and returns the rest of p.
func (s *Splitter) header(p []byte, emit func(Piece)) []byte {
	for i, c := range p {
		if len(s.head.buf) == MaxHeader {
			s.shorten(emit)
			if len(s.head.buf) == 0 {
				return p[i:]
			}
		}
		switch s.head.add(c) {
		case undecided:
			continue
		case block:
			s.endHeader(emit)
		case lines:
			s.giveUp(emit)
		}
		return p[i+1:]
	}
	return nil
}

// endHeader gives out the header block that is held. Its body begins.
func (s *Splitter) endHeader(emit func(Piece)) {
	b := s.head.buf
	end := s.head.line - 1
	if b[end-1] == '\r' {
		end--
	}
	s.left, _ = bodyLength(b[:end])
	s.head.reset()
	emit(Piece{Data: b[:end], Term: b[end:], Start: true, End: true, Kind: Header})
}

// giveUp gives out what is held as lines. The last may go on.
func (s *Splitter) giveUp(emit func(Piece)) {
	b := s.head.buf
	s.head.reset()
	for len(b) > 0 {
		b = s.line(b, emit)
	}
}

// shorten gives out lines from the front of a header that is too long, until
// what stays may be the beginning of a shorter one, or nothing stays. Each line
// goes through it once, so that a stream of nothing but such headers is no
// heavier than another.
func (s *Splitter) shorten(emit func(Piece)) {
	h := &s.head
	b := h.buf
	for h.line > 0 {
		rest := s.line(b, emit)
		h.line -= len(b) - len(rest)
		b = rest
		if startsHeader(b) {
			h.buf = append(h.buf[:0], b...)
			return
		}
	}
	h.reset()
	if len(b) > 0 {
		s.line(b, emit)
	}
}

// startsHeader reports whether p begins with a field name that begins a header
// block, or is the beginning of one.
func startsHeader(p []byte) bool {
	if len(p) == 0 || p[0]|0x20 != 'c' {
		return false
	}
	return foldPrefix(p, lengthName) || foldPrefix(p, typeName)
}

// foldPrefix reports whether p and name agree, but for case, as far as the
// shorter of the two goes.
func foldPrefix(p []byte, name string) bool {
	n := min(len(p), len(name))
	return strings.EqualFold(string(p[:n]), name[:n])
}

// fieldByte reports whether c can be in a field's name: RFC 9110 §5.6.2.
func fieldByte(c byte) bool {
	lower := c | 0x20
	return 'a' <= lower && lower <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// bodyLength returns the length that a header block announces. Where it does so
// several times, the last counts. It reports false where there is none that can
// be used.
func bodyLength(block []byte) (n int64, ok bool) {
	for line := range bytes.Lines(block) {
		if len(line) >= len(lengthName) && foldPrefix(line, lengthName) {
			length, err := strconv.ParseUint(string(bytes.Trim(line[len(lengthName):], " \t\r\n")), 10, 64)
			n, ok = int64(length), err == nil && length <= MaxBody
		}
	}
	return n, ok
}

// AppendLine appends body as a line to dst. A body with a line feed in it makes
// several lines.
func AppendLine(dst, body []byte) []byte {
	return append(append(dst, body...), '\n')
}

// AppendContentLength appends body, with the header block that announces it, to
// dst.
func AppendContentLength(dst, body []byte) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(body)), 10)
	dst = append(dst, "\r\n\r\n"...)
	return append(dst, body...)
}
