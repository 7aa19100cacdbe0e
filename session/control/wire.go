package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"wiretea/session"
)

// The words of the socket: one JSON object a line, and behind it as many bytes as
// its length says, which are a message or an answer as it stands. A connection
// carries one command; the tee's reply ends it.
//
//	{"op":"send","length":40}{"jsonrpc":…}          ◄── {"id":"\"wiretea-1f…-1\"","length":57}{"jsonrpc":…}
//	{"op":"cancel","id":"7","reason":"too slow"}    ◄── {}
//	{"op":"end"}                                    ◄── {"error":"…","code":"gone"}
//	{"op":"bell"} 1234                              ◄── a line feed, once the session is longer than 1234 bytes
//
// A send is withdrawn by {"op":"withdraw"}, and when its connection ends. A bell is
// set again by the next number.
type command struct {
	Op     string `json:"op"`
	Length int    `json:"length,omitempty"`
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason,omitempty"`

	message []byte // message is what comes behind.
}

// reply is what became of a command.
type reply struct {
	ID     string `json:"id,omitempty"`
	Length int    `json:"length,omitempty"`

	Withdrawn bool `json:"withdrawn,omitempty"`

	Code  string `json:"code,omitempty"`  // Code names the kind of error, empty for others.
	Error string `json:"error,omitempty"` // Error is its text; empty = none.

	answer []byte // answer is what comes behind.
}

const (
	// maxCommand is the longest line of a command, in bytes.
	maxCommand = 64 << 10

	// maxReply is the longest line of a reply, in bytes.
	maxReply = 1 << 20

	// maxAnswer is the longest answer, in bytes.
	maxAnswer = 1 << 30
)

// codes are the errors that are told apart on the other end.
var codes = []struct {
	word string
	err  error
}{
	{"refused", session.ErrRefused},
	{"early", session.ErrTooEarly},
	{"busy", session.ErrBusy},
	{"gone", session.ErrGone},
	{"slipped", ErrForwarded},
	{"withdrawn", session.ErrWithdrawn},
}

// replyOf is what is said of an outcome.
func replyOf(out session.Outcome, err error) reply {
	r := reply{ID: out.ID, Length: len(out.Answer), Withdrawn: out.Withdrawn, answer: out.Answer}
	if err == nil {
		return r
	}
	r.Error = err.Error()
	for _, c := range codes {
		if errors.Is(err, c.err) {
			r.Code = c.word
		}
	}
	return r
}

// outcome is what a reply says.
func (r *reply) outcome() (session.Outcome, error) {
	out := session.Outcome{ID: r.ID, Answer: r.answer, Withdrawn: r.Withdrawn}
	if r.Error == "" {
		return out, nil
	}
	for _, c := range codes {
		if c.word == r.Code {
			return out, &remoteError{text: r.Error, err: c.err}
		}
	}
	return out, errors.New(r.Error)
}

// remoteError is an error that the tee's process returned.
type remoteError struct {
	text string
	err  error
}

func (t *remoteError) Error() string { return t.text }
func (t *remoteError) Unwrap() error { return t.err }

// write writes a line, and the bytes behind it.
func write(w io.Writer, v any, behind []byte) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing to the socket: %w", err)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("writing to the socket: %w", err)
	}
	if _, err := w.Write(behind); len(behind) > 0 && err != nil {
		return fmt.Errorf("writing to the socket: %w", err)
	}
	return nil
}

// errTooLong is returned for a line, or bytes behind it, that are longer than any
// can be.
var errTooLong = errors.New("it is too long")

// readLine reads a line of at most limit bytes, without its line feed.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case len(line) > limit:
			return nil, errTooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("reading from the socket: %w", err)
		}
	}
}

// readBehind reads the n bytes behind a line; memory grows only with what comes.
func readBehind(in *bufio.Reader, n, limit int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	if n < 0 || n > limit {
		return nil, errTooLong
	}
	var b bytes.Buffer
	b.Grow(min(n, 64<<10))
	if _, err := io.CopyN(&b, in, int64(n)); err != nil {
		return nil, fmt.Errorf("reading from the socket: %w", err)
	}
	return b.Bytes(), nil
}
