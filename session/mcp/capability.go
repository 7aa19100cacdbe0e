package mcp

import "time"

// Side is one of the two peers.
type Side uint8

const (
	ServerSide Side = iota
	ClientSide
)

// A Capability is a path in the capability objects of the peers. A present key
// means that the capability is supported, whether its value is {} or more; only
// listChanged and subscribe are booleans. Keys that are not in the table are
// legal.
type Capability struct {
	Side         Side
	Path         string  // Path is the keys from the root, joined by dots.
	Since, Until Version // Since and Until are the first and the last revision that has it.
	Flag         bool    // Flag: its value is a boolean and only true declares it.
}

// In reports whether the capability exists in revision v. In NoVersion every
// capability exists.
func (c *Capability) In(v Version) bool {
	return v == NoVersion || v >= c.Since && v <= c.Until
}

// LookupCapability returns the row of that exact path.
func LookupCapability(side Side, path string) (*Capability, bool) {
	for i := range capabilities {
		if c := &capabilities[i]; c.Side == side && c.Path == path {
			return c, true
		}
	}
	return nil, false
}

// Capabilities returns the table. The rows must not be changed.
func Capabilities() []Capability { return capabilities[:] }

var capabilities = [...]Capability{
	{ServerSide, "experimental", V0, V5, false},
	{ServerSide, "logging", V0, V5, false},
	{ServerSide, "prompts", V0, V5, false},
	{ServerSide, "prompts.listChanged", V0, V5, true},
	{ServerSide, "resources", V0, V5, false},
	{ServerSide, "resources.subscribe", V0, V5, true},
	{ServerSide, "resources.listChanged", V0, V5, true},
	{ServerSide, "tools", V0, V5, false},
	{ServerSide, "tools.listChanged", V0, V5, true},
	{ServerSide, "completions", V2, V5, false},
	{ServerSide, "tasks", V4, V4, false},
	{ServerSide, "tasks.list", V4, V4, false},
	{ServerSide, "tasks.cancel", V4, V4, false},
	{ServerSide, "tasks.requests.tools.call", V4, V4, false},
	{ServerSide, "extensions", V5, V5, false},

	{ClientSide, "experimental", V0, V5, false},
	{ClientSide, "roots", V0, V5, false},
	{ClientSide, "roots.listChanged", V0, V4, true},
	{ClientSide, "sampling", V0, V5, false},
	{ClientSide, "sampling.context", V4, V5, false},
	{ClientSide, "sampling.tools", V4, V5, false},
	{ClientSide, "elicitation", V3, V5, false},
	{ClientSide, "elicitation.form", V4, V5, false},
	{ClientSide, "elicitation.url", V4, V5, false},
	{ClientSide, "tasks", V4, V4, false},
	{ClientSide, "tasks.list", V4, V4, false},
	{ClientSide, "tasks.cancel", V4, V4, false},
	{ClientSide, "tasks.requests.sampling.createMessage", V4, V4, false},
	{ClientSide, "tasks.requests.elicitation.create", V4, V4, false},
	{ClientSide, "extensions", V5, V5, false},
}

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
