package replay

import (
	"slices"

	"wiretea/session/mcp"
)

// A timetable says after which of the client's steps each other step comes.
type timetable struct {
	first []int32 // first has the beginning of each group in order; group 0 is unsolicited, group i+1 belongs to step i.
	order []int32
	waits map[int32][]int32 // waits are the client's steps, besides the group's own, that a step waits for.

	answers  []int32         // answers are the client's steps that answer questions.
	cancels  map[int32]int32 // cancels are the steps that give a request up, by the request.
	answerOf map[int32]int32 // answerOf is the step that answers a question, by the server's request.
}

// group returns the steps that follow one of the client's; -1 = the unsolicited ones.
func (t *timetable) group(step int32) []int32 { return t.order[t.first[step+1]:t.first[step+2]] }

// newTimetable finds where the server's steps belong.
func newTimetable(s *Script) *timetable {
	t := &timetable{waits: map[int32][]int32{}, cancels: map[int32]int32{}, answerOf: map[int32]int32{}}
	n := int32(len(s.Steps))
	anchors := make([]int32, n)
	counts := make([]int32, n+3)
	last, gone := int32(-1), false
	for i := range n {
		st := &s.Steps[i]
		switch st.Kind {
		case FromClient, ClientGone:
			if !gone {
				last, gone = i, st.Kind == ClientGone
			}
			anchors[i] = -2
			t.client(s, i)
			continue
		case FromServer:
			anchors[i] = last
			if !gone {
				anchors[i] = t.anchor(s, i, last)
			}
		case Stderr, ServerGone, Signalled, Exited:
			anchors[i] = last
		}
		counts[anchors[i]+2]++
	}
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
	t.first = counts
	t.order = make([]int32, counts[len(counts)-1])
	next := slices.Clone(counts)
	for i := range n {
		if a := anchors[i]; a > -2 {
			t.order[next[a+1]] = i
			next[a+1]++
		}
	}
	return t
}

// client takes note of what a client's step answers or gives up.
func (t *timetable) client(s *Script, step int32) {
	for i := range s.messages(step) {
		m := &s.messages(step)[i]
		switch {
		case m.Of < 0:
		case m.Kind.Response():
			t.answers = append(t.answers, step)
			if _, again := t.answerOf[m.Of]; !again {
				t.answerOf[m.Of] = step
			}
		case m.Method == mcp.CancelledNotification && s.Messages[m.Of].Sender == FromClient:
			if _, again := t.cancels[m.Of]; !again {
				t.cancels[m.Of] = step
			}
		}
	}
}

// maxAnswers is for how many of the client's latest answers a step waits.
const maxAnswers = 4

// anchor finds the client's step that a server's step follows: the request that it
// answers, or the latest step before it.
func (t *timetable) anchor(s *Script, step, last int32) int32 {
	anchor := int32(-1)
	var waits []int32
	named := func(of int32) {
		asked := s.Messages[of].Step
		waits = append(waits, asked)
		anchor = max(anchor, asked)
		if c, ok := t.cancels[of]; ok && c < step {
			waits = append(waits, c)
		}
	}
	for i := range s.messages(step) {
		m := &s.messages(step)[i]
		switch {
		case m.Of < 0 || s.Messages[m.Of].Sender != FromClient:
		case m.Kind.Response() || m.Method == mcp.ProgressNotification || m.Method == mcp.AcknowledgedNotification:
			named(m.Of)
		default:
			waits = append(waits, s.Messages[m.Of].Step)
		}
	}
	if anchor < 0 {
		anchor = last
	} else {
		for i := len(t.answers) - 1; i >= 0 && t.answers[i] > anchor && i >= len(t.answers)-maxAnswers; i-- {
			waits = append(waits, t.answers[i])
		}
	}
	waits = slices.DeleteFunc(waits, func(w int32) bool { return w == anchor })
	if len(waits) > 0 {
		t.waits[step] = waits
	}
	return anchor
}

// asks returns the questions that a client's step answers.
func (s *Script) asks(step int32) []int32 {
	var list []int32
	for i := range s.messages(step) {
		if m := &s.messages(step)[i]; m.Kind.Response() && m.Of >= 0 {
			list = append(list, m.Of)
		}
	}
	return list
}
