package filter

import (
	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// isWords are the values of the word is.
var isWords = lazy.Value[[]state]{New: func() []state {
	return []state{
		{"pending", "a request that waits for its response", isPending},
		{"error", "a request that failed, and its response", isError},
		{"late", "a response that came after the timeout", hasFlag(session.FlagLate)},
		{"asking", "a question of the server that waits for an answer", isAsking},
		{"log", "a log message of the server", isLog},
		{"lost", "a request whose connection or round trip ended before the response", hasFlag(session.FlagLost)},
		{"cancelled", "a request that was cancelled", hasFlag(session.FlagCancelled)},
		{"request", "requests", isKind(session.RowRequest)},
		{"response", "responses, results and errors", isKind(session.RowResult, session.RowError)},
		{"notification", "notifications", isKind(session.RowNotification)},
		{"batch", "batches of messages", isKind(session.RowBatch)},
		{"text", "lines that are not messages", isKind(session.RowText)},
		{"blank", "blank lines", isKind(session.RowBlank)},
		{"header", "header lines", isKind(session.RowHeader)},
		{"part", "parts of a value over several lines", isKind(session.RowPart)},
		{"growing", "lines that are not finished", isKind(session.RowGrowing)},
		{"stderr", "lines on stderr", isKind(session.RowStderr)},
		{"proc", "what happened to the process", isKind(session.RowProc)},
		{"io", "events on streams, such as their end", isKind(session.RowIO)},
		{"gap", "bytes that were not recorded", isKind(session.RowGap)},
		{"http", "HTTP round trips", isHTTP},
		{"sse", "round trips whose response is a stream of events", isStream},
		{"unterminated", "frames without a line end", hasFlag(session.FlagUnterminated)},
		{"injected", "what wiretea sent into another client's session, and its responses", func(at subject) bool { return at.row.Way != session.Crossed }},
		{"decided", "what a policy, a fault or a person held, stopped or changed, and what wiretea sent in its place", hasFlag(session.FlagDecided)},
		{"marked", "rows that you marked", func(at subject) bool { return at.p.s.IsMarked(at.i) }},
		{"finding", "rows with a finding", func(at subject) bool { return at.row.Sev != session.NoSeverity }},
	}
}}

// A state is a value of the word is.
type state struct {
	name  string
	help  string // help says which rows it selects.
	holds func(at subject) bool
}

// States calls yield with each value of the word is and which rows it selects.
func States(yield func(name, help string) bool) {
	for _, w := range isWords.Get() {
		if !yield(w.name, w.help) {
			return
		}
	}
}

func isNames() []string {
	names := make([]string, len(isWords.Get()))
	for i, w := range isWords.Get() {
		names[i] = w.name
	}
	return names
}

func isWord(_ *Filter, o operand) (node, string) {
	for _, w := range isWords.Get() {
		if w.name == o.text {
			return &rowTest{key: "is", op: ":", value: w.name, holds: w.holds}, ""
		}
	}
	return nil, unknownIs(o.text)
}

// isPending reports whether the row is a request that waits.
func isPending(at subject) bool {
	r := at.row
	return r.Kind == session.RowRequest && r.Pair == session.NoRow && r.Flags&(session.FlagLost|session.FlagCancelled) == 0 && !r.Substitutes()
}

// isAsking reports whether the row is an unanswered question of the server: a
// request, or a result that requests input.
func isAsking(at subject) bool {
	return at.row.Flags&session.FlagAsks != 0 || at.row.Stream == session.S2C && isPending(at)
}

// isLog reports whether the row is a log message.
func isLog(at subject) bool {
	if m := at.p.passing; m != nil {
		return m.isLog()
	}
	return at.row.Kind == session.RowNotification && at.p.s.Name(at.row.Method) == mcp.LogNotification
}

// isError reports whether the row is a response that says that its request failed, or
// that request.
func isError(at subject) bool {
	if at.row.Kind == session.RowRequest && at.p.passing == nil {
		resp := at.p.s.Row(at.row.Pair)
		return resp.Failed()
	}
	return at.row.Failed()
}

func hasFlag(f session.Flags) func(subject) bool {
	return func(at subject) bool { return at.row.Flags&f != 0 }
}

func isKind(kinds ...session.RowKind) func(subject) bool {
	var set uint32
	for _, k := range kinds {
		set |= 1 << k
	}
	return func(at subject) bool { return set>>at.row.Kind&1 != 0 }
}
