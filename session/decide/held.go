package decide

import (
	"bytes"
	"errors"
	"strconv"
	"time"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Wait says how a message is held.
type Wait struct {
	Place   uint64        // Place is the session.Intercept that holds it; 0 = a policy does.
	Percent int           // Percent is session.Interception.Percent; it is used where Timeout is 0.
	Timeout time.Duration // Timeout is for how long it is held; 0 = Percent says.
	Ask     bool          // Ask: a rule asks whether it may cross.
	Deny    bool          // Deny refuses it after Timeout; else it is released.
	AtExit  bool          // AtExit refuses it when the session ends; else it is released.

	decider Decider // decider is who holds it.
}

// A Held is a text that is held. It is not changed.
type Held struct {
	Message            // Message is the first of its messages that somebody holds. Its Body is the message, and Text all of the text.
	Text     []byte    // Text is all of the text.
	Decision           // Decision is the one to hold it.
	Asked    time.Time // Asked is when the request came that it answers; zero where it is none, or not known.
	Keys     []Key     // Keys are what must not overtake it, nor it them.
}

// A Key is what messages have in common that stay in their order. The zero Key is none.
type Key struct {
	Scope  int
	Stream session.Stream
	Kind   KeyKind
	Raw    string // Raw is the raw text of the id or of the token.
}

// A KeyKind says what a Key names.
type KeyKind uint8

const (
	RequestKey  KeyKind = iota + 1 // RequestKey is the id of a request.
	ResponseKey                    // ResponseKey is the id of a response.
	ProgressKey                    // ProgressKey is the progress token of a response's request, and of its progress.
)

// held is the text, held because of a message.
func (r *reader) held(f *found, d *Decision) *Held {
	text := bytes.Clone(r.text)
	h := &Held{Message: r.msg, Text: text, Decision: *d, Asked: f.asked.at}
	h.Body = f.In(text)
	h.Decision.Text = nil
	return h
}

// keys returns the keys of the messages of the text, and that of a request which one of
// them cancels.
func (r *reader) keys() (keys []Key, cancels Key) {
	add := func(kind KeyKind, raw string) {
		if raw != "" {
			keys = append(keys, Key{r.scope, r.stream, kind, raw})
		}
	}
	for i := range r.found {
		switch f := &r.found[i]; {
		case f.kind.Response():
			add(ResponseKey, f.id)
			add(ProgressKey, f.asked.token)
		case f.method == mcp.ProgressNotification:
			add(ProgressKey, f.token)
		case f.method == mcp.CancelledNotification:
			add(RequestKey, f.cancels)
			if len(r.found) == 1 && f.cancels != "" {
				cancels = Key{r.scope, r.stream, RequestKey, f.cancels}
			}
		default:
			add(RequestKey, f.id)
		}
	}
	return keys, cancels
}

// forget forgets the requests that the text answers.
func (r *reader) forget() {
	for i := range r.found {
		if f := &r.found[i]; f.kind.Response() {
			r.path.asked.drop(askedKey{r.scope, r.stream.Reverse(), f.id})
		}
	}
}

// Release decides on what goes on in place of a held text: those who decide, decide on it as
// on any other, and nobody holds it. by says who released it.
func (p *Path) Release(h *Held, text []byte, by string) Ruling {
	var ruling Ruling
	if deciders := p.deciders.Load(); deciders != nil {
		ruling = p.read(h.Carrier, h.Scope, h.Stream, text, *deciders, true)
	}
	if ruling.By != "" && ruling.By != h.By {
		by += "; " + ruling.By
	}
	if ruling.By == "" || ruling.Pass {
		ruling.Text = text
	}
	ruling.By, ruling.Pass = by, false
	return ruling
}

// refuser refuses all messages.
type refuser struct{ Decision }

func (r refuser) Decide(*Message) Decision { return r.Decision }
func (r refuser) OnError(string) Decision  { return r.Decision }

// Refuse refuses a held text. by says who does, and reason why; empty for none.
func (p *Path) Refuse(h *Held, by, reason string) Ruling {
	d := Decision{Verb: Refuse, By: by, Rule: h.Rule, Reason: reason}
	return p.read(h.Carrier, h.Scope, h.Stream, h.Text, []Decider{refuser{d}}, true)
}

// Drop drops a held text. by says who does.
func (p *Path) Drop(h *Held, by string) Ruling {
	return p.read(h.Carrier, h.Scope, h.Stream, h.Text, []Decider{refuser{Decision{Verb: Alter, By: by}}}, true)
}

// Fail decides on a held text that cannot be held, as its decider's on_error says.
func (p *Path) Fail(h *Held, why string) Ruling {
	d := Decision{}
	if h.Wait.decider != nil {
		d = h.Wait.decider.OnError(why)
	}
	if d.Verb == Refuse {
		return p.read(h.Carrier, h.Scope, h.Stream, h.Text, []Decider{refuser{d}}, true)
	}
	return p.Release(h, h.Text, h.By+"; released: "+why)
}

// ErrNoAnswer is returned for a held text that cannot be answered: a notification, a batch.
var ErrNoAnswer = errors.New("only a single request can be answered, and a response replaced")

// Answer answers a held request in place of its receiver, or replaces a held response. The
// member is result or error, with its value; by says who does. A panic in it is the caller's.
func (p *Path) Answer(h *Held, by, member string, value []byte) (Ruling, error) {
	if h.Batch || h.Kind == session.RowNotification || h.ID == "" {
		return Ruling{}, ErrNoAnswer
	}
	ruling := p.Drop(h, by)
	answer := jsonrpc.AppendAnswer(nil, h.ID, member == "error", value)
	if h.Kind == session.RowRequest {
		ruling.Back = [][]byte{answer}
		p.asked.drop(askedKey{h.Scope, h.Stream, h.ID})
	} else {
		ruling.Text = answer
	}
	return ruling, nil
}

// ErrorValue is the error of a response.
func ErrorValue(code int64, message string) []byte {
	line := strconv.AppendInt([]byte(`{"code":`), code, 10)
	return append(lex.AppendQuote(append(line, `,"message":`...), message), '}')
}

// ToolErrorValue is the result of a tool that reports an error. modern is the era.
func ToolErrorValue(modern bool, text string) []byte {
	line := []byte(`{`)
	if modern {
		line = append(line, `"resultType":"complete",`...)
	}
	line = lex.AppendQuote(append(line, `"content":[{"type":"text","text":`...), text)
	return append(line, `}],"isError":true}`...)
}
