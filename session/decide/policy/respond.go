package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/json/lex"
)

// Answers are the responses of a recording. They are used from several goroutines.
type Answers interface {
	// Exact returns the recorded response to a request with the same method and parameters.
	Exact(request []byte) (response []byte, err error)

	Close() error
}

// Recordings opens the recording that a rule names. Nil means that rules cannot name any.
type Recordings func(path string) (Answers, error)

// longestResult is how long a filled result, or one of a recording, is at most, in bytes.
const longestResult = 4 << 20

// respond reads what the rule responds with: a result, or what a recording has.
func (p *Policy) respond(r *Rule, result, from string, recordings Recordings) error {
	r.Result, r.From = result, from
	switch {
	case r.Action != Respond && result != "":
		return fmt.Errorf("result is for respond, and its action is %s", r.Action)
	case r.Action != Respond && from != "":
		return fmt.Errorf("from is for respond, and its action is %s", r.Action)
	case r.Action != Respond:
		return nil
	case result != "" && from != "":
		return errors.New("it has a result and a recording to respond from: one of the two is enough")
	case from != "":
		return p.record(r, recordings)
	case result == "":
		return errors.New("respond needs a result, such as result = '{\"content\": []}', or from = \"RECORDING\"")
	}
	if err := decide.CheckTemplate([]byte(result)); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

// record opens the recording that the rule responds from, once for all rules.
func (p *Policy) record(r *Rule, recordings Recordings) (err error) {
	if r.responses {
		return errors.New("from is for requests, and its filter names responses")
	}
	if r.answers = p.opened[r.From]; r.answers != nil {
		return nil
	}
	if recordings == nil {
		return errors.New("from: recordings cannot be used here")
	}
	if r.answers, err = recordings(r.From); err != nil {
		return fmt.Errorf("from = %q: %w", r.From, err)
	}
	p.opened[r.From] = r.answers
	return nil
}

// close closes the recordings: no rule is asked any more.
func (p *Policy) close() {
	for _, a := range p.opened {
		_ = a.Close() // It was only read.
	}
}

// answer is what a rule that responds makes of a message.
func (p *Policy) answer(r *Rule, m *decide.Message) decide.Decision {
	d := decide.Decision{Verb: decide.Refuse, By: by(r.ID), Rule: r.ID}
	if r.answers != nil && m.Kind != session.RowRequest {
		return d // A notification has no response.
	}
	var err error
	if r.answers != nil {
		d.Instead, d.InsteadError, err = recorded(r.answers, m.Body)
	} else {
		d.Instead, err = decide.Fill([]byte(r.Result), m.Body, longestResult)
	}
	var compact bytes.Buffer // A message is one line.
	if err == nil {
		err = json.Compact(&compact, d.Instead)
	}
	if err != nil {
		d := p.OnError(fmt.Sprintf("rule %s: %v", r.ID, err))
		d.By += " (" + r.ID + ")"
		return d
	}
	d.Instead = compact.Bytes()
	return d
}

// recorded is the result of the recorded response to a request, or its error.
func recorded(answers Answers, request []byte) (value []byte, failed bool, err error) {
	response, err := answers.Exact(request)
	if err != nil {
		return nil, false, err
	}
	if value = lex.Get(response, "result"); value == nil {
		value, failed = lex.Get(response, "error"), true
	}
	switch {
	case value == nil:
		return nil, false, errors.New("the recorded response has neither a result nor an error")
	case len(value) > longestResult:
		return nil, false, fmt.Errorf("the recorded response has more than %d MiB", longestResult>>20)
	}
	return value, failed, nil
}
