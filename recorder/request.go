package recorder

import (
	"bytes"
	"errors"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// A Request is a request or a notification without what its sender adds to it: an
// id, and in the modern era the metadata of its client.
type Request struct {
	Method string
	Params []byte // Params is the JSON text of the parameters, verbatim; nil means none.
}

// ErrNoRequest is returned by ReadRequest when the row has no single message with a
// method.
var ErrNoRequest = errors.New("the frame is not a single message with a method")

// MaxValue is the number of bytes of a message that ReadRequest and ReadMessage
// read.
const MaxValue = 100 << 20

// ReadMessage reads the JSON text of the message at a row, at most MaxValue bytes
// of it; see ReadValue.
func ReadMessage(log Log, s *session.Snapshot, row uint32) ([]byte, error) {
	return ReadValue(log, s, row, MaxValue)
}

// ReadRequest reads the request or notification at a row.
func ReadRequest(log Log, s *session.Snapshot, row uint32) (Request, error) {
	body, err := ReadMessage(log, s, row)
	if err != nil {
		return Request{}, err
	}
	var r Request
	messages := 0
	jsonrpc.Scan(body, func(m *jsonrpc.Message) {
		messages++
		r.Method, _ = m.Method.Unquoted()
		r.Params = bytes.Clone(m.Params.In(body))
	})
	if messages != 1 || r.Method == "" {
		return Request{}, ErrNoRequest
	}
	return r, nil
}

// Payload returns the content of a single message and the name of its member: the
// params of a request or notification, or the result or error of a response. It
// reports false for a batch, for anything that is not a message, and for a message
// without content.
func Payload(message []byte) (member string, content []byte, ok bool) {
	messages := 0
	jsonrpc.Scan(message, func(m *jsonrpc.Message) {
		messages++
		for _, f := range []struct {
			member string
			span   jsonrpc.Span
		}{{"params", m.Params}, {"result", m.Result}, {"error", m.Error}} {
			if text := f.span.In(message); text != nil {
				member, content = f.member, text
			}
		}
	})
	return member, content, messages == 1 && content != nil
}
