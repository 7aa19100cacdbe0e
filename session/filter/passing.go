package filter

import (
	"math"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/mcp"
)

// A Passing is a message on its way, which no row shows yet. It is what a filter can know
// of a message before it is forwarded.
type Passing struct {
	Stream session.Stream
	Kind   session.RowKind // Kind is session.RowRequest, session.RowNotification, session.RowResult or session.RowError.
	Failed bool            // Failed: it is an error response, or the result of a tool that reports an error.
	Method string          // Method is the method; of a response its request's, empty where that is not known.
	Target string          // Target is the tool, prompt or URI; of a response its request's.
	ID     string          // ID is the raw text of its id; empty for none.
	Body   []byte          // Body is its text; nil = it is not known, and words that need it are undecided.

	row session.Row // row has what the words need of it, and p the rest: no call allocates.
	p   prepared
}

// passingWords are the words that can be decided before a message is forwarded.
var passingWords = []string{"m", "t", "d", "id", "is", "size", "level", "b", "j"}

// passingStates are the values of is: that can.
var passingStates = []string{"request", "response", "notification", "error", "log"}

// Passing returns the result of the filter for a message on its way: Body where the message
// has none and it would decide. CheckPassing has returned nil before.
func (f *Filter) Passing(m *Passing) Verdict {
	if f.root == nil {
		return Yes
	}
	m.row = session.Row{Stream: m.Stream, Kind: m.Kind, Len: uint32(min(len(m.Body), math.MaxUint32))}
	if m.Failed && m.Kind == session.RowResult {
		m.row.Flags = session.FlagToolError
	}
	if m.Body == nil {
		m.row.Len = math.MaxUint32 // No body is too short.
	}
	m.p.passing, m.p.tests = m, f.names
	at := subject{p: &m.p, row: &m.row, body: m.Body}
	v := f.root.meta(at)
	if v != Body || m.Body == nil {
		return v
	}
	if f.root.match(at) {
		return Yes
	}
	return No
}

// CheckPassing returns a *Error for a word that cannot be decided before a message is
// forwarded, such as its latency.
func (f *Filter) CheckPassing() error {
	var err error
	f.words(f.root, false, func(n node, _ bool) {
		t, is := n.(*rowTest)
		switch {
		case err != nil || !is:
		case !slices.Contains(passingWords, t.key):
			err = &Error{Msg: t.key + ": is not known before a message is forwarded; known are " + strings.Join(passingWords, ", ")}
		case t.key == "is" && !slices.Contains(passingStates, t.value):
			err = &Error{Msg: "is:" + t.value + " is not known before a message is forwarded; known are " + strings.Join(passingStates, ", ")}
		}
		if _, head := n.(*headerTest); head && err == nil {
			err = &Error{Msg: "header: is not a part of a message; known are " + strings.Join(passingWords, ", ")}
		}
	})
	return err
}

// ByName reports whether the stream, the kind, the method and the target of a message decide.
func (f *Filter) ByName() bool {
	by := true
	f.words(f.root, false, func(n node, _ bool) {
		t, is := n.(*rowTest)
		by = by && is && (t.key == "m" || t.key == "t" || t.key == "d" || t.key == "is" && t.value != "error" && t.value != "log")
	})
	return by
}

// Searches reports whether the filter looks into the text of messages, which costs as much as
// they are long.
func (f *Filter) Searches() bool {
	looks := false
	f.words(f.root, false, func(n node, _ bool) {
		_, is := n.(*rowTest)
		looks = looks || !is
	})
	return looks
}

// Responses reports whether the filter names responses: is:response or is:error, not
// negated.
func (f *Filter) Responses() bool {
	names := false
	f.words(f.root, false, func(n node, negated bool) {
		t, is := n.(*rowTest)
		names = names || is && !negated && t.key == "is" && (t.value == "response" || t.value == "error")
	})
	return names
}

// NamesMethod reports whether a word of the filter, m:NAME, matches a method, and is not
// negated.
func (f *Filter) NamesMethod(method string) bool {
	m := &Passing{Method: method}
	m.p.passing, m.p.tests = m, f.names
	at, names := subject{p: &m.p, row: &m.row}, false
	f.words(f.root, false, func(n node, negated bool) {
		t, is := n.(*rowTest)
		names = names || is && !negated && t.key == "m" && t.meta(at) == Yes
	})
	return names
}

// words calls see for each word of a filter.
func (f *Filter) words(n node, negated bool, see func(n node, negated bool)) {
	switch n := n.(type) {
	case nil:
	case andNode:
		for _, c := range n {
			f.words(c, negated, see)
		}
	case orNode:
		for _, c := range n {
			f.words(c, negated, see)
		}
	case notNode:
		f.words(n.of, !negated, see)
	default:
		see(n, negated)
	}
}

// method reports whether the method of a row passes the test for names of that place.
func (at subject) method(place int) bool {
	if m := at.p.passing; m != nil {
		return m.Method != "" && at.p.tests[place](m.Method)
	}
	return at.p.names[place].Has(at.row.Method)
}

// target is method for its target.
func (at subject) target(place int) bool {
	if m := at.p.passing; m != nil {
		return m.Target != "" && at.p.tests[place](m.Target)
	}
	return at.p.names[place].Has(at.row.Target)
}

// undecided reports whether the text of a message on its way is not known.
func (at subject) undecided() bool { return at.p.passing != nil && at.p.passing.Body == nil }

// isLog reports whether the message is a log message.
func (m *Passing) isLog() bool {
	return m.Kind == session.RowNotification && m.Method == mcp.LogNotification
}
