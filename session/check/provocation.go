package check

import (
	"time"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// A cause is why somebody sent a response that names no request.
type cause uint8

const (
	unknownCause   cause = iota
	byNotification       // byNotification: in answer to a notification.
	byUnreadable         // byUnreadable: in answer to something whose id could not be read.
)

// provokedWithin is how long after a notification a response can be the answer
// to it, when other messages came between.
const provokedWithin = int64(2 * time.Second)

// provocations remembers what each side sent that may bring a response without
// a usable id from the other.
type provocations struct {
	side [2]struct {
		unreadable   int   // unreadable counts what could not be read and was not answered.
		notification int64 // notification is when the latest was sent.
		pending      bool  // pending: no response was taken for an answer to it.
		latest       bool  // latest: nothing came after it.
		unfinished   bool  // unfinished: a frame has begun, and counts as unreadable until it ends.
	}
}

// grew notes a frame that has not ended. Its reader may not wait for the end: a
// message without its line feed can be answered.
func (p *provocations) grew(f *session.Frame) {
	if f.Stream == session.Stderr {
		return
	}
	if s := &p.side[f.Stream]; !s.unfinished {
		s.unfinished = true
		s.unreadable++
	}
}

// finish notes that the frame that grew has ended.
func (p *provocations) finish(stream session.Stream) {
	s := &p.side[stream]
	if s.unfinished {
		s.unfinished = false
		s.unreadable = max(0, s.unreadable-1)
	}
}

// frame notes a frame that brings no messages.
func (p *provocations) frame(f *session.Frame) {
	p.finish(f.Stream)
	if f.Text.Syntax != jsonrpc.Empty && !f.Header {
		p.side[f.Stream].unreadable++
	}
}

// message notes a message, after it was judged.
func (p *provocations) message(ev *session.Event) {
	s := &p.side[ev.Frame.Stream]
	m := ev.Message
	p.finish(ev.Frame.Stream)
	s.latest = false
	switch {
	case !isMessage(m), m.Elem == 0, m.Kind == jsonrpc.Invalid:
		s.unreadable++
	case m.Kind == jsonrpc.Notification:
		s.notification, s.pending, s.latest = ev.T, true, true
	case ev.Exchange != nil || usableID(&m.ID):
	case m.Kind == jsonrpc.Request:
		s.unreadable++
	default:
		p.answered(ev)
	}
}

// of returns why the response of the event was sent.
func (p *provocations) of(ev *session.Event) cause {
	s := &p.side[ev.Frame.Stream.Reverse()]
	switch {
	case s.unreadable > 0:
		return byUnreadable
	case s.pending && (s.latest || ev.Message.Kind == jsonrpc.Error && ev.T-s.notification <= provokedWithin):
		return byNotification
	}
	return unknownCause
}

// answered notes that a response took what provoked it.
func (p *provocations) answered(ev *session.Event) {
	s := &p.side[ev.Frame.Stream.Reverse()]
	switch p.of(ev) {
	case byUnreadable:
		s.unreadable--
	case byNotification:
		s.pending = false
	case unknownCause:
	}
}
