package call

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

func TestParseRequest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "params.json")
	if err := os.WriteFile(file, []byte("{\n \"name\": \"echo\"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		words  []string
		kind   callKind
		method string
		params string
		err    string
	}{
		{words: []string{"tools/list"}, method: "tools/list"},
		{words: []string{"tools/call", `{"name":"echo"}`}, method: "tools/call", params: `{"name":"echo"}`},
		{words: []string{"tools/call", "@" + file}, method: "tools/call", params: "{\n \"name\": \"echo\"\n}"},
		{words: []string{"tools/call", "-"}, method: "tools/call", params: `{"from":"stdin"}`},
		{words: []string{"any/thing", "[1]"}, method: "any/thing", params: "[1]"},
		{words: []string{"resource", "a://b?c=\"d\""}, method: "resources/read", params: `{"uri":"a://b?c=\"d\""}`},
		{words: []string{"tools"}, kind: callList, method: "tools/list"},
		{words: []string{"templates"}, kind: callList, method: "resources/templates/list"},
		{words: []string{"tool", "echo", "a=1"}, kind: callTool, method: "tools/call"},
		{words: []string{"prompt", "p"}, kind: callPrompt, method: "prompts/get"},
		{words: []string{"initialize"}, kind: callGreeting, method: "initialize"},
		{words: []string{"initialize", "{}"}, method: "initialize", params: "{}"},
		{words: []string{`{"jsonrpc":"2.0"}`}, kind: callMessage, params: `{"jsonrpc":"2.0"}`},
		{words: []string{`[`}, kind: callMessage, params: `[`},

		{words: []string{"tools/call", `{"name":"x"`}, err: "the parameters: not JSON"},
		{words: []string{"tools/call", `{name:"x"}`}, err: "not JSON"},
		{words: []string{"tools/call", "@/no/such"}, err: "/no/such"},
		{words: []string{"tools/call", ""}, err: "empty"},
		{words: []string{"tools/call", "{}", "{}"}, err: "too many words"},
		{words: []string{"tools", "x"}, err: "takes no arguments"},
		{words: []string{"tool"}, err: "which tool?"},
		{words: []string{"resource", "a", "b"}, err: "takes only a URI"},
		{words: []string{`{}`, `{}`}, err: "whole message"},
		{words: []string{"tools'list"}, err: "is not a method"},
	} {
		t.Run(strings.Join(tt.words, " "), func(t *testing.T) {
			r, err := parseRequest(tt.words, strings.NewReader(`{"from":"stdin"}`))
			switch {
			case tt.err != "":
				if err == nil || !strings.Contains(err.Error(), tt.err) || term.ExitCode(err) != term.ExitUsage {
					t.Errorf("error %v, want %q", err, tt.err)
				}
			case err != nil:
				t.Error(err)
			case r.kind != tt.kind || r.method != tt.method || string(r.params) != tt.params:
				t.Errorf("got %d %q %q", r.kind, r.method, r.params)
			}
		})
	}
}

// TestFormMeant holds that a short form that is written wrong is named where its
// words are refused.
func TestFormMeant(t *testing.T) {
	for words, hint := range map[string]string{
		"tol echo message=hi":     "did you mean tool?",
		"tol echo":                "did you mean tool?",
		"reource a://b":           "did you mean resource?",
		"tools/cal echo message=": "quote the parameters",
		"ping echo message=hi":    "quote the parameters",
	} {
		_, err := parseRequest(strings.Fields(words), strings.NewReader(""))
		var f *term.Failure
		if !errors.As(err, &f) || f.Code != term.ExitUsage || !strings.Contains(f.Hint, hint) {
			t.Errorf("%s: error %v, want the hint %q", words, err, hint)
		}
	}
}
