package replay

import (
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

// memberSpan finds a member below a value of a text by the names that lead to it;
// an absent span where there is none.
func memberSpan(body []byte, in jsonrpc.Span, path ...string) jsonrpc.Span {
	value := in.In(body)
	for _, name := range path {
		value = lex.Get(value, name)
	}
	if value == nil {
		return jsonrpc.Span{}
	}
	// The value lies in body.
	return jsonrpc.Span{Type: jsonrpc.TypeOf(value), Off: int64(cap(body) - cap(value)), Len: int64(len(value))}
}
