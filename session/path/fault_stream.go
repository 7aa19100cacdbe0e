package path

import (
	"cmp"
	"time"

	"wiretea/session"
)

// What follows are the kinds that act on the stream, on the round trip, or on the process. Where bytes move, the
// transport does as the effect says.

// with is a message that goes on as it came, with an effect.
func with(m *Message, e session.Effect) (session.Ruling, bool) {
	return session.Ruling{Text: m.Body, Effect: &e}, true
}

// hang begins; Faults.Decide lets nothing pass from then on.
func hang(m *Message, v value, s *state) (session.Ruling, bool) {
	p := s.at(m)
	p.until, p.shut, p.waiting = time.Now().Add(v.time), v.time == 0, 0
	d := p.held(m)
	if p.shut {
		d.Effect.Lasts = true
	}
	return d, true
}

// held is what hang makes of a message.
func (p *passage) held(m *Message) session.Ruling {
	if p.shut {
		return session.Ruling{Effect: &session.Effect{Silent: true}}
	}
	d := session.Ruling{Text: m.Body, Delay: time.Until(p.until)}
	if m.Carrier == session.ByBody {
		d.Delay += time.Duration(p.waiting) * inTurn
		p.waiting++
	}
	return d
}

// inTurn is the time between bodies that have waited for the same moment: each has a connection
// of its own, and sent at once they would arrive in any order.
const inTurn = 2 * time.Millisecond

// holds reports whether hang applies to all that passes in the lane now.
func (p *passage) holds() bool { return p.shut || time.Now().Before(p.until) }

// reorder does not apply to a whole body of a response: nothing follows it.
func reorder(m *Message, _ value, _ *state) (session.Ruling, bool) {
	d, _ := with(m, session.Effect{Behind: true})
	return d, m.Carrier != session.ByBody || m.Stream == session.C2S
}

func reset(*Message, value, *state) (session.Ruling, bool) {
	return session.Ruling{Effect: &session.Effect{End: session.Resets, Lasts: true}}, true
}

func kill(m *Message, _ value, _ *state) (session.Ruling, bool) {
	return with(m, session.Effect{Kill: true, Lasts: true})
}

func stop(m *Message, v value, _ *state) (session.Ruling, bool) {
	v.time = cmp.Or(v.time, 5*time.Second)
	return with(m, session.Effect{Stop: v.time, Lasts: true})
}

// answerStatus has a response of ours take the place of the message, while the head of what
// carries it can be changed.
func answerStatus(m *Message, v value, _ *state) (session.Ruling, bool) {
	return session.Ruling{Effect: &session.Effect{Status: v.size, Lasts: true}}, m.Carrier == session.ByBody || m.Carrier == session.ByFirstEvent
}

func closeWithin(m *Message, _ value, _ *state) (session.Ruling, bool) {
	return session.Ruling{Text: m.Body[:len(m.Body)/2], Effect: &session.Effect{End: session.Aborts, Lasts: true}}, true
}
