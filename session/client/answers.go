package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"wiretea/session/mcp"
)

// Answers is a policy read from a file: see ParseAnswers.
type Answers struct {
	mu    sync.Mutex // mu guards the counts in rules.
	rules []rule
}

// A rule is one object of an answers file.
type rule struct {
	Method  string   `json:"method"`
	Mode    string   `json:"mode"`
	Message string   `json:"message"`
	Fields  []string `json:"fields"`
	Times   int      `json:"times"`

	Accept     json.RawMessage `json:"accept"`
	Defaults   bool            `json:"defaults"`
	Decline    bool            `json:"decline"`
	Cancel     bool            `json:"cancel"`
	Text       *string         `json:"text"`
	Model      string          `json:"model"`
	StopReason string          `json:"stopReason"`
	Result     json.RawMessage `json:"result"`
	Error      *struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`

	used int
}

// maxAnswersFile is the longest answers file that is read, in bytes.
const maxAnswersFile = 16 << 20

// ReadAnswers reads an answers file. Errors name the file.
func ReadAnswers(name string) (*Answers, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading answers: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAnswersFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading answers: %w", err)
	}
	if len(text) > maxAnswersFile {
		return nil, fmt.Errorf("reading answers: %s is longer than 16 MiB", name)
	}
	a, err := ParseAnswers(text)
	if err != nil {
		return nil, fmt.Errorf("reading answers: %s: %w", name, err)
	}
	return a, nil
}

// ParseAnswers reads the text of an answers file: a JSON array of rules, tried
// in order for each question.
//
//	[
//	  {"method": "elicitation", "message": "your name", "accept": {"name": "Ada"}},
//	  {"method": "elicitation", "fields": ["email"], "times": 1, "decline": true},
//	  {"method": "elicitation", "mode": "form", "defaults": true, "accept": {"age": 36}},
//	  {"method": "elicitation", "mode": "url", "accept": {}},
//	  {"method": "sampling", "message": "weather", "text": "Sunny.", "model": "m-1"},
//	  {"method": "sampling", "error": {"code": -1, "message": "no"}}
//	]
//
// A rule matches a question where all of these do that it has:
//
//	method    "sampling", "elicitation" or "roots", or the whole name
//	mode      "form" or "url"
//	message   text that is in the elicitation's message, or in the text of
//	          one of the sampling's messages or its system prompt
//	fields    names that are all properties of the form's schema
//	times     how many questions it answers before it is passed over; 0 = all
//
// It answers by exactly one of these, the first two of which go together:
//
//	accept    accepts; the object is the form's data, and {} is right for a URL
//	defaults  true: accepts with the defaults of the form's schema, under accept
//	decline   true
//	cancel    true
//	text      sampling: the text, with "model" and "stopReason" where they matter
//	result    the whole result, sent as it is
//	error     {"code", "message", "data"}: the error that is sent instead
//
// Contents are sent as they are written, whether or not they satisfy the
// schema. A question that no rule matches is declined.
func ParseAnswers(text []byte) (*Answers, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if err := checkJSON(text); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var rules []rule
	if err := dec.Decode(&rules); err != nil {
		return nil, decodeError(err)
	}
	if len(rules) == 0 {
		return nil, errors.New("no rules: " + wantRules)
	}
	for i := range rules {
		if err := rules[i].check(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	return &Answers{rules: rules}, nil
}

// wantRules says what an answers file is, for an error.
const wantRules = `it is an array of them, as in [{"method": "sampling", "text": "Sunny."}]`

// decodeError says in the file's words what the decoder says in Go's.
func decodeError(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return errors.New("not rules: " + wantRules)
		}
		kind, _, _ := strings.Cut(wrong.Value, " ") // "number 1.5"
		return fmt.Errorf("%s cannot be a JSON %s", wrong.Field, kind)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// check refuses a rule that says two things, or nothing.
func (r *rule) check() error {
	switch r.Method {
	case "sampling":
		r.Method = mcp.SamplingCreateMessage
	case "elicitation":
		r.Method = mcp.ElicitationCreate
	case "roots":
		r.Method = mcp.RootsList
	case "", mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList:
	default:
		return fmt.Errorf("unknown method %q: it is sampling, elicitation or roots", r.Method)
	}
	if r.Mode != "" && r.Mode != formMode && r.Mode != urlMode {
		return fmt.Errorf("unknown mode %q: it is form or url", r.Mode)
	}
	if r.Times < 0 {
		return errors.New("times is negative")
	}
	ways := 0
	for _, is := range []bool{r.Accept != nil || r.Defaults, r.Decline, r.Cancel, r.Text != nil, r.Result != nil, r.Error != nil} {
		if is {
			ways++
		}
	}
	switch {
	case ways == 0:
		return errors.New("no answer: one of accept, defaults, decline, cancel, text, result, error")
	case ways > 1:
		return errors.New("more than one answer: one of accept, defaults, decline, cancel, text, result, error")
	case r.Accept != nil && r.Accept[0] != '{':
		return errors.New("accept is not an object")
	case r.Result != nil && r.Result[0] != '{':
		return errors.New("result is not an object")
	}
	return r.checkFit()
}

// checkFit refuses an answer of the wrong kind for the rule's method.
func (r *rule) checkFit() error {
	switch {
	case r.Text != nil && r.Method != mcp.SamplingCreateMessage:
		return errors.New(`text is an answer to "method": "sampling"`)
	case (r.Accept != nil || r.Defaults || r.Cancel) && r.Method != mcp.ElicitationCreate:
		return errors.New(`accept, defaults and cancel are answers to "method": "elicitation"`)
	case (r.Mode != "" || r.Fields != nil) && r.Method != mcp.ElicitationCreate:
		return errors.New(`mode and fields belong to "method": "elicitation"`)
	}
	return nil
}

// Answers reports whether there is a rule for a method, and for an elicitation's
// mode where mode is not empty. It is what a client may declare.
func (a *Answers) Answers(method, mode string) bool {
	return slices.ContainsFunc(a.rules, func(r rule) bool {
		return (r.Method == "" || r.Method == method) && (mode == "" || r.modeIs(mode))
	})
}

// modeIs reports whether the rule is for elicitations of that mode.
func (r *rule) modeIs(mode string) bool {
	if r.Mode != "" {
		return r.Mode == mode
	}
	return mode == formMode || r.Fields == nil && !r.Defaults
}

// Ask answers by the first rule that matches.
func (a *Answers) Ask(_ context.Context, q Question) Answer {
	if r := a.match(&q); r != nil {
		return r.answer(&q)
	}
	return decline(&q)
}

func (a *Answers) match(q *Question) *rule {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.rules {
		r := &a.rules[i]
		if r.Times > 0 && r.used >= r.Times || !r.matches(q) {
			continue
		}
		r.used++
		return r
	}
	return nil
}

func (r *rule) matches(q *Question) bool {
	if r.Method != "" && r.Method != q.Method {
		return false
	}
	if q.Method == mcp.ElicitationCreate {
		ask := q.Elicitation()
		if !r.modeIs(ask.Mode) || !strings.Contains(ask.Message, r.Message) {
			return false
		}
		names := formFields(ask.Schema)
		return !slices.ContainsFunc(r.Fields, func(f string) bool { return !slices.Contains(names, f) })
	}
	return r.Message == "" || slices.ContainsFunc(samplingTexts(q.Params), func(text string) bool { return strings.Contains(text, r.Message) })
}

// answer is what the rule says to a question that it matches.
func (r *rule) answer(q *Question) Answer {
	switch {
	case r.Decline:
		return decline(q)
	case r.Cancel:
		return Dismiss()
	case r.Text != nil:
		return Sampled(*r.Text, r.Model, r.StopReason)
	case r.Result != nil:
		return Answer{Result: r.Result}
	case r.Error != nil:
		return Answer{Error: &RPCError{Code: r.Error.Code, Message: r.Error.Message, Data: r.Error.Data}}
	case r.Defaults:
		content, err := FormDefaults(q.Elicitation().Schema, r.Accept)
		if err != nil {
			return Refuse(mcp.InvalidParams, "filling in the defaults: "+err.Error())
		}
		return Accept(content)
	case q.Elicitation().Mode == urlMode && len(bytes.TrimSpace(r.Accept)) == len("{}"):
		return Accept(nil)
	}
	return Accept(r.Accept)
}

// samplingTexts returns the texts of a sampling request: its system prompt and
// all text of its messages.
func samplingTexts(params json.RawMessage) []string {
	var p struct {
		System   string `json:"systemPrompt"`
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	_ = json.Unmarshal(params, &p) // members of a wrong type stay empty
	texts := []string{p.System}
	for _, m := range p.Messages {
		type block struct {
			Text string `json:"text"`
		}
		var one block
		var several []block
		if json.Unmarshal(m.Content, &several) != nil {
			_ = json.Unmarshal(m.Content, &one)
			several = []block{one}
		}
		for _, b := range several {
			texts = append(texts, b.Text)
		}
	}
	return texts
}
