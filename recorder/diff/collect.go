package diff

import (
	"fmt"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// A note is one kind of notification.
type note struct {
	sender session.Stream
	method string
}

// A collector gathers a Side from the events of the analysis. It is a Checker that
// reports nothing.
type collector struct {
	side *Side
	open map[openKey]*call
	busy map[openKey]*call // busy are those of open that the server has, and during which it has asked no person yet.
	task map[string]int    // task numbers the tasks by their ids, from 1.
	late []unread

	names map[string]string // names are the methods, by how they are written.
}

// openKey names an exchange that waits. A batch has several in one row.
type openKey struct {
	conn   int
	sender session.Stream
	row    uint32
	id     string
}

// An unread is a message that is too long for the analysis to hand out, and is read
// afterwards.
type unread struct {
	c      *call
	answer bool
	task   int
}

// Check is session.Checker.
func (w *collector) Check(ev *session.Event, _ session.Reporter) {
	switch ev.Kind {
	case session.MessageSeen:
		switch ev.Message.Kind {
		case jsonrpc.Request:
			w.request(ev)
		case jsonrpc.Result, jsonrpc.Error:
			w.response(ev)
		case jsonrpc.Notification:
			w.side.notes[note{ev.Frame.Stream, w.methodOf(ev.Message)}]++
		case jsonrpc.Invalid:
		}
	case session.ExchangeGone:
		if c := w.open[keyOf(ev.Exchange)]; c != nil {
			w.close(ev.Exchange)
			if ev.Exchange.Cancel != 0 {
				c.ends = cancelled
			}
		}
	case session.FrameSeen, session.FrameGrew, session.FrameStalled, session.IOSeen, session.ProcSeen, session.Timer,
		session.ConnEnded, session.ExchangeLate:
	}
}

func keyOf(x *session.Exchange) openKey { return openKey{x.Conn, x.Sender, x.Req, x.ID} }

func (w *collector) request(ev *session.Event) {
	m, f, x := ev.Message, ev.Frame, ev.Exchange
	method := w.methodOf(m)
	c := &call{sender: f.Stream, method: method, req: placeOf(ev), resp: nowhere, n: f.N, took: -1,
		cursor: m.Field(jsonrpc.ParamCursor).Present()}
	w.side.calls = append(w.side.calls, c)
	if x != nil {
		c.target = x.Target
		w.open[keyOf(x)] = c
		if c.sender == session.C2S {
			w.busy[keyOf(x)] = c
		}
	}
	if ev.Method != nil && ev.Method.Unbounded && f.Stream == session.S2C {
		// The server asks a person: the latency of the open calls is not its own from now on.
		for _, c := range w.busy {
			c.human = true
		}
		clear(w.busy)
	}
	task := w.taskNumber(m.Field(jsonrpc.ParamTaskID))
	text := message(ev)
	if text == nil {
		w.late = append(w.late, unread{c: c, task: task})
		return
	}
	w.side.asks(c, text, m.Params.In(f.Whole), task)
}

// close takes note that nothing more comes of an exchange.
func (w *collector) close(x *session.Exchange) {
	delete(w.open, keyOf(x))
	delete(w.busy, keyOf(x))
}

// taskNumber numbers the tasks in the order in which they are asked about; 0 where
// it is about none.
func (w *collector) taskNumber(id *jsonrpc.Value) int {
	if !id.Present() {
		return 0
	}
	raw := string(id.Raw)
	if _, known := w.task[raw]; !known {
		w.task[raw] = len(w.task) + 1
	}
	return w.task[raw]
}

func (w *collector) response(ev *session.Event) {
	x := ev.Exchange
	switch ev.Match {
	case session.MatchAnswer, session.MatchLate, session.MatchCancelled:
	default:
		return // It answers no request, which is a finding.
	}
	if x == nil {
		return
	}
	c := w.open[keyOf(x)]
	if c == nil {
		return
	}
	w.close(x)
	m := ev.Message
	c.resp, c.respN, c.took = placeOf(ev), ev.Frame.N, max(0, x.RespT-x.ReqT)
	c.human = c.human || x.Acted
	switch {
	case m.Kind == jsonrpc.Error:
		c.ends, c.code = failed, string(m.Field(jsonrpc.ErrorCode).Raw)
	case string(m.Field(jsonrpc.ResultIsError).Raw) == "true":
		c.ends = toolError
	default:
		c.ends = result
	}
	text := message(ev)
	if text == nil {
		w.late = append(w.late, unread{c: c, answer: true})
		return
	}
	w.side.answers(c, text)
}

// methodOf is a message's method. Each is kept once.
func (w *collector) methodOf(m *jsonrpc.Message) string {
	name, known := w.names[string(m.Method.Raw)]
	if known {
		return name
	}
	name, ok := m.Method.Unquoted()
	if !ok {
		name = string(m.Method.Raw)
	}
	w.names[string(m.Method.Raw)] = name
	return name
}

// finish reads what was too long before, once the analysis has ended.
func (w *collector) finish() error {
	for key, c := range w.open {
		delete(w.open, key)
		if row := w.side.snap.Row(c.req.row); row.Flags&session.FlagCancelled != 0 {
			c.ends = cancelled
		}
	}
	for _, u := range w.late {
		at := u.c.req
		if u.answer {
			at = u.c.resp
		}
		text, err := w.side.text(at)
		if err != nil {
			return fmt.Errorf("reading what frame %d says: %w", u.c.n, err)
		}
		if u.answer {
			w.side.answers(u.c, text)
		} else {
			w.side.asks(u.c, text, recorder.Members(text)["params"], u.task)
		}
	}
	w.late = nil
	return nil
}

// placeOf returns where an event's message is.
func placeOf(ev *session.Event) place {
	m, f := ev.Message, ev.Frame
	return place{row: f.Row, off: m.Off, len: m.Len, one: f.Lines <= 1}
}

// message returns the text of an event's message, nil where it is too long or spread
// over several lines.
func message(ev *session.Event) []byte {
	m, whole := ev.Message, ev.Frame.Whole
	if whole == nil || m.Off < 0 || m.Off+m.Len > int64(len(whole)) {
		return nil
	}
	return whole[m.Off : m.Off+m.Len]
}
