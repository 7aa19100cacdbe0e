package recorder

// Liveness says whether a process is still writing a session file.
type Liveness uint8

const (
	LivenessUnknown Liveness = iota // LivenessUnknown: locks do not work on this file system.
	Live                            // Live: a writer holds the file's lock.
	NotLive                         // NotLive: the lock is free.
)

// String returns live, ended or unknown.
func (l Liveness) String() string {
	switch l {
	case Live:
		return "live"
	case NotLive:
		return "ended"
	}
	return "unknown"
}
