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
	if len(r.Text) > 0 {
		fate.Line = append(append(make([]byte, 0, len(r.Text)+2), r.Text...), line[len(text):]...)
	}
	for _, back := range r.Back {
		fate.Back = append(append(fate.Back, back...), '\n')
	}
	return fate
}

// TooLong implements transport.Judge.
func (j lineJudge) TooLong(int, session.Stream, []byte) string { return j.path.TooLong() }
