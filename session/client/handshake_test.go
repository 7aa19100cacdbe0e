package client

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session/mcp"
)

// Connect starts a client and performs the handshake. Where that fails the client is closed.
func Connect(ctx context.Context, cfg Config, w io.WriteCloser, r io.Reader) (*Client, error) {
	c, err := New(cfg, w, r)
	if err != nil {
		return nil, err
	}
	if err := c.Handshake(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func TestHandshake(t *testing.T) {
	for _, c := range []struct {
		name    string
		cfg     Config
		script  string
		era     mcp.Era
		version string
		err     error
		took    time.Duration
	}{
		{name: "modern", script: modernUp, era: mcp.Modern, version: "2026-07-28"},
		{
			name:   "legacy server refuses the probe",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`, initialize("2", "2025-11-25"), initResult("2", "2025-11-25"), inited),
			era:    mcp.Legacy, version: "2025-11-25",
		},
		{
			name:   "legacy server refuses the probe with a code of its own",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"not initialized"}}`, initialize("2", "2025-11-25"), initResult("2", "2024-11-05"), inited),
			era:    mcp.Legacy, version: "2024-11-05",
		},
		{
			name:   "legacy server is silent on the probe and answers it late",
			script: lines(probe, initialize("2", "2025-11-25"), discovered, initResult("2", "2025-11-25"), inited),
			era:    mcp.Legacy, version: "2025-11-25", took: 10 * time.Second,
		},
		{
			name:   "probe timeout is configurable",
			cfg:    Config{ProbeTimeout: 3 * time.Second},
			script: lines(probe, initialize("2", "2025-11-25"), initResult("2", "2025-11-25"), inited),
			era:    mcp.Legacy, version: "2025-11-25", took: 3 * time.Second,
		},
		{
			name:   "legacy server answers the probe with nonsense",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"result":{}}`, initialize("2", "2025-11-25"), initResult("2", "2025-11-25"), inited),
			era:    mcp.Legacy, version: "2025-11-25",
		},
		{
			name:   "modern server answers the probe with nonsense",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`, initialize("2", "2025-11-25"), `< {"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"no"}}`),
			era:    mcp.Legacy, version: "2025-11-25", err: ErrNoResult,
		},
		{
			name:   "modern server offers no version",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["v1"]}}`, initialize("2", "2025-11-25"), `< {"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"no"}}`),
			era:    mcp.Legacy, version: "2025-11-25", err: ErrVersion,
		},
		{
			name:   "server offers a legacy version and refuses it",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2025-11-25"]}}`, initialize("2", "2025-11-25"), `< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no token"}}`),
			era:    mcp.Legacy, version: "2025-11-25", err: &RPCError{Code: -32602, Message: "no token"},
		},
		{
			name:   "server exits on the probe",
			script: lines(probe, "eof"),
			err:    ErrExitedOnProbe,
		},
		{
			name: "modern server of a later version",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2027-03-01"],"requested":"2026-07-28"}}}`,
				`> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-03-01","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"wiretea","version":"dev"}}}}`,
				`< {"jsonrpc":"2.0","id":2,"result":{"supportedVersions":["2027-03-01"],"capabilities":{},"resultType":"complete"}}`),
			era: mcp.Modern, version: "2027-03-01",
		},
		{
			name: "modern server refuses once the version that it offers",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}}`,
				strings.Replace(probe, `"id":1`, `"id":2`, 1),
				`< {"jsonrpc":"2.0","id":2,"result":{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete"}}`),
			era: mcp.Modern, version: "2026-07-28",
		},
		{
			name: "modern error never falls back",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2027-03-01"]}}}`,
				`> {"jsonrpc":"2.0","id":2,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-03-01","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"wiretea","version":"dev"}}}}`,
				`< {"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"no","data":{"supported":["2027-04-01"]}}}`),
			era: mcp.Modern, version: "2027-03-01", err: ErrVersion,
		},
		{
			name:   "version error that lists legacy versions only",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}}`, initialize("2", "2025-11-25"), initResult("2", "2025-11-25"), inited),
			era:    mcp.Legacy, version: "2025-11-25",
		},
		{
			name:   "release candidate: its code, and serverInfo at the top",
			cfg:    Config{Era: Modern, ProtocolVersion: "2026-07-28"},
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"peer"}}}`),
			era:    mcp.Modern, version: "2026-07-28",
		},
		{
			name:   "legacy asked for",
			cfg:    Config{Era: Legacy},
			script: legacyUp,
			era:    mcp.Legacy, version: "2025-11-25",
		},
		{
			name:   "a legacy version decides the era",
			cfg:    Config{ProtocolVersion: "2025-03-26"},
			script: lines(initialize("1", "2025-03-26"), initResult("1", "2025-03-26"), inited),
			era:    mcp.Legacy, version: "2025-03-26",
		},
		{
			name:   "a version that nobody knows, echoed",
			cfg:    Config{Era: Legacy, ProtocolVersion: "DRAFT-2025-v3"},
			script: lines(initialize("1", "DRAFT-2025-v3"), initResult("1", "DRAFT-2025-v3"), inited),
			era:    mcp.Legacy, version: "DRAFT-2025-v3",
		},
		{
			name:   "counter-offer that nobody knows",
			cfg:    Config{Era: Legacy},
			script: lines(initialize("1", "2025-11-25"), initResult("1", "1999-01-01")),
			era:    mcp.Legacy, version: "2025-11-25", err: ErrVersion,
		},
		{
			name:   "initialize is not cancelled",
			cfg:    Config{Era: Legacy},
			script: lines(initialize("1", "2025-11-25")),
			era:    mcp.Legacy, version: "2025-11-25", err: ErrTimeout, took: 60 * time.Second,
		},
		{
			name:   "modern asked for, server knows nothing of it",
			cfg:    Config{Era: Modern},
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`),
			era:    mcp.Modern, version: "2026-07-28", err: &RPCError{Code: -32601, Message: "Method not found"},
		},
		{
			name:   "ping during the handshake is answered",
			script: lines(probe, `< {"jsonrpc":"2.0","id":1,"method":"ping"}`, `> {"jsonrpc":"2.0","id":1,"result":{}}`, discovered),
			era:    mcp.Modern, version: "2026-07-28",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripted(t, c.cfg, c.script, func(ctx context.Context, cl *Client) {
				begin := time.Now()
				err := cl.Handshake(ctx)
				var rpc, want *RPCError
				switch {
				case errors.As(c.err, &want):
					if !errors.As(err, &rpc) || rpc.Error() != want.Error() {
						t.Errorf("error %v, want %v", err, want)
					}
				case !errors.Is(err, c.err):
					t.Errorf("error %v, want %v", err, c.err)
				}
				if took := time.Since(begin); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				if s := cl.Server(); s.Era != c.era || s.Version != c.version {
					t.Errorf("speaks %v %s, want %v %s", s.Era, s.Version, c.era, c.version)
				} else if c.err == nil && s.Era == mcp.Legacy && s.Name != "peer" {
					t.Errorf("server's name is %q", s.Name)
				}
			})
		})
	}
}

// TestConnectFails holds that a failed handshake closes the server's stdin.
func TestConnectFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ended := make(chan error)
		go func() {
			_, err := io.Copy(io.Discard, stdinR)
			stdoutW.Close()
			ended <- err
		}()
		c, err := Connect(ctx, Config{}, stdinW, stdoutR)
		if c != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, %v", c, err)
		}
		if err := <-ended; err != nil {
			t.Errorf("stdin: %v", err)
		}
	})
}

func TestServerHas(t *testing.T) {
	s := Server{Capabilities: []byte(`{"tools":{},"resources":{"subscribe":true,"listChanged":false},"logging":null}`)}
	for path, want := range map[string]bool{
		"tools": true, "resources": true, "resources.subscribe": true, "resources.listChanged": false,
		"logging": false, "prompts": false, "tools.listChanged": false, "": false,
	} {
		if got := s.Has(path); got != want {
			t.Errorf("Has(%q) = %v", path, got)
		}
	}
	if none := (&Server{}); none.Has("tools") {
		t.Error("a server without capabilities has tools")
	}
}
