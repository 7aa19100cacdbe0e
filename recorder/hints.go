package recorder

import (
	"unicode/utf8"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

// A hintReader scans the envelopes of frames: it finds whether the body can be stored
// verbatim, and the four hints. It copies what it needs of a message before the
// scanner reuses it.
type hintReader struct {
	scanner jsonrpc.Scanner
	emit    func(*jsonrpc.Message)

	kind               byte // q, n, r, e, b or x
	id, method, target []byte
}

// begin begins a body.
func (p *hintReader) begin() {
	if p.emit == nil {
		p.emit = p.message
		p.scanner.Unhashed = true
	}
	p.reset()
	p.scanner.Reset(p.emit)
}

// reset clears the hints.
func (p *hintReader) reset() {
	p.kind, p.id, p.method, p.target = 'x', p.id[:0], p.method[:0], p.target[:0]
}

// end ends the body and reports whether it can be stored verbatim.
func (p *hintReader) end() bool {
	text := p.scanner.End()
	switch {
	case text.Syntax != jsonrpc.Complete:
		p.reset()
	case text.Batches > 0:
		p.kind = 'b'
	}
	return text.Verbatim(maxDepth)
}

// message notes what the hints need. A batch's elements have none.
func (p *hintReader) message(m *jsonrpc.Message) {
	if m.Elem >= 0 {
		return
	}
	switch m.Kind {
	case jsonrpc.Request:
		p.kind = 'q'
	case jsonrpc.Notification:
		p.kind = 'n'
	case jsonrpc.Result:
		p.kind = 'r'
	case jsonrpc.Error:
		p.kind = 'e'
	case jsonrpc.Invalid:
		p.kind = 'x'
	}
	if m.ID.Present() {
		p.id = append(p.id[:0], m.ID.Raw...)
	}
	p.method = p.text(p.method, &m.Method)
	for _, f := range [...]jsonrpc.Field{jsonrpc.ParamName, jsonrpc.ParamURI} {
		if len(p.target) == 0 {
			p.target = p.text(p.target, m.Field(f))
		}
	}
}

// text puts the decoded beginning of a string into dst; nothing for a value of
// another type.
func (p *hintReader) text(dst []byte, v *jsonrpc.Value) []byte {
	if v.Type != jsonrpc.String || len(v.Raw) < 2 {
		return dst[:0]
	}
	raw := v.Raw[1:]
	if v.Whole() {
		raw = raw[:len(raw)-1]
	}
	dst, _ = lex.AppendUnescaped(dst[:0], raw)
	return dst
}

// appendHints appends the kind and the hints that there are.
func (p *hintReader) appendHints(dst []byte) []byte {
	dst = append(dst, `,"y":"`...)
	dst = append(dst, p.kind, '"')
	dst = appendHint(dst, "id", p.id)
	dst = appendHint(dst, "m", p.method)
	return appendHint(dst, "o", p.target)
}

// appendHint appends one hint, cut at a rune's boundary. Bytes that are not UTF-8
// are left out.
func appendHint(dst []byte, name string, v []byte) []byte {
	v = v[:min(len(v), maxHint)]
	v = v[:wholeRunes(v)]
	if len(v) == 0 || !utf8.Valid(v) {
		return dst
	}
	return lex.AppendQuoteValid(appendName(dst, name), v)
}
