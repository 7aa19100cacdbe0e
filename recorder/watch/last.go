package watch

import (
	"bytes"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/lazy"
)

// Typed is the latest request that was typed, or sent again.
type Typed struct {
	Method string // Method is empty where there is none.
	At     int64  // At is when, in the session's time.
}

// machinery are the requests that a client sends by itself, or that belong to
// another one: they are not what a user wants to see again.
var machinery = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{
		"initialize": true, "server/discover": true, "ping": true, "completion/complete": true, "logging/setLevel": true,
		"tasks/get": true, "tasks/result": true, "tasks/cancel": true, "tasks/update": true, "tasks/list": true,
		"resources/subscribe": true, "resources/unsubscribe": true, "subscriptions/listen": true,
	}
}}

// listings are requests that are sent by the pages of the screen as well.
var listings = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{"tools/list": true, "resources/list": true, "resources/templates/list": true, "prompts/list": true}
}}

// mostLooked is how many rows are looked through for the last call.
const mostLooked = 1 << 20

// LastRequest returns the last request of the user in the session, of any
// connection, with its response. One that lists something counts where it was
// typed, or where there is no other.
func LastRequest(snap *session.Snapshot, log recorder.Log, typed Typed) (Call, bool) {
	at, listing := session.NoRow, session.NoRow
	for i, n := uint32(snap.Len()), 0; i > 0 && n < mostLooked; n++ {
		i--
		r := snap.Row(i)
		if r.Kind != session.RowRequest || r.Stream != session.C2S {
			continue
		}
		method := snap.Name(r.Method)
		if method == typed.Method && r.T >= typed.At || !machinery.Get()[method] && !listings.Get()[method] {
			at = i
			break
		}
		if listings.Get()[method] && listing == session.NoRow {
			listing = i
		}
	}
	if at == session.NoRow {
		at = listing
	}
	if at == session.NoRow {
		return Call{}, false
	}
	return readCall(snap, log, at)
}

// readCall reads the call of which row i is the last leg, and its answer. Where it was
// not answered, the latest answer to the same request is.
func readCall(snap *session.Snapshot, log recorder.Log, i uint32) (Call, bool) {
	last := snap.Row(i)
	first := i
	for k := i; k > 0 && last.Op != 0; {
		k--
		if r := snap.Row(k); r.Op == last.Op && r.Kind == session.RowRequest && r.Method == last.Method {
			first = k
		} else if r.Kind == session.RowProc {
			break // another connection
		}
	}
	m, err := recorder.ReadRequest(log, snap, first)
	if err != nil {
		return Call{}, false
	}
	call := Call{Method: m.Method, Name: snap.Name(last.Target), Params: m.Params}
	for n := 0; n < mostLooked; n++ {
		if r := snap.Row(i); r.Kind == session.RowRequest && r.Stream == session.C2S && r.Method == last.Method && r.Target == last.Target && r.Pair < uint32(snap.Len()) {
			if q, err := recorder.ReadRequest(log, snap, i); i == uint32(first) || r.Op == last.Op && r.Op != 0 || err == nil && bytes.Equal(q.Params, m.Params) {
				call.Answer = readAnswer(snap, log, r.Pair)
				break
			}
		}
		if i == 0 {
			break
		}
		i--
	}
	return call, true
}

// readAnswer reads what a response carries.
func readAnswer(snap *session.Snapshot, log recorder.Log, row uint32) Answer {
	body, err := recorder.ReadMessage(log, snap, row)
	if err != nil {
		return Answer{}
	}
	word, part, ok := recorder.Payload(body)
	if !ok {
		return Answer{}
	}
	return Answer{word, part}
}

// Sides returns two answers as they are compared. If one is a result and the other an
// error, each is put into an object under that name.
func Sides(old, new Answer) (a, b []byte) {
	if old.Word == new.Word {
		return old.Body, new.Body
	}
	wrap := func(x Answer) []byte { return []byte(`{"` + x.Word + `":` + string(x.Body) + `}`) }
	return wrap(old), wrap(new)
}
