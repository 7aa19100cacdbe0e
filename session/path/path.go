package path

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

// Forget forgets the requests of a scope that has ended.
func (p *Path) Forget(scope int) { p.asked.forget(scope) }

// Text is Carried for a line.
func (p *Path) Text(scope int, s session.Stream, text []byte) session.Ruling {
	r, _ := p.Carried(&session.Carried{Conn: scope, Stream: s, Text: text})
	return r
}

// Carried decides on a text. A peer may heed the fields of a request's head in place of its
// body: where they differ, peers could read it in two ways.
func (p *Path) Carried(c *session.Carried) (session.Ruling, Order) {
	deciders := p.deciders.Load()
	if deciders == nil || len(*deciders) == 0 {
		return session.Ruling{}, Order{}
	}
	return p.read(c, *deciders, false)
}

// read has deciders decide on a text; again: it was held before, and is not held again.
func (p *Path) read(c *session.Carried, deciders []Decider, again bool) (session.Ruling, Order) {
	r, _ := p.readers.Get().(*reader)
	if r == nil {
		r = newReader()
	}
	defer p.readers.Put(r)
	r.path, r.Carried, r.deciders, r.again = p, *c, deciders, again
	ruling := r.read()
	order := r.order(&ruling)
	if order.Held == nil {
		r.forget()
	}
	r.Head = nil
	return ruling, order
}

// TooLong decides on a line that is too long to be held, and returns who drops it; empty = it is
// forwarded.
func (p *Path) TooLong() (by string) {
	if deciders := p.deciders.Load(); deciders != nil {
		for _, d := range *deciders {
			if on := d.OnError("the message is too long to be decided on"); on.Verb == session.Refuse {
				return on.By
			}
		}
	}
	return ""
}

// A reader reads texts, one after another.
type reader struct {
	session.Carried
	path     *Path
	deciders []Decider
	again    bool    // again: the text was held, and is not held again.
	holder   Decider // holder is who holds the text, because of waits.
	waits    *found

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
func (r *reader) read() session.Ruling {
	r.found = r.found[:0]
	r.scan.Reset(r.take)
	r.scan.Write(r.Text)
	facts := r.scan.End()
	switch {
	case facts.Syntax == jsonrpc.Empty:
		return session.Ruling{}
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
		f.id = string(m.ID.In(r.Text))
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
	return string(v.In(r.Text))
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
	text := lex.Unquote(v.In(r.Text))
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
	var mirrors []session.HTTPField
	if r.Stream == session.C2S && r.Head != nil {
		mirrors = r.Head().Fields
	}
	for _, m := range mirrors {
		if says := mcp.HeaderText(m.Value); m.Name == mcp.MethodHeader && says != f.method || m.Name == mcp.NameHeader && f.named && says != f.target {
			return "the header field " + m.Name + " differs from the message"
		}
	}
	for key := range lex.Members(f.params.In(r.Text)) {
		if name := key[1 : len(key)-1]; len(name) <= 4 && string(name) != "name" && string(name) != "uri" &&
			(bytes.EqualFold(name, []byte("name")) || bytes.EqualFold(name, []byte("uri"))) {
			return "the message has a parameter that differs from name or uri only in case"
		}
	}
	return ""
}

// single decides on a text that is one message.
func (r *reader) single(f *found) session.Ruling {
	d := r.decide(f)
	if d.By == "" {
		return session.Ruling{}
	}
	if d.Verb == session.Refuse {
		r.refuse(f, &d)
	}
	return d
}

// batch decides on each member of a batch. Those that do not pass are left out.
func (r *reader) batch() session.Ruling {
	var all session.Ruling
	left := []byte{'['}
	for i := range r.found {
		f := &r.found[i]
		d := r.decide(f)
		if d.Verb == session.Hold {
			return d
		}
		if d.By != "" && !strings.Contains(all.By, d.By) {
			all.By = strings.TrimPrefix(all.By+"; "+d.By, "; ")
		}
		switch all.Verb = max(all.Verb, d.Verb); d.Verb {
		case session.Pass:
			d.Text = f.In(r.Text)
		case session.Refuse:
			r.refuse(f, &d)
			all.Back = append(all.Back, d.Back...)
		}
		if len(d.Text) > 0 {
			if len(left) > 1 {
				left = append(left, ',')
			}
			left = append(left, d.Text...)
		}
	}
	if all.Verb != session.Pass && len(left) > 1 {
		all.Text = append(left, ']')
	}
	return all
}

// refuse sets what goes on in place of a refused message, and what its sender gets.
func (r *reader) refuse(f *found, d *session.Ruling) {
	d.Text = nil
	switch {
	case f.kind.Response() && f.id != "":
		d.Text = denial(f.id, &r.msg, d)
	case f.kind == jsonrpc.Request && f.id != "":
		if r.msg.Kind == session.RowRequest {
			r.path.asked.drop(askedKey{r.Conn, r.Stream, f.id})
		}
		d.Back = [][]byte{denial(f.id, &r.msg, d)}
	}
}

// decide decides on a message.
func (r *reader) decide(f *found) (d session.Ruling) {
	m := &r.msg
	*m = Message{Modern: f.modern, Batch: f.elem >= 0, Scope: r.Conn, Again: r.again, Carrier: r.Carrier}
	m.Stream, m.ID, m.Method, m.Target, m.Failed, m.Body = r.Stream, f.id, f.method, f.target, f.failed, f.In(r.Text)
	switch f.kind {
	case jsonrpc.Request:
		m.Kind = session.RowRequest
		key, q := askedKey{r.Conn, r.Stream, f.id}, question{f.method, f.target, f.token, f.modern, time.Now()}
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
		f.asked = r.path.asked.find(askedKey{r.Conn, r.Stream.Reverse(), f.id})
		m.Method, m.Target, m.Modern = f.asked.method, f.asked.target, f.asked.modern
	case jsonrpc.Invalid:
	}
	why := r.ambiguous(f)
	for _, by := range r.deciders {
		next := session.Ruling{}
		if why != "" {
			next = by.OnError(why)
		}
		if next.Verb != session.Refuse {
			if decided := r.ask(by, m); decided.By != "" {
				next = decided
			}
		}
		if next.Verb == session.Hold {
			if r.again {
				continue
			}
			r.holder, r.waits = by, f
		}
		if next.By != "" {
			d = merge(d, next)
		}
		switch {
		case next.Verb == session.Hold:
			return d
		case next.Verb == session.Refuse, next.Verb == session.Alter && (len(d.Text) == 0 || d.Delay > 0 || len(d.More) > 0 || d.Effect != nil):
			return d
		case next.Verb == session.Alter:
			m.Body = d.Text // The next one decides on what goes on.
		}
	}
	return d
}

// ask asks one Decider. A panic is an error of its.
func (r *reader) ask(by Decider, m *Message) (d session.Ruling) {
	defer func() {
		if p := recover(); p != nil {
			d = by.OnError(fmt.Sprintf("internal error: %v", p))
		}
	}()
	return by.Decide(m)
}

// unreadable decides on a text in which no message can be told.
func (r *reader) unreadable(why string) session.Ruling {
	for _, by := range r.deciders {
		if d := by.OnError(why); d.By != "" {
			return session.Ruling{Verb: d.Verb, By: d.By}
		}
	}
	return session.Ruling{}
}
