package session

import (
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Checker watches one session and reports findings. The Analyzer calls it for
// every event, in order, from its own goroutine. What an Event points to is
// valid during the call only; a Checker copies what it keeps, and what it keeps
// is bounded.
type Checker interface {
	Check(ev *Event, r Reporter)
}

// Reporter takes findings and wake-up calls from a Checker.
type Reporter interface {
	// Report files a finding. The Analyzer merges repeats; Count, Last and N
	// are its business.
	Report(f Finding)

	// At asks for an event Timer with that key once the session's clock reaches
	// t (nanoseconds of the session), before any later record is judged. Timers
	// that the session does not live to see never fire.
	At(t int64, conn int, key TimerKey)
}

// A TimerKey is what a Checker gets back with its Timer event. Rule names the
// owner so that checkers do not take each other's calls; Num is free.
type TimerKey struct {
	Rule string
	Num  uint64
}

// EventKind is the kind of an Event.
type EventKind uint8

const (
	// FrameSeen: a frame ended. Lines that may be the beginning of one value
	// spread over several lines are reported when that is decided.
	FrameSeen EventKind = iota

	// FrameGrew: more bytes of a frame that has not ended, or a line of which it
	// is open whether it goes on on the next one. Frame.Len is its length so far.
	FrameGrew

	// FrameStalled: a frame that already is a complete JSON value has stood
	// without terminator for 500 ms.
	FrameStalled

	// MessageSeen: a message, after its exchange and the era were settled. One
	// frame has any number of them, after its FrameSeen.
	MessageSeen

	// ExchangeGone: a request was still open when its connection ended.
	ExchangeGone

	IOSeen    // IOSeen: something happened on a stream.
	ProcSeen  // ProcSeen: something happened to the process.
	Timer     // Timer: a time asked for with Reporter.At has come.
	ConnEnded // ConnEnded: the connection is over, nothing more comes from it.

	// ExchangeLate: the timeout in force passed, and there is no answer. It comes
	// once for an exchange, at that time, and never for unbounded methods.
	ExchangeLate
)

// An Event is one thing that happened, with the state of its connection after
// it. Fields that do not belong to the kind are zero.
type Event struct {
	Kind  EventKind
	T     int64 // T is the session's time, in nanoseconds.
	Conn  *Conn
	Frame *Frame // with Frame… and MessageSeen

	Message  *jsonrpc.Message // with MessageSeen
	Match    Match            // with MessageSeen: how a response, or a request's id, found its like
	Exchange *Exchange        // with MessageSeen of a request or a response that was matched, or of a notification that names one that waits (cancelled, progress); and ExchangeGone, ExchangeLate
	Method   *mcp.Method      // with MessageSeen and Exchange…: the method's table row; nil where it is not known. For a response, its request's.

	IO     IOEvent // with IOSeen
	Stream Stream  // with IOSeen
	Proc   Proc    // with ProcSeen
	Timer  TimerKey
}

// A Frame is one frame as the analysis sees it.
type Frame struct {
	Row    uint32 // Row is its place in the store.
	N      uint64 // N is its record number.
	Stream Stream
	Way    Way
	T, T1  int64  // T and T1 are when its last and its first byte were read, in nanoseconds of the session.
	Len    int64  // Len is the body's length in bytes.
	Head   []byte // Head is the body's first HeadSize bytes, or all of it.
	Whole  []byte // Whole is all of the body, where the frame has ended, stands on one line and has at most MaxWhole bytes; else nil. A message's Spans are places in it. Of Stderr it is HeadSize bytes at most.
	Term   []byte
	Header bool         // Header: a Content-Length header block.
	Body   bool         // Body: what a Content-Length header block announced.
	Text   jsonrpc.Text // Text is what is known of it as JSON; zero for Stderr frames beyond MaxStderrJSON bytes.

	// Lines is over how many frames a value is spread that ends with this one:
	// 1 nearly always. First is the row of the first of them. The frames before
	// the last have Part set and bring no messages.
	Lines int
	First uint32
	Part  bool

	of    uint64 // of is the record that this frame replaces or answers.
	early bool   // early: it has not ended; its messages are settled without events.
}

// HeadSize is how much of any frame's body rules can look at, in bytes.
const HeadSize = 4 << 10

// MaxWhole is how long a frame's body may be, in bytes, for rules to look at all
// of it. What is in longer ones is not judged.
const MaxWhole = 1 << 20

// Match says how a message found its like among the ids of its connection.
type Match uint8

const (
	MatchNone      Match = iota // MatchNone: not a request or response, or one whose id is not usable (null, absent, of a wrong type).
	MatchNew                    // MatchNew: a request with an id of its own.
	MatchReused                 // MatchReused: a request whose id its sender used before in this connection, and which was answered or cancelled since.
	MatchClash                  // MatchClash: a request whose id its sender still has outstanding.
	MatchAnswer                 // MatchAnswer: the first response to an outstanding request.
	MatchLate                   // MatchLate: the first response to a request whose timeout had passed.
	MatchCancelled              // MatchCancelled: the first response to a request that was cancelled.
	MatchDuplicate              // MatchDuplicate: a response to an id that was answered before.
	MatchType                   // MatchType: no request has this id, but one has it with the other JSON type, and it is outstanding.
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
// those that are open, and the ones a rule may still need for a while.
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
	Late    bool  // Late: the timeout in force passed before the response, or is past now.
	Era     mcp.Era
	Version mcp.Version

	ProgressToken string // ProgressToken is its raw text, empty = none.
	Progress      int    // Progress counts the progress notifications that named the token.
	LastProgress  int64
	LastNote      uint32  // LastNote is the row of the latest one, where Progress is above 0.
	Done, Total   float64 // Done and Total are what it says; 0 = it does not.

	Way Way // Way is the request's: WayOut where its sender did not send it, but the user of a tee.

	Operation uint64 // Operation numbers what it belongs to; exchanges of one operation share it.

	at uint32 // at is its place among those that the Analyzer keeps.
}

// Phase is where a connection stands between the eras (mcp-protocol §1.7).
type Phase uint8

const (
	PhaseNew        Phase = iota // PhaseNew: nothing that decides was seen.
	PhaseProbing                 // PhaseProbing: server/discover was sent, nothing else.
	PhaseInitialize              // PhaseInitialize: initialize was sent, its result not seen.
	PhaseLegacy                  // PhaseLegacy: initialize was answered.
	PhaseModern                  // PhaseModern: a request with a modern _meta, or a modern answer to the probe.
)

// A Conn is the state of one connection. It belongs to the Analyzer; a Checker
// reads it during its call.
type Conn struct {
	ID      int
	Ours    bool // Ours: the client is the program that recorded the session, and does what its user asks for.
	Phase   Phase
	Era     mcp.Era     // Era that the client speaks now.
	Version mcp.Version // Version in effect: the initialize result's, or the latest modern request's. NoVersion before it is known.

	VersionText string // VersionText is the version as written, also where it is none that was published.

	// ServerModern and ServerLegacy are evidence of what the server speaks: an
	// answer that only such a server gives (mcp-protocol §1.7).
	ServerModern, ServerLegacy bool

	Initialized bool  // Initialized: the client sent notifications/initialized.
	ProbeT      int64 // ProbeT is when server/discover was sent first; 0 = never.
	ProbeDone   bool  // ProbeDone: it was answered.

	Started   bool // Started: a start of the process was recorded.
	StartT    int64
	PID       int
	Exited    bool
	ExitT     int64
	ExitCode  int
	ExitSig   string
	StdinEOF  int64          // StdinEOF is when the client's end closed the server's stdin, 0 = open.
	StdoutEOF int64          // StdoutEOF is when the server's stdout ended, 0 = open.
	Signals   []Proc         // Signals that were recorded, in order, at most 64.
	First     [3]int64       // First is when each stream's first byte came, -1 = nothing yet.
	LastT     [3]int64       // LastT is when each stream's latest byte came, -1 = nothing yet.
	Frames    [3]int64       // Frames counts the frames of each stream.
	Bytes     [3]int64       // Bytes counts the bytes of each stream, terminators included.
	Gaps      [3]bool        // Gaps says of which streams bytes are missing: what they said is not known.
	Limits    Limits         // Limits in force.
	People    int64          // People is when people had last answered a question of the server's, 0 = never.
	Open      [2][]*Exchange // Open are the exchanges that wait, by sender (C2S, S2C), oldest first; of more than 65,536 the latest ones.
	Ended     bool
}
