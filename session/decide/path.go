package decide

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Path decides on the messages of one session. Its zero value lets everything pass.
type Path struct {
	// Ordered has Rulings say which messages theirs must not overtake. It is set while
	// messages are held.
	Ordered atomic.Bool

	deciders atomic.Pointer[[]Decider]
	asked    asked
	readers  sync.Pool // readers are *reader that are not in use.
}

// Use sets who decides, in their order. The Deciders may be exchanged while messages pass.
func (p *Path) Use(deciders ...Decider) { p.deciders.Store(&deciders) }

// A Ruling is what becomes of a text. The zero Ruling lets it pass.
type Ruling struct {
	By   string // By is who decided; empty = nobody, the text passes.
	Pass bool   // Pass lets the text pass anyway.
	Text []byte // Text goes on in its place; empty = nothing does.

	More  [][]byte      // More are further lines behind Text; see Decision.
	Delay time.Duration // Delay is how much later Text and More go on.

	// Effect is what is done to what carries the text; nil = nothing is.
	Effect *session.Effect

	Denied int // Denied counts its messages that were refused.

	// Back are messages to its sender, each in a line without a line feed.
	Back [][]byte

	Held    *Held // Held: the text is held, and the rest says nothing; nil for others.
	Keys    []Key // Keys are what it must not overtake, where Path.Ordered is set.
	Cancels Key   // Cancels is the request that it cancels, where Path.Ordered is set.
}

// Forget forgets the requests of a scope that has ended.
func (p *Path) Forget(scope int) { p.asked.forget(scope) }

// Text decides on a text that is all of a line without its terminator, of a body or of the
// data of an event. Ids are unique within the scope: a connection, or a round trip.
func (p *Path) Text(scope int, s session.Stream, text []byte) (ruling Ruling) {
	return p.Carried(Line, scope, s, text)
}

// Carried is Text for what something else than a line carries. Mirrors are the header fields
// beside a body that repeat its method and its name: a peer may heed them in place of the body.
func (p *Path) Carried(by Carrier, scope int, s session.Stream, text []byte, mirrors ...session.HTTPField) (ruling Ruling) {
	deciders := p.deciders.Load()
	if deciders == nil || len(*deciders) == 0 {
		return Ruling{}
	}
	return p.read(by, scope, s, text, *deciders, false, mirrors...)
}

// read has deciders decide on a text; again: it was held before, and is not held again.
func (p *Path) read(by Carrier, scope int, s session.Stream, text []byte, deciders []Decider, again bool, mirrors ...session.HTTPField) Ruling {
	r, _ := p.readers.Get().(*reader)
	if r == nil {
		r = newReader()
	}
	defer p.readers.Put(r)
	r.path, r.scope, r.stream, r.text, r.deciders, r.again, r.carrier, r.mirrors = p, scope, s, text, deciders, again, by, mirrors
	ruling := r.read()
	if p.Ordered.Load() {
		ruling.Keys, ruling.Cancels = r.keys()
	}
	if ruling.Held != nil {
		ruling.Held.Keys, _ = r.keys()
	} else {
		r.forget()
	}
	return ruling
}

// TooLong decides on a line that is too long to be held, and returns who drops it; empty = it is
// forwarded.
func (p *Path) TooLong() (by string) {
	if deciders := p.deciders.Load(); deciders != nil {
		for _, d := range *deciders {
			if on := d.OnError("the message is too long to be decided on"); on.Verb == Refuse {
				return on.By
			}
		}
	}
	return ""
}

// A reader reads texts, one after another.
type reader struct {
	path     *Path
	scope    int
	stream   session.Stream
	text     []byte
	deciders []Decider
	again    bool // again: the text was held, and is not held again.
	carrier  Carrier
	mirrors  []session.HTTPField

	scan  jsonrpc.Scanner
	found []found
	names map[string]string // names are the latest targets, so that a repeated one allocates nothing.
	msg   Message
}

// found is what is kept of a message of the text.
type found struct {
	jsonrpc.Span
	kind    jsonrpc.Kind
	elem    int
	defects jsonrpc.Defect
	vague   bool // vague: peers could read it in different ways.
	id      string
	method  string
	target  string
	named   bool   // named: the target is one that Mcp-Name repeats.
	token   string // token is the raw text of the progress token: of a request, or of progress.
	cancels string // cancels is the raw text of the id that a cancellation names.
	modern  bool
	failed  bool
	asked   question // asked is the request of a response.
	params  jsonrpc.Span
}

func newReader() *reader {
	r := &reader{names: map[string]string{}}
	r.scan.Unhashed = true
	return r
}

// read decides on the text.
func (r *reader) read() Ruling {
	r.found = r.found[:0]
	r.scan.Reset(r.take)
	r.scan.Write(r.text)
	facts := r.scan.End()
	switch {
	case facts.Syntax == jsonrpc.Empty:
		return Ruling{}
	case facts.Syntax != jsonrpc.Complete || len(r.found) == 0:
		return r.unreadable("the text is not a JSON-RPC message")
	}
	if facts.Batches == 0 {
		return r.single(&r.found[0])
	}
	return r.batch()
}

// take keeps what is needed of a message.
func (r *reader) take(m *jsonrpc.Message) {
	f := found{
		Span: m.Span, kind: m.Kind, elem: m.Elem, defects: m.Defects, vague: vague(m.UnknownKey),
		params: m.Params, modern: m.Field(jsonrpc.MetaProtocolVersion).Present(),
	}
	if m.ID.Present() {
		f.id = string(m.ID.In(r.text))
	}
	switch m.Kind {
	case jsonrpc.Request, jsonrpc.Notification:
		f.method = r.word(&m.Method)
		f.token = r.raw(m.Field(jsonrpc.MetaProgressToken))
		switch f.method {
		case mcp.ProgressNotification:
			f.token = r.raw(m.Field(jsonrpc.ParamProgressToken))
		case mcp.CancelledNotification:
			f.cancels = r.raw(m.Field(jsonrpc.ParamRequestID))
		}
		if row, ok := mcp.Lookup(f.method); ok {
			if field, ok := session.TargetField(m, row); ok {
				f.target = r.word(m.Field(field))
				f.named = field == jsonrpc.ParamName || field == jsonrpc.ParamURI || field == jsonrpc.ParamTaskID
			}
		}
	case jsonrpc.Result:
		f.failed = string(m.Field(jsonrpc.ResultIsError).Raw) == "true"
	case jsonrpc.Error:
		f.failed = true
	case jsonrpc.Invalid:
	}
	r.found = append(r.found, f)
}

// raw is the raw text of a value; empty for none.
func (r *reader) raw(v *jsonrpc.Value) string {
	if !v.Present() {
		return ""
	}
	return string(v.In(r.text))
}

// maxNames is how many targets a reader keeps.
const maxNames = 1024

// word is what a string says, all of it.
func (r *reader) word(v *jsonrpc.Value) string {
	if v.Type != jsonrpc.String {
		return ""
	}
	if known, ok := r.names[string(v.Raw)]; ok && v.Whole() {
		return known
	}
	text := lex.Unquote(v.In(r.text))
	if v.Whole() {
		if len(r.names) >= maxNames {
			clear(r.names)
		}
		r.names[string(v.Raw)] = text
	}
	return text
}

// envelope are the members of a message, in lower case.
var envelope = [...]string{"jsonrpc", "id", "method", "params", "result", "error"}

// vague reports whether a member that is none of a message is one to peers that ignore case.
func vague(key string) bool {
	return slices.ContainsFunc(envelope[:], func(name string) bool { return strings.EqualFold(key, name) })
}

// ambiguous says why peers could read a message in different ways; empty = they cannot.
func (r *reader) ambiguous(f *found) string {
	switch {
	case f.kind == jsonrpc.Invalid:
		return "it is not a JSON-RPC message"
	case f.defects&jsonrpc.DuplicateKey != 0:
		return "an object of the message has the same member twice"
	case f.defects&jsonrpc.InvalidUTF8 != 0:
		return "the message is not UTF-8"
	case f.defects&jsonrpc.KeysUnchecked != 0:
		return "the message has too many members to look for repeated ones"
	case f.vague:
		return "the message has a member that differs from one of JSON-RPC only in case"
	}
	if f.kind != jsonrpc.Request && f.kind != jsonrpc.Notification {
		return ""
	}
	for _, m := range r.mirrors {
		if says := mcp.HeaderText(m.Value); m.Name == mcp.MethodHeader && says != f.method || m.Name == mcp.NameHeader && f.named && says != f.target {
			return "the header field " + m.Name + " differs from the message"
		}
	}
	for key := range lex.Members(f.params.In(r.text)) {
		if name := key[1 : len(key)-1]; len(name) <= 4 && string(name) != "name" && string(name) != "uri" &&
			(bytes.EqualFold(name, []byte("name")) || bytes.EqualFold(name, []byte("uri"))) {
			return "the message has a parameter that differs from name or uri only in case"
		}
	}
	return ""
}

// single decides on a text that is one message.
func (r *reader) single(f *found) Ruling {
	d := r.decide(f)
	switch {
	case d.By == "":
		return Ruling{}
	case d.Verb == Hold:
		return Ruling{Held: r.held(f, &d)}
	case d.Verb == Pass:
		return Ruling{By: d.By, Pass: true}
	}
	text, back := r.outcome(f, &d)
	ruling := Ruling{By: d.By, Text: text}
	if d.Verb == Alter {
		ruling.More, ruling.Delay, ruling.Effect = d.More, d.Delay, d.Effect
	}
	if d.Verb == Refuse {
		ruling.Denied = 1
	}
	if back != nil {
		ruling.Back = [][]byte{back}
	}
	return ruling
}

// batch decides on each member of a batch. Those that do not pass are left out.
func (r *reader) batch() Ruling {
	var ruling Ruling
	left := []byte{'['}
	kept := 0
	whole := true
	for i := range r.found {
		f := &r.found[i]
		d := r.decide(f)
		if d.Verb == Hold {
			return Ruling{Held: r.held(f, &d)}
		}
		text, back := f.In(r.text), []byte(nil)
		if d.By != "" && !strings.Contains(ruling.By, d.By) {
			ruling.By = strings.TrimPrefix(ruling.By+"; "+d.By, "; ")
		}
		if d.Verb != Pass {
			whole = false
			if d.Verb == Refuse {
				ruling.Denied++
			}
			text, back = r.outcome(f, &d)
		}
		if back != nil {
			ruling.Back = append(ruling.Back, back)
		}
		if len(text) > 0 {
			if kept > 0 {
				left = append(left, ',')
			}
			left = append(left, text...)
			kept++
		}
	}
	if whole {
		ruling.Pass = ruling.By != ""
	} else if kept > 0 {
		ruling.Text = append(left, ']')
	}
	return ruling
}

// outcome is what a decision that does not let a message pass makes of it: the text that
// takes its place, and the message to its sender.
func (r *reader) outcome(f *found, d *Decision) (text, back []byte) {
	switch {
	case d.Verb == Alter:
		return d.Text, nil
	case f.kind.Response() && f.id != "":
		return denial(f.id, &r.msg, d), nil
	case f.kind == jsonrpc.Request && f.id != "":
		if r.msg.Kind == session.RowRequest {
			r.path.asked.drop(askedKey{r.scope, r.stream, f.id})
		}
		return nil, denial(f.id, &r.msg, d)
	}
	return nil, nil
}

// decide decides on a message.
func (r *reader) decide(f *found) (d Decision) {
	m := &r.msg
	*m = Message{Modern: f.modern, Batch: f.elem >= 0, Scope: r.scope, Again: r.again, Carrier: r.carrier}
	m.Stream, m.ID, m.Method, m.Target, m.Failed, m.Body = r.stream, f.id, f.method, f.target, f.failed, f.In(r.text)
	switch f.kind {
	case jsonrpc.Request:
		m.Kind = session.RowRequest
		key, q := askedKey{r.scope, r.stream, f.id}, question{f.method, f.target, f.token, f.modern, time.Now()}
		if r.again {
			q.at = r.path.asked.find(key).at
		}
		r.path.asked.add(key, q)
	case jsonrpc.Notification:
		m.Kind = session.RowNotification
	case jsonrpc.Result, jsonrpc.Error:
		m.Kind = session.RowResult
		if f.kind == jsonrpc.Error {
			m.Kind = session.RowError
		}
		f.asked = r.path.asked.find(askedKey{r.scope, r.stream.Reverse(), f.id})
		m.Method, m.Target, m.Modern = f.asked.method, f.asked.target, f.asked.modern
	case jsonrpc.Invalid:
	}
	why := r.ambiguous(f)
	for _, by := range r.deciders {
		next := Decision{}
		if why != "" {
			next = by.OnError(why)
		}
		if next.Verb != Refuse {
			if decided := r.ask(by, m); decided.By != "" {
				next = decided
			}
		}
		if next.Verb == Hold {
			if r.again {
				continue
			}
			next.Wait.decider = by
		}
		if next.By != "" {
			d = d.then(next)
		}
		switch {
		case next.Verb == Hold:
			return d
		case next.Verb == Refuse, next.Verb == Alter && (len(d.Text) == 0 || d.Delay > 0 || len(d.More) > 0 || d.Effect != nil):
			return d
		case next.Verb == Alter:
			m.Body = d.Text // The next one decides on what goes on.
		}
	}
	return d
}

// ask asks one Decider. A panic is an error of its.
func (r *reader) ask(by Decider, m *Message) (d Decision) {
	defer func() {
		if p := recover(); p != nil {
			d = by.OnError(fmt.Sprintf("internal error: %v", p))
		}
	}()
	return by.Decide(m)
}

// unreadable decides on a text in which no message can be told.
func (r *reader) unreadable(why string) Ruling {
	for _, by := range r.deciders {
		switch d := by.OnError(why); {
		case d.Verb == Refuse:
			return Ruling{By: d.By, Denied: 1}
		case d.By != "":
			return Ruling{By: d.By, Pass: true}
		}
	}
	return Ruling{}
}
