package client

import (
	"encoding/json"
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/mcp"
)

// EraChoice says how the client finds out which era to speak.
type EraChoice uint8

const (
	Auto   EraChoice = iota // Auto asks with server/discover and falls back to initialize on the same process.
	Legacy                  // Legacy sends initialize.
	Modern                  // Modern stamps each request, and never initializes.
)

var eraWords = [...]string{Auto: "auto", Legacy: "legacy", Modern: "modern"}

// String returns auto, legacy or modern.
func (e EraChoice) String() string { return eraWords[e] }

// ParseEra returns the choice of that word.
func ParseEra(word string) (EraChoice, bool) {
	i := slices.Index(eraWords[:], word)
	return EraChoice(max(i, 0)), i >= 0
}

// Framing is how messages are written to the server. Both forms are understood when
// reading.
type Framing uint8

const (
	AutoFraming   Framing = iota // AutoFraming is NDJSON; whoever starts the server may start it again with ContentLength.
	NDJSON                       // NDJSON writes one message a line, as the protocol demands.
	ContentLength                // ContentLength writes header blocks as LSP does, for servers that know nothing else.
)

// FramingWords are the words of the framings, in their order.
var FramingWords = []string{AutoFraming: "auto", NDJSON: "ndjson", ContentLength: "content-length"}

// ParseFraming returns the framing of one of FramingWords.
func ParseFraming(word string) (Framing, bool) {
	i := slices.Index(FramingWords, word)
	return Framing(max(i, 0)), i >= 0
}

// DefaultProbeTimeout is how long a server may take to answer the probe, 10 s
// as in the Python SDK and rmcp.
const DefaultProbeTimeout = 10 * time.Second

// NoTimeout is returned by Config.Timeout for a request without a time limit.
const NoTimeout time.Duration = -1

// Config says how to speak to a server. Its zero value is the usual one.
type Config struct {
	Era EraChoice

	// ProtocolVersion is the revision to ask for; empty = the latest of the era.
	// With Auto, a published revision decides the era, and nothing is probed.
	ProtocolVersion string

	Name, Version string // Name and Version are what clientInfo says; empty = "wiretea", "dev".

	// ClientInfo is the JSON object sent as clientInfo, as it is; empty = Name
	// and Version.
	ClientInfo json.RawMessage

	// Sampling, Form and URL answer the server's questions: sampling/createMessage,
	// and elicitation/create of either mode. nil = the capability is not declared,
	// and the question refused.
	Sampling, Form, URL Asker

	// SamplingTools declares that Sampling can answer with the use of tools.
	SamplingTools bool

	// Roots are the folders in the answer to roots/list: paths, made absolute, or
	// file:// URIs. The roots capability is declared only if there are any, or AskRoots
	// is set, which answers in their place.
	Roots    []string
	AskRoots Asker

	// Capabilities is the JSON object sent as the client's capabilities, as it is;
	// empty = those of the fields above, in the form of the requested version.
	Capabilities json.RawMessage

	// Timeout returns how long a request of that method may take. 0 = the
	// default, 60 s and none for methods that wait for people or stay open;
	// negative = no limit. A nil Timeout is the default for all.
	Timeout func(method string) time.Duration

	ProbeTimeout time.Duration // ProbeTimeout limits the probe; 0 = DefaultProbeTimeout.
	Framing      Framing
}

// timeout returns the time limit of a request; 0 = none.
func (c *Config) timeout(method string) time.Duration {
	var d time.Duration
	if c.Timeout != nil {
		d = c.Timeout(method)
	}
	switch {
	case d < 0:
		return 0
	case d > 0:
		return d
	}
	if m, ok := mcp.Lookup(method); ok && m.Unbounded {
		return 0
	}
	return session.DefaultLimits().For(method)
}
