package session

// ObsKind is the kind of an Observation.
type ObsKind uint8

const (
	ObsBytes ObsKind = iota // ObsBytes: a chunk was read.
	ObsIO                   // ObsIO: something happened on a stream.
	ObsProc                 // ObsProc: something happened to the process.
	ObsGap                  // ObsGap: chunks were seen and could not be kept.
)

// An Observation is what the tap of a transport saw: a chunk, which is what one
// read returned with its time and stream, or an event. The tap gives them out in
// the order in which they happened. T is nanoseconds since the session began,
// taken where the bytes were read.
type Observation struct {
	Kind   ObsKind
	Conn   int // Conn is the connection, from 1.
	Stream Stream
	Way    Way
	T      int64
	Data   []byte // Data is the chunk, valid until it is given back to the tap.
	IO     IOEvent
	Proc   Proc
	Gap    Gap
}
