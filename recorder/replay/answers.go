package replay

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"wiretea/recorder"
	"wiretea/session/jsonrpc"
)

// ErrNoAnswer is returned for a request to which nothing like it was answered.
var ErrNoAnswer = errors.New("the recording has no answer to such a request")

// Answers are the recorded responses to requests, for one who answers a live client by hand:
// what a mock answers to one request. They may be used from several goroutines.
type Answers struct {
	mu       sync.Mutex // mu is held while the matchers are used, which know what was given before.
	matchers []*matcher
}

// ReadAnswers reads the responses of a recording. The log must stay open.
func ReadAnswers(log recorder.Log) (*Answers, error) {
	scripts, err := ReadScripts(log, ClientEnd)
	if err != nil {
		return nil, err
	}
	a := &Answers{}
	for _, s := range scripts {
		m, err := newMatcher(s)
		if err != nil {
			return nil, fmt.Errorf("reading the recording: %w", err)
		}
		a.matchers = append(a.matchers, m)
	}
	return a, nil
}

// To returns the recorded response to a request: to one with the same parameters, each in
// turn and the last one again, else to the nearest one, which is not exact. Its id is the
// recorded one. The error is ErrNoAnswer where there is none.
func (a *Answers) To(request []byte) (response []byte, exact bool, err error) {
	if response, err = a.Exact(request); !errors.Is(err, ErrNoAnswer) {
		return response, true, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	live, params, _ := asked(request)
	if live.Kind != jsonrpc.Request {
		return nil, false, ErrNoAnswer
	}
	for _, m := range a.matchers {
		if at := m.nearest(&live, params, true); at >= 0 {
			response, err = m.answer(at)
			return response, false, err
		}
	}
	return nil, false, fmt.Errorf("%w: %s %s", ErrNoAnswer, live.Method, live.Target)
}

// asked is the message of a request, with its parameters and its key.
func asked(request []byte) (live Message, params []byte, key uint64) {
	scanMessages(request, func(m *jsonrpc.Message) {
		live, params = liveMessage(m), m.Params.In(request)
		key = keyOfMessage(&live, m, request)
	})
	return live, params, key
}

// Exact is To for requests with the same parameters alone.
func (a *Answers) Exact(request []byte) (response []byte, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	live, _, key := asked(request)
	if live.Kind != jsonrpc.Request {
		return nil, ErrNoAnswer
	}
	for _, m := range a.matchers {
		at, _ := m.next(key)
		for at >= 0 && m.script.Messages[at].Answer < 0 {
			at, _ = m.next(key)
		}
		if at < 0 {
			at = m.latest(key, true)
		}
		if at >= 0 && m.script.Messages[at].Answer >= 0 {
			return m.answer(at)
		}
	}
	return nil, fmt.Errorf("%w: %s %s", ErrNoAnswer, live.Method, live.Target)
}

// answer is the response to a recorded request.
func (m *matcher) answer(at int32) (response []byte, err error) {
	err = m.script.scan(m.script.Messages[at].Answer, func(found *jsonrpc.Message, body []byte) { response = bytes.Clone(found.In(body)) })
	if err != nil {
		return nil, fmt.Errorf("reading the recording: %w", err)
	}
	return response, nil
}
