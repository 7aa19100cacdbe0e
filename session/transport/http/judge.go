package http

import (
	"bytes"
	"net/http"

	"wiretea/session"
	"wiretea/session/mcp"
)

// judge decides on the messages of the round trip; nil = they pass.
func (f *forward) judge() session.Judge {
	if !f.judged {
		return nil
	}
	return f.target.up.Judge
}

// hasBody reports whether the request has a body on which a Judge decides. Its method does not
// count: a server may read a message from any body.
func (f *forward) hasBody() bool { return f.r.Method == http.MethodPost || f.r.ContentLength != 0 }

// judges reports whether messages have to be decided on now.
func (u *Upstream) judges() bool { return u != nil && u.Judge != nil && u.Judge.On() }

// judgesResponse is judges for a response that has come to a request on which nobody had to
// decide. With a content coding it cannot be decided on: the request has allowed one.
func (u *Upstream) judgesResponse(res *http.Response) bool {
	return u.judges() && res.Header.Get("Content-Encoding") == ""
}

// decided records bytes of a body that were decided on: all of it, or a whole event.
func (t *TripRecorder) decided(b *body, s session.Stream, way session.Way, d session.Decided, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended || len(text) == 0 {
		return
	}
	if way != session.WayOut || b.bytes == 0 {
		b.bytes += int64(len(text)) // What replaces a text is not counted again.
	}
	b.rpc = b.rpc || s == session.C2S && bytes.Contains(text, rpc)
	if l := b.login; l != nil && (s == session.S2C || !isJSON(text)) {
		text = t.log.withoutCredentials(&login{form: l.form, coded: l.coded || b.codings != nil}, text)
	}
	t.log.Tap.PutTripDecided(t.number, s, way, d, text)
}

// ruled records a text as it came and, where something else goes on, that too. It returns
// the mark by which the record refers to the text.
func (t *TripRecorder) ruled(s session.Stream, r *session.Ruling, text []byte) (mark int64) {
	if r.Whole() {
		t.decided(t.way(s), s, session.Crossed, session.Decided{By: r.By}, text)
		return 0
	}
	mark = t.took(s, r.By, text)
	t.went(s, r, mark)
	return mark
}

// went records what goes on in place of a text that was taken.
func (t *TripRecorder) went(s session.Stream, r *session.Ruling, mark int64) {
	b := t.way(s)
	t.decided(b, s, session.WayOut, session.Decided{By: r.By, Of: mark}, r.Text)
	for _, more := range r.More {
		if s == session.C2S {
			break // It has a round trip of its own.
		}
		t.decided(b, s, session.WayOut, session.Decided{By: r.By, Of: mark}, more)
	}
}

// took records a text that does not go on, or not yet, and returns its mark.
func (t *TripRecorder) took(s session.Stream, by string, text []byte) (mark int64) {
	mark = t.log.Tap.Mark()
	t.decided(t.way(s), s, session.WayIn, session.Decided{By: by, Mark: mark}, text)
	return mark
}

// way is what is counted of a direction.
func (t *TripRecorder) way(s session.Stream) *body {
	if s == session.S2C {
		return &t.received
	}
	return &t.sent
}

// await waits until somebody has decided on a body that is held, and records both what came
// and what goes on in its place. Where the client goes away, nobody waits for it any more.
func (f *forward) await(s session.Stream, r session.Ruling, text []byte) (settled session.Ruling, mark int64) {
	mark = f.trip.took(s, r.By, text)
	f.trip.whole(s)
	f.trip.Forwarded()
	f.wait()
	decision := make(chan session.Ruling, 1)
	withdraw := r.Await(func(r session.Ruling, written func()) {
		decision <- r
		written()
	})
	select {
	case settled = <-decision:
	case <-f.r.Context().Done():
		withdraw()
		settled = <-decision
	}
	f.trip.decided(f.trip.way(s), s, session.WayOut, session.Decided{By: settled.By, Of: mark}, settled.Text)
	f.trip.whole(s)
	return settled, mark
}

// silence leaves the client without a response until it goes away. It does not return.
func (f *forward) silence(by string) {
	f.by = by
	<-f.r.Context().Done()
	f.broken(f.r.Context().Err())
}

// wait says that the request is to be sent later, or not at all.
func (f *forward) wait() {
	if f.waits != nil {
		f.waits()
	}
}

// whole has the record take what it has of a body as one message.
func (t *TripRecorder) whole(s session.Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	word := "sent"
	if s == session.S2C {
		word = "received"
	}
	if !t.ended {
		t.log.Tap.HTTP(t.number, &session.HTTPEvent{Event: word})
	}
}

// receiveJudged is receive where the body is decided on before the server gets it.
func (f *forward) receiveJudged() error {
	err := f.body.read()
	f.query.initialize = f.p.cfg.Initialize != nil && f.body.whole && f.p.cfg.Initialize(f.body.first)
	f.begin()
	if err != nil || !f.body.whole || f.r.Header.Get("Content-Encoding") != "" {
		by := f.judge().TooLong()
		if err != nil || by == "" {
			f.body.recordFirst()
			return err
		}
		f.unreadable, f.ruling = true, session.Ruling{Verb: session.Refuse, By: by}
		f.trip.decided(&f.trip.sent, session.C2S, session.WayIn, session.Decided{By: f.ruling.By}, f.body.first)
		return nil
	}
	f.batch = bytes.HasPrefix(bytes.TrimSpace(f.body.first), []byte("["))
	f.ruling = f.judge().Decide(session.Carried{Carrier: session.ByBody, Conn: f.conn, Stream: session.C2S, Text: f.body.first, Head: f.mirrors})
	switch {
	case f.ruling.By == "":
		f.body.recordFirst()
		return nil
	case f.ruling.Verb == session.Hold:
		f.ruling, f.mark = f.await(session.C2S, f.ruling, f.body.first)
	default:
		f.mark = f.trip.ruled(session.C2S, &f.ruling, f.body.first)
	}
	f.trip.SentAll()
	if len(f.ruling.Text) > 0 {
		f.body.replace(f.ruling.Text)
	}
	return nil
}

// mirrors are the fields of the request's head that repeat what its body says.
func (f *forward) mirrors() (h session.HTTPHead) {
	for _, name := range []string{mcp.MethodHeader, mcp.NameHeader} {
		for _, value := range f.r.Header[name] {
			h.Fields = append(h.Fields, session.HTTPField{Name: name, Value: value})
		}
	}
	return h
}

// replace makes another text the body.
func (u *upload) replace(text []byte) {
	u.lent.release()
	u.lent, u.first = nil, text
	u.f.r.ContentLength = int64(len(text))
}

// refused reports whether nothing of the request goes on.
func (f *forward) refused() bool { return !f.ruling.Whole() && len(f.ruling.Text) == 0 }

// answerRefused answers in place of the server.
func (f *forward) answerRefused() {
	if f.unreadable {
		f.answer(http.StatusRequestEntityTooLarge, "the request cannot be decided on, and is denied ("+f.ruling.By+")")
		f.trip.End("eof", nil)
		return
	}
	f.backOnStream()
	h, status, text := f.w.Header(), http.StatusAccepted, f.back(nil)
	if len(text) > 0 {
		status = http.StatusOK
		h.Set("Content-Type", "application/json")
	}
	f.altered(f.ruling.By)
	f.trip.response(&session.HTTPEvent{Status: status, Proto: f.r.Proto, Ours: true}, h)
	f.trip.decided(&f.trip.received, session.S2C, session.WayOut, session.Decided{By: f.ruling.By, Of: f.mark}, text)
	f.w.WriteHeader(status)
	_, _ = f.w.Write(text) // The client may be gone: nothing else is to be done.
	f.trip.Forwarded()
	f.trip.End("eof", nil)
}

// backOnStream answers the refused messages on the stream of the old HTTP+SSE transport that
// they belong to: a client of it reads no message in the response to its POST.
func (f *forward) backOnStream() {
	if stream := f.target.from; stream != nil && len(f.ruling.Back) > 0 && stream.tell(f.ruling.By, f.mark, f.ruling.Back) {
		f.ruling.Back = nil
	}
}

// back is the body that answers the refused messages of the request, beside what the server
// has answered to the others.
func (f *forward) back(others []byte) []byte {
	all := f.ruling.Back
	if !f.batch {
		return bytes.Join(all, nil)
	}
	others = bytes.TrimSpace(others)
	if inner, ok := bytes.CutPrefix(others, []byte("[")); ok {
		others = bytes.TrimSpace(bytes.TrimSuffix(inner, []byte("]")))
	}
	if len(others) > 0 {
		all = append([][]byte{others}, all...)
	}
	if len(all) == 0 {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(all, []byte{','})...), ']')
}
