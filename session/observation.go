package session

// ObsKind is the kind of an Observation.
type ObsKind uint8

const (
	ObsBytes   ObsKind = iota // ObsBytes: a chunk was read.
	ObsIO                     // ObsIO: something happened on a stream.
	ObsProc                   // ObsProc: something happened to the process.
	ObsGap                    // ObsGap: chunks were seen and could not be stored.
	ObsHTTP                   // ObsHTTP: something happened to a round trip.
	ObsDecided                // ObsDecided: the chunk that follows was decided on.
	ObsPath                   // ObsPath: something that decides on messages was switched on, changed or failed.
)

// An Observation is what the tap of a transport saw: a chunk, which is the
// result of one read with its time and stream, or an event. The tap returns
// them in the order in which they happened. T is nanoseconds since the session
// began, taken when the bytes were read.
type Observation struct {
	Kind   ObsKind
	Conn   int // Conn is the connection, from 1; 0 for what belongs to a round trip.
	Trip   int // Trip is the round trip, from 1; 0 for what belongs to a connection.
	Stream Stream
	Way    Way
	T      int64
	Data   []byte // Data is the chunk, valid until it is returned to the tap.
	IO     IOEvent
	Proc   Proc
	Gap    Gap
	HTTP   *HTTPEvent // HTTP is set with ObsHTTP, and belongs to the consumer.

	Decided Decided   // Decided is set with ObsDecided.
	Path    PathEvent // Path is set with ObsPath.
}

// What follows a rule of a policy, in who decided on a message, while it waits for a person.
const (
	ByAsked = "; asked" // ByAsked: the rule asks whether it may go on.
	ByHeld  = "; held"  // ByHeld: the rule holds it.
)

// ByFollowed says, behind "hold: ", that a message is the response to a request that was held, and
// is held for that.
const ByFollowed = "the response to a held request"

// A Decided says of bytes who decided what becomes of them, and which others they replace
// or answer.
type Decided struct {
	By   string // By is who decided: "policy: no-shell".
	Mark int64  // Mark names these bytes for Of; 0 = nothing refers to them.
	Of   int64  // Of is the mark of the bytes that these replace or answer; 0 = none.
}
