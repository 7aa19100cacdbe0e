package replay

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"wiretea/session/jsonrpc"
)

// memberSpan finds a member below a value of a text by the names that lead to it;
// an absent span where there is none.
func memberSpan(body []byte, in jsonrpc.Span, path ...string) jsonrpc.Span {
	value := within(body, in)
	if value == nil {
		return jsonrpc.Span{}
	}
	dec := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for _, name := range path {
		if !enter(dec, name) {
			return jsonrpc.Span{}
		}
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return jsonrpc.Span{}
	}
	end := dec.InputOffset()
	return jsonrpc.Span{Type: jsonrpc.TypeOf(raw), Off: in.Off + end - int64(len(raw)), Len: int64(len(raw))}
}

// enter stands before the member's value of the object that comes next. It reports
// false where there is none.
func enter(dec *jsontext.Decoder, name string) bool {
	if dec.PeekKind() != '{' {
		return false
	}
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if key.String() == name {
			return true
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return false
}
