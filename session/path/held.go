package path

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

// An Order says what a text must not overtake. It is empty unless a text is held.
type Order struct {
	Held    *Held // Held is set if the text is held itself.
	Keys    []Key // Keys are what must not overtake it, nor it them.
	Cancels Key   // Cancels is the request that it cancels.
}

// A Held is a text that is held. It is not changed.
type Held struct {
	session.Ruling           // Ruling is the one to hold it.
	Message                  // Message is the first of its messages that somebody holds. Its Body is the message.
	Text           []byte    // Text is all of the text.
	Asked          time.Time // Asked is when the request came that it answers; zero where it is none, or not known.

	decider Decider // decider is who holds it.
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

// order returns the order of the text, and the text if the ruling is to hold it.
func (r *reader) order(ruling *session.Ruling) (o Order) {
	hold := ruling.Verb == session.Hold
	if hold || r.path.Ordered.Load() {
		o.Keys, o.Cancels = r.keys()
	}
	if hold {
		o.Held = &Held{Ruling: *ruling, Message: r.msg, Text: bytes.Clone(r.Text), Asked: r.waits.asked.at, decider: r.holder}
		o.Held.Body = r.waits.In(o.Held.Text)
	}
	return o
}

// keys returns the keys of the messages of the text, and that of a request which one of
// them cancels.
func (r *reader) keys() (keys []Key, cancels Key) {
	add := func(kind KeyKind, raw string) {
		if raw != "" {
			keys = append(keys, Key{r.Conn, r.Stream, kind, raw})
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
				cancels = Key{r.Conn, r.Stream, RequestKey, f.cancels}
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
			r.path.asked.drop(askedKey{r.Conn, r.Stream.Reverse(), f.id})
		}
	}
}

// again has deciders decide on what goes on in place of a held text.
func (p *Path) again(h *Held, text []byte, deciders ...Decider) session.Ruling {
	r, _ := p.read(&session.Carried{Carrier: h.Carrier, Conn: h.Scope, Stream: h.Stream, Text: text}, deciders, true)
	return r
}

// Release decides on what goes on in place of a held text: those who decide, decide on it as
// on any other, and nobody holds it. by says who released it.
func (p *Path) Release(h *Held, text []byte, by string) session.Ruling {
	var ruling session.Ruling
	if deciders := p.deciders.Load(); deciders != nil {
		ruling = p.again(h, text, *deciders...)
	}
	if ruling.By != "" && ruling.By != h.By {
		by += "; " + ruling.By
	}
	if ruling.Whole() {
		ruling.Verb, ruling.Text = session.Alter, text
	}
	ruling.By = by
	return ruling
}

// refuser refuses all messages.
type refuser struct{ session.Ruling }

func (r refuser) Decide(*Message) session.Ruling { return r.Ruling }
func (r refuser) OnError(string) session.Ruling  { return r.Ruling }

// Refuse refuses a held text. by says who does, and reason why; empty for none.
func (p *Path) Refuse(h *Held, by, reason string) session.Ruling {
	return p.again(h, h.Text, refuser{session.Ruling{Verb: session.Refuse, By: by, Rule: h.Rule, Reason: reason}})
}

// Drop drops a held text. by says who does.
func (p *Path) Drop(h *Held, by string) session.Ruling {
	return p.again(h, h.Text, refuser{session.Ruling{Verb: session.Alter, By: by}})
}

// Fail decides on a held text that cannot be held, as its decider's on_error says.
func (p *Path) Fail(h *Held, why string) session.Ruling {
	if h.decider != nil {
		if d := h.decider.OnError(why); d.Verb == session.Refuse {
			return p.again(h, h.Text, refuser{d})
		}
	}
	return p.Release(h, h.Text, h.By+"; released: "+why)
}

// ErrNoAnswer is returned for a held text that cannot be answered: a notification, a batch.
var ErrNoAnswer = errors.New("only a single request can be answered, and a response replaced")

// Answer answers a held request in place of its receiver, or replaces a held response. The
// member is result or error, with its value; by says who does. A panic in it is the caller's.
func (p *Path) Answer(h *Held, by, member string, value []byte) (session.Ruling, error) {
	if h.Batch || h.Kind == session.RowNotification || h.ID == "" {
		return session.Ruling{}, ErrNoAnswer
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

// errorValue is the error of a response.
func errorValue(code int64, message string) []byte {
	line := strconv.AppendInt([]byte(`{"code":`), code, 10)
	return append(lex.AppendQuote(append(line, `,"message":`...), message), '}')
}

// toolErrorValue is the result of a tool that reports an error. modern is the era.
func toolErrorValue(modern bool, text string) []byte {
	line := []byte(`{`)
	if modern {
		line = append(line, `"resultType":"complete",`...)
	}
	line = lex.AppendQuote(append(line, `"content":[{"type":"text","text":`...), text)
	return append(line, `}],"isError":true}`...)
}
