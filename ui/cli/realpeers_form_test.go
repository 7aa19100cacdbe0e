//go:build realpeers && unix

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/ui/cli/term"
	"wiretea/ui/termtest"
)

// An everyTool is a tool as the server lists it, as far as filling in its form needs.
type everyTool struct {
	Name   string `json:"name"`
	Schema struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type string            `json:"type"`
			Enum []json.RawMessage `json:"enum"`
		} `json:"properties"`
	} `json:"inputSchema"`
}

// firstInForm are keys for forms whose defaults take long, or fetch from the network.
var firstInForm = map[string][]string{
	"trigger-long-running-operation": {"1"},
	"gzip-file-as-resource":          {"down", "data:text/plain,tea"},
}

// TestRealPeerForms calls every tool of server-everything from its form, as a person
// does: what the form says is missing is filled in, it is sent, and answered without
// an error. What the server asks meanwhile is answered by standing policies.
func TestRealPeerForms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := peerPath(t, "node_modules", ".bin", "mcp-server-everything")
	policies := []string{"--elicitation", "accept", "--sampling", "text:tea", "--root", dir}
	listed := wiretea(t, "", append(append([]string{"call", "tools", "--no-record", "--quiet"}, policies...), "--", server)...)
	var list struct {
		Tools []everyTool `json:"tools"`
	}
	if err := json.Unmarshal([]byte(listed.out), &list); err != nil || len(list.Tools) < 15 {
		t.Fatalf("%d tools, %v: %v", len(list.Tools), err, listed)
	}
	file := filepath.Join(dir, "forms.mcpcap.jsonl")
	p := onScreen(t, nil, append(append([]string{"wiretea", "run", "--record", file}, policies...), "--", server)...)
	see(t, p, "notifications/initialized")
	for n, tool := range list.Tools {
		if err := p.Typed(":compose tools/call " + tool.Name + "\r"); err != nil {
			t.Fatal(err)
		}
		see(t, p, " [ send ]")
		see(t, p, "tools/call "+tool.Name[:min(len(tool.Name), 16)]) // the title is cut
		for _, key := range firstInForm[tool.Name] {
			fill(t, p, key)
		}
		if len(tool.Schema.Required) > 0 { // Required fields are errors once they were to be sent.
			pressAll(t, p, "ctrl+s")
			see(t, p, "send anyway?")
			pressAll(t, p, "n")
			unseen(t, p, "send anyway?")
		}
		for _, name := range tool.Schema.Required {
			property := tool.Schema.Properties[name]
			missing := name + " is required"
			see(t, p, missing)
			pressAll(t, p, "ctrl+end", "alt+e")
			switch {
			case len(property.Enum) > 0:
				pressAll(t, p, "right")
			case property.Type == "number" || property.Type == "integer":
				pressAll(t, p, "1")
			case property.Type == "boolean":
				pressAll(t, p, "t")
			case property.Type == "string":
				fill(t, p, "https://example.com/tea")
			default:
				t.Fatalf("%s: no value for %s of type %q", tool.Name, name, property.Type)
			}
			unseen(t, p, missing)
		}
		see(t, p, "✔ valid")
		pressAll(t, p, "ctrl+s")
		callAnswered(t, file, n+1, tool.Name)
	}
	pressAll(t, p, "ctrl+c")
	see(t, p, "leave?")
	pressAll(t, p, "y")
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
}

// fill presses a key, or types a text.
func fill(t *testing.T, p *termtest.Pty, key string) {
	t.Helper()
	if _, err := termtest.Key(key); err == nil {
		pressAll(t, p, key)
	} else if err := p.Typed(key); err != nil {
		t.Fatal(err)
	}
}

// callAnswered waits until the n-th call in a session file has its result, which must
// not be an error; where it runs as a task, the result of that.
func callAnswered(t *testing.T, file string, n int, tool string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch result := resultOfCall(text, n, tool); {
		case strings.Contains(result, `"isError":true`):
			t.Errorf("%s: %s", tool, result)
			return
		case result != "":
			return
		case time.Now().After(deadline):
			t.Fatalf("%s was not answered:\n%s", tool, text)
		}
	}
}

// resultOfCall is the result of the n-th call in a session file, empty = it has not
// come.
func resultOfCall(text []byte, n int, tool string) string {
	var id, result string
	calls, task := 0, false
	for line := range strings.Lines(string(text)) {
		var f struct {
			Dir    string          `json:"d"`
			Kind   string          `json:"y"`
			ID     string          `json:"id"`
			Method string          `json:"m"`
			Object string          `json:"o"`
			Body   json.RawMessage `json:"b"`
		}
		if json.Unmarshal([]byte(line), &f) != nil {
			continue // the last line may not be whole
		}
		switch {
		case f.Kind == "q" && f.Dir == "c2s" && f.Method == "tools/call":
			if calls++; calls == n && f.Object == tool {
				id = f.ID
			}
		case f.Kind == "q" && f.Dir == "c2s" && f.Method == "tasks/result" && task:
			id = f.ID
		case id != "" && f.Dir == "s2c" && f.ID == id && f.Kind == "e":
			return fmt.Sprintf(`{"isError":true,"error":%s}`, f.Body)
		case id != "" && f.Dir == "s2c" && f.ID == id && f.Kind == "r":
			if result = string(f.Body); !strings.Contains(result, `"result":{"task":{`) {
				return result
			}
			id, task = "", true
		}
	}
	return ""
}
