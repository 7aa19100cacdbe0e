package session

import "time"

// RecordKind is the kind of one record of a session, "k" in the session file.
type RecordKind uint8

const (
	RecUnknown RecordKind = iota // RecUnknown is a record of a later version: preserved, not understood.
	RecHeader                    // RecHeader opens the file.
	RecFrame                     // RecFrame is one frame.
	RecRaw                       // RecRaw is bytes of a stream that the writer did not frame.
	RecIO                        // RecIO is an event on a stream.
	RecProc                      // RecProc is an event of the server process.
	RecClock                     // RecClock is the wall time at T.
	RecGap                       // RecGap means that bytes are missing.
	RecEnd                       // RecEnd closes the file.
	RecHTTP                      // RecHTTP is an event of a round trip.
	RecPath                      // RecPath is an event of what decides on messages.
	RecOver                      // RecOver says, in a merged log, that the log of a session has ended.
)

// A Record is one record of a session, in the order in which things happened.
// Readers reuse it: Body and Term are valid until the next record is read.
type Record struct {
	Kind RecordKind
	N    uint64 // N increases strictly through the file.
	Off  int64  // Off is the byte offset of the record's line in the Log.
	Size int64  // Size is the length of that line in bytes, line feed included.
	Conn int    // Conn is the connection, from 1; of a gap 0 if it is not known which.
	In   int    // In is the session of a merged log, from 1; 0 = the log is that of one session.
	Trip int    // Trip is the round trip that a frame, raw bytes, a gap or an HTTP event belongs to, from 1; 0 = none.
	T    int64  // T is when the last byte was read, in nanoseconds since the header's T0.

	// Again: it is from an earlier file of a ring, and repeated so that what
	// follows can be understood. It is not part of its stream here.
	Again bool

	// Frames and raw bytes.
	Stream Stream
	T1     int64  // T1 is when the first byte was read; equal to T if they do not differ.
	Body   []byte // Body is the frame's body, or the raw bytes.
	Term   []byte // Term is the frame's terminator.
	Pre    []byte // Pre is what an event stream has before the body, and belongs to the same event.
	Post   []byte // Post is what it has behind it, the empty line included; empty where the stream ended in the event.
	Mid    []Cut  // Mid is what it has within the body: where the message is spread over several lines.
	Way    Way
	Of     uint64 // Of is the N of the frame that this one replaces or answers; 0 = none.
	By     string // By is who decided what becomes of the frame; empty = nobody.

	Decoded *Decoded // Decoded is what a Decoder found in the frame's body; nil = Add decodes it.

	Header *Header // with RecHeader
	IO     IOEvent // with RecIO
	Proc   Proc    // with RecProc
	Wall   time.Time
	Gap    Gap        // with RecGap
	HTTP   *HTTPEvent // with RecHTTP
	Path   PathEvent  // with RecPath
	End    End        // with RecEnd
}

// A Cut is a text that was before the byte Off of a body and is not in it.
type Cut struct {
	Off  int
	Text string
}

// Header is the first record of a session file.
type Header struct {
	Format  string    `json:"fmt"`  // Format is "mcpcap".
	Version int       `json:"v"`    // Version of the format that wrote the file.
	MinVer  int       `json:"minv"` // MinVer is the least version a reader must know.
	SID     string    `json:"sid"`  // SID identifies the session: 16 random bytes in hex.
	Tool    string    `json:"tool"` // Tool is the writer, "wiretea/0.1.0".
	T0      time.Time `json:"t0"`   // T0 is the wall time of T = 0.
	Mode    string    `json:"mode"` // Mode is run, tee or proxy.
	Trans   string    `json:"tr"`   // Trans is the transport: stdio or http.
	Name    string    `json:"name"` // Name is the user's name for the server; empty for none.
	Cmd     []string  `json:"cmd"`  // Cmd is the server's argv.
	URL     string    `json:"url"`  // URL is the server's, without userinfo and the values of its query; empty for a process.
	Cwd     string    `json:"cwd"`
	EnvKeys []string  `json:"envk"` // EnvKeys are the names of changed environment variables, never their values.
	As      []string  `json:"as"`   // As are the options with which wiretea call becomes the same client as in this session: --root, /home/ann. None if the client was not wiretea.
	PPID    int       `json:"ppid"`
	Via     string    `json:"via"`     // Via is the URL under which a live proxy serves the server; empty = none.
	Sock    string    `json:"sock"`    // Sock is the control socket's path; empty = none.
	Part    int       `json:"part"`    // Part is the file's number in a ring, from 1; 0 = the session has one file.
	Members []string  `json:"members"` // Members are the names of the sessions of a merged log.
	Limits  Limits    `json:"lim"`     // Limits are the limits in force, so that a later reader judges alike.
}

// Server returns what names the server on a command line: its command, or its URL; nil
// where neither is known.
func (h *Header) Server() []string {
	if len(h.Cmd) == 0 && h.URL != "" {
		return []string{h.URL}
	}
	return h.Cmd
}

// Limits are the thresholds of time and size rules. Zero fields mean the
// default; see DefaultLimits.
type Limits struct {
	Timeout  time.Duration            `json:"timeout"`  // Timeout is when a client gives up a request.
	Timeouts map[string]time.Duration `json:"timeouts"` // Timeouts override Timeout by method.
	MaxLine  int64                    `json:"maxline"`  // MaxLine is the line length, in bytes, that is an error.
	Lines    []int64                  `json:"lines"`    // Lines are the ascending line lengths, in bytes, worth an info.
}

// DefaultLimits returns the limits of common clients: 60 s for a request, 10
// MiB for a line (TypeScript SDK 2 closes the transport), infos at 64 KiB, 1
// MiB and 8 MiB.
func DefaultLimits() Limits {
	return Limits{
		Timeout: 60 * time.Second,
		MaxLine: 10 << 20,
		Lines:   []int64{64 << 10, 1 << 20, 8 << 20},
	}
}

// For returns the timeout for a method.
func (l Limits) For(method string) time.Duration {
	if d, ok := l.Timeouts[method]; ok {
		return d
	}
	if l.Timeout > 0 {
		return l.Timeout
	}
	return DefaultLimits().Timeout
}

// IOEvent is an event of a stream.
type IOEvent struct {
	Event string `json:"ev"`    // Event is eof, closed, blocked, unblocked, epipe or released.
	Side  string `json:"side"`  // Side is client or server: the end at which it happened.
	Bytes int64  `json:"bytes"` // Bytes waiting, with blocked and epipe; bytes forwarded before the line's end, with released.
}

// Proc is an event of the server process.
type Proc struct {
	Event  string   `json:"ev"`   // Event is start, exit, signal, orphans or failed.
	PID    int      `json:"pid"`  // PID of the process, with start.
	FDs    []string `json:"fds"`  // FDs are the kinds of descriptors 0, 1, 2, with start: pipe, socket, file, tty.
	Code   int      `json:"code"` // Code is the exit code, with exit; -1 if a signal ended it.
	Signal string   `json:"sig"`  // Signal is its name, with signal and exit: "SIGTERM".
	By     string   `json:"by"`   // By says who sent the signal: us, client, other, fault.
	PIDs   []int    `json:"pids"` // PIDs of the remaining processes, with orphans.
	Err    string   `json:"err"`  // Err is why it could not be started, with failed.
	Why    string   `json:"why"`  // Why is why the server is started once more, with start, in words; empty the first time, and where that is not known.
}

// A PathEvent is an event of what decides on messages: a policy, faults, a person.
type PathEvent struct {
	Event string `json:"ev"`   // Event is on, changed, broken or off; or cut: a fault has acted on the connection itself.
	What  string `json:"what"` // What is what decides: policy.
	Text  string `json:"text"` // Text says more: the rules that are in force, or why they could not be read.
}

// PathCut is the event of a fault that has acted on the connection itself: what its peers do
// then may be the fault's consequence.
const PathCut = "cut"

// PathBroken is the event of a file that was changed and cannot be used: what was in force
// stays in force.
const PathBroken = "broken"

// Gap means that bytes were seen and not stored.
type Gap struct {
	Stream Stream `json:"-"` // Stream is the stream that lacks them, or AnyStream.
	Bytes  int64  `json:"bytes"`
	Frames int64  `json:"frames"` // Frames is the number of missing frames; -1 = unknown.
	Lines  int64  `json:"lines"`  // Lines, with Why "damage", are the lines of the file that are not records.
	Why    string `json:"why"`    // Why is "memory", "disk", "tail", "damage", "torn" or "ring".
}

// End closes a session file.
type End struct {
	Frames int64  `json:"frames"`
	Bytes  int64  `json:"bytes"`
	Lost   int64  `json:"lost"` // Lost counts the bytes of all gaps.
	Why    string `json:"why"`  // Why is eof, exit, signal, quit or error.
}

// WireSize is the length of a frame or of raw bytes as they crossed, in bytes.
func (r *Record) WireSize() int64 {
	n := len(r.Pre) + len(r.Body) + len(r.Post) + len(r.Term)
	for _, c := range r.Mid {
		n += len(c.Text)
	}
	return int64(n)
}
