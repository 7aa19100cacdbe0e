package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wiretea/session/mcp"
)

// Decliner is the policy that refuses everything: an elicitation is declined, sampling
// is refused as a user would refuse it, and the list of roots is empty.
var Decliner Asker = AskerFunc(func(_ context.Context, q Question) Answer { return decline(&q) })

// decline is the proper refusal of a question.
func decline(q *Question) Answer {
	switch q.Method {
	case mcp.ElicitationCreate:
		return Decline()
	case mcp.SamplingCreateMessage:
		return Refused()
	case mcp.RootsList:
		return Answer{Result: json.RawMessage(`{"roots":[]}`)}
	}
	return Refuse(mcp.MethodNotFound, q.Method+" is not supported")
}

// Canned is the policy that answers every sampling request with the same text,
// and declines everything else.
func Canned(text string) Asker {
	return AskerFunc(func(_ context.Context, q Question) Answer {
		if q.Method == mcp.SamplingCreateMessage {
			return Sampled(text, "", "")
		}
		return decline(&q)
	})
}

// Agreeable is the policy that accepts every elicitation: a URL at once, a form
// with the defaults of its schema. A form that the defaults do not satisfy is
// declined, and so is everything else.
var Agreeable Asker = AskerFunc(func(_ context.Context, q Question) Answer {
	if q.Method != mcp.ElicitationCreate {
		return decline(&q)
	}
	ask := q.Elicitation()
	if ask.Mode == urlMode {
		return Accept(nil)
	}
	content, err := FormDefaults(ask.Schema, nil)
	if err != nil || errors.Is(validateForm(ask.Schema, content), ErrForm) {
		return Decline()
	}
	return Accept(content)
})

// SetSampling sets how sampling is answered, by a word of the user's:
//
//	ask          by human, which may use tools
//	decline      by Decliner
//	text:WORDS   by Canned
//	none, ""     not at all, and the capability is not declared
//	FILE         by an answers file: see ReadAnswers
//
// human may be nil where there is no user to ask.
func (cfg *Config) SetSampling(word string, human Asker) error {
	cfg.SamplingTools = false
	text, canned := strings.CutPrefix(word, "text:")
	if canned {
		cfg.Sampling = Canned(text)
		return nil
	}
	ask, err := policy(word, human)
	if err != nil {
		return fmt.Errorf("sampling: %w", err)
	}
	if file, ok := ask.(*Answers); ok && !file.Answers(mcp.SamplingCreateMessage, "") {
		return fmt.Errorf("sampling: %s has no answer for it", word)
	}
	cfg.Sampling, cfg.SamplingTools = ask, word == "ask"
	return nil
}

// SetElicitation sets how elicitation is answered, by a word of the user's: as
// SetSampling, with accept (by Agreeable) in the place of text. A file that
// answers one of the two modes makes the client declare that one alone.
func (cfg *Config) SetElicitation(word string, human Asker) error {
	if word == "accept" {
		cfg.Form, cfg.URL = Agreeable, Agreeable
		return nil
	}
	ask, err := policy(word, human)
	if err != nil {
		return fmt.Errorf("elicitation: %w", err)
	}
	cfg.Form, cfg.URL = ask, ask
	file, ok := ask.(*Answers)
	if !ok {
		return nil
	}
	if !file.Answers(mcp.ElicitationCreate, formMode) {
		cfg.Form = nil
	}
	if !file.Answers(mcp.ElicitationCreate, urlMode) {
		cfg.URL = nil
	}
	if cfg.Form == nil && cfg.URL == nil {
		return fmt.Errorf("elicitation: %s has no answer for it", word)
	}
	return nil
}

// policy returns what a word stands for; nil = nothing is answered.
func policy(word string, human Asker) (Asker, error) {
	switch word {
	case "", "none":
		return nil, nil
	case "decline":
		return Decliner, nil
	case "ask":
		if human == nil {
			return nil, errors.New("there is no user to ask: use decline, or a file of answers")
		}
		return human, nil
	}
	return ReadAnswers(word)
}
