package rule

import (
	"time"

	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// A cause is the reason for a response that names no request.
type cause uint8

const (
	unknownCause   cause = iota
	ByNotification       // ByNotification: it answers a notification.
	byUnreadable         // byUnreadable: it answers a message whose id could not be read.
)

// answerWithin is how long after a notification a response can be the answer
// to it if other messages came between.
const answerWithin = int64(2 * time.Second)

// Unsolicited records what each side sent that may cause the other to respond
// without a usable id.
type Unsolicited struct {
	Side [2]struct {
		Unreadable   int   // Unreadable counts what could not be read and was not answered.
		Notification int64 // Notification is when the latest was sent.
		Pending      bool  // Pending: no response was counted as the answer to it.
		Latest       bool  // Latest: it is the last message of its side.
		unfinished   bool  // unfinished: a frame has begun, and counts as unreadable until it ends.
	}
}

// Grew records a frame that has not ended. Its reader may not wait for the end:
// a message without its line feed can be answered.
func (p *Unsolicited) Grew(f *session.Frame) {
	if f.Stream == session.Stderr {
		return
	}
	if s := &p.Side[f.Stream]; !s.unfinished {
		s.unfinished = true
		s.Unreadable++
	}
}

// finish records the end of the frame that grew.
func (p *Unsolicited) finish(stream session.Stream) {
	s := &p.Side[stream]
	if s.unfinished {
		s.unfinished = false
		s.Unreadable = max(0, s.Unreadable-1)
	}
}

// Frame records a frame without messages.
func (p *Unsolicited) Frame(f *session.Frame) {
	p.finish(f.Stream)
	if f.Text.Syntax != jsonrpc.Empty && !f.Header {
		p.Side[f.Stream].Unreadable++
	}
}

// Message records a message, after it was judged.
func (p *Unsolicited) Message(ev *session.Event) {
	s := &p.Side[ev.Frame.Stream]
	m := ev.Message
	p.finish(ev.Frame.Stream)
	s.Latest = false
	switch {
	case !IsMessage(m), m.Elem == 0, m.Kind == jsonrpc.Invalid:
		s.Unreadable++
	case m.Kind == jsonrpc.Notification:
		s.Notification, s.Pending, s.Latest = ev.T, true, true
	case ev.Exchange != nil || UsableID(&m.ID):
	case m.Kind == jsonrpc.Request:
		s.Unreadable++
	default:
		p.answered(ev)
	}
}

// Of returns the cause of the event's response.
func (p *Unsolicited) Of(ev *session.Event) cause {
	s := &p.Side[ev.Frame.Stream.Reverse()]
	switch {
	case s.Unreadable > 0:
		return byUnreadable
	case s.Pending && (s.Latest || ev.Message.Kind == jsonrpc.Error && ev.T-s.Notification <= answerWithin):
		return ByNotification
	}
	return unknownCause
}

// answered records that a response has answered its cause.
func (p *Unsolicited) answered(ev *session.Event) {
	s := &p.Side[ev.Frame.Stream.Reverse()]
	switch p.Of(ev) {
	case byUnreadable:
		s.Unreadable--
	case ByNotification:
		s.Pending = false
	case unknownCause:
	}
}
