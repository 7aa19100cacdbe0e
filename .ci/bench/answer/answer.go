package answer

import "bytes"

const (
	head = `{"jsonrpc":"2.0","id":`
	text = `,"result":{"content":[{"type":"text","text":"`
	tail = `"}]}}`
)

// To appends the response to a request, which begins with jsonrpc and id, without a line feed. One that
// is too short for a response gets a longer one, and anything else gets none.
func To(dst, request []byte) []byte {
	id, is := bytes.CutPrefix(request, []byte(head))
	if !is {
		return dst
	}
	id = id[:max(0, bytes.IndexByte(id, ','))]
	dst = append(append(append(dst, head...), id...), text...)
	pad := len(request) - len(head) - len(id) - len(text) - len(tail)
	return append(append(dst, bytes.Repeat([]byte{'y'}, max(0, pad))...), tail...)
}
