//go:build unix

//lint:file-ignore SA1019 the SDK marks what the protocol has deprecated and both eras still speak.

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/cli/term"
	"wiretea/ui/detail"
)

func init() {
	programs["asksdkserver"] = func() { os.Exit(askServer()) }
}

// askServer is a server of the official SDK, as a program, whose tools ask the
// client back. In the legacy era the SDK asks by requests of its own.
func askServer() int {
	s := sdk.NewServer(&sdk.Implementation{Name: "asksdkserver", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "greet"}, func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		answer, ok := r.Params.InputResponses["who"].(*sdk.ElicitResult)
		if !ok {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{
				Mode: "form", Message: "Who is there?",
				RequestedSchema: map[string]any{
					"type": "object", "required": []string{"name"},
					"properties": map[string]any{
						"name": map[string]any{"type": "string", "description": "your name"},
						"cups": map[string]any{"type": "integer", "default": 2},
					},
				},
			}}}, nil, nil
		}
		return textOf(fmt.Sprintf("%s %v %v", answer.Action, answer.Content["name"], answer.Content["cups"])), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "think"}, func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		switch answer := r.Params.InputResponses["model"].(type) {
		//lint:ignore SA1019 servers that sample are what is tested
		case *sdk.CreateMessageResult:
			return textOf("thought: " + answer.Content.(*sdk.TextContent).Text), nil, nil
		case *sdk.CreateMessageWithToolsResult:
			return textOf("thought: " + answer.Content[0].(*sdk.TextContent).Text), nil, nil
		}
		//lint:ignore SA1019 servers that sample are what is tested
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"model": &sdk.CreateMessageParams{
			MaxTokens: 10, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Tea or coffee?"}}},
		}}}, nil, nil
	})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "asksdkserver:", err)
	}
	return 0
}

// TestCallSDKServers calls everything that servers of the official SDK have, in
// either era.
func TestCallSDKServers(t *testing.T) {
	t.Parallel()
	answers := filepath.Join(t.TempDir(), "answers.json")
	writeFile(t, answers, `[{"method":"elicitation","message":"Who","accept":{"name":"Ada","cups":3}},{"method":"sampling","message":"coffee","text":"tea"}]`)
	for _, era := range []string{"legacy", "modern"} {
		for name, tt := range map[string]struct {
			server string // server is empty for sdkserver.
			words  []string
			code   int
			out    string // out is what --text prints; empty = it is not asked for.
			has    string // has is in what is printed otherwise.
			says   string // says is on stderr.
		}{
			"tools":              {words: []string{"tools"}, has: `"name":"work"`},
			"resources":          {words: []string{"resources"}, has: `{"resources":[{"name":"menu"`},
			"templates":          {words: []string{"templates"}, has: `"uriTemplate":"tea://pot/{n}"`},
			"prompts":            {words: []string{"prompts"}, has: `{"prompts":[{"name":"offer"}]}`},
			"tool":               {words: []string{"tool", "echo", "message=5"}, has: `"structuredContent":{"Said":"5"}`},
			"unknown argument":   {words: []string{"tool", "echo", "message=a", "loud=true"}, code: term.ExitUsage, says: "loud is not an argument of it; it has message"},
			"resource":           {words: []string{"resource", "tea://menu"}, out: "Assam\r\nDarjeeling\u2028Ceylon <&>\n"},
			"no resource":        {words: []string{"resource", "tea://pot/2"}, code: term.ExitFound, says: "wiretea: resources/read tea://pot/2: error -32"},
			"prompt":             {words: []string{"prompt", "offer"}, out: "Tea?\n"},
			"error":              {words: []string{"tool", "fail"}, code: term.ExitFound, out: "out of tea\n", says: "the tool reports an error (isError)"},
			"roots":              {words: []string{"tool", "roots", "--root", "/tmp"}, out: "*mcp.ListRootsResult\n"},
			"progress":           {words: []string{"tool", "work", "--progress"}, out: "done\n", says: "progress: ████████████████████ 100 %\n"},
			"log":                {words: []string{"tool", "work", "--log-level", "info"}, out: "done\n", says: "log: info: step 3\n"},
			"no log":             {words: []string{"tool", "work", "--log-level", "error"}, out: "done\n"},
			"elicitation":        {server: "asksdkserver", words: []string{"tool", "greet", "--elicitation", answers}, out: "accept Ada 3\n"},
			"declined":           {server: "asksdkserver", words: []string{"tool", "greet", "--elicitation", "decline"}, out: "decline <nil> <nil>\n"},
			"declined after all": {server: "asksdkserver", words: []string{"tool", "greet", "--elicitation", "accept"}, out: "decline <nil> <nil>\n", says: "wiretea: elicitation declined: its form needs more than defaults: Who is there?\n  hint: --elicitation FILE "},
			"nobody to ask":      {server: "asksdkserver", words: []string{"tool", "greet", "--elicitation", "ask"}, code: term.ExitUsage, says: `or a file of answers, as in [{"method":"elicitation",`},
			"sampling":           {server: "asksdkserver", words: []string{"tool", "think", "--sampling", answers}, out: "thought: tea\n"},
			"canned":             {server: "asksdkserver", words: []string{"tool", "think", "--sampling", "text:coffee"}, out: "thought: coffee\n"},
			"nobody is declared": {server: "asksdkserver", words: []string{"tool", "greet"}, code: term.ExitFound, says: "wiretea: "},
		} {
			t.Run(era+"/"+name, func(t *testing.T) {
				t.Parallel()
				server := []string{"sdkserver", t.TempDir()}
				if tt.server != "" {
					server = []string{tt.server}
				}
				args := append([]string{"call", "--no-record", "--era", era}, tt.words...)
				if tt.out != "" {
					args = append(args, "--text")
				}
				o := wiretea(t, "", append(append(args, "--"), server...)...)
				if o.code != tt.code || tt.out != "" && o.out != tt.out || !strings.Contains(o.out, tt.has) || !strings.Contains(o.err, tt.says) {
					t.Errorf("want exit code %d, %q and %q:\n%v", tt.code, tt.out+tt.has, tt.says, o)
				}
				if tt.says == "" && o.err != "" {
					t.Errorf("it says: %s", o.err)
				}
			})
		}
	}
}

// TestCallLines copies each request of a session as a line for the shell, runs
// the line, and wants the same request to cross the wire again.
func TestCallLines(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "first.jsonl")
			args := []string{"run", "--plain", "--record", file, "--era", era, "--env", "TEA=Assam 'n milk", "--cwd", dir,
				"--client-info", "other/7", "--capabilities", `{"roots":{},"x":"it's"}`, "--sampling", "text:hi there", "--root", dir}
			for _, line := range []string{
				"tools/list", `tools/call {"name":"echo","arguments":{"message":"it's \"tea\" \u00e9 $HOME ☕ <&>"}}`,
				`prompts/get {"name":"brief","arguments":{}}`, `no/such {"a":[1.0,2e3]}`, "odd", "resources/list",
			} {
				args = append(args, "--send", line)
			}
			if o := wiretea(t, "", append(args, "--", "wiretea", "demo", "--server", "healthy")...); o.code == term.ExitServer {
				t.Fatal(o)
			}
			first := requestsIn(t, file)
			if len(first.bodies) < 6 {
				t.Fatalf("%d requests", len(first.bodies))
			}
			for i, body := range first.bodies {
				again := filepath.Join(dir, fmt.Sprintf("again%d.jsonl", i))
				line := detail.CallLine(first.header, first.version, body, nil)
				if !strings.Contains(line, " --env TEA ") {
					t.Errorf("the variable is not asked for: %s", line)
				}
				line = strings.Replace(line, "wiretea call ", "wiretea call --record "+again+" ", 1)
				out := shell(t, []string{"TEA=Assam 'n milk"}, line)
				second := requestsIn(t, again)
				if n := len(second.bodies); n == 0 || paramsOf(second.bodies[n-1]) != paramsOf(body) {
					t.Errorf("%s\nsent %q, want %s\n%s", line, second.bodies, body, out)
				}
				if greeting := paramsOf(first.bodies[0]); era == "legacy" && paramsOf(second.bodies[0]) != greeting {
					t.Errorf("%s\nbegan with %s, want %s", line, second.bodies[0], greeting)
				}
			}
		})
	}
}

// requestsOf is what a client asked in a recording.
type requestsOf struct {
	header  *session.Header
	version string
	bodies  [][]byte
}

func requestsIn(t *testing.T, file string) requestsOf {
	t.Helper()
	s := judged(t, file)
	f, err := recorder.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := requestsOf{header: s.Header(), version: s.Conns()[0].VersionText}
	for i := range s.Len() {
		row := s.Row(uint32(i))
		if row.Kind != session.RowRequest || row.Stream != session.C2S {
			continue
		}
		body, err := recorder.ReadFrame(f, row, 0, int64(row.Len))
		if err != nil {
			t.Fatal(err)
		}
		r.bodies = append(r.bodies, body)
	}
	return r
}

// paramsOf is a request without its id.
func paramsOf(request []byte) string {
	before, rest, _ := strings.Cut(string(request), `"id":`)
	_, after, _ := strings.Cut(rest, ",")
	return before + after
}
