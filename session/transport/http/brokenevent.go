package http

import (
	"bytes"

	"wiretea/session"
)

// breakStream does what the ruling on an event does to the stream.
func (e *eventJudge) breakStream(r *session.Ruling) {
	f, effect := e.d.f, r.Effect
	f.altered(r.By)
	var mark int64
	if r.Delay > 0 { // The record has the event as it comes, also if the client does not wait for it.
		e.mu.Lock()
		e.unsent()
		e.mu.Unlock()
		mark = f.trip.took(session.S2C, r.By, e.raw)
		f.pause(r.Delay)
	}
	if effect == nil {
		effect = &session.Effect{}
	} else {
		f.cut(r)
	}
	switch {
	case effect.Status != 0:
		e.d.status, r.Text = effect.Status, injected(r.By)
	case effect.End == session.Aborts:
		r.Text = bytes.TrimRight(r.Text, "\n")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if effect.Status != 0 && e.headless { // What came before it belongs to the stream that the client does not get.
		e.early, e.stopped = nil, r.By
	}
	switch {
	case !effect.Silent:
		e.begun()
	case e.headless:
		e.unsent()
	}
	if mark == 0 {
		mark = f.trip.took(session.S2C, r.By, e.raw)
	}
	f.trip.went(session.S2C, r, mark)
	switch {
	case len(r.Text) == 0:
	case effect.Behind:
		e.release()
		e.kept = bytes.Clone(r.Text)
	default:
		e.put(r.Text)
	}
	for _, more := range r.More {
		e.put(more)
	}
	if e.err != nil {
		return
	}
	switch {
	case effect.Status != 0:
		e.release()
		e.err = errEnded
	case effect.End != session.StaysOpen:
		f.by, f.reset, e.err = r.By, effect.End == session.Resets, errFault
	}
}

// unsent records the head, and what came before the event, of which the client has nothing yet;
// mu is held.
func (e *eventJudge) unsent() {
	e.d.recordHead(&session.HTTPEvent{Status: e.d.res.StatusCode, Proto: e.d.res.Proto})
	e.reveal()
}

// sendHead sends the head of the response, where it has waited for the first message.
func (e *eventJudge) sendHead() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.begun()
}

// begun is sendHead; mu is held.
func (e *eventJudge) begun() {
	if !e.headless {
		return
	}
	e.headless = false
	e.d.announced = e.d.head()
	e.reveal()
	early := e.early
	e.early = nil
	e.put(early)
}

// release writes what was kept; mu is held.
func (e *eventJudge) release() {
	kept := e.kept
	e.kept = nil
	e.put(kept)
}

// arrange returns what is written now that an event has come; nothing while it is kept. mu is
// held.
func (e *eventJudge) arrange(text []byte) []byte {
	switch {
	case e.headless:
		e.early = append(e.early, text...)
		if len(e.early) > maxEvent {
			e.begun()
		}
		return nil
	case len(e.kept) > 0:
		text = append(bytes.Clone(text), e.kept...)
		e.kept = nil
	}
	return text
}
