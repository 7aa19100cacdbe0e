package decide

import (
	"time"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Message is a message that waits to be decided on. It is valid during the call.
type Message struct {
	filter.Passing
	Modern bool // Modern: it carries the metadata of the modern era.
	Batch  bool // Batch: it is a member of a batch.
	Scope  int  // Scope is where its id is unique: a connection.
	Again  bool // Again: it was held, and is not held again.

	Carrier Carrier // Carrier is what carries it.
}

// A Carrier is what carries a message.
type Carrier uint8

const (
	Line       Carrier = iota // Line is a line of a stream.
	Body                      // Body is a whole body over HTTP.
	Event                     // Event is an event of a stream over HTTP.
	FirstEvent                // FirstEvent is one before which the head of the response has not been sent.
)

// A Verb is what becomes of a message.
type Verb uint8

const (
	Pass   Verb = iota // Pass: it is forwarded as it came.
	Alter              // Alter: Text and More are forwarded in its place.
	Refuse             // Refuse: nothing is forwarded; a request is answered, and a response replaced, by a denial.
	Hold               // Hold: it waits, as Wait says, until somebody decides on it. The text is one whole: a batch waits if one of its messages does.
)

// A Decision says what becomes of one message. The zero Decision lets it pass.
type Decision struct {
	Verb   Verb
	By     string        // By is who decided, for the record: "policy: no-shell". Empty = nobody, the message passes.
	Text   []byte        // Text is, with Alter, what takes its place; empty = nothing does.
	More   [][]byte      // More follows Text, each in a line, an event or a request of its own.
	Delay  time.Duration // Delay is how much later Text and More go on.
	Rule   string        // Rule is, with Refuse or Hold, the id of the rule that its sender is told; empty where a person refuses.
	Reason string        // Reason is, with Refuse or Hold, why; empty for none.
	Wait   Wait          // Wait is how it is held, with Hold.

	// Effect is, with Alter, what is done to what carries the message; nil = nothing is.
	Effect *session.Effect
}

// then is what becomes of a message on which another Decider decides next.
func (d Decision) then(next Decision) Decision {
	if d.By == "" {
		return next
	}
	if next.Verb == Pass {
		next.Verb, next.Text = d.Verb, d.Text
	}
	next.By = d.By + "; " + next.By
	return next
}

// A Decider decides on messages. Decide is called from several goroutines, while the traffic
// waits: it returns at once.
type Decider interface {
	Decide(m *Message) Decision

	// OnError decides where a text cannot be decided on, or Decide fails: what is wrong is
	// why. A Decision of the verb Alter is not given.
	OnError(why string) Decision
}

// CodeDenied is the code of the error that a refused request is answered with. It is free
// for the use of implementations.
const CodeDenied = -32000

// denial is the response to a refused request, or what takes the place of a refused
// response. id is its raw text. The result of a tool says it to the model, and an error to
// the program.
func denial(id string, m *Message, d *Decision) []byte {
	text := "denied by policy, rule " + d.Rule
	if d.Rule == "" {
		text = "denied by a person who watches the session"
	}
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	if m.Method == mcp.ToolsCall && (m.Stream == session.C2S) == (m.Kind == session.RowRequest) {
		return jsonrpc.AppendAnswer(nil, id, false, []byte(ToolErrorValue(m.Modern, text)))
	}
	var data []byte
	if d.Rule != "" {
		data = append(lex.AppendQuote([]byte(`{"rule":`), d.Rule), '}')
	}
	return jsonrpc.AppendError(nil, id, CodeDenied, text, data)
}
