//go:build realpeers

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func init() { programs["sdkclient"] = func() { os.Exit(sdkClient(os.Args[1:])) } }

// sdkClient is a client written with the official Go SDK, as a program like those
// in .ci/peers: sdkclient ERA PLAN -- CMD ARGS… | URL
func sdkClient(args []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	c := &playing{}
	text, err := os.ReadFile(args[1])
	if err == nil {
		err = json.Unmarshal(text, &c.plan)
	}
	if err == nil {
		err = c.play(ctx, args[0], args[3:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sdkclient:", err)
		return 1
	}
	return 0
}

// transportOf returns the SDK's transport to a command or a URL; a path /sse is of the old
// HTTP+SSE. It tells which calls were sent.
func transportOf(server []string, sent chan<- string) sdk.Transport {
	http := &http.Client{Transport: watchingHTTP(sent)}
	switch {
	case !strings.HasPrefix(server[0], "http:"):
		cmd := exec.Command(server[0], server[1:]...)
		cmd.Stderr = os.Stderr
		return &watching{&sdk.CommandTransport{Command: cmd}, sent}
	case strings.HasSuffix(server[0], "/sse"):
		return &sdk.SSEClientTransport{Endpoint: server[0], HTTPClient: http}
	}
	return &sdk.StreamableClientTransport{Endpoint: server[0], HTTPClient: http}
}

// watchingHTTP tells which calls were sent. The SDK's connection over HTTP has methods
// that a wrapper would hide.
type watchingHTTP chan<- string

// RoundTrip sends a request.
func (sent watchingHTTP) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.GetBody != nil {
		var m struct {
			Method string
			Params json.RawMessage
		}
		if body, err := r.GetBody(); err == nil && json.NewDecoder(body).Decode(&m) == nil {
			tellSent(sent, m.Method, m.Params)
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// tellSent tells the name of the tool that is called.
func tellSent(sent chan<- string, method string, params json.RawMessage) {
	var call struct{ Name string }
	if method == "tools/call" && json.Unmarshal(params, &call) == nil {
		select {
		case sent <- call.Name:
		default: // nobody waits for it
		}
	}
}

// playing does a plan with a session of the SDK.
type playing struct {
	plan    peerPlan
	session *sdk.ClientSession

	mu       sync.Mutex
	logs     []any
	progress []sdk.ProgressNotificationParams // progress is of the call at hand.
	token    string
	sent     chan string // sent gets the names of the tools whose calls were written.
	missed   []string    // missed is what the plan waits for and did not come.
}

func (c *playing) play(ctx context.Context, era string, server []string) error {
	client := sdk.NewClient(&sdk.Implementation{Name: "sdkclient", Version: "1"}, &sdk.ClientOptions{
		CreateMessageHandler: func(context.Context, *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			var r sdk.CreateMessageResult
			return &r, json.Unmarshal(c.plan.Sampling, &r)
		},
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			var r sdk.ElicitResult
			return &r, json.Unmarshal(c.plan.Elicitation, &r)
		},
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.logs = append(c.logs, r.Params.Data)
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if r.Params.ProgressToken == c.token {
				c.progress = append(c.progress, *r.Params)
			}
		},
	})
	for _, root := range c.plan.Roots {
		client.AddRoots(&sdk.Root{URI: root.URI, Name: root.Name})
	}
	version := "2025-11-25"
	if era == "modern" {
		version = "2026-07-28"
	}
	c.sent = make(chan string, 100)
	var err error
	c.session, err = client.Connect(ctx, transportOf(server, c.sent), &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return err
	}
	answers := []any{c.session.InitializeResult()}
	for _, s := range c.plan.Steps {
		answers = append(answers, map[string]any{"step": s.Do, "name": s.Name, "answer": orFailure(c.step(ctx, s))})
	}
	begin := time.Now()
	// The error tells the server's end, which is that of a signal where it is slow.
	// Witnesses look at that.
	_ = c.session.Close()
	closing := time.Since(begin)
	if len(c.missed) > 0 {
		return errors.New(strings.Join(c.missed, "; "))
	}
	report := map[string]any{
		"closing": float64(closing.Microseconds()) / 1000,
		"answers": map[string]any{"answers": answers, "logs": c.logs},
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

// orFailure is what stands for an answer.
func orFailure(answer any, err error) any {
	if err != nil {
		return map[string]string{"failed": err.Error()}
	}
	return answer
}

func (c *playing) step(ctx context.Context, s peerStep) (any, error) {
	switch s.Do {
	case "tools":
		return allOf(c.session.Tools(ctx, nil))
	case "resources":
		return allOf(c.session.Resources(ctx, nil))
	case "templates":
		return allOf(c.session.ResourceTemplates(ctx, nil))
	case "prompts":
		return allOf(c.session.Prompts(ctx, nil))
	case "call":
		return c.call(ctx, s)
	case "cancel":
		return c.cancel(ctx, s)
	case "parallel":
		answers := make([]any, s.N)
		var calls sync.WaitGroup
		for i := range s.N {
			calls.Go(func() {
				answers[i] = orFailure(c.session.CallTool(ctx, &sdk.CallToolParams{Name: s.Name, Arguments: map[string]any{"message": fmt.Sprint("#", i)}}))
			})
		}
		calls.Wait()
		return answers, nil
	case "held":
		return c.held(ctx, s)
	case "repeat":
		return c.repeat(ctx, s)
	case "read":
		return c.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: s.URI})
	case "prompt":
		var args map[string]string
		if err := json.Unmarshal(s.Args, &args); err != nil {
			return nil, err
		}
		return c.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: s.Name, Arguments: args})
	case "complete":
		var params sdk.CompleteParams
		if err := json.Unmarshal(s.Args, &params); err != nil {
			return nil, err
		}
		return c.session.Complete(ctx, &params)
	case "level":
		//lint:ignore SA1019 clients of the legacy era set it
		return nil, c.session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: sdk.LoggingLevel(s.Level)})
	case "ping":
		return nil, c.session.Ping(ctx, nil)
	case "subscribe":
		return nil, c.session.Subscribe(ctx, &sdk.SubscribeParams{URI: s.URI})
	case "unsubscribe":
		return nil, c.session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: s.URI})
	}
	return nil, errors.New("no such step")
}

func (c *playing) call(ctx context.Context, s peerStep) (any, error) {
	params := &sdk.CallToolParams{Name: s.Name, Meta: s.Meta, Arguments: map[string]any{}}
	if s.Args != nil {
		params.Arguments = s.Args
	}
	message := strings.Repeat("é☕", s.Big)
	if s.Big > 0 {
		params.Arguments = map[string]string{"message": message}
	}
	if s.Progress > 0 {
		c.listen(params, s.Name)
	}
	answer, err := c.session.CallTool(ctx, params)
	if err != nil {
		return nil, err
	}
	// Notifications are handled beside the answers.
	c.until(ctx, s, func() bool { return len(c.progress) >= s.Progress && len(c.logs) >= s.Logs })
	if s.Big > 0 {
		text, err := json.Marshal(answer)
		return map[string]bool{"echoed": strings.Contains(string(text), message)}, err
	}
	if s.Progress > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		return map[string]any{"answer": answer, "progress": slices.Clone(c.progress)}, nil
	}
	return answer, nil
}

// held makes a call, and does another step again and again until the call is answered.
func (c *playing) held(ctx context.Context, s peerStep) (any, error) {
	answered, passed := make(chan any, 1), false
	go func() { answered <- orFailure(c.call(ctx, s)) }()
	for {
		if _, err := c.step(ctx, peerStep{Do: s.Meanwhile}); err != nil {
			return nil, err
		}
		select {
		case answer := <-answered:
			return map[string]any{"answer": answer, "passed": passed}, nil
		case <-time.After(20 * time.Millisecond):
			passed = true
		}
	}
}

// repeat makes a call until its answer has a text, and returns the answers that differ from
// the one before.
func (c *playing) repeat(ctx context.Context, s peerStep) (answers []any, err error) {
	last := ""
	for ctx.Err() == nil {
		answer := orFailure(c.call(ctx, s))
		text, err := json.Marshal(answer)
		if err != nil {
			return answers, err
		}
		if string(text) != last {
			answers = append(answers, answer)
		}
		if last = string(text); strings.Contains(last, s.Has) {
			return answers, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return answers, ctx.Err()
}

// listen asks for progress.
func (c *playing) listen(params *sdk.CallToolParams, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress, c.token = nil, token
	params.Meta = maps.Clone(params.Meta)
	if params.Meta == nil {
		params.Meta = sdk.Meta{}
	}
	params.Meta["progressToken"] = token
}

// until waits until something that the lock guards holds, which the step wants.
func (c *playing) until(ctx context.Context, s peerStep, holds func() bool) {
	ctx, cancel := context.WithTimeout(ctx, patience/3)
	defer cancel()
	for ctx.Err() == nil {
		c.mu.Lock()
		ok := holds()
		c.mu.Unlock()
		if ok {
			return
		}
		time.Sleep(time.Millisecond)
	}
	c.miss(fmt.Sprintf("%s %s: neither all progress nor all logs", s.Do, s.Name))
}

// miss keeps what did not come.
func (c *playing) miss(what string) { c.missed = append(c.missed, what) }

// cancel gives up a call that the server works at. Where nothing says that it does,
// it may be done before: what came of it is not reported then.
func (c *playing) cancel(ctx context.Context, s peerStep) (any, error) {
	ctx, give := context.WithCancel(ctx)
	defer give()
	params := &sdk.CallToolParams{Name: s.Name, Arguments: map[string]any{}}
	if s.Args != nil {
		params.Arguments = s.Args
	}
	if s.Begun {
		c.listen(params, s.Name)
	}
	done := make(chan error, 1)
	var early atomic.Bool
	go func() {
		_, err := c.session.CallTool(ctx, params)
		early.Store(ctx.Err() == nil)
		done <- err
	}()
	if !s.Begun {
		for name := range c.sent {
			if name == s.Name {
				break
			}
		}
		give()
		<-done
		return nil, nil
	}
	c.until(ctx, s, func() bool { return len(c.progress) > 0 || early.Load() })
	give()
	err := <-done
	if early.Load() {
		c.miss(fmt.Sprintf("%s was to be given up, and came to its end: %v", s.Name, err))
	}
	return nil, err
}

func allOf[T any](items iter.Seq2[T, error]) (found []T, err error) {
	for item, err := range items {
		if err != nil {
			return found, err
		}
		found = append(found, item)
	}
	return found, nil
}

// watching is a transport that tells which calls were sent.
type watching struct {
	sdk.Transport
	sent chan<- string
}

type watchedConn struct {
	sdk.Connection
	sent chan<- string
}

// Connect starts the server.
func (w *watching) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := w.Transport.Connect(ctx)
	return &watchedConn{conn, w.sent}, err
}

// Write sends a message.
func (w *watchedConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := w.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil {
		tellSent(w.sent, r.Method, r.Params)
	}
	return err
}
