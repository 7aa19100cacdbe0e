//go:build unix

package cli

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"wiretea/session/jsonrpc"
	"wiretea/ui/cli/term"
	"wiretea/ui/termtest"
)

func init() { programs["changingserver"] = func() { os.Exit(changingServer()) } }

// changingServer is a server of the legacy era that says after each listing of its
// tools that they have changed, and names its only tool by how often it was asked
// and by the shortest time between two listings: "n-3-of-100ms".
func changingServer() int {
	in := bufio.NewScanner(os.Stdin)
	shortest, last, n := time.Hour, time.Time{}, 0
	for in.Scan() {
		jsonrpc.Scan(in.Bytes(), func(m *jsonrpc.Message) {
			method, _ := m.Method.Unquoted()
			if m.Kind != jsonrpc.Request {
				return
			}
			answer := `"error":{"code":-32601,"message":"Method not found"}`
			switch method {
			case "initialize":
				answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"changing","version":"1"}}`
			case "tools/list":
				if n++; n > 1 {
					shortest = min(shortest, time.Since(last))
				}
				last = time.Now()
				answer = fmt.Sprintf(`"result":{"tools":[{"name":"n-%d-of-%dms","inputSchema":{"type":"object"}}]}`, n, shortest.Milliseconds())
			}
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", m.ID.Raw, answer)
			if method == "tools/list" {
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		})
	}
	return 0
}

// TestToolsPageChanges holds that the page follows a server whose tools change,
// and that one which says so after each listing is not asked in a loop.
func TestToolsPageChanges(t *testing.T) {
	t.Parallel()
	p := onScreen(t, nil, "wiretea", "run", "--no-record", "--", "changingserver")
	see(t, p, "● live")
	if err := p.Typed(":tools\r"); err != nil {
		t.Fatal(err)
	}
	var n, ms int
	_, err := p.Until(patience, func(term *termtest.Terminal) bool {
		_, after, found := strings.Cut(term.String(), " n-")
		_, err := fmt.Sscanf(after, "%d-of-%dms", &n, &ms)
		return found && err == nil && n >= 4
	})
	if err != nil {
		t.Fatal(err)
	}
	if ms < 95 {
		t.Errorf("the list was asked for again after %d ms", ms)
	}
}

// TestToolsPage lists, reads, subscribes and ends that, in both eras.
func TestToolsPage(t *testing.T) {
	t.Parallel()
	for era, ended := range map[string]string{"legacy": "unsubscribed", "modern": "cancelled"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			p := onScreen(t, nil, "wiretea", "run", "--no-record", "--era", era, "--", "wiretea", "demo", "--server", "healthy")
			see(t, p, "● live")
			p.Look(func(term *termtest.Terminal) {
				if strings.Contains(term.String(), "tools/list") {
					t.Error("something is listed before the page was opened")
				}
			})
			pressAll(t, p, "T")
			see(t, p, "A line about a city") // the last of what is asked for
			pressAll(t, p, "/")
			if err := p.Typed("changes"); err != nil {
				t.Fatal(err)
			}
			see(t, p, "tools with changes")
			pressAll(t, p, "enter", "n")
			see(t, p, "demo://note")
			pressAll(t, p, "b")
			pressAll(t, p, "esc")
			see(t, p, "● demo://note")
			if err := p.Typed(":send tools/call {\"name\":\"touch\"}\r"); err != nil {
				t.Fatal(err)
			}
			see(t, p, "resources/updated") // the page closes: the answer shows in the traffic
			pressAll(t, p, "T")
			see(t, p, "1 update")
			pressAll(t, p, "G")
			if era == "legacy" {
				pressAll(t, p, "k") // the last line is that of the tasks
			}
			see(t, p, "ctrl-x ends it")
			pressAll(t, p, "ctrl+x")
			see(t, p, "✖ demo://note")
			see(t, p, ended)
			pressAll(t, p, "g", "/")
			if err := p.Typed("this server is\r"); err != nil {
				t.Fatal(err)
			}
			see(t, p, "text/markdown")
			pressAll(t, p, "enter")
			see(t, p, "resources/read")
			pressAll(t, p, "ctrl+c")
			see(t, p, "leave?")
			pressAll(t, p, "y")
			if code := left(t, p); code != term.ExitFine {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestToolsPageSDK opens the page on a server of the official SDK, that lists two
// to a page.
func TestToolsPageSDK(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			p := onScreen(t, nil, "wiretea", "run", "--no-record", "--era", era, "--", "sdkserver")
			see(t, p, "● live")
			pressAll(t, p, "T")
			see(t, p, " offer ")
			pressAll(t, p, "g", "j")
			see(t, p, "7 listed")
		})
	}
}
