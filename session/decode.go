package session

import (
	"slices"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// maxHeld is how many messages of one frame are stored until the frame has
// ended. Those beyond it, in very large batches, are paired at once and cause
// no events.
const maxHeld = 64

// held are the messages of a frame that has not ended, after which they are
// judged.
type held struct {
	st   *stream // st is nil for those of a Decoder.
	msgs []jsonrpc.Message
	n    int
	over int    // over counts the messages beyond maxHeld.
	raw  []byte // raw is the memory that the messages' values point to.
	take func(*jsonrpc.Message)
}

func newHeld(st *stream) *held {
	h := &held{st: st}
	h.take = h.add
	return h
}

func (h *held) reset() { h.n, h.over, h.raw = 0, 0, h.raw[:0] }

// add copies a message from the Scanner.
func (h *held) add(m *jsonrpc.Message) {
	if h.n == maxHeld {
		h.over++
		if h.st != nil {
			h.st.early(m)
		}
		return
	}
	if h.n == len(h.msgs) {
		h.msgs = append(h.msgs, jsonrpc.Message{})
	}
	d := &h.msgs[h.n]
	h.n++
	*d = *m
	h.keep(&d.Version)
	h.keep(&d.ID)
	h.keep(&d.Method)
	for f := range jsonrpc.NumFields {
		if v := d.Field(f); len(v.Raw) > 0 {
			h.keep(v)
		}
	}
}

// keep copies what v points to. When raw grows, earlier values still point to
// the old memory, which is not changed.
func (h *held) keep(v *jsonrpc.Value) {
	at := len(h.raw)
	h.raw = append(h.raw, v.Raw...)
	v.Raw = h.raw[at:len(h.raw):len(h.raw)]
}

// tagged reports whether the frame is one message with a "jsonrpc" member, not
// any other object.
func (h *held) tagged() bool {
	return h.n == 1 && h.msgs[0].Kind != jsonrpc.Invalid && h.msgs[0].Version.Present()
}

// judge reports a frame and settles its messages. Messages in a text that is
// not JSON as a whole do not count.
func (st *stream) judge(f *Frame, h *held) {
	whole := f.Text.Syntax == jsonrpc.Complete || f.Text.Syntax == jsonrpc.Trailing
	if f.Header || !whole {
		if !f.Header {
			st.a.store.edit(f.Row).Kind = textKind(f.Text)
		}
		st.a.see(st.c, f)
		return
	}
	st.a.store.edit(f.Row).Kind = messageKind(f.Text, h)
	st.a.see(st.c, f)
	for i := range h.n {
		st.a.settle(st.c, f, &h.msgs[i], i == 0)
	}
}

// early settles a message of a frame that has not ended. What is written to stderr
// and the rest of a line that a gap cut are not messages, whatever they look like.
func (st *stream) early(m *jsonrpc.Message) {
	if st.id == Stderr || st.torn {
		return
	}
	st.show()
	f := *st.facts(nil, jsonrpc.Text{BadAt: -1})
	f.early = true
	st.a.settle(st.c, &f, m, false)
}

// textKind returns the kind of a row without messages.
func textKind(t jsonrpc.Text) RowKind {
	if t.Syntax == jsonrpc.Empty {
		return RowBlank
	}
	return RowText
}

// messageKind returns the kind of a row whose text is JSON.
func messageKind(t jsonrpc.Text, h *held) RowKind {
	switch {
	case t.Batches > 0 || h.n > 1:
		return RowBatch
	case h.n == 0:
		return RowText
	}
	switch h.msgs[0].Kind {
	case jsonrpc.Request:
		return RowRequest
	case jsonrpc.Notification:
		return RowNotification
	case jsonrpc.Result:
		return RowResult
	case jsonrpc.Error:
		return RowError
	case jsonrpc.Invalid:
	}
	return RowText
}

// plain returns the text of a string value without quotes and escapes, and the
// raw text of any other value. A truncated value stays truncated.
func plain(v *jsonrpc.Value) []byte {
	if v.Type != jsonrpc.String || len(v.Raw) == 0 {
		return v.Raw
	}
	inner := v.Raw[1:]
	if !v.Whole() {
		return inner
	}
	if slices.Contains(inner, '\\') {
		text, _ := v.Unquoted()
		return []byte(text)
	}
	return inner[:len(inner)-1]
}

// methodOf returns the interned name of a message's method and its row in the
// protocol's table, nil if it has none.
func (a *Analyzer) methodOf(m *jsonrpc.Message) (uint32, *mcp.Method) {
	name := a.store.names.method(plain(&m.Method))
	if name == manyName {
		return name, nil
	}
	for int(name) >= len(a.methods) {
		a.methods = append(a.methods, nil)
		a.looked = append(a.looked, false)
	}
	if !a.looked[name] {
		a.looked[name] = true
		a.methods[name], _ = mcp.Lookup(a.store.names.list[name])
	}
	return name, a.methods[name]
}

// TargetField returns the field of a message that names what it acts on: a
// tool, a prompt, a URI. It reports false for a method without a target.
func TargetField(m *jsonrpc.Message, row *mcp.Method) (f jsonrpc.Field, ok bool) {
	switch row.Target {
	case "name":
		return jsonrpc.ParamName, true
	case "uri":
		return jsonrpc.ParamURI, true
	case "taskId":
		return jsonrpc.ParamTaskID, true
	case "level":
		return jsonrpc.ParamLevel, true
	case "ref":
		if m.Field(jsonrpc.ParamRefName).Present() {
			return jsonrpc.ParamRefName, true
		}
		return jsonrpc.ParamRefURI, true
	}
	return 0, false
}

// targetOf returns the interned name of a message's target.
func (a *Analyzer) targetOf(m *jsonrpc.Message, row *mcp.Method) uint32 {
	if row == nil {
		return noName
	}
	f, ok := TargetField(m, row)
	if !ok {
		return noName
	}
	v := m.Field(f)
	if !v.Present() {
		return noName
	}
	return a.store.names.target(plain(v))
}

// A Decoder decodes the JSON of frames before their records are added, so that another
// goroutine can do that while the Analyzer is busy with earlier ones. The findings are the
// same. Its zero value is ready; it is for one goroutine.
type Decoder struct{ scan jsonrpc.Scanner }

// Decoded is what a Decoder found in a frame's body. It holds no bytes of the record, and
// its memory is used again.
type Decoded struct {
	held held
	text jsonrpc.Text
}

// Decode decodes the body of a frame into d and lets r.Decoded point to d. Of other records,
// of a body that may be the beginning of a longer value, and of a batch of very many messages
// r.Decoded stays nil: the Analyzer decodes these.
func (dec *Decoder) Decode(r *Record, d *Decoded) {
	if r.Kind != RecFrame || r.Stream == Stderr && len(r.Body) > MaxStderrJSON {
		return
	}
	if d.held.take == nil {
		d.held.take = d.held.add
	}
	d.held.reset()
	dec.scan.Reset(d.held.take)
	dec.scan.Write(r.Body)
	if dec.scan.Syntax() == jsonrpc.Incomplete {
		return
	}
	d.text = dec.scan.End()
	if d.held.over == 0 {
		r.Decoded = d
	}
}
