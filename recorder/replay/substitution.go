package replay

import (
	"bytes"

	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
)

// givenKind is what a server gives out for its client to give back.
type givenKind uint8

const (
	givenCursor givenKind = iota
	givenState
	givenTask
	givenToken
)

// given is a recorded value that a server gave out, as it is written.
type given struct {
	kind givenKind
	raw  string
}

// substitutions are the live values that stand for recorded ones, where they differ.
type substitutions map[given][]byte

// givenOut says where servers give values out, and givenBack where clients give
// them back.
var (
	givenOut = lazy.Value[map[jsonrpc.Field]givenKind]{New: func() map[jsonrpc.Field]givenKind {
		return map[jsonrpc.Field]givenKind{
			jsonrpc.ResultNextCursor: givenCursor, jsonrpc.ResultRequestState: givenState, jsonrpc.ResultTaskID: givenTask,
			jsonrpc.ResultTaskTaskID: givenTask, jsonrpc.ParamTaskID: givenTask, jsonrpc.MetaProgressToken: givenToken,
		}
	}}
	givenBack = lazy.Value[map[jsonrpc.Field]givenKind]{New: func() map[jsonrpc.Field]givenKind {
		return map[jsonrpc.Field]givenKind{
			jsonrpc.ParamCursor: givenCursor, jsonrpc.ParamRequestState: givenState, jsonrpc.ParamTaskID: givenTask, jsonrpc.ParamProgressToken: givenToken,
		}
	}}
)

// learn compares what the two servers gave out in messages that stand for each
// other, and returns the live one with the recorded values.
func (l substitutions) learn(recorded, live []byte) []byte {
	was := givenIn(recorded)
	if len(was) > 0 {
		var list []splice
		for field, span := range givenIn(live) {
			old, ok := was[field]
			if !ok || old.Type != span.Type || old.Type != jsonrpc.String && old.Type != jsonrpc.Number {
				continue // one of them has none: that is a difference
			}
			raw, now := old.In(recorded), span.In(live)
			if bytes.Equal(raw, now) {
				continue
			}
			l[given{givenOut.Get()[field], string(raw)}] = bytes.Clone(now)
			list = append(list, splice{span.Off, span.Len, raw})
		}
		live = apply(live, list)
	}
	return l.tasks(live)
}

// shortTask is how long a task's id must be, quotes included, to be known wherever
// it is, and mostTasks how many are looked for.
const (
	shortTask = 10
	maxTasks  = 64
)

// tasks returns a live message with the recorded ids of tasks wherever it names
// them.
func (l substitutions) tasks(live []byte) []byte {
	n := 0
	for g, now := range l {
		if g.kind != givenTask || len(now) < shortTask {
			continue
		}
		if n++; n > maxTasks {
			break
		}
		live = bytes.ReplaceAll(live, now, []byte(g.raw))
	}
	return live
}

// givenIn finds what a message gives out.
func givenIn(body []byte) map[jsonrpc.Field]jsonrpc.Span {
	var found map[jsonrpc.Field]jsonrpc.Span
	scanMessages(body, func(m *jsonrpc.Message) {
		for field := range givenOut.Get() {
			if v := m.Field(field); v.Present() {
				if found == nil {
					found = map[jsonrpc.Field]jsonrpc.Span{}
				}
				found[field] = v.Span
			}
		}
	})
	return found
}
