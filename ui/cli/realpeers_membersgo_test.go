//go:build realpeers

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/session/mcp"
)

// memberGo measures the Go SDK.
func memberGo(t *testing.T, work memberWork) []*string {
	reasons := make([]*string, len(work.Cases))
	next := make(chan int)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for i := range next {
				if err := newMemberServer(work, &work.Cases[i]).measure(t.Context()); err != nil {
					reason := err.Error()
					reasons[i] = &reason
				}
			}
		})
	}
	for i := range work.Cases {
		next <- i
	}
	close(next)
	all.Wait()
	return reasons
}

// A memberServer is a transport to a server that answers every request, and gives what
// is wrong once.
type memberServer struct {
	work memberWork
	*memberCase
	out    chan jsonrpc.Message
	closed chan struct{}
	close  sync.Once
	heard  chan struct{}
	answer chan error // answer gets what the client answers to the server.
	rounds int
}

func newMemberServer(work memberWork, c *memberCase) *memberServer {
	return &memberServer{work: work, memberCase: c, out: make(chan jsonrpc.Message, 16), closed: make(chan struct{}), heard: make(chan struct{}, 16), answer: make(chan error, 16)}
}

func (s *memberServer) Connect(context.Context) (sdk.Connection, error) { return s, nil }
func (s *memberServer) SessionID() string                               { return "" }

func (s *memberServer) Close() error {
	s.close.Do(func() { close(s.closed) })
	return nil
}

func (s *memberServer) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-s.out:
		return m, nil
	case <-s.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *memberServer) Write(_ context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Response:
		s.answer <- m.Error
	case *jsonrpc.Request:
		if m.IsCall() {
			s.reply(m)
		}
	}
	return nil
}

func (s *memberServer) reply(m *jsonrpc.Request) {
	result := s.work.Healthy[s.Era][m.Method]
	if result == "" {
		result = "{}"
	}
	if m.Method == mcp.ToolsCall {
		s.rounds++
	}
	switch {
	case s.rounds > 1:
		result = s.work.Healthy[s.Era]["done"]
	case s.Kind == "result" && m.Method == s.Method:
		result = s.Text
	case s.Era == "legacy" && m.Method == mcp.ServerDiscover:
		s.out <- &jsonrpc.Response{ID: m.ID, Error: &jsonrpc.Error{Code: mcp.MethodNotFound, Message: "not found"}}
		return
	}
	s.out <- &jsonrpc.Response{ID: m.ID, Result: json.RawMessage(result)}
}

// measure returns why the client refuses what is wrong, nil if it takes it.
func (s *memberServer) measure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	version := mcp.LatestLegacy
	if s.Era == "modern" {
		version = mcp.LatestModern
	}
	client, err := s.client().Connect(ctx, s, &sdk.ClientSessionOptions{ProtocolVersion: version.String()})
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Method == mcp.ServerDiscover && client.InitializeResult().ProtocolVersion != version.String() {
		return fmt.Errorf("falls back to %s", client.InitializeResult().ProtocolVersion)
	}
	switch s.Kind {
	case "notification":
		s.out <- &jsonrpc.Request{Method: s.Method, Params: json.RawMessage(s.Text)}
		select {
		case <-s.heard:
			return nil
		case <-time.After(graceOfMembers):
			return fmt.Errorf("not heard")
		}
	case "request":
		id, _ := jsonrpc.MakeID("s")
		s.out <- &jsonrpc.Request{ID: id, Method: s.Method, Params: json.RawMessage(s.Text)}
		select {
		case err := <-s.answer:
			return err
		case <-time.After(patience):
			return fmt.Errorf("no answer")
		}
	}
	return s.call(ctx, client)
}

// graceOfMembers is how long a notification may take to be heard.
const graceOfMembers = 300 * time.Millisecond

// client returns a client that tells what it hears.
func (s *memberServer) client() *sdk.Client {
	hear := func() { s.heard <- struct{}{} }
	return sdk.NewClient(&sdk.Implementation{Name: "members", Version: "1"}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}},
		CreateMessageWithToolsHandler: func(context.Context, *sdk.CreateMessageWithToolsRequest) (*sdk.CreateMessageWithToolsResult, error) {
			return &sdk.CreateMessageWithToolsResult{Model: "m", Role: "assistant", Content: []sdk.Content{&sdk.TextContent{Text: "a"}}}, nil
		},
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "decline"}, nil
		},
		LoggingMessageHandler:       func(context.Context, *sdk.LoggingMessageRequest) { hear() },
		ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { hear() },
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { hear() },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { hear() },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { hear() },
		ResourceUpdatedHandler:      func(context.Context, *sdk.ResourceUpdatedNotificationRequest) { hear() },
	})
}

// call makes the request whose result is judged. Some results make the SDK panic.
func (s *memberServer) call(ctx context.Context, c *sdk.ClientSession) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	switch s.Method {
	case mcp.Initialize, mcp.ServerDiscover:
	case mcp.Ping:
		err = c.Ping(ctx, nil)
	case mcp.ToolsList:
		_, err = c.ListTools(ctx, nil)
	case mcp.ToolsCall:
		_, err = c.CallTool(ctx, &sdk.CallToolParams{Name: "a", Arguments: map[string]any{}})
	case mcp.ResourcesList:
		_, err = c.ListResources(ctx, nil)
	case mcp.ResourcesTemplatesList:
		_, err = c.ListResourceTemplates(ctx, nil)
	case mcp.ResourcesRead:
		_, err = c.ReadResource(ctx, &sdk.ReadResourceParams{URI: "file:///a"})
	case mcp.ResourcesSubscribe:
		err = c.Subscribe(ctx, &sdk.SubscribeParams{URI: "file:///a"})
	case mcp.ResourcesUnsubscribe:
		err = c.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: "file:///a"})
	case mcp.LoggingSetLevel:
		err = c.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "info"})
	case mcp.PromptsList:
		_, err = c.ListPrompts(ctx, nil)
	case mcp.PromptsGet:
		_, err = c.GetPrompt(ctx, &sdk.GetPromptParams{Name: "a"})
	case mcp.CompletionComplete:
		_, err = c.Complete(ctx, &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "a"}, Argument: sdk.CompleteParamsArgument{Name: "a"}})
	default:
		err = fmt.Errorf("not measured")
	}
	return err
}
