//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
)

// metaOfReal is what the client says of itself in the modern era.
const metaOfReal = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"real","version":"1"}}`

// startBrewer starts a client that speaks an era to the demo's server through a tee, and
// has listed its tools.
func startBrewer(t *testing.T, era string) *realClient {
	t.Helper()
	dir := t.TempDir()
	c := &realClient{dir: dir, peered: startPeer(t, peerOptions{}, "wiretea", "tee", "--sessions", dir, "--name", "tea", "--", "wiretea", "demo", "--server", "healthy")}
	params := `{}`
	if era == "legacy" {
		c.ask(0, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"real","version":"1"}}`)
		c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	} else {
		params = `{` + metaOfReal + `}`
		c.ask(0, "server/discover", params)
	}
	c.ask(1, "tools/list", params)
	c.file = awaitLive(t, filepath.Join(dir, "*"+recorder.Suffix))
	return c
}

// TestAttachScreenTask runs a tool as a task in a live session from its form, in either
// era: to its result, which the client does not get, and half of the way, when the viewer
// leaves. All of it is in the record as injected.
func TestAttachScreenTask(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			c := startBrewer(t, era)
			p := onScreen(t, nil, "wiretea", "attach", "--sessions", c.dir)
			seeRow(t, p, "←", "tools/list")
			typeIn(t, p, ":compose tools/call brew\r")
			see(t, p, "alt-t task: on")
			pressAll(t, p, "down", "ctrl+u")
			typeIn(t, p, "0.1")
			see(t, p, " 0.1 ")
			pressAll(t, p, "ctrl+s")
			see(t, p, "DO reach")
			pressAll(t, p, "y")
			see(t, p, "  A cup of green tea.")
			pressAll(t, p, "e")
			see(t, p, "alt-t task: on")
			see(t, p, "from #")
			pressAll(t, p, "down", "ctrl+u")
			typeIn(t, p, "600")
			see(t, p, " 600 ")
			pressAll(t, p, "ctrl+s")
			see(t, p, "brew-2")
			see(t, p, "heating the water")
			if err := p.Quit(); err != nil {
				t.Error(err)
			}
			see(t, p, "1 task begun here had not ended")
			if rest := c.talk([]byte{}); rest.code != 0 || strings.Contains(strings.Join(c.got, "\n")+rest.out, `"id":"wiretea-`) {
				t.Errorf("the client got %q and %+v", c.got, rest)
			}
			for _, method := range []string{"tools/call", "tasks/get"} {
				if line := recordedLine(t, c.file, `"m":"`+method+`"`); !strings.Contains(line, `"way":"out"`) {
					t.Errorf("recorded %s", line)
				}
			}
		})
	}
}
