//go:build realpeers

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/verdict/report"
	"wiretea/ui/cli/term"
)

func init() { programs["conformanceclient"] = func() { os.Exit(conformanceClient(os.Args[1])) } }

// conformanceActs are what our client does in the scenarios of the official conformance
// suite, by their names: command lines of wiretea without the URL.
//
// Left out are those of what the client does not have: auth/* (OAuth), sep-2640-client-*
// (skills).
var conformanceActs = map[string][][]string{
	"initialize":                          {{"call", "tools"}},
	"tools_call":                          {{"call", "tool", "add_numbers", "a=2", "b=3"}},
	"elicitation-sep1034-client-defaults": {{"call", "tool", "test_client_elicitation_defaults", "--elicitation", "accept"}},
	"sse-retry":                           {{"call", "tool", "test_reconnection"}},
	"request-metadata":                    {{"call", "tools"}},
	"json-schema-ref-no-deref":            {{"call", "tools"}},
	"sep-2322-client-request-state": {
		{"call", "tool", "test_mrtr_echo_state", "--elicitation", "accept"},
		{"call", "tool", "test_mrtr_no_state", "--elicitation", "accept"},
		{"call", "tool", "test_mrtr_unrelated"},
		{"call", "tool", "test_mrtr_no_result_type"},
	},
	"http-standard-headers": {sending("tools/list", `tools/call {"name":"my-hyphenated-tool","arguments":{}}`,
		"resources/list", `resources/read {"uri":"file:///path/to/file%20name.txt"}`, "prompts/list", `prompts/get {"name":"test_prompt"}`)},
	"http-invalid-tool-headers":        {{"call", "tool", "valid_tool", "region=x"}},
	"http-custom-headers":              nil, // the calls are in the scenario's context
	"json-schema-2020-12-preservation": nil, // a call returns what was listed
}

func sending(lines ...string) []string {
	args := []string{"run", "--plain"}
	for _, line := range lines {
		args = append(args, "--send", line)
	}
	return args
}

// conformanceClient is wiretea as the client of a scenario, which the environment names.
func conformanceClient(url string) int {
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	acts := conformanceActs[scenario]
	var err error
	switch scenario {
	case "http-custom-headers":
		var context struct{ ToolCalls []json.RawMessage }
		err = json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &context)
		lines := []string{"tools/list"}
		for _, call := range context.ToolCalls {
			lines = append(lines, "tools/call "+string(call))
		}
		acts = [][]string{sending(lines...)}
	case "json-schema-2020-12-preservation":
		var list struct {
			Tools []struct{ InputSchema json.RawMessage }
		}
		var out []byte
		if out, err = wireteaFor(url, "call", "tools/list", "--json"); err == nil {
			err = json.Unmarshal(out, &list)
		}
		for _, tool := range list.Tools[:min(1, len(list.Tools))] {
			acts = [][]string{{"call", "tool", "json_schema_echo", "schema:=" + string(tool.InputSchema)}}
		}
	}
	for _, act := range acts {
		if err == nil {
			_, err = wireteaFor(url, act...)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// wireteaFor runs a command. That something is found is not an error: the servers of the
// scenarios have faults, some on purpose.
func wireteaFor(url string, args ...string) ([]byte, error) {
	cmd := exec.Command("wiretea", append(args, url)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == term.ExitFound {
		err = nil
	}
	os.Stdout.Write(out)
	return out, err
}

// conformance runs the suite, and returns what it prints.
func conformance(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{peerPath(t, "conformance.mjs")}, args...)...)
	cmd.Dir = t.TempDir()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var exit *exec.ExitError // 1 = some scenarios fail
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("conformance %q: %v\n%s", args, err, &out)
	}
	return out.String()
}

// TestRealPeerConformanceClient wants our client to pass the scenarios for clients: no
// check fails, and none warns.
func TestRealPeerConformanceClient(t *testing.T) {
	for scenario := range conformanceActs {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			results := t.TempDir()
			out := conformance(t, "client", "--command", "conformanceclient", "--scenario", scenario, "-o", results)
			files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%v, results %q\n%s", err, files, out)
			}
			text, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			var checks []struct{ ID, Status, ErrorMessage string }
			if err := json.Unmarshal(text, &checks); err != nil {
				t.Fatal(err)
			}
			passed := 0
			for _, c := range checks {
				switch c.Status {
				case "SUCCESS":
					passed++
				case "FAILURE", "WARNING":
					t.Errorf("%s: %s %s", c.ID, c.Status, c.ErrorMessage)
				}
			}
			if passed == 0 || strings.Contains(out, "CLIENT EXITED WITH ERROR") || t.Failed() {
				t.Errorf("%d checks passed\n%s", passed, out)
			}
		})
	}
}

// conformanceServers are servers, and how the suite is called for them.
var conformanceServers = []struct {
	name string
	argv func(t *testing.T, address string) []string // argv is that of the Go SDK's server for the suite.
	args []string
}{
	{"modern", conformanceServer("-stateless=true"), []string{"--requirements", "2026-07-28"}},
	{"legacy", conformanceServer("-stateless=false"), []string{"--spec-version", "2025-11-25"}},
}

func conformanceServer(mode string) func(t *testing.T, address string) []string {
	return func(t *testing.T, address string) []string {
		return []string{peerPath(t, "conformance-server"), mode, "-http", address}
	}
}

// TestRealPeerConformanceServer wants the suite to say the same of a server directly and
// through the proxy, and nothing to be found at a server that passes: the suite itself
// breaks rules in the modern era, to see what the server does.
func TestRealPeerConformanceServer(t *testing.T) {
	for _, server := range conformanceServers {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			address := "127.0.0.1:" + freePort(t)
			startServer(t, server.argv(t, address), address)
			file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
			verdict := func(url string) string {
				out := conformance(t, append([]string{"server", "--url", url}, server.args...)...)
				_, summary, ok := strings.Cut(out, "=== SUMMARY ===")
				if !ok || !strings.Contains(summary, "✓ server-sse-multiple-streams") {
					t.Fatalf("the suite did not run:\n%s", out)
				}
				return summary
			}
			want := verdict("http://" + address + "/")
			at, end := startProxy(t, "http://"+address+"/", file)
			got := verdict(at)
			end()
			if got != want {
				t.Errorf("through the proxy:\n%s\ndirectly:\n%s", got, want)
			}
			checked := inProcess(t.Context(), "check", "--json", file)
			var r report.Report
			if err := json.Unmarshal([]byte(checked.out), &r); err != nil {
				t.Fatalf("%v\n%v", err, checked)
			}
			if r.Exchanges.Total < 50 || slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
				return f.Severity != "info" && (f.Fault != "client" || server.name == "legacy")
			}) {
				t.Errorf("check: %v", checked)
			}
		})
	}
}
