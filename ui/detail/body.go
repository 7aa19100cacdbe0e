package detail

import (
	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// Body reads what the frame at a row says, without its terminator; a value that is
// spread over several lines as a whole.
func Body(snap *session.Snapshot, log recorder.Log, row uint32) ([]byte, error) {
	buf, n, err := bodyOf(snap, log, row)
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

// Part returns what matters of one message: a request's or a notification's
// parameters, a response's result or error; word is the member's name. It reports
// false for anything else.
func Part(body []byte) (word string, part []byte, ok bool) {
	messages := 0
	jsonrpc.Scan(body, func(m *jsonrpc.Message) {
		messages++
		for _, f := range []struct {
			word string
			span jsonrpc.Span
		}{{"params", m.Params}, {"result", m.Result}, {"error", m.Error}} {
			if from, size := f.span.Off, f.span.Len; size > 0 && from+size <= int64(len(body)) {
				word, part = f.word, body[from:from+size]
			}
		}
	})
	return word, part, messages == 1 && part != nil
}
