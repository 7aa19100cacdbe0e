package client

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted runs do with a client whose server follows a script, in a bubble
// with its own time. The script's lines are
//
//	> text    the client's next line is exactly this
//	< text    the server writes this line
//	wait 1s   the server lets time pass
//	eof       the server closes its stdout
//
// After the last one the server reads on to the end of its stdin, which must
// bring nothing more, and closes its stdout.
func scripted(t *testing.T, cfg Config, script string, do func(ctx context.Context, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			follow(t, script, bufio.NewReader(stdinR), stdoutW)
			stdoutW.Close()
		}()
		c, err := New(cfg, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			c.Close()
			<-done
			<-c.Drained()
		}()
		do(t.Context(), c)
	})
}

func follow(t *testing.T, script string, stdin *bufio.Reader, stdout io.WriteCloser) {
	for _, step := range strings.Split(strings.TrimSpace(script), "\n") {
		step = strings.TrimSpace(step)
		word, rest, _ := strings.Cut(step, " ")
		switch word {
		case "", "#":
		case ">":
			line, err := stdin.ReadString('\n')
			if err != nil || line != rest+"\n" {
				t.Errorf("client wrote %q (%v)\nwant         %q", line, err, rest+"\n")
				stdout.Close()
				_, _ = io.Copy(io.Discard, stdin)
				return
			}
		case "<":
			_, _ = io.WriteString(stdout, rest+"\n")
		case "wait":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Errorf("script: %s: %v", step, err)
			}
			time.Sleep(d)
		case "eof":
			stdout.Close()
		default:
			t.Errorf("script: %s: unknown step", step)
		}
	}
	if more, _ := io.ReadAll(stdin); len(more) > 0 {
		t.Errorf("client wrote more: %q", more)
	}
}

// Parts of scripts.
const (
	probe      = `> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"wiretea","version":"dev"}}}}`
	discovered = `< {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"peer","version":"1"}}}}`
	inited     = `> {"jsonrpc":"2.0","method":"notifications/initialized"}`
	meta       = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"wiretea","version":"dev"}}`
)

func initialize(id, version string) string {
	return `> {"jsonrpc":"2.0","id":` + id + `,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"wiretea","version":"dev"}}}`
}

func initResult(id, version string) string {
	return `< {"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"` + version + `","capabilities":{"tools":{}},"serverInfo":{"name":"peer","version":"1"}}}`
}

// legacyUp and modernUp are scripts of a handshake with the era given.
var (
	legacyUp = lines(initialize("1", "2025-11-25"), initResult("1", "2025-11-25"), inited)
	modernUp = lines(probe, discovered)
)

func lines(steps ...string) string { return strings.Join(steps, "\n") }

// connected is scripted with the handshake done.
func connected(t *testing.T, cfg Config, script string, do func(ctx context.Context, c *Client)) {
	t.Helper()
	up := modernUp
	if cfg.Era == Legacy {
		up = legacyUp
	}
	scripted(t, cfg, lines(up, script), func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Errorf("handshake: %v", err)
			return
		}
		do(ctx, c)
	})
}

// ids are the raw texts of the ids of a reply's legs.
func ids(r *Reply) []string {
	var all []string
	for _, l := range r.Legs {
		all = append(all, l.ID)
	}
	return all
}
