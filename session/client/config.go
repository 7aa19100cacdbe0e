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

// Options of Do. The zero value is a plain request.
//
// Its functions are called in Do's own goroutine, one at a time and in the order in
// which the notifications came; all have returned when Do does. A slow one delays only
// this operation. If more than 1024 notifications wait for it the oldest are dropped;
// the recording has them.
type Options struct {
	// Timeout is how long the answer to each leg may take. 0 = what
	// Config.Timeout says, negative = no limit. It does not run while the server
	// waits for us to answer a question.
	Timeout time.Duration

	// Progress is given the progress of the operation. A progress token of ours
	// is sent for it, unless params have one already, which is then used. nil = no
	// token is sent.
	Progress func(Progress)

	// Log is given the log messages that came during the operation.
	Log func(LogMessage)

	// LogLevel asks for log messages of that level and above for this request
	// alone, in the modern era; empty = what SetLogLevel said.
	LogLevel string

	// Task asks the server to run the request as a task, and Do follows the task
	// to its end. nil = it does not.
	Task *TaskOptions
}

// TaskOptions are how a request is run as a task. In the legacy era (2025-11-25)
// the request asks for it; in the modern era it declares that it can be run as
// one, and the server decides: an answer at once is as good.
type TaskOptions struct {
	TTL time.Duration // TTL is how long the server should keep the task, legacy only; 0 = it decides.

	// Status is given each state in which the task was seen, when it differs
	// from the one before. It is called as the functions of Options are.
	Status func(Task)
}

// Progress is one progress notification.
type Progress struct {
	Progress float64
	Total    float64 // Total is 0 where there is none.
	Message  string
	Params   json.RawMessage // Params is all of it, verbatim.
	At       time.Time
}

// A LogMessage is one log message of a server.
type LogMessage struct {
	Level  string
	Logger string
	Data   json.RawMessage // Data is verbatim, of any JSON type.
	At     time.Time

	// Alone says that no other operation was running. Servers do not say which request a
	// message belongs to: it is certain only then.
	Alone bool
}

// A Reply is the answer to a request, as it came.
type Reply struct {
	// Result and Error are the response's result and error, verbatim; one of
	// them is set, or both by a server that sends both. Of a task they are those
	// of the request that it ran.
	Result, Error json.RawMessage

	// Legs are the exchanges of the operation, in order: one, or one for each
	// time that the server had the request repeated with more input, or those of
	// a task.
	Legs []Leg

	Task *Task // Task is the state of the task when it was last seen; nil = there was none.

	Sent     time.Time // Sent is when the first leg was handed to the writer.
	Received time.Time // Received is when the last answer had been read.

	withdrawn bool // withdrawn: the last leg of a Guest's was cancelled before it was answered.
}

// A Leg is one exchange of an operation, or several polls of a task in a row.
type Leg struct {
	Method string
	ID     string // ID is the raw text of the request id, of the last poll.
	Polls  int    // Polls counts polls that are taken together; 0 = one exchange.

	Sent     time.Time // Sent is when it was handed to the writer, of the first poll.
	Received time.Time // Received is when its answer had been read, of the last poll; zero = none came.

	// Asked is how long we took to answer the questions in its answer.
	Asked time.Duration
}
