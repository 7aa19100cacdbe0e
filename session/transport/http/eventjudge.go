package http

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"wiretea/session"
	"wiretea/session/framing"
)

// maxEvent is the longest event that is decided on, in bytes.
const maxEvent = 16 << 20

// An eventJudge forwards an event stream event by event.
type eventJudge struct {
	d            *download
	split        framing.Splitter
	raw          []byte // raw is the event so far, data its data and syntax the rest.
	data, syntax []byte
	plain        []byte // plain are what passes of the chunk, to be recorded and forwarded at once.
	passes       bool   // passes: the event is too long, and is forwarded as it comes.
	dropped      string // dropped is who decided that it is not.

	mu       sync.Mutex       // mu guards what follows, and is held while something is written.
	err      error            // err is why nothing more can be forwarded.
	held     map[int64]func() // held withdraw the events that are held, by their marks.
	none     *sync.Cond       // none is signalled when none is held any more.
	overtook bool             // overtook: an event has overtaken one that is held.

	// What follows is what faults do.
	headless bool   // headless: the head of the response waits for the first message.
	early    []byte // early waits for it.
	unseen   []byte // unseen is what came of the stream before it: the record has the head first, which says that this is a stream.
	stopped  string // stopped is who decided that the client does not get unseen; empty while it does.
	kept     []byte // kept is an event that follows the next one; empty = none does.
}

func newEventJudge(d *download) *eventJudge {
	e := &eventJudge{d: d, split: framing.Splitter{Mode: framing.Events}, held: map[int64]func(){}}
	e.none = sync.NewCond(&e.mu)
	e.headless = d.f.hasBody() && d.f.judge() != nil && d.f.judge().Heads()
	return e
}

// push takes what came of the stream.
func (e *eventJudge) push(chunk []byte) error {
	e.split.Push(chunk, e.piece)
	if e.passes || e.dropped != "" {
		e.part()
	}
	e.drain()
	return e.failed()
}

func (e *eventJudge) failed() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// end forwards what is left of the stream, an event that did not end, and waits for the events
// that are held.
func (e *eventJudge) end() error {
	e.split.Flush(e.piece)
	e.drain()
	defer context.AfterFunc(e.d.f.r.Context(), e.withdraw)()
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.held) > 0 {
		e.none.Wait()
	}
	e.begun()
	e.release()
	return e.err
}

// abandon ends the holding of events: nothing more can be forwarded.
func (e *eventJudge) abandon(err error) {
	e.mu.Lock()
	if e.err == nil {
		e.err = err
	}
	e.mu.Unlock()
	e.withdraw()
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.held) > 0 {
		e.none.Wait()
	}
}

// withdraw has all events that are held settled.
func (e *eventJudge) withdraw() {
	e.mu.Lock()
	all := slices.Collect(maps.Values(e.held))
	e.mu.Unlock()
	for _, withdraw := range all {
		withdraw()
	}
}

// hold holds an event until somebody has decided on it. Others go on meanwhile.
func (e *eventJudge) hold(r session.Ruling, fields framing.Fields) {
	f := e.d.f
	mark := f.trip.took(session.S2C, r.By, e.raw)
	f.trip.Forwarded()
	e.mu.Lock()
	e.held[mark] = func() {}
	e.mu.Unlock()
	withdraw := r.Await(func(r session.Ruling, written func()) {
		// The one who decides does not wait for the client.
		f.p.handlers.Go(func() {
			defer written()
			e.settle(mark, r, fields)
		})
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, held := e.held[mark]; held {
		e.held[mark] = withdraw
	}
}

// settle forwards what becomes of an event that was held.
func (e *eventJudge) settle(mark int64, r session.Ruling, fields framing.Fields) {
	f, d := e.d.f, session.Decided{By: r.By, Of: mark}
	e.answer(&r, d)
	f.altered(r.By)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(r.Text) > 0 && e.err == nil {
		if e.overtook {
			fields.HasID = false // Later events have later ids: a client that resumes begins behind them.
		}
		text := event(fields, r.Text)
		f.trip.decided(&f.trip.received, session.S2C, session.WayOut, d, text)
		e.put(text)
		f.trip.Forwarded()
	}
	if delete(e.held, mark); len(e.held) == 0 {
		e.overtook = false
		e.none.Broadcast()
	}
}

func (e *eventJudge) piece(p framing.Piece) {
	e.raw = append(append(append(e.raw, p.Pre...), p.Data...), p.Term...)
	e.data = append(e.data, p.Data...)
	e.syntax = append(append(e.syntax, p.Pre...), p.Term...)
	if len(e.raw) > maxEvent && !e.passes && e.dropped == "" {
		e.dropped = e.d.f.target.up.Judge.TooLong()
		e.passes = e.dropped == ""
	}
	switch long := e.passes || e.dropped != ""; {
	case long && (p.End || len(e.raw) >= largeRead):
		e.part()
	case !long && p.End:
		e.decide()
		e.raw, e.data, e.syntax = e.raw[:0], e.data[:0], e.syntax[:0]
	}
	if p.End {
		e.passes, e.dropped = false, ""
	}
}

// part forwards, or drops, what has come of an event that is too long.
func (e *eventJudge) part() {
	if e.dropped != "" {
		e.drain()
		e.d.f.trip.decided(&e.d.f.trip.received, session.S2C, session.WayIn, session.Decided{By: e.dropped}, e.raw)
	} else {
		e.sendHead()
		e.forward(e.raw)
	}
	e.raw, e.data, e.syntax = e.raw[:0], e.data[:0], e.syntax[:0]
}

// decide decides on an event that has ended.
func (e *eventJudge) decide() {
	f := e.d.f
	fields := framing.EventFields(e.syntax)
	if len(e.data) == 0 || fields.Name == "endpoint" && !isJSON(e.data) {
		e.forward(e.raw)
		return
	}
	carrier := session.ByEvent
	if e.headless {
		carrier = session.ByFirstEvent
	}
	r := f.target.up.Judge.Decide(session.Carried{Carrier: carrier, Conn: f.conn, Stream: session.S2C, Text: e.data})
	switch {
	case r.By == "":
		e.sendHead()
		e.forward(e.raw)
		return
	case r.Verb == session.Hold:
		e.drain()
		e.sendHead()
		e.hold(r, fields)
		return
	case len(r.Text) > 0:
		r.Text = event(fields, r.Text)
		for i, more := range r.More {
			r.More[i] = event(fields, more)
		}
	}
	e.drain()
	if r.Effect != nil || r.Delay > 0 {
		e.breakStream(&r)
		return
	}
	e.sendHead()
	if !r.Whole() {
		f.altered(r.By)
	}
	mark := f.trip.ruled(session.S2C, &r, e.raw)
	e.answer(&r, session.Decided{By: r.By, Of: mark})
	if r.Whole() {
		e.write(e.raw)
		return
	}
	e.write(r.Text)
	for _, more := range r.More {
		e.write(more)
	}
}

// answer answers a request of the server that the client does not get, where the server
// takes messages.
func (e *eventJudge) answer(r *session.Ruling, d session.Decided) {
	if len(r.Back) > 0 && e.d.posts != nil {
		e.d.f.answerServer(e.d.posts, bytes.Join(r.Back, []byte{','}), d)
	}
}

// event is an event with another message.
func event(fields framing.Fields, text []byte) []byte {
	var b bytes.Buffer
	if fields.HasID {
		fmt.Fprintf(&b, "id: %s\n", fields.ID)
	}
	if fields.Name != "" {
		fmt.Fprintf(&b, "event: %s\n", fields.Name)
	}
	for line := range bytes.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		fmt.Fprintf(&b, "data: %s\n", line)
	}
	return append(b.Bytes(), '\n')
}

// begin answers the refused messages of the request, before the server's events.
func (e *eventJudge) begin() {
	f := e.d.f
	if f.batch {
		for _, back := range f.ruling.Back {
			text := event(framing.Fields{}, back)
			f.trip.decided(&f.trip.received, session.S2C, session.WayOut, session.Decided{By: f.ruling.By, Of: f.mark}, text)
			e.write(text)
		}
	}
}

// forward records and forwards what passes, together with what passes behind it in the chunk: a
// write for each event, or for each line of a long one, costs more than all else.
func (e *eventJudge) forward(raw []byte) {
	e.plain = append(e.plain, raw...)
	e.mu.Lock()
	waits := len(e.kept) > 0 || e.headless // A kept event follows the next one, not the next few.
	e.mu.Unlock()
	if waits || len(e.plain) >= largeRead {
		e.drain()
	}
}

// drain records and writes what passes.
func (e *eventJudge) drain() {
	if len(e.plain) == 0 {
		return
	}
	e.mu.Lock()
	if e.headless {
		e.unseen = append(e.unseen, e.plain...)
	} else {
		e.d.f.trip.Received(e.plain)
	}
	e.mu.Unlock()
	e.write(e.plain)
	if e.plain = e.plain[:0]; cap(e.plain) > 2*largeRead {
		e.plain = nil
	}
}

// reveal records what came before the head was recorded; mu is held.
func (e *eventJudge) reveal() {
	unseen, trip := e.unseen, e.d.f.trip
	e.unseen = nil
	switch {
	case len(unseen) == 0:
	case e.stopped != "":
		trip.decided(&trip.received, session.S2C, session.WayIn, session.Decided{By: e.stopped}, unseen)
	default:
		trip.Received(unseen)
	}
}

func (e *eventJudge) write(text []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.overtook = len(e.held) > 0
	e.put(text)
}

// put writes; mu is held.
func (e *eventJudge) put(text []byte) {
	if e.err != nil || len(text) == 0 {
		return
	}
	if text = e.arrange(text); len(text) == 0 {
		return
	}
	if _, e.err = e.d.f.w.Write(text); e.err != nil {
		e.d.f.lost = true
		return
	}
	e.err = e.d.flush()
}
