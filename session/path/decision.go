package path

import (
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

	Carrier session.Carrier
}

// merge is d with the ruling of the next Decider, which decides on what goes on.
func merge(d, next session.Ruling) session.Ruling {
	if d.By == "" {
		return next
	}
	if next.Verb == session.Pass {
		next.Verb, next.Text = d.Verb, d.Text
	}
	next.By = d.By + "; " + next.By
	return next
}

// A Decider decides on messages. Decide is called from several goroutines, while the traffic
// waits: it returns at once.
type Decider interface {
	Decide(m *Message) session.Ruling

	// OnError decides where a text cannot be decided on, or Decide fails: what is wrong is
	// why. A Ruling with the verb Alter is not given.
	OnError(why string) session.Ruling
}

// codeDenied is the code of the error that a refused request is answered with. It is free
// for the use of implementations.
const codeDenied = -32000

// denial is the response to a refused request, or what takes the place of a refused
// response. id is its raw text. The result of a tool says it to the model, and an error to
// the program.
func denial(id string, m *Message, d *session.Ruling) []byte {
	text := "denied by policy, rule " + d.Rule
	if d.Rule == "" {
		text = "denied by a person who watches the session"
	}
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	if m.Method == mcp.ToolsCall && (m.Stream == session.C2S) == (m.Kind == session.RowRequest) {
		return jsonrpc.AppendAnswer(nil, id, false, []byte(toolErrorValue(m.Modern, text)))
	}
	var data []byte
	if d.Rule != "" {
		data = append(lex.AppendQuote([]byte(`{"rule":`), d.Rule), '}')
	}
	return jsonrpc.AppendError(nil, id, codeDenied, text, data)
}
