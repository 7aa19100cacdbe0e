package control

import (
	"bytes"

	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/transport"
)

// A lineJudge has a decide.Path decide on the lines of a stdio session.
type lineJudge struct{ path *decide.Path }

// Judge returns what makes a Gate do as a path decides. It may serve several connections.
func Judge(path *decide.Path) transport.Judge { return lineJudge{path} }

// Line implements transport.Judge.
func (j lineJudge) Line(conn int, s session.Stream, line []byte) transport.Fate {
	text := bytes.TrimRight(line, "\r\n")
	r := j.path.Text(conn, s, text)
	fate := transport.Fate{By: r.By, Pass: r.Pass}
	end := line[len(text):]
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
func (j lineJudge) TooLong(int, session.Stream, []byte) string { return j.path.TooLong() }
