package control

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/decide"
)

// A Settled is what becomes of a text that was held.
type Settled struct {
	decide.Ruling
	Choice session.Choice // Choice is a person's, with the Status and the Header of a response; zero for none.
}

// A Settle takes what becomes of a text that was held. It does not wait, and calls written
// when what goes on is written, or never will be.
type Settle func(s Settled, written func())

// A Waiting is a text that is to be held: the transport records it, then calls Hold.
type Waiting struct {
	By string // By is who holds it, for the record.

	// Status and Header are those of the response whose body the text is, over HTTP; they may
	// be set before Hold.
	Status int
	Header []session.HTTPField

	i       *Interceptor
	conn    int
	stream  session.Stream
	held    *decide.Held  // held is nil for a text that only waits behind one that is held.
	ruling  decide.Ruling // ruling is what becomes of that one.
	keys    []decide.Key
	size    int
	ordered bool
}

// An entry is a text that is held, or waits behind one that is.
type entry struct {
	*Waiting
	shown   session.Held
	settle  Settle
	settled Settled
	claimed bool // claimed: somebody decides, or has decided, on it.
	decided bool // decided: settled is set.
	before  []*entry
	after   []*entry // after are the entries that it waits for: not yet written. Before are those that wait for it.
	forced  bool     // forced: it, and all that it waits for, are claimed.
	timer   *time.Timer
}

func (e *entry) stop() {
	if e.timer != nil {
		e.timer.Stop()
	}
}

// Text decides on a text of a stream: a line, a body, the data of an event. In an ordered
// stream what belongs together stays in its order. Where wait is not nil, the text is held
// and the ruling says nothing. For mirrors see decide.Path.Carried.
func (i *Interceptor) Text(by decide.Carrier, conn int, s session.Stream, text []byte, ordered bool, mirrors ...session.HTTPField) (ruling decide.Ruling, wait *Waiting) {
	r := i.path.Carried(by, conn, s, text, mirrors...)
	if r.Cancels != (decide.Key{}) && i.cancelled(r.Cancels) {
		return decide.Ruling{By: "hold: its request was held, and goes on no more than it"}, nil
	}
	if r.Held != nil {
		return r, &Waiting{By: recordBy(r.Held), i: i, conn: conn, stream: s, held: r.Held, keys: r.Held.Keys, size: len(r.Held.Text), ordered: ordered}
	}
	if !ordered || len(r.Keys) == 0 {
		return r, nil
	}
	i.mu.Lock()
	behind := i.blockers(r.Keys)
	i.mu.Unlock()
	if len(behind) == 0 {
		return r, nil
	}
	w := &Waiting{By: "hold: stays in its order", i: i, conn: conn, stream: s, ruling: r, keys: r.Keys, size: len(text), ordered: true}
	if r.By == "" || r.Pass {
		w.ruling.Text, w.ruling.Pass = bytes.Clone(text), false
	}
	if w.ruling.By = w.By; r.By != "" {
		w.ruling.By += "; " + r.By
	}
	return r, w
}

// recordBy is who holds a text, for the record, which says of a policy's rule that it waits for
// somebody's decision: else it reads like a denial.
func recordBy(h *decide.Held) string {
	switch {
	case h.Wait.Ask:
		return h.By + session.ByAsked
	case h.Wait.Place == 0:
		return h.By + session.ByHeld
	}
	return h.By
}

// TooLong returns who drops a text that is too long to be held; empty = it is forwarded.
func (i *Interceptor) TooLong() (by string) { return i.path.TooLong() }

// blockers are the entries behind which a text with these keys goes on: the last one with each
// key, which itself goes on behind those before it; mu is held.
func (i *Interceptor) blockers(keys []decide.Key) (found []*entry) {
	for _, k := range keys {
		if e := i.byKey[k]; e != nil && !slices.Contains(found, e) {
			found = append(found, e)
		}
	}
	return found
}

// force claims an entry and all that it waits for; mu is held.
func force(e *entry) (claimed []*entry) {
	for walk := []*entry{e}; len(walk) > 0; {
		e := walk[len(walk)-1]
		if walk = walk[:len(walk)-1]; !e.forced {
			e.forced, walk = true, append(walk, e.after...)
			claimed = append(claimed, claim([]*entry{e})...)
		}
	}
	return claimed
}

// Hold holds the text until settle is called, perhaps before Hold returns. Withdraw drops it,
// because its receiver is gone.
func (w *Waiting) Hold(settle Settle) (withdraw func()) {
	i := w.i
	e := &entry{Waiting: w, settle: settle}
	now := time.Now()
	i.mu.Lock()
	full := len(i.entries) >= MaxHeld || i.size+w.size > MaxHeldBytes
	over := i.closed || i.over || i.ended[streamOf{w.conn, w.stream}]
	left := w.held != nil && i.left(w.held)
	if w.ordered {
		e.after = i.blockers(w.keys)
		for _, k := range w.keys {
			i.byKey[k] = e
		}
	}
	for _, b := range e.after {
		b.before = append(b.before, e)
	}
	i.entries = append(i.entries, e)
	i.size += w.size
	i.path.Ordered.Store(true)
	if w.held == nil {
		e.claimed, e.decided, e.settled = true, true, Settled{Ruling: w.ruling}
	} else {
		i.keep(1)
		i.show(e, now)
	}
	i.changed()
	var forced []*entry
	if full {
		forced = force(e)
	} else if over || left {
		forced = claim([]*entry{e})
	}
	if e.decided && len(e.after) == 0 {
		i.ready = append(i.ready, e)
	}
	i.mu.Unlock()
	for _, e := range forced {
		switch {
		case over:
			i.exit(e)
		case full:
			i.conclude(e, "not held, because too much is held", func() Settled { return Settled{Ruling: i.path.Fail(e.held, "too much is held")} })
		default:
			i.conclude(e, "released, its place is closed", func() Settled {
				return Settled{Ruling: i.path.Release(e.held, e.held.Text, e.held.By+"; released")}
			})
		}
	}
	i.issue()
	return func() { i.withdraw(e) }
}

// withdraw drops an entry whose receiver is gone.
func (i *Interceptor) withdraw(e *entry) {
	i.mu.Lock()
	mine := claim([]*entry{e})
	i.mu.Unlock()
	if len(mine) > 0 {
		i.conclude(e, "dropped, its client is gone", func() Settled {
			return Settled{Ruling: i.path.Drop(e.held, e.held.By+"; dropped, its client is gone")}
		})
	}
	i.issue()
}

// left reports whether the place that holds a text does not hold anything any more; mu is
// held.
func (i *Interceptor) left(h *decide.Held) bool {
	return h.Wait.Place != 0 && !slices.ContainsFunc(i.places, func(p *place) bool {
		return p.id == h.Wait.Place && (p.filter != nil || h.By == followed)
	})
}

// claim returns those on which nobody has decided, which then have to be decided on; mu is
// held.
func claim(entries []*entry) (claimed []*entry) {
	for _, e := range entries {
		if !e.claimed {
			e.claimed = true
			claimed = append(claimed, e)
		}
	}
	return claimed
}

// show says of an entry what people see of it, and sets its deadline; mu is held.
func (i *Interceptor) show(e *entry, now time.Time) {
	i.lastID++
	h := e.held
	e.shown = session.Held{
		ID: i.lastID, Conn: e.conn, Stream: e.stream, Kind: h.Kind, Batch: h.Batch, Method: h.Method, Target: h.Target, MessageID: h.ID, Size: len(h.Text),
		Since: now, By: h.By, Ask: h.Wait.Ask, Rule: h.Rule, Reason: h.Reason, Deny: h.Wait.Deny, Status: e.Status, Header: e.Header,
	}
	e.shown.Deadline, e.shown.Timeout = i.deadline(e, now)
	if e.shown.Deadline.IsZero() {
		e.shown.Deny = false
		return
	}
	e.timer = time.AfterFunc(e.shown.Deadline.Sub(now), func() {
		defer recovered(func(error) {})
		i.expired(e)
	})
}

// deadline is when a held text is decided on without a person, and when its sender, or that
// of its request, gives up waiting. Both may be zero.
func (i *Interceptor) deadline(e *entry, now time.Time) (deadline, timeout time.Time) {
	h := e.held
	asked, sender := h.Asked, e.stream.Reverse()
	if h.Kind == session.RowRequest {
		asked, sender = now, e.stream
	}
	if !asked.IsZero() && i.cfg.Timeout != nil {
		if limit := i.cfg.Timeout(sender, h.Method); limit > 0 && asked.Add(limit).After(now) {
			timeout = asked.Add(limit)
		}
	}
	percent := cmp.Or(h.Wait.Percent, DefaultPercent)
	switch {
	case h.Wait.Timeout > 0:
		return now.Add(h.Wait.Timeout), timeout
	case !timeout.IsZero() && percent <= 100:
		return now.Add(timeout.Sub(now) * time.Duration(percent) / 100), timeout
	case h.Wait.Place == 0:
		return now.Add(DefaultWait), timeout
	}
	return time.Time{}, timeout
}

// expired decides on an entry on which nobody has decided in time.
func (i *Interceptor) expired(e *entry) {
	i.mu.Lock()
	mine := claim([]*entry{e})
	i.mu.Unlock()
	if len(mine) == 0 {
		return
	}
	after := took(e.shown.Deadline.Sub(e.shown.Since))
	if e.shown.Deny {
		i.conclude(e, "denied, nobody has answered", func() Settled {
			return Settled{Ruling: i.path.Refuse(e.held, e.held.By+"; denied, nobody has answered for "+after, reasoned(e.held.Reason, "nobody has answered in time"))}
		})
	} else {
		i.conclude(e, "released, nobody has decided", func() Settled {
			return Settled{Ruling: i.path.Release(e.held, e.held.Text, e.held.By+"; released, nobody has decided for "+after)}
		})
	}
	i.issue()
}

// reasoned joins reasons.
func reasoned(first, second string) string {
	if first == "" {
		return second
	}
	return first + "; " + second
}

// exit decides on a claimed entry because the session ends.
func (i *Interceptor) exit(e *entry) {
	if e.held.Wait.AtExit {
		i.conclude(e, "denied, the session ends", func() Settled {
			return Settled{Ruling: i.path.Refuse(e.held, e.held.By+"; denied, the session ends", reasoned(e.held.Reason, "the session ends"))}
		})
		return
	}
	i.conclude(e, "released, the session ends", func() Settled {
		return Settled{Ruling: i.path.Release(e.held, e.held.Text, e.held.By+"; released, the session ends")}
	})
}

// Ended decides on what is held of a stream that ends: nothing of it is held any more.
func (i *Interceptor) Ended(conn int, s session.Stream) {
	i.mu.Lock()
	i.ended[streamOf{conn, s}] = true // At most two for each connection: a life of a server.
	var mine []*entry
	for _, e := range i.entries {
		if e.conn == conn && e.stream == s {
			mine = append(mine, e)
		}
	}
	claimed := claim(slices.Clone(mine))
	i.mu.Unlock()
	for _, e := range claimed {
		i.exit(e)
	}
	i.issue()
	i.mu.Lock()
	defer i.mu.Unlock()
	for slices.ContainsFunc(i.ready, func(e *entry) bool { return slices.Contains(mine, e) }) {
		i.issued.Wait() // Another goroutine gives them to the transport.
	}
}

// End decides on all that is held, because the session ends: nothing is held any more.
func (i *Interceptor) End() {
	i.mu.Lock()
	i.over = true
	claimed := claim(slices.Clone(i.entries))
	i.mu.Unlock()
	for _, e := range claimed {
		i.exit(e)
	}
	i.issue()
}

// cancelled drops a request that is held, because its sender cancels it, and reports whether
// it is held.
func (i *Interceptor) cancelled(key decide.Key) bool {
	i.mu.Lock()
	at := slices.IndexFunc(i.entries, func(e *entry) bool {
		return e.held != nil && !e.claimed && !e.held.Batch && e.held.Kind == session.RowRequest && slices.Contains(e.keys, key)
	})
	if at < 0 {
		i.mu.Unlock()
		return false
	}
	e := i.entries[at]
	claim(i.entries[at : at+1])
	i.mu.Unlock()
	i.conclude(e, "dropped, its sender cancelled it", func() Settled {
		return Settled{Ruling: i.path.Drop(e.held, e.held.By+"; dropped, its sender cancelled it")}
	})
	i.issue()
	return true
}

// conclude decides on a claimed entry. After a panic on_error does.
func (i *Interceptor) conclude(e *entry, words string, how func() Settled) {
	e.stop()
	settled := func() (s Settled) {
		defer recovered(func(err error) { s = Settled{Ruling: i.path.Fail(e.held, err.Error())} })
		return how()
	}()
	since := took(time.Since(e.shown.Since))
	text := fmt.Sprintf("%s %s after %s", name(&e.shown), words, since)
	i.mu.Lock()
	e.settled, e.decided = settled, true
	i.keep(-1)
	i.decided++
	i.latest = text
	if len(e.after) == 0 {
		i.ready = append(i.ready, e)
	}
	i.changed()
	i.mu.Unlock()
	i.note(session.PathEvent{Event: "decided", What: "held", Text: text + " (" + settled.By + ")"})
}

// name names a held message in one line.
func name(h *session.Held) string {
	text := h.Method
	switch {
	case h.Batch:
		text = "a batch"
	case h.Kind == session.RowResult, h.Kind == session.RowError:
		if text = "a response"; h.Method != "" {
			text = "the response to " + h.Method
		}
	}
	if h.Target != "" {
		text += " " + h.Target
	}
	if h.MessageID != "" && !h.Batch {
		text += ", id " + h.MessageID + ","
	}
	return text
}

// issue gives the decisions on what is ready to the transport, in their order.
func (i *Interceptor) issue() {
	i.mu.Lock()
	if i.issuing {
		i.mu.Unlock()
		return // Who does finds them.
	}
	i.issuing = true
	for len(i.ready) > 0 {
		e := i.ready[0]
		i.mu.Unlock()
		i.give(e)
		i.mu.Lock()
		i.ready = i.ready[1:]
		i.issued.Broadcast()
	}
	i.ready, i.issuing = nil, false
	i.mu.Unlock()
}

// give gives the decision on an entry to the transport.
func (i *Interceptor) give(e *entry) {
	defer recovered(func(error) { i.written(e) }) // It is lost, and what waits behind it goes on.
	e.settle(e.settled, func() { i.written(e) })
}

// written removes an entry of which all that goes on is written.
func (i *Interceptor) written(e *entry) {
	i.mu.Lock()
	at := slices.Index(i.entries, e)
	if at < 0 {
		i.mu.Unlock()
		return
	}
	i.entries = slices.Delete(i.entries, at, at+1)
	i.size -= e.size
	for _, k := range e.keys {
		if i.byKey[k] == e {
			delete(i.byKey, k)
		}
	}
	for _, next := range e.before {
		next.after = slices.DeleteFunc(next.after, func(other *entry) bool { return other == e })
		if len(next.after) == 0 && next.decided {
			i.ready = append(i.ready, next)
		}
	}
	empty := len(i.entries) == 0
	if empty {
		i.path.Ordered.Store(false)
	}
	i.mu.Unlock()
	if empty {
		go func() { // It ends at once: the transport may be in the middle of a line here.
			defer recovered(func(error) {})
			i.adjust()
		}()
	}
	i.issue()
}
