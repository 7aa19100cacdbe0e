package path

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"wiretea/session"
)

// An entry is a text that is held, or waits behind one that is.
type entry struct {
	session.Carried                  // Its Text is not kept.
	held            *Held            // held is nil for a text that only waits behind one that is held.
	head            session.HTTPHead // head is that of the response whose body the text is; zero for none.
	keys            []Key
	size            int

	shown   session.Held
	settle  session.Settle
	ruling  session.Ruling // ruling is what becomes of the text.
	claimed bool           // claimed: somebody decides, or has decided, on it.
	decided bool           // decided: ruling is set.
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

// Decide implements session.Judge. In the stream of an ordered carrier what belongs together
// stays in its order.
func (i *Interceptor) Decide(c session.Carried) session.Ruling {
	r, order := i.path.Carried(&c)
	if order.Cancels != (Key{}) && i.cancelled(order.Cancels) {
		return session.Ruling{Verb: session.Alter, By: "hold: its request was held, and goes on no more than it"}
	}
	if order.Held != nil {
		return i.held(recordBy(order.Held), &entry{Carried: c, held: order.Held, keys: order.Keys, size: len(c.Text)})
	}
	if !c.Carrier.Ordered() || len(order.Keys) == 0 {
		return r
	}
	i.mu.Lock()
	behind := i.blockers(order.Keys)
	i.mu.Unlock()
	if len(behind) == 0 {
		return r
	}
	by := "hold: stays in its order"
	if r.Whole() {
		r.Verb, r.Text = session.Alter, bytes.Clone(c.Text)
	}
	if r.By != "" {
		r.By = by + "; " + r.By
	} else {
		r.By = by
	}
	return i.held(by, &entry{Carried: c, ruling: r, keys: order.Keys, size: len(c.Text)})
}

// held is the ruling that holds an entry.
func (i *Interceptor) held(by string, e *entry) session.Ruling {
	if e.held != nil && e.Stream == session.S2C && e.Head != nil {
		e.head = e.Head()
	}
	e.Text, e.Head = nil, nil
	return session.Ruling{Verb: session.Hold, By: by, Await: func(settle session.Settle) func() {
		e.settle = settle
		i.await(e)
		return func() { i.withdraw(e) }
	}}
}

// recordBy is who holds a text, for the record, which says of a policy's rule that it waits for
// somebody's decision: else it reads like a denial.
func recordBy(h *Held) string {
	switch {
	case h.Wait.Ask:
		return h.By + session.ByAsked
	case h.Wait.Place == 0:
		return h.By + session.ByHeld
	}
	return h.By
}

// TooLong implements session.Judge.
func (i *Interceptor) TooLong() (by string) { return i.path.TooLong() }

// blockers are the entries behind which a text with these keys goes on: the last one with each
// key, which itself goes on behind those before it; mu is held.
func (i *Interceptor) blockers(keys []Key) (found []*entry) {
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

// await takes an entry.
func (i *Interceptor) await(e *entry) {
	now := time.Now()
	i.mu.Lock()
	full := len(i.entries) >= MaxHeld || i.size+e.size > MaxHeldBytes
	over := i.closed || i.over || i.ended[streamOf{e.Conn, e.Stream}]
	left := e.held != nil && i.left(e.held)
	if e.Carrier.Ordered() {
		e.after = i.blockers(e.keys)
		for _, k := range e.keys {
			i.byKey[k] = e
		}
	}
	for _, b := range e.after {
		b.before = append(b.before, e)
	}
	i.entries = append(i.entries, e)
	i.size += e.size
	i.path.Ordered.Store(true)
	if e.held == nil {
		e.claimed, e.decided = true, true
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
			i.conclude(e, "not held, because too much is held", func() session.Ruling { return i.path.Fail(e.held, "too much is held") })
		default:
			i.conclude(e, "released, its place is closed", func() session.Ruling {
				return i.path.Release(e.held, e.held.Text, e.held.By+"; released")
			})
		}
	}
	i.issue()
}

// withdraw drops an entry whose receiver is gone.
func (i *Interceptor) withdraw(e *entry) {
	i.mu.Lock()
	mine := claim([]*entry{e})
	i.mu.Unlock()
	if len(mine) > 0 {
		i.conclude(e, "dropped, its client is gone", func() session.Ruling {
			return i.path.Drop(e.held, e.held.By+"; dropped, its client is gone")
		})
	}
	i.issue()
}

// left reports whether the place that holds a text does not hold anything any more; mu is
// held.
func (i *Interceptor) left(h *Held) bool {
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
		ID: i.lastID, Conn: e.Conn, Stream: e.Stream, Kind: h.Kind, Batch: h.Batch, Method: h.Method, Target: h.Target, MessageID: h.ID, Size: len(h.Text),
		Since: now, By: h.By, Ask: h.Wait.Ask, Rule: h.Rule, Reason: h.Reason, Deny: h.Wait.Deny, Status: e.head.Status, Header: e.head.Fields,
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
	asked, sender := h.Asked, e.Stream.Reverse()
	if h.Kind == session.RowRequest {
		asked, sender = now, e.Stream
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
		i.conclude(e, "denied, nobody has answered", func() session.Ruling {
			return i.path.Refuse(e.held, e.held.By+"; denied, nobody has answered for "+after, reasoned(e.held.Reason, "nobody has answered in time"))
		})
	} else {
		i.conclude(e, "released, nobody has decided", func() session.Ruling {
			return i.path.Release(e.held, e.held.Text, e.held.By+"; released, nobody has decided for "+after)
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
		i.conclude(e, "denied, the session ends", func() session.Ruling {
			return i.path.Refuse(e.held, e.held.By+"; denied, the session ends", reasoned(e.held.Reason, "the session ends"))
		})
		return
	}
	i.conclude(e, "released, the session ends", func() session.Ruling {
		return i.path.Release(e.held, e.held.Text, e.held.By+"; released, the session ends")
	})
}

// Ended implements session.Judge.
func (i *Interceptor) Ended(conn int, s session.Stream) {
	i.mu.Lock()
	i.ended[streamOf{conn, s}] = true // At most two for each connection: a life of a server.
	var mine []*entry
	for _, e := range i.entries {
		if e.Conn == conn && e.Stream == s {
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
func (i *Interceptor) cancelled(key Key) bool {
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
	i.conclude(e, "dropped, its sender cancelled it", func() session.Ruling {
		return i.path.Drop(e.held, e.held.By+"; dropped, its sender cancelled it")
	})
	i.issue()
	return true
}

// conclude decides on a claimed entry. After a panic on_error does.
func (i *Interceptor) conclude(e *entry, words string, how func() session.Ruling) {
	e.stop()
	ruling := func() (r session.Ruling) {
		defer recovered(func(err error) { r = i.path.Fail(e.held, err.Error()) })
		return how()
	}()
	since := took(time.Since(e.shown.Since))
	text := fmt.Sprintf("%s %s after %s", name(&e.shown), words, since)
	i.mu.Lock()
	e.ruling, e.decided = ruling, true
	i.keep(-1)
	i.decided++
	i.latest = text
	if len(e.after) == 0 {
		i.ready = append(i.ready, e)
	}
	i.changed()
	i.mu.Unlock()
	i.note(session.PathEvent{Event: "decided", What: "held", Text: text + " (" + ruling.By + ")"})
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
	e.settle(e.ruling, func() { i.written(e) })
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
