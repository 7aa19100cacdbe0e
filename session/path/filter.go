package path

import (
	"bytes"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A verdict is what the response filter found in one line.
type lineSummary struct {
	answered []int // answered are the numbers of our requests that it answers.
	ours     int   // ours counts the messages that are for us, others those that are not.
	others   int
}

// A responseFilter recognises the answers to our requests. The relay calls it, while the
// stream waits.
type responseFilter struct {
	injector    *Injector
	prefix      []byte           // prefix is what all our ids begin with, without quotes.
	long        *jsonrpc.Scanner // long reads a line that was too long to be held; nil = there is none.
	longSummary lineSummary      // longSummary is what long has found.
}

// Ours implements transport.ResponseFilter. After a panic a line is the client's.
func (j *responseFilter) Ours(line []byte, keep bool) (mine bool) {
	defer recovered(func(error) { mine = false })
	if !j.mayBeOurs(line) {
		return false
	}
	var v lineSummary
	text := jsonrpc.Scan(line, func(m *jsonrpc.Message) { j.classify(m, &v) })
	if v.ours == 0 || text.Syntax != jsonrpc.Complete && text.Syntax != jsonrpc.Trailing {
		return false
	}
	mine = v.others == 0 && text.Syntax == jsonrpc.Complete
	if line = bytes.TrimRight(line, "\r\n"); !keep && len(v.answered) > 0 {
		line = bytes.Clone(line)
	}
	for _, n := range v.answered {
		j.injector.answered(n, line, !mine)
	}
	return mine
}

// mayBeOurs looks for our prefix without reading the line as JSON. Escapes may
// hide it.
func (j *responseFilter) mayBeOurs(line []byte) bool {
	return bytes.Contains(line, j.prefix) || bytes.Contains(line, []byte(`\u`))
}

// TooLong implements transport.ResponseFilter.
func (j *responseFilter) TooLong(part []byte, end bool) {
	defer recovered(func(error) {})
	if j.long == nil {
		j.long, j.longSummary = new(jsonrpc.Scanner), lineSummary{}
		j.long.Reset(func(m *jsonrpc.Message) { j.classify(m, &j.longSummary) })
	}
	j.long.Write(part)
	if !end {
		return
	}
	for _, n := range j.longSummary.answered {
		j.injector.answered(n, nil, true)
	}
	j.long = nil
}

// Ended implements transport.ResponseFilter.
func (j *responseFilter) Ended() { j.injector.over() }

// classify finds whose a message is.
func (j *responseFilter) classify(m *jsonrpc.Message, v *lineSummary) {
	switch m.Kind {
	case jsonrpc.Result, jsonrpc.Error:
		if n := j.number(&m.ID); n > 0 {
			v.answered = append(v.answered, n)
			v.ours++
			return
		}
	case jsonrpc.Notification:
		if j.concernsUs(m) {
			v.ours++
			return
		}
	case jsonrpc.Request, jsonrpc.Invalid:
	}
	v.others++
}

// concernsUs reports whether a notification names a request of ours: by its progress
// token, by its id, or as the subscription that brought it.
func (j *responseFilter) concernsUs(m *jsonrpc.Message) bool {
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
	return j.injector.issued(text)
}
