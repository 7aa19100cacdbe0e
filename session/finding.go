package session

import "slices"

// Severity of a finding. The zero value is none.
type Severity uint8

const (
	NoSeverity Severity = iota
	Info                // Info is legal but worth showing.
	Warning             // Warning breaks a SHOULD, or a common client.
	Error               // Error breaks a MUST, or kills a mainstream peer.
)

// ParseSeverity returns the severity of that word; "warn" is taken for warning.
func ParseSeverity(word string) (Severity, bool) {
	if word == "warn" {
		word = "warning"
	}
	i := slices.Index(severityWords, word)
	return Severity(max(0, i)), i > 0
}

// Fault is the side that must change its code.
type Fault uint8

const (
	Nobody Fault = iota
	Client
	Server
	Intermediary // Intermediary is what stands between the two: a reverse proxy, a load balancer, a content delivery network.
)

// Sender returns the side that writes to a stream.
func (s Stream) Sender() Fault {
	if s == C2S {
		return Client
	}
	return Server
}

// NoRow means "no frame" in place of a row number.
const NoRow = ^uint32(0)

// A Finding is what a rule reports. Repeats of a rule with the same connection,
// fault and Key are one Finding with a Count.
type Finding struct {
	Rule     string // Rule is the id: "stdout-not-json".
	Severity Severity
	Fault    Fault
	Conn     int
	Row      uint32 // Row is its first frame, or NoRow.
	Last     uint32 // Last is its latest frame.
	N        uint64 // N is the record number of Row's frame, 0 = none.
	Count    int    // Count is at least 1.
	T        int64  // T is when it first held, in nanoseconds of the session.
	Key      string // Key distinguishes findings of one rule that must not be merged; never shown.
	Message  string // Message is one line: what is wrong here, with the values that show it.
	Alone    bool   `json:"-"` // Alone: it is wrong with one message by itself, whatever came before it.
	Timed    bool   `json:"-"` // Timed: it is about how long something took.
	Begun    int64  `json:"-"` // Begun is, with Timed, when the time began that it is about; 0 = with the request.
	Running  bool   `json:"-"` // Running: Message speaks of all reports until then, so that only the latest counts.
	Hint     string // Hint is one line: what to change.
	Ref      string // Ref is the URL of the violated text; empty for a fact about implementations.
	Breaks   []string
}

// Keyed returns the finding with another Key.
func (f Finding) Keyed(key string) Finding {
	f.Key = key
	return f
}

// Since returns the finding as one about the time that began at t. It does not count if anything
// was decided on here in that time.
func (f Finding) Since(t int64) Finding {
	f.Timed, f.Begun = true, max(1, t)
	return f
}

// Graded returns the finding with another severity.
func (f Finding) Graded(s Severity) Finding {
	f.Severity = s
	return f
}

// AtRow returns the finding at another frame, which the session has in that row.
func (f Finding) AtRow(row uint32) Finding {
	f.Row, f.N = row, 0
	return f
}
