package replay

import (
	"time"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// send sends a step of the client's. It reports false where that ended the play.
func (p *play) send(step int32) bool {
	t, err := p.script.read(step)
	if err != nil {
		p.fail(err)
		return false
	}
	st := &p.script.Steps[step]
	if st.resent {
		return true // Our own connection does it, where it is necessary.
	}
	if !p.cfg.Bytes && (st.Msgs == 0 || p.unasked(step)) {
		p.got.LeftOut++
		return true
	}
	if p.cfg.Step != nil {
		if err := p.cfg.Step(p.ctx, st.N, p.script.words(step)); err != nil {
			p.fail(err)
			return false
		}
	}
	out := t.raw
	if !p.cfg.Bytes {
		out = t.oneLine(p.replacements(step, t.json()))
	}
	var messages []int32
	for i := range st.Msgs {
		messages = append(messages, st.Msg+i)
		p.sentAt[st.Msg+i] = time.Now()
	}
	p.write(out, messages...)
	p.got.Sent += int(st.Msgs)
	return true
}

// write queues bytes for the server. messages are the recorded ones they hold.
func (p *play) write(b []byte, messages ...int32) {
	p.live.bytes(session.C2S, b, messages...)
	p.out = append(p.out, b...)
}

// unasked reports whether a step answers only questions that the live server has
// not asked.
func (p *play) unasked(step int32) bool {
	list := p.script.messages(step)
	for i := range list {
		m := &list[i]
		if !m.Kind.Response() || m.Of < 0 || p.asks[m.Of] != nil {
			return false
		}
	}
	return len(list) > 0
}

// replacements put what the live server gave out where the recorded client had what
// the recorded server gave out.
func (p *play) replacements(step int32, body []byte) []splice {
	var list []splice
	at := p.script.Steps[step].Msg
	scanMessages(body, func(found *jsonrpc.Message) {
		m := &p.script.Messages[at]
		if at++; m.Kind.Response() {
			if id := p.asks[m.Of]; m.Of >= 0 && id != nil {
				list = spliceAt(list, body, found.ID.Span, id)
			}
			return
		}
		for field, kind := range givenBack.Get() {
			v := found.Field(field)
			if with, ok := p.substitutions[given{kind, string(v.Span.In(body))}]; ok {
				list = spliceAt(list, body, v.Span, with)
			}
		}
		if related := found.Field(jsonrpc.MetaRelatedTask); related.Type == jsonrpc.Object {
			at := memberSpan(body, related.Span, "taskId")
			if with, ok := p.substitutions[given{givenTask, string(at.In(body))}]; ok {
				list = spliceAt(list, body, at, with)
			}
		}
	})
	return list
}

// answerOwn answers a question that the recorded server did not ask, so that the
// live one does not wait.
func (p *play) answerOwn(m *Message) {
	answer := jsonrpc.AppendError(nil, m.ID, mcp.MethodNotFound, "the recorded client was not asked this", nil)
	if m.Method == mcp.Ping {
		answer = jsonrpc.AppendAnswer(nil, m.ID, false, []byte("{}"))
	}
	p.write(append(answer, '\n'), -1)
}
