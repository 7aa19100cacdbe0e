package detail

import (
	"wiretea/recorder"
	"wiretea/session"
)

// Frame reads a row's value and its terminator, as they were on the wire. Lines
// of one value come together.
func Frame(snap *session.Snapshot, log recorder.Log, row uint32) (body, end []byte, err error) {
	buf, n, err := bodyOf(snap, log, row)
	if err != nil {
		return nil, nil, err
	}
	return buf[:n], buf[n:], nil
}
