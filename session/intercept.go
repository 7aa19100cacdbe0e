package session

import (
	"context"
	"errors"
	"time"
)

// An Intercept is one person's place in the path of a live session: it holds the messages
// that a filter matches until somebody decides on them, and decides also on those that a
// policy holds or asks for. One implementation is in the process that forwards the
// messages, another one uses its socket. Any number of places may be open; each has a
// filter of its own, and anybody may decide on any held message. Its methods may be called
// from any goroutine.
//
// Closing a place, and the end of the process that opened it, releases what its filter
// holds. What a policy holds stays held.
type Intercept interface {
	// State returns the latest state. It does not block, and the state must not be changed.
	State() *InterceptState

	// Changed has a token when the state has changed since the last one was taken. It is
	// closed when the place is closed, by its owner or because the session has ended.
	Changed() <-chan struct{}

	// Text returns the bytes of a held message as they came, without a line terminator.
	// ErrNotHeld is returned when it is not held, or not any more.
	Text(ctx context.Context, id uint64) ([]byte, error)

	// Decide decides on held messages; no ids means all that are held when it is called. A
	// choice that cannot be made for one of them is refused for all. ErrNotHeld is returned
	// when one was decided on before; the others are decided on.
	Decide(ctx context.Context, ids []uint64, c Choice) error

	// Intercept sets what this place holds from now on. What its earlier filter holds stays
	// held, unless the new one is empty: then it is released.
	Intercept(ctx context.Context, i Interception) error

	// SetFaults sets the faults of the session, for all places, as --fault has them; none
	// ends them. Those that are new end with this place.
	SetFaults(ctx context.Context, specs []string) error

	// Close releases what the filter of this place holds, and ends the faults that it has set.
	Close() error
}

// An Interception says which messages a place holds.
type Interception struct {
	// Filter selects messages on their way; see Filter.CheckPassing. Empty holds nothing.
	// Requests, notifications and responses are held alike: d: and is: tell them apart.
	// Ping, cancellation, the handshake and progress are only held where the filter has
	// their method in an m: word.
	Filter string `json:"filter,omitempty"`

	// Percent of the time that the sender of a request still waits for its response is how
	// long one of the two is held before it is released; 0 means 80, and more than 100
	// that they are not released.
	Percent int `json:"percent,omitempty"`

	// By is who holds, set by the session, such as "screen".
	By string `json:"by,omitempty"`
}

// An InterceptState is what acts on the messages of a session, and what is held.
type InterceptState struct {
	Held   []Held         `json:"held"`             // Held has what is held, oldest first.
	Places []Interception `json:"places,omitempty"` // Places are those that hold something, this one included.
	Own    Interception   `json:"own"`              // Own is that of this place.
	Policy string         `json:"policy,omitempty"` // Policy says what policy is in force; empty for none.
	Faults []string       `json:"faults,omitempty"` // Faults are those in force.

	// Decided counts the messages that were held and are not any more.
	Decided uint64 `json:"decided,omitempty"`

	// Last says what became of the message that was decided on last, in one line; empty
	// before the first.
	Last string `json:"last,omitempty"`
}

// A Held is a message that is held. A batch is held as one message.
type Held struct {
	ID        uint64  `json:"id"` // ID names it in this session, from 1 in the order of arrival.
	Conn      int     `json:"conn"`
	Stream    Stream  `json:"stream"`
	Kind      RowKind `json:"kind"` // Kind is RowRequest, RowNotification, RowResult or RowError; of a batch that of its first held message.
	Batch     bool    `json:"batch,omitempty"`
	Method    string  `json:"method,omitempty"`    // Method is that of its request, for a response; empty if it is not known.
	Target    string  `json:"target,omitempty"`    // Target is the tool, prompt or URI.
	MessageID string  `json:"messageId,omitempty"` // MessageID is the raw text of its JSON-RPC id.
	Size      int     `json:"size"`                // Size of the text in bytes.

	Since time.Time `json:"since"` // Since is when it came.

	// Deadline is when it is decided on without a person: released, or with Deny refused.
	// Zero = never.
	Deadline time.Time `json:"deadline,omitzero"`
	Deny     bool      `json:"deny,omitempty"`

	// Timeout is when the other side gives up waiting, if it is not released before. Zero =
	// that is not known, or nobody waits.
	Timeout time.Time `json:"timeout,omitzero"`

	By     string `json:"by"`               // By is who holds it: "policy: RULE", or "hold: FILTER".
	Ask    bool   `json:"ask,omitempty"`    // Ask: a rule asks whether it may cross.
	Rule   string `json:"rule,omitempty"`   // Rule is the rule of a policy that holds it; empty for none.
	Reason string `json:"reason,omitempty"` // Reason is what the rule gives as its reason.

	Status int         `json:"status,omitempty"` // Status of the response whose body is held, over HTTP; 0 for none.
	Header []HTTPField `json:"header,omitempty"` // Header are that response's fields, credentials left out.
}

// A ChoiceVerb is what becomes of a held message.
type ChoiceVerb string

const (
	// Release lets it go on, with other bytes where the Choice has a Text.
	Release ChoiceVerb = "release"

	// Drop lets nothing go on, and answers nothing.
	Drop ChoiceVerb = "drop"

	// Deny lets nothing go on. A request is answered as a denied one is: the call of a tool
	// with a result that has isError, any other with an error. A response is replaced alike.
	Deny ChoiceVerb = "deny"

	// AnswerError answers a request, or replaces a response, with an error of Code and Reason.
	AnswerError ChoiceVerb = "error"

	// AnswerToolError answers the call of a tool, or replaces its result, with one that has
	// isError and Reason as its text.
	AnswerToolError ChoiceVerb = "tool-error"

	// Respond answers a request, or replaces a response, with Text: a result, in which
	// templates are filled in.
	Respond ChoiceVerb = "respond"
)

// A Choice says what becomes of a held message.
type Choice struct {
	Verb ChoiceVerb `json:"verb"`

	// Text is, with Release, what goes on in its place, exactly these bytes; nil = it goes on as
	// it came. Over stdio it must not have a line break. With Respond it is the JSON text of
	// the result, or a whole response, whose id is replaced. {{PATH}} in it is replaced by
	// what the request has there, as in {{params.arguments.path}}: within a string the text
	// of it, elsewhere its JSON.
	Text []byte `json:"-"`

	Code   int64  `json:"code,omitempty"`   // Code is that of AnswerError; 0 means -32000.
	Reason string `json:"reason,omitempty"` // Reason is told to the sender, and recorded.

	// Follow holds the response too, when a request goes on.
	Follow bool `json:"follow,omitempty"`

	// Status and Header replace, with Release, those of a response over HTTP; 0 and nil keep
	// them. They cannot be changed where Held has no Status.
	Status int         `json:"status,omitempty"`
	Header []HTTPField `json:"header,omitempty"`
}

// An Effect is what a fault does to what carries a message, beside what it does to the text:
// to the stream, to the round trip, or to the server's process. Which fields apply depends on
// the transport.
type Effect struct {
	Behind bool // Behind: the text follows the next one of its stream.

	End  StreamEnd // End is how the stream ends behind the text.
	Kill bool      // Kill ends the server's process, by SIGKILL.

	// Stop stops the server's process for that time; 0 = it is not stopped.
	Stop time.Duration

	// Lasts: what comes after the message in its connection is a consequence.
	Lasts bool

	// What follows is for HTTP.

	Silent bool // Silent: a request is never answered, and neither is a response forwarded.
	Status int  // Status is that of the response in place of the server's; 0 = as it comes.
}

// A StreamEnd is how a stream ends.
type StreamEnd uint8

const (
	StaysOpen StreamEnd = iota // StaysOpen: the stream goes on.
	Aborts                     // Aborts: the stream is lost in the middle of the text; only over HTTP.
	Resets                     // Resets: both directions are lost at once.
)

// A Control acts on a live session: bytes go in, an outcome comes back. One
// implementation owns the server in this process, another one uses the socket
// of a tee in another process. Its methods may block, and may be called from
// any goroutine, also concurrently.
//
// What it sends appears in the session like all other traffic, with its Way, so
// it is visible without the outcome.
type Control interface {
	// Send sends one message of the user to the server: a single well-formed
	// JSON-RPC request or notification. The id of a request is replaced by a
	// unique one, and so is its progress token. Send waits for the response
	// until ctx is done; the response does not reach the server's client. When
	// ctx ends, the request is cancelled at the server. After a Cancel, Send
	// waits only a moment longer: then the error is ErrWithdrawn.
	Send(ctx context.Context, message []byte) (Outcome, error)

	// Cancel cancels a request at the server, by the raw text of its id,
	// whichever side sent it. The client that sent it is not told.
	Cancel(ctx context.Context, id, reason string) error

	// End ends the server, and returns when it has exited.
	End(ctx context.Context) error
}

// An Outcome is the result of sending a message.
type Outcome struct {
	ID     string // ID is the raw text of the request's id on the wire; empty for a notification.
	Answer []byte // Answer is the response's line without its terminator, as received; nil for a notification.

	// Withdrawn: the request was cancelled before its response came.
	Withdrawn bool
}

// Errors of Controls. Wrapping errors add details.
var (
	// ErrRefused is returned when the session's owner does not allow acting on
	// it, or not with such a message.
	ErrRefused = errors.New("refused")

	// ErrTooEarly is returned for actions that must wait for the handshake.
	ErrTooEarly = errors.New("the handshake has not ended")

	// ErrBusy is returned when the stream to the server was within a message
	// for too long.
	ErrBusy = errors.New("the stream to the server stayed in the middle of a message")

	// ErrGone is returned when the server, or the process in front of it, has
	// ended without a response.
	ErrGone = errors.New("the server has ended")

	// ErrNotHeld is returned when a message is not held, or not any more.
	ErrNotHeld = errors.New("no such message is held")

	// ErrWithdrawn is returned when a request was cancelled and has no
	// response.
	ErrWithdrawn = errors.New("the request was cancelled")
)
