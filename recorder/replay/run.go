package replay

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

// A group is the server's steps that follow a step of the client's, in progress.
type group struct {
	steps []int32
	at    int
	base  time.Time // base is when what it waited for last had come,
	baseT int64     // and baseT when that was in the recording.
	again bool      // again: the same group ran before.
	due   time.Time
}

// start starts the group of a step; -1 is the unsolicited one.
func (m *mock) start(step int32, again bool) {
	steps := m.times.group(step)
	if len(steps) == 0 {
		return
	}
	t := &group{steps: steps, again: again, base: time.Now()}
	if step >= 0 {
		t.baseT = m.script.Steps[step].T
	}
	m.advance(t)
}

// received notes that a step of the client's has come, and starts what it starts.
func (m *mock) received(step int32, again bool) {
	first := !m.done[step]
	m.done[step] = true
	if first || again {
		m.start(step, again)
	}
	list := m.blocked[step]
	delete(m.blocked, step)
	for _, t := range list {
		t.base, t.baseT = time.Now(), m.script.Steps[step].T
		m.advance(t)
	}
}

// advance plays a group as far as possible.
func (m *mock) advance(t *group) {
	for t.at < len(t.steps) && m.exit == nil && m.err == nil {
		step := t.steps[t.at]
		st := &m.script.Steps[step]
		if st.Kind == Signalled && !m.cfg.Healthy {
			if m.gone && m.script.killed() {
				m.leave(transport.Exit{}) // it was not given the time to end by itself
				return
			}
			m.waiting, m.stays = append(m.waiting, t), m.stays || m.gone
			return
		}
		if on := m.waitsOn(step); on >= 0 {
			m.blocked[on] = append(m.blocked[on], t)
			return
		}
		if m.cfg.Pace == Recorded && !m.immediate {
			if due := t.base.Add(time.Duration(st.T - t.baseT)); time.Until(due) > 0 {
				m.delay(t, due)
				return
			}
		}
		m.emit(step, t.again)
		t.at++
	}
}

// arrived lets go on what was delayed until now.
func (m *mock) arrived() {
	for len(m.due) > 0 && (m.immediate || time.Until(m.due[0].due) <= 0) {
		t := m.due[0]
		m.due = m.due[1:]
		m.advance(t)
	}
}

// waitsOn returns the client's step that a step has to wait for, -1 where there is
// none.
func (m *mock) waitsOn(step int32) int32 {
	for _, w := range m.times.waits[step] {
		asks := m.script.asks(w)
		switch {
		case m.done[w]:
		case m.gone: // Nothing of the client's comes any more.
		case slices.ContainsFunc(m.script.messages(w), func(c Message) bool { return c.Kind == jsonrpc.Request }):
			return w
		case len(asks) == 0 && !m.cfg.Healthy: // A healthy server does not wait to be given up.
			return w
		case slices.ContainsFunc(asks, func(q int32) bool { return m.sent[q] }):
			return w
		}
	}
	if m.gone {
		return -1
	}
	for _, msg := range m.script.messages(step) {
		if msg.Of >= 0 && m.script.Messages[msg.Of].Sender == FromClient && m.live[msg.Of] == nil {
			return m.script.Messages[msg.Of].Step // the other requests of a batch
		}
	}
	return -1
}

// emit does what the server did.
func (m *mock) emit(step int32, again bool) {
	st := &m.script.Steps[step]
	switch st.Kind {
	case FromServer:
		if m.deliverable(step) {
			m.write(step, again)
		}
	case Stderr:
		if m.cfg.Healthy {
			return
		}
		t, err := m.script.read(step)
		if err != nil {
			m.fail(err)
			return
		}
		m.flush()
		_, _ = m.errw.Write(t.raw) // who does not read it does not want it
	case ServerGone:
		if m.cfg.Healthy {
			return
		}
		m.flush()
		if c, ok := m.to.(io.Closer); ok {
			if err := c.Close(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
				m.fail(fmt.Errorf("closing stdout: %w", err))
			}
		}
		m.out.Reset(io.Discard)
	case Exited:
		if !m.cfg.Healthy {
			m.leave(*st.Exit)
		}
	case FromClient, ClientGone, Signalled:
	}
}

// deliverable reports whether a frame of the server's has a receiver.
func (m *mock) deliverable(step int32) bool {
	list := m.script.messages(step)
	if len(list) == 0 {
		return !m.cfg.Healthy
	}
	for i := range list {
		msg := &list[i]
		if msg.Of < 0 || m.script.Messages[msg.Of].Sender != FromClient {
			if m.cfg.Healthy && msg.Kind.Response() {
				return false // it answers no request
			}
			continue
		}
		l := m.live[msg.Of]
		switch {
		case l == nil, l.gone:
		case msg.Method == mcp.ProgressNotification && msg.Kind == jsonrpc.Notification && len(l.token) == 0:
		case m.cfg.Healthy && msg.Kind.Response() && m.script.Messages[msg.Of].Answer != m.script.Steps[step].Msg+int32(i):
		default:
			continue
		}
		if len(list) == 1 {
			return false
		}
	}
	return true
}

// write writes a frame of the server's, its ids and tokens replaced by the live
// ones.
func (m *mock) write(step int32, again bool) {
	t, err := m.script.read(step)
	if err != nil {
		m.fail(err)
		return
	}
	var list []splice
	if m.changes(step, again) {
		list = m.splices(step, t.json(), again)
	}
	out := t.splice(list)
	if m.cfg.Healthy {
		out = t.oneLine(list)
	}
	for i := range m.script.messages(step) {
		at := m.script.Steps[step].Msg + int32(i)
		switch msg := &m.script.Messages[at]; {
		case msg.Kind.Response() && msg.Of >= 0 && m.live[msg.Of] != nil:
			delete(m.byID, string(m.live[msg.Of].id))
		case msg.Kind == jsonrpc.Request && !m.sent[at]:
			m.sent[at] = true
			m.asked[msg.ID] = at
		}
	}
	if _, err := m.out.Write(out); err != nil {
		m.fail(fmt.Errorf("writing to the client: %w", err))
	}
}

// changes reports whether anything in a frame has to be replaced.
func (m *mock) changes(step int32, again bool) bool {
	return m.script.Steps[step].untold || slices.ContainsFunc(m.script.messages(step), func(msg Message) bool {
		return again && msg.Kind == jsonrpc.Request || msg.Of >= 0 && m.live[msg.Of] != nil && !m.live[msg.Of].same
	})
}

// splices are the replacements in a frame.
func (m *mock) splices(step int32, body []byte, again bool) []splice {
	var list []splice
	at := m.script.Steps[step].Msg
	scanMessages(body, func(found *jsonrpc.Message) {
		if at >= m.script.Steps[step].Msg+m.script.Steps[step].Msgs {
			return
		}
		msg := &m.script.Messages[at]
		if again && msg.Kind == jsonrpc.Request {
			m.again++
			id := strconv.AppendQuote(nil, fmt.Sprintf("wiretea-mock-%d", m.again))
			if step, ok := m.times.answerOf[at]; ok {
				m.done[step] = false
			}
			m.sent[at] = true
			m.asked[string(id)] = at
			list = spliceAt(list, body, found.ID.Span, id)
		}
		if msg.Of >= 0 && m.live[msg.Of] != nil {
			list = m.spliceLive(list, body, found, msg)
		}
		at++
	})
	return list
}

// spliceLive puts a live request's id and token where a message names them.
func (m *mock) spliceLive(list []splice, body []byte, found *jsonrpc.Message, msg *Message) []splice {
	l, rec := m.live[msg.Of], &m.script.Messages[msg.Of]
	switch {
	case msg.Kind.Response():
		list = spliceAt(list, body, found.ID.Span, fitID(rec.ID, msg.ID, l.id))
		if rec.Method == mcp.SubscriptionsListen {
			list = spliceAt(list, body, memberSpan(body, found.Result, "_meta", "io.modelcontextprotocol/subscriptionId"), l.id)
		}
	case msg.Method == mcp.ProgressNotification:
		list = spliceAt(list, body, found.Field(jsonrpc.ParamProgressToken).Span, l.token)
	case msg.Method == mcp.CancelledNotification:
		list = spliceAt(list, body, found.Field(jsonrpc.ParamRequestID).Span, l.id)
	default:
		list = spliceAt(list, body, found.Field(jsonrpc.MetaSubscriptionID).Span, l.id)
	}
	return list
}

// fitID is a live id as a server writes it that wrote the recorded id asked as
// answered: some answer 3 with "3".
func fitID(asked, answered string, live []byte) []byte {
	switch {
	case answered == asked || len(live) == 0:
		return live
	case answered == `"`+asked+`"` && live[0] != '"':
		return []byte(`"` + string(live) + `"`)
	case asked == `"`+answered+`"` && live[0] == '"':
		if n, err := strconv.Unquote(string(live)); err == nil {
			if _, err := strconv.ParseInt(n, 10, 64); err == nil {
				return []byte(n)
			}
		}
	}
	return live
}

// delay continues a group when it is due: the earliest comes first, of several at one
// time the one that was delayed first.
func (m *mock) delay(t *group, due time.Time) {
	t.due = due
	m.due = append(m.due, t)
	slices.SortStableFunc(m.due, func(a, b *group) int { return a.due.Compare(b.due) })
}

// timerAt returns a channel that receives at a time; nil for the zero time.
func timerAt(at time.Time) <-chan time.Time {
	if at.IsZero() {
		return nil
	}
	return time.After(time.Until(at))
}
