package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/json/schema"
	"wiretea/session/json/tree"
	"wiretea/session/mcp"
)

var (
	// ErrForm is returned by ValidateForm where the content does not satisfy the
	// schema.
	ErrForm = errors.New("the form is not right")

	// ErrFormSchema is returned where a requestedSchema cannot be used: it is
	// no object, or no JSON Schema.
	ErrFormSchema = errors.New("the requested schema cannot be used")
)

// FormDefaults returns the data of a form as its schema has it before anybody
// types: given, and the default of each property that is not in it, verbatim and
// in the schema's order. given is a JSON object; nil = none.
func FormDefaults(schema, given json.RawMessage) (json.RawMessage, error) {
	if len(given) == 0 {
		given = json.RawMessage(`{}`)
	}
	given, err := oneLine(given)
	if err != nil {
		return nil, err
	}
	have, ok := lex.List(given)
	if !ok {
		return nil, errors.New("the form's data is not an object")
	}
	properties, err := formProperties(schema)
	if err != nil {
		return nil, err
	}
	var add []lex.Member
	for _, p := range properties {
		var s struct {
			Default json.RawMessage `json:"default"`
		}
		if json.Unmarshal(p.Value, &s) == nil && s.Default != nil {
			add = append(add, lex.Member{Name: p.Name, Value: s.Default})
		}
	}
	return withMembers(given, have, add), nil
}

// formProperties returns the properties of a form's schema in order.
func formProperties(schema json.RawMessage) ([]lex.Member, error) {
	top, ok := lex.List(schema)
	if !ok {
		return nil, fmt.Errorf("%w: it is not an object", ErrFormSchema)
	}
	i := slices.IndexFunc(top, func(m lex.Member) bool { return m.Name == "properties" })
	if i < 0 {
		return nil, nil
	}
	properties, ok := lex.List(top[i].Value)
	if !ok {
		return nil, fmt.Errorf("%w: its properties are not an object", ErrFormSchema)
	}
	return properties, nil
}

// formFields are the names of a form's properties.
func formFields(schema json.RawMessage) []string {
	properties, _ := formProperties(schema)
	names := make([]string, len(properties))
	for i := range properties {
		names[i] = properties[i].Name
	}
	return names
}

// ValidateForm checks the data of a form against its schema. The error is
// ErrForm or ErrFormSchema, with the reason: the first is a fault of the answer,
// the second of the server.
func ValidateForm(declared, content json.RawMessage) error {
	// The dialects differ in nothing that a form uses.
	form, err := schema.Options{Lenient: true}.Compile(declared)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormSchema, err)
	}
	if form.Root().Kind != tree.Object {
		return fmt.Errorf("%w: it is not an object", ErrFormSchema)
	}
	if fault := schema.Fault(declared); fault != nil {
		return fmt.Errorf("%w: %s %s", ErrFormSchema, strings.Join(fault.Path, "."), fault.Text)
	}
	if !json.Valid(content) {
		return fmt.Errorf("%w: not valid JSON", ErrForm)
	}
	wrong, _, err := form.Validate(content, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormSchema, err)
	}
	if wrong != nil {
		return fmt.Errorf("%w: %s", ErrForm, strings.TrimSpace(strings.Join(wrong.Path, ".")+" "+wrong.Text))
	}
	return nil
}

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
