package detail

import (
	"bytes"
	"errors"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/ui/pane"
)

// ErrNoRequest is returned by Request for a row that is none.
var ErrNoRequest = errors.New("the frame is not one request with a method")

// Request reads method and parameters of the request at a row; the parameters are
// its bytes. It reads as much as the row is long.
func Request(snap *session.Snapshot, log recorder.Log, row uint32) (pane.Message, error) {
	buf, n, err := bodyOf(snap, log, row)
	if err != nil {
		return pane.Message{}, err
	}
	var m pane.Message
	messages := 0
	jsonrpc.Scan(buf[:n], func(msg *jsonrpc.Message) {
		messages++
		m.Method, _ = msg.Method.Unquoted()
		if from, size := msg.Params.Off, msg.Params.Len; size > 0 && from+size <= n {
			m.Params = bytes.Clone(buf[from : from+size])
		}
	})
	if messages != 1 || m.Method == "" {
		return pane.Message{}, ErrNoRequest
	}
	return m, nil
}

// Frame reads a row's value and its terminator, as they were on the wire. Lines
// of one value come together.
func Frame(snap *session.Snapshot, log recorder.Log, row uint32) (body, end []byte, err error) {
	buf, n, err := bodyOf(snap, log, row)
	if err != nil {
		return nil, nil, err
	}
	return buf[:n], buf[n:], nil
}
