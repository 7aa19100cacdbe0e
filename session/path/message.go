package path

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// MaxMessage is the longest message that is sent, in bytes.
const MaxMessage = 16 << 20

// maxDepth is how deep a message may be nested.
const maxDepth = 200

// A message is one that may be sent.
type message struct {
	text    []byte
	request bool
	id      jsonrpc.Span // id and token are what is replaced; of type Absent where there is none.
	token   jsonrpc.Span
}

// parse checks that a text is one message that no server can misunderstand.
func parse(text []byte) (m message, err error) {
	text = bytes.Trim(text, " \t\r\n")
	m.text = text
	if len(text) > MaxMessage {
		return m, refuse("the message is longer than %d MiB", MaxMessage>>20)
	}
	if bytes.ContainsAny(text, "\r\n") {
		return m, refuse("the message contains a line break")
	}
	why := ""
	facts := jsonrpc.Scan(text, func(found *jsonrpc.Message) {
		m.request = found.Kind == jsonrpc.Request
		m.id, m.token = found.ID.Span, found.Field(jsonrpc.MetaProgressToken).Span
		if why == "" {
			why = objection(found)
		}
	})
	switch {
	case facts.Syntax != jsonrpc.Complete:
		return m, refuse("it is not JSON, or not all of it")
	case facts.Batches > 0:
		return m, refuse("it is a batch")
	case facts.Emitted != 1:
		return m, refuse("it is not a JSON object")
	case facts.Defects&^jsonrpc.KeysUnchecked != 0:
		return m, refuse("it is badly written: %v", facts.Defects&^jsonrpc.KeysUnchecked)
	case facts.Depth > maxDepth:
		return m, refuse("it is nested more than %d deep", maxDepth)
	case why != "":
		return m, refuse("%s", why)
	}
	return m, nil
}

// objection says why a message may not be sent, empty = it may.
func objection(m *jsonrpc.Message) string {
	method, plain := m.Method.Unquoted()
	switch {
	case m.Type != jsonrpc.Object:
		return "it is not a JSON object"
	case m.Kind.Response():
		return "it is a response, and those are for the client to give"
	case m.Kind != jsonrpc.Request && m.Kind != jsonrpc.Notification:
		return "it has no method"
	case !m.Version.Is("2.0"):
		return `it does not say "jsonrpc":"2.0"`
	case !plain || method == "":
		return "its method is not a name"
	case method == mcp.Initialize || method == mcp.InitializedNotification:
		return "the handshake is the client's own"
	case m.Kind == jsonrpc.Request && m.ID.Type != jsonrpc.String && m.ID.Type != jsonrpc.Number:
		return "its id is neither a string nor a number"
	case m.Params.Type != jsonrpc.Absent && m.Params.Type != jsonrpc.Object:
		return "params must be an object"
	case m.UnknownKey != "":
		return fmt.Sprintf("it has the member %q, which no message has", m.UnknownKey)
	}
	return ""
}

// line is the message as it goes out, with its line feed; a request's id and
// progress token are replaced by id, the raw text of a string.
func (m *message) line(id string) []byte {
	line := make([]byte, 0, len(m.text)+2*len(id)+1)
	from := int64(0)
	first, second := m.id, m.token
	if second.Off < first.Off {
		first, second = second, first
	}
	for _, span := range []jsonrpc.Span{first, second} {
		if m.request && span.Type != jsonrpc.Absent {
			line = append(line, m.text[from:span.Off]...)
			line = append(line, id...)
			from = span.Off + span.Len
		}
	}
	return append(append(line, m.text[from:]...), '\n')
}

// cancellation is the line that withdraws a request, by the raw text of its id.
func cancellation(id, reason string) ([]byte, error) {
	whole := false
	facts := jsonrpc.Scan([]byte(`{"id":`+id+`}`), func(m *jsonrpc.Message) {
		whole = (m.ID.Type == jsonrpc.String || m.ID.Type == jsonrpc.Number) && m.ID.Len == int64(len(id)) && m.UnknownKey == ""
	})
	if facts.Syntax != jsonrpc.Complete || facts.Emitted != 1 || facts.Defects != 0 || !whole || bytes.ContainsAny([]byte(id), "\r\n") {
		return nil, refuse("%.40q is not the raw text of an id", id)
	}
	params := []byte(`{"requestId":` + id)
	if reason != "" {
		text, err := json.Marshal(reason)
		if err != nil {
			return nil, fmt.Errorf("writing the reason: %w", err)
		}
		params = append(append(params, `,"reason":`...), text...)
	}
	return append(jsonrpc.AppendRequest(nil, "", mcp.CancelledNotification, append(params, '}')), '\n'), nil
}

// refuse says why something is not sent.
func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", session.ErrRefused, fmt.Sprintf(format, args...))
}

// The protocol of the socket: one JSON object a line, followed by as many bytes as its
// length says, which are a message or an answer verbatim. A connection carries one
// command; the tee's reply ends it.
//
//	{"op":"send","length":40}{"jsonrpc":…}          ◄── {"id":"\"wiretea-1f…-1\"","length":57}{"jsonrpc":…}
//	{"op":"cancel","id":"7","reason":"too slow"}    ◄── {}
//	{"op":"end"}                                    ◄── {"error":"…","code":"gone"}
//	{"op":"notify"} 1234                            ◄── a line feed, once the session is longer than 1234 bytes
//	{"op":"intercept","by":"screen"}                ◄── {"state":{…}}, now and whenever it has changed
//	  {"op":"text","seq":1,"ids":[7]}               ◄── {"seq":1,"length":40}{"jsonrpc":…}
//	  {"op":"decide","seq":2,"ids":[7],"choice":{…}} ◄── {"seq":2}
//
// A send is withdrawn by {"op":"withdraw"}, and when its connection ends. The next number
// requests the next notification.
type command struct {
	Op     string `json:"op"`
	Length int    `json:"length,omitempty"`
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`

	message []byte // message are the bytes after the line.
}

// reply is what became of a command.
type reply struct {
	ID     string `json:"id,omitempty"`
	Length int    `json:"length,omitempty"`

	Withdrawn bool `json:"withdrawn,omitempty"`

	Code  string `json:"code,omitempty"`  // Code names the kind of error, empty for others.
	Error string `json:"error,omitempty"` // Error is its text; empty = none.

	answer []byte // answer are the bytes after the line.
}

// A placeRequest is what a viewer with a place wants: text, decide, hold or faults.
type placeRequest struct {
	Op     string                `json:"op"`
	Seq    uint64                `json:"seq"` // Seq numbers it, from 1.
	IDs    []uint64              `json:"ids,omitempty"`
	Choice *session.Choice       `json:"choice,omitempty"`
	Hold   *session.Interception `json:"hold,omitempty"`
	Faults []string              `json:"faults,omitempty"`
	Length int                   `json:"length,omitempty"`

	text []byte // text are the bytes after the line.
}

// A placeReply is a state, or what became of a request.
type placeReply struct {
	Seq   uint64                  `json:"seq,omitempty"`
	State *session.InterceptState `json:"state,omitempty"`
	reply
}

const (
	// maxCommand is the longest line of a command, in bytes.
	maxCommand = 64 << 10

	// maxReply is the longest line of a reply, in bytes.
	maxReply = 1 << 20

	// maxAnswer is the longest answer, in bytes.
	maxAnswer = 1 << 30
)

// codes are the errors that the other end distinguishes.
var codes = lazy.Value[[]code]{New: func() []code {
	return []code{
		{"refused", session.ErrRefused},
		{"early", session.ErrTooEarly},
		{"busy", session.ErrBusy},
		{"gone", session.ErrGone},
		{"forwarded", ErrForwarded},
		{"withdrawn", session.ErrWithdrawn},
		{"unheld", session.ErrNotHeld},
	}
}}

type code struct {
	word string
	err  error
}

// replyOf is what is said of an outcome.
func replyOf(out session.Outcome, err error) reply {
	r := reply{ID: out.ID, Length: len(out.Answer), Withdrawn: out.Withdrawn, answer: out.Answer}
	if err == nil {
		return r
	}
	r.Error = err.Error()
	for _, c := range codes.Get() {
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
	for _, c := range codes.Get() {
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

// write writes a line, and the bytes after it.
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

// errTooLong is returned for a line, or bytes after it, beyond their limit.
var errTooLong = errors.New("it is too long")

// readLine reads a line of at most limit bytes, without its line feed.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > limit+1, len(line) > limit && err != nil:
			return nil, errTooLong
		case err == nil:
			return line[:len(line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("reading from the socket: %w", err)
		}
	}
}

// readBehind reads the n bytes after a line; memory grows only with what arrives.
func readBehind(in *bufio.Reader, n, limit int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	if n < 0 || n > limit {
		return nil, errTooLong
	}
	b := make([]byte, min(n, 64<<10))
	for at := 0; ; {
		read, err := io.ReadFull(in, b[at:])
		if err != nil {
			return nil, fmt.Errorf("reading from the socket: %w", err)
		}
		if at += read; at == n {
			return b, nil
		}
		grown := make([]byte, min(n, 4*at))
		copy(grown, b)
		b = grown
	}
}
