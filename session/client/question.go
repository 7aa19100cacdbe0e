package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// A Question is a request of the server for input. In the legacy era it is a
// request of the server's, in the modern era one of the inputRequests of a
// result, and the answer travels in the next leg ([V5] basic/patterns/mrtr); a
// task of the tasks extension asks in its status.
type Question struct {
	Method string          // Method is mcp.SamplingCreateMessage, mcp.ElicitationCreate or mcp.RootsList.
	Params json.RawMessage // Params is verbatim; nil = none.
	Era    mcp.Era

	ID   string // ID is the raw text of the server's request id; empty where the question came in a result.
	Key  string // Key is its key among the inputRequests; empty where it came as a request.
	Task string // Task is the id of the task that it is part of; empty = none.

	// For is the raw text of the id of our request that it is part of. Legacy
	// servers do not say it: it is empty unless one request alone is under way.
	For string

	At time.Time // At is when it had been read.
}

// An Answer is what a question gets: a result, or an error. The zero Answer is
// the refusal to answer: an error in the legacy era. In the modern era there is
// no error to send, and the operation that asked ends with an
// *InputRequiredError.
type Answer struct {
	Result json.RawMessage // Result is sent byte for byte, line breaks between tokens aside.
	Error  *RPCError       // Error is sent where there is no Result.
}

// An Asker answers questions. Ask is called in a goroutine of the client's own,
// several may be open at a time, and it may take as long as a person does:
// while a question is open no request of ours times out for it. ctx ends when the
// server cancels the question, when the operation that it is part of ends, or with the
// connection; then nothing is sent, and Ask must return.
type Asker interface {
	Ask(ctx context.Context, q Question) Answer
}

// AskerFunc is a function as an Asker.
type AskerFunc func(ctx context.Context, q Question) Answer

// Ask calls f.
func (f AskerFunc) Ask(ctx context.Context, q Question) Answer { return f(ctx, q) }

// Accept is the accepting answer to an elicitation. content is the form's data,
// a JSON object; nil = none, as for a URL.
func Accept(content json.RawMessage) Answer {
	if len(content) == 0 {
		return Answer{Result: json.RawMessage(`{"action":"accept"}`)}
	}
	return Answer{Result: fmt.Appendf(nil, `{"action":"accept","content":%s}`, content)}
}

// Decline is the answer to an elicitation that the user declines.
func Decline() Answer { return Answer{Result: json.RawMessage(`{"action":"decline"}`)} }

// Dismiss is the answer to an elicitation that the user dismisses: its action is
// "cancel".
func Dismiss() Answer { return Answer{Result: json.RawMessage(`{"action":"cancel"}`)} }

// Sampled is the answer to a sampling request, of text alone. An empty model or
// stopReason is wiretea or endTurn.
func Sampled(text, model, stopReason string) Answer {
	model = cmp.Or(model, "wiretea")
	if stopReason == "" {
		stopReason = "endTurn"
	}
	return Answer{Result: fmt.Appendf(nil, `{"role":"assistant","content":{"type":"text","text":%s},"model":%s,"stopReason":%s}`,
		lex.Quote(text), lex.Quote(model), lex.Quote(stopReason))}
}

// Refuse is an answer that is an error.
func Refuse(code int64, message string) Answer {
	return Answer{Error: &RPCError{Code: code, Message: message}}
}

// Refused is the answer to a sampling request that the user rejects:
// [V1–V4] client/sampling §Error Handling.
func Refused() Answer { return Refuse(mcp.UserRejected, "User rejected sampling request") }

// An Elicitation is what an elicitation/create asks for, as far as its params
// can be read.
type Elicitation struct {
	Mode    string          // Mode is "form" or "url", or what the server wrote instead.
	Message string          // Message is for the user.
	Schema  json.RawMessage // Schema is the requestedSchema of a form, verbatim.
	URL     string          // URL is what the user should visit. It must not be fetched in advance.
	ID      string          // ID is the elicitationId of a URL in the legacy era.
}

// Elicitation reads the question's params. Members of a wrong type stay empty.
func (q *Question) Elicitation() Elicitation {
	var p struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
		URL     string          `json:"url"`
		ID      string          `json:"elicitationId"`
	}
	_ = json.Unmarshal(q.Params, &p)
	p.Mode = cmp.Or(p.Mode, formMode)
	return Elicitation(p)
}

// The modes of an elicitation.
const (
	formMode = "form"
	urlMode  = "url"
)

// wire is the answer as the members of a response: its result or its error.
func (a *Answer) wire() (result, refusal json.RawMessage, err error) {
	if a.Result != nil {
		result, err = oneLine(a.Result)
		if err == nil && result == nil {
			result = json.RawMessage(`{}`)
		}
		return result, nil, err
	}
	e := a.Error
	if e == nil {
		e = &RPCError{Code: mcp.InternalError, Message: "the question was not answered"}
	}
	refusal = fmt.Appendf(nil, `{"code":%d,"message":%s`, e.Code, lex.Quote(e.Message))
	data, err := oneLine(e.Data)
	if err != nil {
		return nil, nil, err
	}
	if data != nil {
		refusal = append(append(refusal, `,"data":`...), data...)
	}
	return nil, append(refusal, '}'), nil
}
