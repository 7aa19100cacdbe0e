package replay

import (
	"slices"
	"strconv"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// expected is what the recorded server sent, and what of it has come.
type expected struct {
	script *Script
	left   []int32 // left counts the messages of each step that have not come; of a line that is not a message 1.
	given  []bool  // given are the steps that are not waited for any more.
	done   []bool  // done are the messages that have come.
	lines  []bool  // lines are the steps without message that have come.
	queues queues[string]
	open   map[int32][]int32 // open are the client's requests that nobody had answered when its step gave them up, by the step.
}

func newExpected(s *Script) *expected {
	e := &expected{script: s, left: make([]int32, len(s.Steps)), given: make([]bool, len(s.Steps)), done: make([]bool, len(s.Messages)),
		lines: make([]bool, len(s.Steps)), queues: queues[string]{}, open: map[int32][]int32{}}
	var silent []int32
	for i := range s.Steps {
		st := &s.Steps[i]
		switch st.Kind {
		case FromServer:
			if st.untold {
				continue
			}
			if e.left[i] = st.Msgs; st.Msgs == 0 {
				e.left[i] = 1
				e.queues.add(lineKey, int32(i))
			}
			for k := range s.messages(int32(i)) {
				e.queues.add(e.key(&s.Messages[st.Msg+int32(k)], s.Messages[st.Msg+int32(k)].Of), st.Msg+int32(k))
			}
		case FromClient:
			for k, m := range s.messages(int32(i)) {
				switch {
				case m.Kind == jsonrpc.Request && m.Answer < 0:
					silent = append(silent, st.Msg+int32(k))
				case m.Method == mcp.CancelledNotification && m.Of >= 0 && (s.Messages[m.Of].Answer < 0 || s.Messages[s.Messages[m.Of].Answer].Step > int32(i)):
					e.open[int32(i)] = append(e.open[int32(i)], m.Of)
				}
			}
		case ClientGone:
			for _, r := range silent {
				if s.Messages[r].Method != mcp.SubscriptionsListen {
					e.open[int32(i)] = append(e.open[int32(i)], r)
				}
			}
		case Stderr, ServerGone, Signalled, Exited:
		}
	}
	return e
}

// lineKey is the queue of lines that are not messages.
const lineKey = "line"

// key names the queue of messages that a live one may stand for. of is the recorded
// request that it answers or names.
func (e *expected) key(m *Message, of int32) string {
	switch {
	case m.Kind.Response():
		return "r" + strconv.Itoa(int(of))
	case m.Kind == jsonrpc.Request:
		return "q" + m.Method
	case m.Method == mcp.ProgressNotification:
		return "p" + strconv.Itoa(int(of))
	}
	return "n" + m.Method
}

// came reports whether all of a step has come, or is not waited for.
func (e *expected) came(step int32) bool { return e.left[step] == 0 || e.given[step] }

// optional reports whether a step has nothing but notifications of these methods.
func (e *expected) optional(step int32, methods []string) bool {
	list := e.script.messages(step)
	for _, m := range list {
		if m.Kind != jsonrpc.Notification && m.Method != mcp.Ping || m.Method != mcp.Ping && !slices.Contains(methods, m.Method) {
			return false
		}
	}
	return len(list) > 0
}

// maxTried is how many recorded messages are compared with a live one in search of
// an equal one.
const maxTried = 8

// candidates are the recorded messages, or lines, of a queue that have not come, the
// first ones.
func (e *expected) candidates(key string) []int32 {
	q := e.queues[key]
	if q == nil {
		return nil
	}
	taken := func(at int32) bool {
		if key == lineKey {
			return e.lines[at]
		}
		return e.done[at]
	}
	for q.next < len(q.list) && taken(q.list[q.next]) {
		q.next++
	}
	var list []int32
	for _, at := range q.list[q.next:] {
		if !taken(at) {
			if list = append(list, at); len(list) == maxTried {
				break
			}
		}
	}
	return list
}

// take takes note that a message, or a line, has come.
func (e *expected) take(key string, at int32) {
	step := at
	if key == lineKey {
		e.lines[at] = true
	} else {
		e.done[at] = true
		step = e.script.Messages[at].Step
	}
	e.left[step]--
}
