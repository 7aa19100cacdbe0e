package fault

import (
	"cmp"
	"time"

	"wiretea/session"
	"wiretea/session/decide"
)

// What follows are the kinds that act on the stream, or on the process. Where bytes move, the
// transport does as the effect says.

// with is a message that goes on as it came, with an effect.
func with(m *decide.Message, e session.Effect) (decide.Decision, bool) {
	return decide.Decision{Text: m.Body, Effect: &e}, true
}

// hang begins; Faults.Decide lets nothing pass from then on.
func hang(m *decide.Message, v value, s *state) (decide.Decision, bool) {
	p := s.at(m)
	p.until, p.shut, p.waiting = time.Now().Add(v.time), v.time == 0, 0
	d := p.held(m)
	if p.shut {
		d.Effect.Lasts = true
	}
	return d, true
}

// slowStart applies to the client's first message, and to no other that it did not begin with.
func slowStart(m *decide.Message, v value, s *state) (decide.Decision, bool) {
	p := s.at(m)
	if m.Stream != session.C2S || !p.until.IsZero() {
		return decide.Decision{}, false
	}
	p.until = time.Now().Add(v.time)
	return p.held(m), true
}

// held is what hang and slow-start make of a message.
func (p *passage) held(m *decide.Message) decide.Decision {
	if p.shut {
		return decide.Decision{Effect: &session.Effect{Silent: true}}
	}
	d := decide.Decision{Text: m.Body, Delay: time.Until(p.until)}
	if m.Carrier == decide.Body {
		d.Delay += time.Duration(p.waiting) * inTurn
		p.waiting++
	}
	return d
}

// inTurn is the time between bodies that have waited for the same moment: each has a connection
// of its own, and sent at once they would arrive in any order.
const inTurn = 2 * time.Millisecond

// holds reports whether hang or slow-start apply to all that passes in the lane now.
func (p *passage) holds() bool { return p.shut || time.Now().Before(p.until) }

// reorder and merge do not apply to a whole body of a response: nothing follows it.
func reorder(m *decide.Message, _ value, _ *state) (decide.Decision, bool) {
	d, _ := with(m, session.Effect{Behind: true})
	return d, m.Carrier != decide.Body || m.Stream == session.C2S
}

func merge(m *decide.Message, _ value, _ *state) (decide.Decision, bool) {
	d, _ := with(m, session.Effect{Join: true})
	return d, m.Carrier != decide.Body
}

func bandwidth(m *decide.Message, v value, _ *state) (decide.Decision, bool) {
	return with(m, session.Effect{Rate: v.size})
}

func slice(m *decide.Message, v value, _ *state) (decide.Decision, bool) {
	return with(m, session.Effect{Piece: v.size})
}

// limitData lets a message pass that the limit leaves whole: the fault has not applied yet.
func limitData(m *decide.Message, v value, s *state) (decide.Decision, bool) {
	p := s.at(m)
	p.left = cmp.Or(p.left, v.size+1)
	if n := len(m.Body) + 1; n < p.left {
		p.left -= n
		return decide.Decision{}, false
	}
	text := m.Body[:min(p.left-1, len(m.Body))]
	p.left = 0 // Over HTTP the next connection has a limit of its own.
	return decide.Decision{Text: text, Effect: &session.Effect{End: session.Aborts, Lasts: true}}, true
}

// halfClose does not apply to a whole body, behind which the stream ends anyway.
func halfClose(m *decide.Message, _ value, _ *state) (decide.Decision, bool) {
	d, _ := with(m, session.Effect{End: session.Closes, Lasts: true})
	return d, m.Carrier != decide.Body
}

func reset(*decide.Message, value, *state) (decide.Decision, bool) {
	return decide.Decision{Effect: &session.Effect{End: session.Resets, Lasts: true}}, true
}

func kill(m *decide.Message, _ value, _ *state) (decide.Decision, bool) {
	return with(m, session.Effect{Kill: true, Lasts: true})
}

func stop(m *decide.Message, v value, _ *state) (decide.Decision, bool) {
	v.time = cmp.Or(v.time, 5*time.Second)
	return with(m, session.Effect{Stop: v.time, Lasts: true})
}
