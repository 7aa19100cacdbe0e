package mcp

import "time"

// A KnownClient has the known limits of a client implementation. They are not
// part of the specification: they were measured or read from source in autumn
// 2026. Zero means that it has no such limit, or that it is unknown.
type KnownClient struct {
	Name    string
	MaxLine int64         // MaxLine is the line length, in bytes, at which it closes the connection.
	Result  int64         // Result is the size of a tool result, in bytes, from which it refuses the result.
	Timeout time.Duration // Timeout is after how long it gives up a request.
	Start   time.Duration // Start is how long it waits for a server to start.

	// Probe: it sends server/discover first. ProbeTimeout is how long it waits
	// for the response before it falls back to initialize. Sibling: it probes
	// with a separate process that it ends afterwards.
	Probe        bool
	ProbeTimeout time.Duration
	Sibling      bool

	// EOFGrace and TermGrace are how long it waits after closing the server's
	// standard input, and after SIGTERM, before it takes the next step.
	EOFGrace, TermGrace time.Duration
}

// Clients returns the table. The rows must not be changed.
func Clients() []KnownClient { return clients[:] }

var clients = [...]KnownClient{
	{Name: "TypeScript SDK 1", MaxLine: 10 << 20, Timeout: 60 * time.Second, EOFGrace: 2 * time.Second, TermGrace: 2 * time.Second},
	{Name: "TypeScript SDK 2", MaxLine: 10 << 20, Timeout: 60 * time.Second, EOFGrace: 2 * time.Second, TermGrace: 2 * time.Second},
	{Name: "TypeScript SDK 2 (auto)", MaxLine: 10 << 20, Timeout: 60 * time.Second, Probe: true, ProbeTimeout: 60 * time.Second, Sibling: true, EOFGrace: 2 * time.Second, TermGrace: 2 * time.Second},
	{Name: "Python SDK 1", EOFGrace: 2 * time.Second, TermGrace: 2 * time.Second},
	{Name: "Python SDK 2", Probe: true, ProbeTimeout: 10 * time.Second, EOFGrace: 2 * time.Second, TermGrace: 2 * time.Second},
	{Name: "Go SDK", Probe: true, EOFGrace: 5 * time.Second, TermGrace: 5 * time.Second},
	{Name: "rmcp 3", Probe: true, ProbeTimeout: 10 * time.Second, EOFGrace: 3 * time.Second},
	{Name: "C# SDK 2", Start: 60 * time.Second, Probe: true, ProbeTimeout: 5 * time.Second},
	{Name: "Codex", MaxLine: 8 << 20},
	{Name: "Claude Desktop", Result: 1 << 20, Timeout: 60 * time.Second},
	{Name: "Go programs with bufio.Scanner", MaxLine: 64 << 10},
	{Name: "Python programs with asyncio readline", MaxLine: 64 << 10},
}
