package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

const (
	maxQuestions     = 256      // maxQuestions is how many questions of a server may be open at a time,
	maxQuestionBytes = 64 << 20 // and maxAsked how long they may be together, in bytes.
	maxIgnored       = 16       // maxIgnored is how many methods of ignored requests are kept.
)

// handleRequest takes a request of the server. It is called by the reader, and never
// waits: an Asker gets a goroutine.
//
// In the modern era servers send no requests and clients no responses, so that any
// answer would be a violation of our own ([V5] basic/transports/stdio §Sending
// Messages): the request is ignored. A server that waits for the answer does so until
// our request times out, and the error says why. The user can still answer, with Send.
//
// Nor is a request answered whose id is that of an open question.
func (c *Client) handleRequest(id []byte, method string, params json.RawMessage) {
	if c.Server().Era == mcp.Modern {
		c.ignore(method)
		return
	}
	q := Question{Method: method, Params: params, Era: mcp.Legacy, ID: string(id), At: time.Now()}
	switch asker, refusal := c.asker(&q); {
	case method == mcp.Ping:
		c.respond(q.ID, &Answer{Result: json.RawMessage(`{}`)})
	case method == mcp.RootsList && c.roots.Result != nil && c.cfg.AskRoots == nil:
		c.respond(q.ID, &c.roots)
	case refusal != nil:
		c.respond(q.ID, &Answer{Error: refusal})
	default:
		c.open(asker, &q)
	}
}

// tooLong takes a request of more than 32 MiB, which is not kept.
func (c *Client) tooLong(id, method string) {
	if c.Server().Era == mcp.Modern {
		c.ignore(method)
		return
	}
	c.respond(id, &Answer{Error: &RPCError{Code: mcp.InvalidRequest, Message: "the request is longer than 32 MiB"}})
}

// respond sends an answer unless that would mean waiting: a server that asks and
// does not read gets none.
func (c *Client) respond(id string, a *Answer) { _ = c.out.offer(response(id, a)) }

func response(id string, a *Answer) []byte {
	result, refusal, err := a.wire()
	if err != nil {
		wrong := Refuse(mcp.InternalError, "the answer is not JSON")
		_, refusal, _ = wrong.wire()
	}
	if refusal != nil {
		return jsonrpc.AppendAnswer(nil, id, true, refusal)
	}
	return jsonrpc.AppendAnswer(nil, id, false, result)
}

// asker returns the Asker of a question, or why there is none.
func (c *Client) asker(q *Question) (Asker, *RPCError) {
	var asker Asker
	switch q.Method {
	case mcp.SamplingCreateMessage:
		asker = c.cfg.Sampling
	case mcp.RootsList:
		if asker = c.cfg.AskRoots; asker == nil && c.roots.Result != nil {
			asker = AskerFunc(func(context.Context, Question) Answer { return c.roots })
		}
	case mcp.ElicitationCreate:
		switch mode := q.Elicitation().Mode; {
		case c.cfg.Form == nil && c.cfg.URL == nil:
		case mode == formMode && c.cfg.Form != nil:
			return c.cfg.Form, nil
		case mode == urlMode && c.cfg.URL != nil:
			return c.cfg.URL, nil
		default:
			// [V4] client/elicitation §Error Handling.
			return nil, &RPCError{Code: mcp.InvalidParams, Message: fmt.Sprintf("elicitation mode %q refused: this client did not declare it", mode)}
		}
	}
	if asker == nil {
		return nil, &RPCError{Code: mcp.MethodNotFound, Message: q.Method + " refused: this client declared no such capability"}
	}
	return asker, nil
}

// open asks a question that came as a request, in a goroutine, and sends the
// answer.
func (c *Client) open(asker Asker, q *Question) {
	c.mu.Lock()
	_, twice := c.questions[q.ID]
	full := len(c.questions) >= maxQuestions || c.questionBytes+len(q.Params) > maxQuestionBytes
	if c.live.Err() != nil || twice || full {
		c.mu.Unlock()
		if full && !twice {
			c.respond(q.ID, &Answer{Error: &RPCError{Code: mcp.InternalError, Message: "too many questions are open"}})
		}
		return
	}
	ctx, withdraw := context.WithCancel(c.live)
	c.questions[q.ID], c.questionBytes = withdraw, c.questionBytes+len(q.Params)
	q.For, q.Task = c.occasionLocked(q.Params)
	c.answering.Add(1)
	c.mu.Unlock()
	c.timers.hold()
	go func() {
		defer c.answering.Done()
		defer withdraw()
		a := related(ask(ctx, asker, q), q.Task)
		c.timers.release()
		c.mu.Lock()
		delete(c.questions, q.ID)
		c.questionBytes -= len(q.Params)
		c.mu.Unlock()
		if ctx.Err() == nil {
			_ = c.out.put(ctx, c.out.frame(response(q.ID, &a)))
		}
	}()
}

// ask asks a question. A panic of the Asker is a refusal.
func ask(ctx context.Context, asker Asker, q *Question) (a Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = Refuse(mcp.InternalError, fmt.Sprintf("internal error: %v", p))
		}
	}()
	return asker.Ask(ctx, *q)
}

// occasionLocked returns the request of ours that a question is part of, and the
// task: by the task that it names, else by elimination.
func (c *Client) occasionLocked(params json.RawMessage) (request, task string) {
	task = relatedTask(params)
	var only *operation
	for op := range c.ops {
		if task != "" && op.task == task {
			return op.first, task
		}
		if m, ok := mcp.Lookup(op.method); ok && m.Unbounded {
			continue // a subscription asks nothing
		}
		if only != nil {
			return "", task
		}
		only = op
	}
	if only == nil || task != "" {
		return "", task
	}
	return only.first, ""
}

// relatedTask returns the task that params name as theirs: [V4]
// basic/utilities/tasks §Associating Task-Related Messages.
func relatedTask(params json.RawMessage) string {
	if !bytes.Contains(params, []byte(mcp.MetaRelatedTask)) {
		return ""
	}
	var p struct {
		Meta struct {
			Task struct {
				ID string `json:"taskId"`
			} `json:"io.modelcontextprotocol/related-task"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // what is of a wrong type names none
	return p.Meta.Task.ID
}

// related marks the answer to a question that named its task: all messages of a
// task must.
func related(a Answer, task string) Answer {
	if result, err := oneLine(a.Result); task != "" && err == nil && result != nil {
		a.Result = stamp(result, []lex.Member{{Name: mcp.MetaRelatedTask, Value: fmt.Appendf(nil, `{"taskId":%s}`, lex.Quote(task))}})
	}
	return a
}

// withdrawn ends the question that the server has cancelled.
func (c *Client) withdrawn(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if withdraw := byID(c.questions, id); withdraw != nil {
		withdraw()
	}
}

// ignore remembers a request that gets no answer.
func (c *Client) ignore(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ignoredSum++
	if c.ignored = append(c.ignored, method); len(c.ignored) > maxIgnored {
		c.ignored = c.ignored[1:]
	}
}

// ignoredSince returns what was ignored while a call waited.
func (c *Client) ignoredSince(p *pending) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(c.ignoredSum-p.ignored, len(c.ignored))
	return append([]string(nil), c.ignored[len(c.ignored)-n:]...)
}

// answer puts the questions of a result to their Askers, all at once, and returns the
// inputResponses; nil = there is no Asker, and the task is polled further.
func (op *operation) answer(ctx context.Context, asks []lex.Member, about Question) (json.RawMessage, error) {
	c := op.client
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.live, func() { cancel(context.Cause(c.live)) })()
	asker := func(q *Question) Asker {
		asker, _ := c.asker(q)
		return asker
	}
	return askAll(ctx, op.method, asks, about, asker, op.waitFor)
}

// askAll puts questions to their Askers, all at once, and returns the inputResponses.
// wait waits until all have answered. The error is an *InputRequiredError where there
// is no Asker for a question, or an answer is an error, else the cause of ctx.
func askAll(ctx context.Context, method string, asks []lex.Member, about Question, asker func(*Question) Asker, wait func(*sync.WaitGroup)) (json.RawMessage, error) {
	if len(asks) > maxQuestions {
		return nil, fmt.Errorf("%s: server asks %d questions at a time, which is too many", method, len(asks))
	}
	questions, askers := make([]Question, len(asks)), make([]Asker, len(asks))
	for i, one := range asks {
		q := about
		q.Key = one.Name
		q.Method, q.Params = inputAsk(one.Value)
		if askers[i] = asker(&q); askers[i] == nil {
			return nil, &InputRequiredError{Method: method, Asks: inputMethods(asks)}
		}
		questions[i] = q
	}
	answers := make([]Answer, len(asks))
	var all sync.WaitGroup
	for i := range questions {
		all.Go(func() { answers[i] = ask(ctx, askers[i], &questions[i]) })
	}
	wait(&all)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	list := make([]lex.Member, len(asks))
	for i := range answers {
		result, refusal, err := answers[i].wire()
		if err != nil {
			return nil, fmt.Errorf("answering %s: not JSON: %w", asks[i].Name, err)
		}
		if refusal != nil {
			return nil, &InputRequiredError{Method: method, Asks: inputMethods(asks), Refusal: ParseError(refusal)}
		}
		list[i] = lex.Member{Name: asks[i].Name, Value: result}
	}
	return lex.AppendObject(nil, list...), nil
}

// waitFor waits for the answers to questions, and delivers notes meanwhile.
func (op *operation) waitFor(all *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for {
		select {
		case <-done:
			return
		case <-op.ready():
			op.deliver()
		}
	}
}

// inputAsk reads one of the inputRequests.
func inputAsk(text json.RawMessage) (method string, params json.RawMessage) {
	var a struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	_ = json.Unmarshal(text, &a) // anything but a request has no method, and no Asker
	return a.Method, a.Params
}

// usableID reports whether an id may be in a request: a string or an integer.
func usableID(id *jsonrpc.Value) bool {
	switch id.Type {
	case jsonrpc.String:
		return true
	case jsonrpc.Number:
		return !strings.ContainsAny(string(id.Raw), ".eE")
	}
	return false
}
