package http

import (
	"bytes"
	"encoding/json"

	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A message is a line of ours, and what the transport needs to know of it.
type message struct {
	line    []byte
	kind    jsonrpc.Kind // kind is Invalid for anything but a single message.
	id      string       // id is the raw text of a request's id; empty = it is none, or cannot be named.
	method  string
	version string // version is the protocol version in its _meta; empty = it is a legacy message.
	names   string // names is the raw text of the id that a cancellation names.
}

// read reads a line of ours.
func read(line []byte) *message {
	m := &message{line: line}
	text := jsonrpc.Scan(line, func(j *jsonrpc.Message) {
		m.kind = j.Kind
		m.method, _ = j.Method.Unquoted()
		if j.Kind == jsonrpc.Request {
			m.id = string(j.ID.In(line))
		}
		m.version = lex.Unquote(j.Field(jsonrpc.MetaProtocolVersion).In(line))
		m.names = string(j.Field(jsonrpc.ParamRequestID).In(line))
	})
	if text.Values != 1 || text.Batches > 0 {
		return &message{line: line}
	}
	return m
}

// modern reports whether it is of the modern era.
func (m *message) modern() bool { return m.version != "" }

// unending reports whether it is a request that stays open.
func (m *message) unending() bool {
	known, ok := mcp.Lookup(m.method)
	return ok && known.Unbounded
}

// An arrival is what a text of the server's is to a request.
type arrival struct {
	whole  bool             // whole: it is JSON-RPC, one message or more.
	answer bool             // answer: it is the answer to the request.
	result json.RawMessage  // result is that of the answer.
	rpc    *client.RPCError // rpc is the last error that answers nobody, or another.
}

// look says what a text of the server's is to the request of that id.
func look(text []byte, id string) (a arrival) {
	var is bool
	syntax := jsonrpc.Scan(text, func(j *jsonrpc.Message) {
		is = is || j.Kind != jsonrpc.Invalid
		switch answers := j.Kind.Response() && id != "" && bytes.Equal(j.ID.In(text), []byte(id)); {
		case answers:
			a.answer, a.result = true, j.Result.In(text)
		case j.Kind == jsonrpc.Error:
			a.rpc = rpcError(j.Error.In(text))
		}
	})
	a.whole = is && (syntax.Syntax == jsonrpc.Complete || syntax.Syntax == jsonrpc.Trailing && syntax.Values > 0)
	return a
}

// rpcError reads an error object, as far as it is one.
func rpcError(raw []byte) *client.RPCError {
	var e struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(raw, &e) // members of a wrong type stay empty
	return &client.RPCError{Code: e.Code, Message: e.Message, Data: e.Data}
}

// oneLine makes a message fit on one line: inside strings JSON has no raw line breaks.
func oneLine(text []byte) []byte {
	for i, b := range text {
		if b == '\n' || b == '\r' {
			text[i] = ' '
		}
	}
	return append(text, '\n')
}
