package control

import (
	"encoding/json"
	"errors"
	"fmt"

	"wiretea/session"
)

// The words of the socket: one JSON object a line. A connection carries one
// command; the tee's answer ends it.
//
//	{"op":"send","message":"eyJqc29ucnBjIjoi…"}     ◄── {"id":"\"wiretea-1f…-1\"","answer":"eyJqc29u…"}
//	{"op":"cancel","id":"7","reason":"too slow"}    ◄── {}
//	{"op":"end"}                                    ◄── {"error":"…","code":"gone"}
//	{"op":"bell"} 1234                              ◄── a line feed, once the session is longer than 1234 bytes
//
// Messages and answers are in base64, so that they are exact. A send is withdrawn
// by {"op":"withdraw"}, and when its connection ends. A bell is set again by the
// next number.
type command struct {
	Op      string `json:"op"`
	Message []byte `json:"message,omitempty"`
	ID      string `json:"id,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// reply is what became of a command.
type reply struct {
	ID     string `json:"id,omitempty"`
	Answer []byte `json:"answer,omitempty"`
	Code   string `json:"code,omitempty"`  // Code names the kind of error, empty for others.
	Error  string `json:"error,omitempty"` // Error is its text; empty = none.
}

// maxCommand is the longest line of a command, in bytes.
const maxCommand = MaxMessage/3*4 + 64<<10

// codes are the errors that are told apart on the other end.
var codes = []struct {
	word string
	err  error
}{
	{"refused", session.ErrRefused},
	{"early", session.ErrTooEarly},
	{"busy", session.ErrBusy},
	{"gone", session.ErrGone},
	{"slipped", ErrSlipped},
}

// replyOf is what is said of an outcome.
func replyOf(out session.Outcome, err error) reply {
	r := reply{ID: out.ID, Answer: out.Answer}
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
	out := session.Outcome{ID: r.ID, Answer: r.Answer}
	if r.Error == "" {
		return out, nil
	}
	for _, c := range codes {
		if c.word == r.Code {
			return out, &told{text: r.Error, err: c.err}
		}
	}
	return out, errors.New(r.Error)
}

// told is an error that the tee's process returned.
type told struct {
	text string
	err  error
}

func (t *told) Error() string { return t.text }
func (t *told) Unwrap() error { return t.err }

// encode writes a line.
func encode(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("writing to the tee: %w", err)
	}
	return append(line, '\n'), nil
}
