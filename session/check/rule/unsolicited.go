package rule

import (
	"time"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A cause is the reason for a response that names no request.
type cause uint8

const (
	unknownCause   cause = iota
	ByNotification       // ByNotification: it answers a notification.
	ByUnreadable         // ByUnreadable: it answers a message that could not be read, or has no usable id.
	byBatch              // byBatch: it answers a batch.
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
		batch        bool  // batch: the latest of what is Unreadable is a batch.
		unfinished   bool  // unfinished: a frame has begun, and counts as unreadable until it ends.
		headers      bool  // headers: it has framed messages with headers.
	}
}

// Grew records a frame that has not ended. Its reader may not wait for the end:
// a message without its line feed can be answered.
func (p *Unsolicited) Grew(f *session.Frame) {
	if f.Stream == session.Stderr {
		return
	}
	if s := &p.Side[f.Stream]; !s.unfinished {
		s.unfinished, s.batch = true, false
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
	s := &p.Side[f.Stream]
	s.headers = s.headers || f.Header
	if f.Text.Syntax != jsonrpc.Empty && !f.Header {
		s.batch = false
		s.Unreadable++
	}
}

// Message records a message, after it was judged.
func (p *Unsolicited) Message(ev *session.Event) {
	s := &p.Side[ev.Frame.Stream]
	m := ev.Message
	p.finish(ev.Frame.Stream)
	s.Latest = false
	if ev.Frame.Lines > 1 {
		s.Unreadable += ev.Frame.Lines // A peer that reads lines refuses each of them.
	}
	switch {
	case !IsMessage(m), m.Elem == 0, m.Kind == jsonrpc.Invalid:
		s.Unreadable++
		s.batch = m.Elem == 0
	case m.Kind == jsonrpc.Notification:
		s.Notification, s.Pending, s.Latest = ev.T, true, true
	case ev.Exchange != nil || UsableID(&m.ID):
	case m.Kind == jsonrpc.Request:
		s.Unreadable++
		s.batch = false
	default:
		p.answered(ev)
	}
}

// Of returns the cause of the event's response.
func (p *Unsolicited) Of(ev *session.Event) cause {
	s := &p.Side[ev.Frame.Stream.Reverse()]
	switch {
	case s.Unreadable > 0 && s.batch:
		return byBatch
	case s.Unreadable > 0, s.headers != p.Side[ev.Frame.Stream].headers:
		return ByUnreadable // A side that frames with headers does not read lines, nor the other way round.
	case s.Pending && asksSince(ev, s.Notification) && !unknownMethod(ev):
		// It may answer the request as well.
	case s.Pending && (s.Latest || ev.Message.Kind == jsonrpc.Error && ev.T-s.Notification <= answerWithin):
		return ByNotification
	}
	return unknownCause
}

// asksSince reports whether a request that was sent after t is unanswered.
func asksSince(ev *session.Event, t int64) bool {
	open := ev.Conn.Open[ev.Frame.Stream.Reverse()]
	return len(open) > 0 && open[len(open)-1].ReqT >= t
}

// unknownMethod reports whether the event's response is the error for a method
// that its sender does not know.
func unknownMethod(ev *session.Event) bool {
	code, ok := ev.Message.Field(jsonrpc.ErrorCode).Int()
	return ok && code == mcp.MethodNotFound
}

// answered records that a response has answered its cause.
func (p *Unsolicited) answered(ev *session.Event) {
	s := &p.Side[ev.Frame.Stream.Reverse()]
	switch p.Of(ev) {
	case ByUnreadable, byBatch:
		s.Unreadable = max(0, s.Unreadable-1)
	case ByNotification:
		s.Pending = false
	case unknownCause:
	}
}
