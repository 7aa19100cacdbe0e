package diff

import (
	"encoding/json"
	"time"
)

// A Part is one of the things that are compared.
type Part string

// The parts, in the order in which a report has them.
const (
	Peers         Part = "peers"         // Peers: names, versions, protocol, instructions.
	Capabilities  Part = "capabilities"  // Capabilities of both sides.
	Tools         Part = "tools"         // Tools that the server lists.
	Prompts       Part = "prompts"       // Prompts that it lists.
	Resources     Part = "resources"     // Resources and templates of them that it lists.
	Calls         Part = "calls"         // Calls: what was asked and answered, by either side.
	Notifications Part = "notifications" // Notifications, by their number.
	Findings      Part = "findings"      // Findings that are new, or gone.
	Process       Part = "process"       // Process: how the server ended.
	Latencies     Part = "latency"       // Latencies by method.
)

// Parts are all parts, in the order of a report.
var Parts = []Part{Peers, Capabilities, Tools, Prompts, Resources, Calls, Notifications, Findings, Process, Latencies}

// Kind is how something differs.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// A Change is one difference between two values.
type Change struct {
	Kind  Kind            `json:"kind"`
	Path  string          `json:"path"` // Path within the value, as jq writes it; "." is the whole.
	Old   json.RawMessage `json:"old,omitempty"`
	New   json.RawMessage `json:"new,omitempty"`
	Prose bool            `json:"prose,omitempty"` // Prose: it is a text for the model.
}

// A Field is a value by its name, where the two differ. Empty = there is none.
type Field struct {
	Name  string `json:"name"`
	A     string `json:"a"`
	B     string `json:"b"`
	Prose bool   `json:"prose,omitempty"` // Prose: it is a text for the model.
}

// A CapabilityChange is a difference in what a side has declared.
type CapabilityChange struct {
	Side string `json:"side"` // Side is client or server.
	Change
}

// A Call is a call that differs, or that only one has.
type Call struct {
	Kind    Kind            `json:"kind"` // Kind is removed where only the first has it, added where only the second has.
	Sender  string          `json:"sender"`
	Method  string          `json:"method"`
	Target  string          `json:"target,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	A       *Ending         `json:"a,omitempty"`
	B       *Ending         `json:"b,omitempty"`
	Asked   []Change        `json:"asked,omitempty"`   // Asked is how the parameters differ: it was not the same call.
	Changes []Change        `json:"changes,omitempty"` // Changes of the answer.
	Count   int             `json:"count"`             // Count is how many calls differ just so.
}

// An Ending is how a call ended.
type Ending struct {
	Frame   uint64 `json:"frame"`             // Frame is the request's number in its recording.
	Answer  uint64 `json:"answer,omitempty"`  // Answer is the answer's.
	Outcome string `json:"outcome"`           // Outcome is result, tool error, error, cancelled or no answer.
	Code    string `json:"code,omitempty"`    // Code of an error.
	Message string `json:"message,omitempty"` // Message of an error, or what a tool says of its own.
}

// A Count is how often there was a notification.
type Count struct {
	Sender string `json:"sender"`
	Method string `json:"method"`
	A      int64  `json:"a"`
	B      int64  `json:"b"`
}

// A Finding is what one recording has and the other has not.
type Finding struct {
	Kind     Kind   `json:"kind"` // Kind is added for a new one, removed for one that is gone.
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Fault    string `json:"fault"`
	Frame    uint64 `json:"frame"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

// A Latency is what is known of how long a method took in both recordings.
type Latency struct {
	Method  string        `json:"method"`
	Target  string        `json:"target,omitempty"`
	NA      int           `json:"nA"` // NA and NB are how many calls were answered.
	NB      int           `json:"nB"`
	MedianA time.Duration `json:"medianA"` // Medians in nanoseconds.
	MedianB time.Duration `json:"medianB"`
	P       float64       `json:"p"` // P is the rank sum test's, corrected for the number of tests; 1 where there was none.
	Verdict Verdict       `json:"verdict"`
	Counts  bool          `json:"counts,omitempty"` // Counts: it is a difference, as asked for.
}

// A Report is what differs between two recordings.
type Report struct {
	A             Summary            `json:"a"`
	B             Summary            `json:"b"`
	Same          bool               `json:"same"` // Same: nothing that counts differs.
	Differences   int                `json:"differences"`
	Peers         []Field            `json:"peers,omitempty"`
	Capabilities  []CapabilityChange `json:"capabilities,omitempty"`
	Lists         []Item             `json:"lists,omitempty"`   // Lists are tools, prompts, resources and templates.
	Context       *Context           `json:"context,omitempty"` // Context is nil where one of them listed no tools, or none has changed.
	Calls         []Call             `json:"calls,omitempty"`
	MoreCalls     int                `json:"moreCalls,omitempty"` // MoreCalls counts those that differ beyond MaxCalls kinds.
	Paired        int                `json:"pairedCalls"`         // Paired counts the calls that both have.
	Notifications []Count            `json:"notifications,omitempty"`
	Findings      []Finding          `json:"findings,omitempty"`
	Process       []Field            `json:"process,omitempty"`
	Latencies     []Latency          `json:"latency,omitempty"`
}

// MaxCalls is the number of calls that differ and are listed.
const MaxCalls = 200
