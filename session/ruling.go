package session

import "time"

// A Ruling says what becomes of a text on its way between client and server: of a message, or
// of a line, a body or an event with one or several of them. The zero Ruling lets it pass.
type Ruling struct {
	Verb   Verb
	By     string        // By says who decided, for the record: "policy: no-shell". Empty: nobody did, and the text passes.
	Text   []byte        // Text goes on in place of what came, without a terminator; empty = nothing does.
	More   [][]byte      // More follow Text, each in a line, an event or a request of its own.
	Back   [][]byte      // Back are messages to the sender.
	Delay  time.Duration // Delay is how much later Text and More go on. What follows in the stream does not wait.
	Effect *Effect       // Effect is done to what carries the text, behind Text; nil = nothing is.
	Head   HTTPHead      // Head replaces parts of a held response's head: its status unless 0, and its fields unless nil.

	Rule   string // Rule is, with Refuse and Hold, the id of the rule that the sender gets; empty for none.
	Reason string // Reason is, with Refuse and Hold, why; empty for none.
	Wait   Wait   // Wait says, with Hold, how the text is held.

	// Await takes, with Hold, a text that its carrier has recorded. The text goes on when, and
	// as, settle is called: once, from any goroutine, perhaps before Await returns. Withdraw
	// has it called soon.
	Await func(settle Settle) (withdraw func())
}

// A Settle takes the ruling on a text that was held. It does not wait, and calls written, from
// any goroutine, when all that goes on is written, or never will be.
type Settle func(r Ruling, written func())

// Whole reports whether the text goes on as it came.
func (r *Ruling) Whole() bool { return r.By == "" || r.Verb == Pass }

// A Verb is what becomes of a text.
type Verb uint8

const (
	Pass   Verb = iota // Pass: it is forwarded as it came.
	Alter              // Alter: Text and More are forwarded in its place.
	Refuse             // Refuse is Alter where a request is answered, or a response replaced, by a denial.
	Hold               // Hold: it waits until somebody decides on it. A batch waits if one of its messages does.
)

// A Wait says how a message is held.
type Wait struct {
	Place   uint64        // Place is the Intercept that holds it; 0 = a policy does.
	Percent int           // Percent is Interception.Percent; it is used where Timeout is 0.
	Timeout time.Duration // Timeout is for how long it is held; 0 = Percent says.
	Ask     bool          // Ask: a rule asks whether it may cross.
	Deny    bool          // Deny refuses it after Timeout; else it is released.
	AtExit  bool          // AtExit refuses it when the session ends; else it is released.
}

// A Carried is a text with what carries it. It is valid during the call.
type Carried struct {
	Carrier Carrier
	Conn    int    // Conn is the connection, or the round trip, in which the ids of its messages are unique.
	Stream  Stream // Stream is C2S or S2C.
	Text    []byte // Text is all of a line without its terminator, of a body, or of the data of an event.

	// Head returns, with ByBody, the head of the response, or the fields of the request's head
	// that repeat what the body says. Nil means that there is none.
	Head func() HTTPHead
}

// An HTTPHead is the head of a response without credentials, or a part of a head.
type HTTPHead struct {
	Status int
	Fields []HTTPField
}

// A Carrier is what carries a message.
type Carrier uint8

const (
	ByLine       Carrier = iota // ByLine: a line of a stream.
	ByBody                      // ByBody: a whole body over HTTP.
	ByEvent                     // ByEvent: an event of a stream over HTTP.
	ByFirstEvent                // ByFirstEvent: an event before which the head of the response has not been sent.
)

// Ordered reports whether the texts of a stream arrive in their order.
func (c Carrier) Ordered() bool { return c != ByBody }

// A Judge decides on the texts of a session, over stdio and over HTTP. Its methods are called
// from several goroutines while the traffic waits: they return at once.
type Judge interface {
	// On reports whether texts have to be decided on now.
	On() bool

	// Decide decides on a text.
	Decide(c Carried) Ruling

	// TooLong returns who drops a text that cannot be read, because it is too long or has a
	// content coding; empty = it is forwarded as it is.
	TooLong() (by string)

	// Heads reports whether a ruling may change the head of a response. An event stream that
	// answers a request then waits for its first message, which is carried ByFirstEvent.
	Heads() bool

	// Ended is called when a stream of lines ends, perhaps more than once: what waits in it
	// is settled before Ended returns, and no later line waits.
	Ended(conn int, s Stream)
}
