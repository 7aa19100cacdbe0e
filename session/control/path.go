package control

import (
	"bytes"

	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/transport"
)

// A lineJudge has an Interceptor decide on the lines of a stdio session.
type lineJudge struct{ *Interceptor }

// Line implements transport.Judge.
func (j lineJudge) Line(conn int, s session.Stream, line []byte) transport.Fate {
	text := bytes.TrimRight(line, "\r\n")
	end := bytes.Clone(line[len(text):])
	r, wait := j.Text(decide.Line, conn, s, text, true)
	if wait == nil {
		return fate(&r, end)
	}
	if len(end) == 0 {
		end = []byte{'\n'} // Others may follow it.
	}
	return transport.Fate{By: wait.By, Hold: func(settle transport.Settle) {
		wait.Hold(func(s Settled, written func()) { settle(fate(&s.Ruling, end), written) })
	}}
}

// fate is what a ruling makes of a line with a terminator.
func fate(r *decide.Ruling, end []byte) transport.Fate {
	fate := transport.Fate{By: r.By, Pass: r.Pass, Effect: r.Effect}
	if len(r.Text) > 0 {
		fate.Line = terminated(r.Text, end)
	}
	if fate.Delay = r.Delay; len(end) == 0 && (len(r.More) > 0 || r.Delay > 0) {
		fate.Line = terminated(r.Text, []byte{'\n'})
	}
	for _, more := range r.More {
		fate.More = append(fate.More, terminated(more, end))
	}
	for _, back := range r.Back {
		fate.Back = append(append(fate.Back, back...), '\n')
	}
	return fate
}

// terminated is a copy of a text with a terminator.
func terminated(text, end []byte) []byte {
	return append(append(make([]byte, 0, len(text)+2), text...), end...)
}

// TooLong implements transport.Judge.
func (j lineJudge) TooLong(int, session.Stream, []byte) string { return j.Interceptor.TooLong() }
