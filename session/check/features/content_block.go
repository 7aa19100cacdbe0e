package features

import (
	"bytes"
	"fmt"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

// blobs judges the binary data in one result, up to the first that is not base64. The
// family of shapes reports other faults of blocks.
type blobs struct {
	ev *session.Event

	padding bool   // padding: only padding is missing.
	fault   string // fault says what is wrong, empty = nothing.
}

// finding returns the finding of the fault.
func (b *blobs) finding(c *contentConn) session.Finding {
	f := badBase64.At(b.ev, "%s %s: %s", b.ev.Method.Name, rule.Excerpt([]byte(b.ev.Exchange.Target)), b.fault)
	if b.padding {
		f.Severity = session.Warning
	}
	return f.Keyed(b.ev.Method.Name + " " + c.Key(b.ev.Exchange.Target))
}

// blocks judges the blocks of a tool's result.
func (b *blobs) blocks(content []byte) {
	for i, item := range lex.Items(content) {
		b.block(item, "content", i)
	}
}

// block judges one block, at an index of a list.
func (b *blobs) block(item []byte, list string, i int) {
	switch kind := lex.Get(item, "type"); {
	case lex.IsText(kind, "image"), lex.IsText(kind, "audio"):
		b.member(item, list, i, "data")
	case lex.IsText(kind, "resource"):
		b.member(lex.Get(item, "resource"), list, i, "blob")
	}
}

// member judges a member that must be base64.
func (b *blobs) member(item []byte, list string, i int, name string) {
	raw := lex.Get(item, name)
	if b.fault != "" || jsonrpc.TypeOf(raw) != jsonrpc.String {
		return
	}
	switch fault, padding := base64Fault(raw); {
	case padding:
		b.fault, b.padding = fmt.Sprintf("%s of %s[%d] lacks padding at its end", name, list, i), true
	case fault >= 0:
		from := max(0, fault-12)
		b.fault = fmt.Sprintf("%s of %s[%d] is not base64 at byte %d: %s", name, list, i, fault, rule.Excerpt(raw[1+from:len(raw)-1]))
	}
}

// base64Fault returns the offset in a JSON string at which it is not base64, -1
// if it is, or reports that only padding is missing. Escaped slashes and line
// breaks are accepted.
func base64Fault(raw []byte) (at int, padding bool) {
	text := raw[1 : len(raw)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(lex.Unquote(raw))
	}
	digits, pads := 0, 0
	for i, c := range text {
		switch kind := base64Kinds[c]; {
		case kind == base64Space:
		case kind == base64Pad && digits%4 >= 2:
			pads++
		case kind != base64Digit || pads > 0:
			return min(i, len(raw)-2), false
		default:
			digits++
		}
	}
	switch rest := digits % 4; {
	case rest == 1, pads > 0 && rest+pads != 4:
		return max(0, min(len(text), len(raw)-2)-1), false
	case rest != 0 && pads == 0:
		return -1, true
	}
	return -1, false
}

const (
	base64None = iota
	base64Digit
	base64Pad
	base64Space
)

var base64Kinds = func() (kinds [256]byte) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		kinds[c] = base64Digit
	}
	for _, c := range []byte(" \t\r\n") {
		kinds[c] = base64Space
	}
	kinds['='] = base64Pad
	return kinds
}()
