package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkServer is a server written with the official SDK, as a program: sdkserver
// [FOLDER] writes everything that it reads and writes to in, out and err in that
// folder.
func sdkServer(args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "sdkserver ready: ☕")
		return served(newSDKServer(os.Stderr), &sdk.StdioTransport{}, os.Stderr)
	}
	var captures [3]*os.File
	for i, name := range []string{"in", "out", "err"} {
		f, err := os.Create(filepath.Join(args[0], name))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		defer f.Close()
		captures[i] = f
	}
	stderr := io.MultiWriter(os.Stderr, captures[2])
	fmt.Fprintln(stderr, "sdkserver ready: ☕")
	return served(newSDKServer(stderr), &sdk.IOTransport{
		Reader: teeReader{io.TeeReader(os.Stdin, captures[0])},
		Writer: teeWriter{io.MultiWriter(os.Stdout, captures[1])},
	}, stderr)
}

// served serves to the end of the input.
func served(server *sdk.Server, transport sdk.Transport, stderr io.Writer) int {
	if err := server.Run(context.Background(), transport); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(stderr, "sdkserver:", err)
	}
	return 0
}

type teeReader struct{ io.Reader }

func (teeReader) Close() error { return os.Stdin.Close() }

type teeWriter struct{ io.Writer }

func (teeWriter) Close() error { return os.Stdout.Close() }

// newSDKServer returns a server that uses what the protocol has: tools with
// progress and log messages, some that ask the client back, resources, prompts,
// completion.
func newSDKServer(stderr io.Writer) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "sdkserver", Version: "1"}, &sdk.ServerOptions{
		PageSize: 2,
		CompletionHandler: func(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			var all []string
			for _, name := range []string{"Ada", "Alan"} {
				if strings.HasPrefix(name, r.Params.Argument.Value) {
					all = append(all, name)
				}
			}
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: all}}, nil
		},
	})
	sdk.AddTool(s, &sdk.Tool{Name: "echo"}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		Message string `json:"message"`
	}) (*sdk.CallToolResult, struct{ Said string }, error) {
		return nil, struct{ Said string }{in.Message}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "work"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		for i := range 3 {
			fmt.Fprintln(stderr, "step", i+1)
			if token := r.Params.GetProgressToken(); token != nil {
				if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: 3}); err != nil {
					return nil, nil, err
				}
			}
			//lint:ignore SA1019 servers that send log messages are what is tested
			if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: fmt.Sprint("step ", i+1)}); err != nil {
				return nil, nil, err
			}
		}
		return textOf("done"), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "wait"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: 1}); err != nil {
				return nil, nil, err
			}
		}
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	//lint:ignore SA1019 servers that ask for roots are what is tested
	addAsking(s, "roots", &sdk.ListRootsParams{}, func(answer any) string { return fmt.Sprintf("%T", answer) })
	addAsking(s, "elicit", &sdk.ElicitParams{Mode: "form", Message: "How many?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"cups":{"type":"integer"},"name":{"type":"string"}}}`)}, inJSON)
	//lint:ignore SA1019 servers that sample are what is tested
	addAsking(s, "sample", &sdk.CreateMessageParams{MaxTokens: 10, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Tea?"}}}}, inJSON)
	sdk.AddTool(s, &sdk.Tool{Name: "fail"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("out of tea")
	})
	s.AddResource(&sdk.Resource{URI: "tea://menu", Name: "menu"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "Assam\r\nDarjeeling\u2028Ceylon <&>"}}}, nil
	})
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "tea://pot/{n}", Name: "pot"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	})
	s.AddPrompt(&sdk.Prompt{Name: "offer"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Tea?"}}}}, nil
	})
	return s
}

// addAsking adds a tool that asks the client, and tells the answer. The SDK asks by
// a request of its own in the legacy era.
func addAsking(s *sdk.Server, name string, request sdk.InputRequest, tell func(answer any) string) {
	sdk.AddTool(s, &sdk.Tool{Name: name}, func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		if answer := r.Params.InputResponses[name]; answer != nil {
			return textOf(tell(answer)), nil, nil
		}
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{name: request}}, nil, nil
	})
}

func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func textOf(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}
