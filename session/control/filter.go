package control

import (
	"bytes"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A verdict is what the response filter found in one line.
type verdict struct {
	answered []int // answered are the numbers of our requests that it answers.
	ours     int   // ours counts the messages that are for us, others those that are not.
	others   int
}

// A responseFilter tells our answers from the client's. It is called by the relay, while
// the stream waits.
type responseFilter struct {
	keeper *Injector
	prefix []byte           // prefix is what all our ids begin with, without quotes.
	slip   *jsonrpc.Scanner // slip reads a line that was too long to be held; nil = none.
	seen   verdict          // seen is what slip has found.
}

// Ours implements transport.Judge. After a fault of ours a line is the client's.
func (j *responseFilter) Ours(line []byte, keep bool) (mine bool) {
	defer recovered(func(error) { mine = false })
	if !j.mayBeOurs(line) {
		return false
	}
	var v verdict
	text := jsonrpc.Scan(line, func(m *jsonrpc.Message) { j.look(m, &v) })
	if v.ours == 0 || text.Syntax != jsonrpc.Complete && text.Syntax != jsonrpc.Trailing {
		return false
	}
	mine = v.others == 0 && text.Syntax == jsonrpc.Complete
	if line = bytes.TrimRight(line, "\r\n"); !keep && len(v.answered) > 0 {
		line = bytes.Clone(line)
	}
	for _, n := range v.answered {
		j.keeper.answered(n, line, !mine)
	}
	return mine
}

// mayBeOurs looks for our prefix without reading the line as JSON. Escapes may
// hide it.
func (j *responseFilter) mayBeOurs(line []byte) bool {
	return bytes.Contains(line, j.prefix) || bytes.Contains(line, []byte(`\u`))
}

// Slipped implements transport.Judge.
func (j *responseFilter) Slipped(part []byte, end bool) {
	defer recovered(func(error) {})
	if j.slip == nil {
		j.slip, j.seen = new(jsonrpc.Scanner), verdict{}
		j.slip.Reset(func(m *jsonrpc.Message) { j.look(m, &j.seen) })
	}
	j.slip.Write(part)
	if !end {
		return
	}
	for _, n := range j.seen.answered {
		j.keeper.answered(n, nil, true)
	}
	j.slip = nil
}

// Over implements transport.Judge.
func (j *responseFilter) Over() { j.keeper.over() }

// look finds whose a message is.
func (j *responseFilter) look(m *jsonrpc.Message, v *verdict) {
	switch m.Kind {
	case jsonrpc.Result, jsonrpc.Error:
		if n := j.number(&m.ID); n > 0 {
			v.answered = append(v.answered, n)
			v.ours++
			return
		}
	case jsonrpc.Notification:
		if j.names(m) {
			v.ours++
			return
		}
	case jsonrpc.Request, jsonrpc.Invalid:
	}
	v.others++
}

// names reports whether a notification names a request of ours: by its progress
// token, by its id, or as the subscription that brought it.
func (j *responseFilter) names(m *jsonrpc.Message) bool {
	switch {
	case m.Method.Is(mcp.ProgressNotification):
		return j.number(m.Field(jsonrpc.ParamProgressToken)) > 0
	case m.Method.Is(mcp.CancelledNotification):
		return j.number(m.Field(jsonrpc.ParamRequestID)) > 0
	}
	return j.number(m.Field(jsonrpc.MetaSubscriptionID)) > 0
}

// number is the number of our request that has this id or token, 0 for others.
func (j *responseFilter) number(v *jsonrpc.Value) int {
	if v.Type != jsonrpc.String {
		return 0
	}
	text, ok := v.Unquoted()
	if !ok {
		return 0
	}
	return j.keeper.issued(text)
}
