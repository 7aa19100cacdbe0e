package session

import (
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Checker watches one session and reports findings. The Analyzer calls it for
// every event, in order, from its own goroutine. What an Event points to is
// valid only during the call; a Checker copies what it stores, and its state is
// bounded.
type Checker interface {
	Check(ev *Event, r Reporter)
}

// Reporter receives the findings and timers of a Checker.
type Reporter interface {
	// Report reports a finding. The Analyzer merges repeats, adds up Count, where 0
	// counts as 1, and sets Last and N.
	Report(f Finding)

	// At requests an event Timer with that key when the session's clock reaches
	// t (nanoseconds of the session), before any later record is judged. Timers
	// after the end of the session never fire.
	At(t int64, conn int, key TimerKey)
}

// A TimerKey is returned to a Checker with its Timer event. Rule names the
// owner, so that checkers do not take each other's timers; Num is free.
type TimerKey struct {
	Rule string
	Num  uint64
}

// EventKind is the kind of an Event.
type EventKind uint8

const (
	// FrameSeen: a frame ended. Lines that may be the beginning of a value on
	// several lines are reported when that is decided.
	FrameSeen EventKind = iota

	// FrameGrew: more bytes of a frame that has not ended, or a line that may
	// continue on the next one. Frame.Len is its length so far.
	FrameGrew

	// FrameStalled: a frame that is a complete JSON value has had no terminator
	// for 500 ms.
	FrameStalled

	// MessageSeen: a message, after its exchange and the era were determined.
	// One frame has any number of them, after its FrameSeen.
	MessageSeen

	// ExchangeGone: a request was still open when its connection ended.
	ExchangeGone

	IOSeen    // IOSeen: something happened on a stream.
	ProcSeen  // ProcSeen: something happened to the process.
	HTTPSeen  // HTTPSeen: something happened to a round trip.
	Timer     // Timer: a time requested with Reporter.At has come.
	ConnEnded // ConnEnded: the connection has ended.

	// ExchangeLate: the timeout passed without a response. It comes once per
	// exchange, at that time, and never for unbounded methods.
	ExchangeLate

	GapSeen // GapSeen: something of the session was not recorded, or cannot be read. A gap that may be of any connection comes with one of them.
)

// An Event is one event, with the state of its connection after it. Fields that
// do not belong to the kind are zero.
type Event struct {
	Kind  EventKind
	T     int64 // T is the session's time, in nanoseconds.
	Lossy bool  // Lossy: records before it are missing, so that not all is known that was said.
	Conn  *Conn
	Frame *Frame // with Frame… and MessageSeen

	Message  *jsonrpc.Message // with MessageSeen
	Match    Match            // with MessageSeen: how a response, or a request's id, was matched
	Exchange *Exchange        // with MessageSeen of a request or a response that was matched, or of a notification that names one that waits (cancelled, progress); and ExchangeGone, ExchangeLate
	Method   *mcp.Method      // with MessageSeen and Exchange…: the method's table row; nil if it is unknown. For a response, its request's.

	IO     IOEvent // with IOSeen
	Stream Stream  // with IOSeen
	Proc   Proc    // with ProcSeen
	Timer  TimerKey
	Gap    Gap        // with GapSeen
	HTTP   *HTTPEvent // with HTTPSeen
	Trip   *Trip      // with HTTPSeen, and with ExchangeGone if its end is the reason. The events of a frame have Frame.Trip.
}

// A Frame is one frame as the analysis sees it.
type Frame struct {
	Row    uint32 // Row is its row in the store.
	N      uint64 // N is its record number.
	Stream Stream
	Way    Way
	T, T1  int64  // T and T1 are when its last and its first byte were read, in nanoseconds of the session.
	Len    int64  // Len is the body's length in bytes.
	Head   []byte // Head is the body's first HeadSize bytes, or all of it.
	Whole  []byte // Whole is all of the body, if the frame has ended, is on one line and has at most MaxWhole bytes; else nil. A message's Spans are offsets in it. For Stderr it is at most HeadSize bytes.
	Term   []byte
	Header bool         // Header: a Content-Length header block.
	Body   bool         // Body: the body after a Content-Length header block, or a body of HTTP.
	Trip   *Trip        // Trip is the round trip whose body has the frame; nil over stdio.
	Syntax []byte       // Syntax is, in an event stream, the bytes before and after the message, at most HeadSize bytes; see framing.EventFields.
	Text   jsonrpc.Text // Text is its analysis as JSON; zero for Stderr frames beyond MaxStderrJSON bytes.

	// Lines is the number of frames of the value that ends with this one,
	// usually 1. First is the row of the first of them. The frames before the
	// last have Part set and no messages.
	Lines int
	First uint32
	Part  bool

	of    uint64 // of is the record that this frame replaces or answers.
	acted bool   // acted: the row has FlagDecided.
	early bool   // early: it has not ended; its messages are settled without events.
}

// HeadSize is how much of any frame's body rules can use, in bytes.
const HeadSize = 4 << 10

// MaxWhole is the maximum length of a body that rules can use completely, in
// bytes. The contents of longer ones are not judged.
const MaxWhole = 1 << 20

// Match is how a message was matched by its id within its connection.
type Match uint8

const (
	MatchNone      Match = iota // MatchNone: not a request or response, or one with an unusable id (null, absent, wrong type).
	MatchNew                    // MatchNew: a request with a new id.
	MatchReused                 // MatchReused: a request whose id its sender used before in this connection, and which was answered or cancelled since.
	MatchClash                  // MatchClash: a request whose id its sender still has outstanding.
	MatchAnswer                 // MatchAnswer: the first response to an outstanding request.
	MatchLate                   // MatchLate: the first response to a request whose timeout had passed.
	MatchCancelled              // MatchCancelled: the first response to a request that was cancelled.
	MatchDuplicate              // MatchDuplicate: a response to an id that was answered before.
	MatchType                   // MatchType: no request has this id, but one has it with the other JSON type, and it was not answered.
	MatchOrphan                 // MatchOrphan: a response to an id that was never asked.
)

// State of an exchange.
type State uint8

const (
	Pending   State = iota // Pending: not answered yet.
	Answered               // Answered: a result came.
	Failed                 // Failed: an error response came.
	Cancelled              // Cancelled: its sender cancelled it, no answer came.
	Lost                   // Lost: its connection ended without an answer.
)

// An Exchange is a request and, once it came, its response. The Analyzer keeps
// open ones, and those that a rule may still need for a while.
type Exchange struct {
	Conn    int
	Sender  Stream // Sender is C2S for the client's requests, S2C for the server's.
	ID      string // ID is the raw text, cut at jsonrpc.MaxCapture bytes.
	Method  string
	Target  string // Target is the tool, prompt or uri.
	Req     uint32 // Req is the request's row.
	ReqN    uint64
	ReqT    int64 // ReqT is when the request's last byte was read.
	State   State
	Resp    uint32 // Resp is the response's row, or NoRow.
	RespT1  int64  // RespT1 and RespT are when its first and its last byte were read.
	RespT   int64
	Cancel  int64 // Cancel is when it was cancelled, 0 = not.
	Late    bool  // Late: the timeout passed before the response, or has passed now.
	Era     mcp.Era
	Version mcp.Version

	ProgressToken string // ProgressToken is its raw text, empty = none.
	Progress      int    // Progress counts the progress notifications that named the token.
	LastProgress  int64
	LastNote      uint32  // LastNote is the row of the latest one, if Progress is above 0.
	Done, Total   float64 // Done and Total are its values; 0 = absent.

	Way Way // Way is the request's: WayOut if it was injected by the user of a tee.

	// Acted: one of its messages was held, altered, answered or dropped on the way, so
	// that its time and its outcome are not those of its peers alone.
	Acted bool

	Kept bool  // Kept: the request came, and has not gone on: it is held here, or was dropped.
	Went int64 // Went is when the request went on that was held or altered here; 0 = it was not, or has not gone on.

	Operation uint64 // Operation is its operation; exchanges of one operation share it.

	at uint32 // at is its place among those that the Analyzer stores.
}

// Phase is the progress of a connection in choosing an era (mcp-protocol §1.7).
type Phase uint8

const (
	PhaseNew        Phase = iota // PhaseNew: nothing decisive was seen.
	PhaseProbing                 // PhaseProbing: server/discover was sent, nothing else.
	PhaseInitialize              // PhaseInitialize: initialize was sent, its result not seen.
	PhaseLegacy                  // PhaseLegacy: initialize was answered.
	PhaseModern                  // PhaseModern: a request with a modern _meta, or a modern answer to the probe.
)

// A ConnState is the part of a Conn that changes in ways that its rows do not show.
type ConnState struct {
	Phase       Phase
	Era         mcp.Era     // Era is the client's current era.
	Version     mcp.Version // Version in effect: that of the initialize result, or of the latest modern request. NoVersion before it is known.
	VersionText string      // VersionText is the version as written, even if it was never published.

	// ServerModern and ServerLegacy are evidence of the server's era: a response
	// that only such a server sends (mcp-protocol §1.7).
	ServerModern, ServerLegacy bool

	Initialized bool  // Initialized: the client sent notifications/initialized.
	ProbeT      int64 // ProbeT is when server/discover was sent first; 0 = never.
	ProbeDone   bool  // ProbeDone: it was answered.
	People      int64 // People is when a person last answered a question of the server, 0 = never.
	Ended       bool
}

// A Conn is the state of one connection. It belongs to the Analyzer; a Checker
// reads it during its call.
type Conn struct {
	ID   int
	Ours bool // Ours: the client is wiretea itself, controlled by its user.
	ConnState

	Session     string // Session is the short name of its MCP session, from the id's hash; empty for none.
	Probe       bool   // Probe: its round trips are probes of wiretea's, so that no rule judges it.
	Trips       int64  // Trips counts the round trips of HTTP.
	OpenTrips   int    // OpenTrips counts those that have not ended,
	OpenStreams int    // and OpenStreams those of them whose response is an event stream.
	TripT       int64  // TripT is when the latest head of them, or text between the events of a stream, came; 0 = never.

	Failed    bool // Failed: the process could not be started.
	Started   bool // Started: a start of the process was recorded.
	StartT    int64
	PID       int
	Exited    bool
	ExitT     int64
	ExitRow   uint32 // ExitRow is the row of its exit, where it has Exited.
	ExitCode  int
	ExitSig   string
	StdinEOF  int64          // StdinEOF is when the client's end closed the server's stdin, 0 = open.
	StdoutEOF int64          // StdoutEOF is when the server's stdout ended, 0 = open.
	Signals   []Proc         // Signals are those that were sent before the process exited, in order, at most 64.
	First     [3]int64       // First is when each stream's first byte came, -1 = nothing yet.
	LastT     [3]int64       // LastT is when each stream's latest byte came, -1 = nothing yet.
	Frames    [3]int64       // Frames counts the frames of each stream.
	Bytes     [3]int64       // Bytes counts the bytes of each stream, terminators included.
	Gaps      [3]bool        // Gaps are the streams with missing bytes, whose content is unknown.
	Limits    Limits         // Limits in force.
	Open      [2][]*Exchange // Open are the exchanges that wait, by sender (C2S, S2C), oldest first; of more than 65,536 the latest ones.
}
