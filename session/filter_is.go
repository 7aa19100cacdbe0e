package session

import "wiretea/session/mcp"

// isWords are the values of the word is.
var isWords = []struct {
	name  string
	help  string // help says which rows it selects.
	holds func(at subject) bool
}{
	{"pending", "a request that waits for its response", isPending},
	{"error", "a request that failed, and its response", isError},
	{"late", "a response that came after the timeout", hasFlag(FlagLate)},
	{"asking", "a question of the server that waits for an answer", isAsking},
	{"log", "a log message of the server", isLog},
	{"lost", "a request whose connection closed before the response", hasFlag(FlagLost)},
	{"cancelled", "a request that was cancelled", hasFlag(FlagCancelled)},
	{"request", "requests", isKind(RowRequest)},
	{"response", "responses, results and errors", isKind(RowResult, RowError)},
	{"notification", "notifications", isKind(RowNotification)},
	{"batch", "batches of messages", isKind(RowBatch)},
	{"text", "lines that are not messages", isKind(RowText)},
	{"blank", "blank lines", isKind(RowBlank)},
	{"header", "header lines", isKind(RowHeader)},
	{"part", "parts of a value over several lines", isKind(RowPart)},
	{"growing", "lines that are not finished", isKind(RowGrowing)},
	{"stderr", "lines on stderr", isKind(RowStderr)},
	{"proc", "what happened to the process", isKind(RowProc)},
	{"io", "events on streams, such as their end", isKind(RowIO)},
	{"gap", "bytes that were not recorded", isKind(RowGap)},
	{"http", "HTTP round trips", isHTTP},
	{"sse", "round trips whose response is a stream of events", isStream},
	{"unterminated", "frames without a line end", hasFlag(FlagUnterminated)},
	{"injected", "what wiretea sent into another client's session, and its responses", func(at subject) bool { return at.row.Way != Crossed }},
	{"decided", "what a policy, a fault or a person held, stopped or changed, and what wiretea sent in its place", hasFlag(FlagDecided)},
	{"marked", "rows that you marked", func(at subject) bool { return at.p.s.IsMarked(at.i) }},
	{"finding", "rows with a finding", func(at subject) bool { return at.row.Sev != NoSeverity }},
}

// FilterStates calls yield with each value of the word is and which rows it selects.
func FilterStates(yield func(name, help string) bool) {
	for _, w := range isWords {
		if !yield(w.name, w.help) {
			return
		}
	}
}

func isNames() []string {
	names := make([]string, len(isWords))
	for i, w := range isWords {
		names[i] = w.name
	}
	return names
}

func isWord(_ *Filter, o operand) (node, string) {
	for _, w := range isWords {
		if w.name == o.text {
			return &rowTest{key: "is", op: ":", value: w.name, holds: w.holds}, ""
		}
	}
	return nil, unknownIs(o.text)
}

// isPending reports whether the row is a request that waits.
func isPending(at subject) bool {
	r := at.row
	return r.Kind == RowRequest && r.Pair == NoRow && r.Flags&(FlagLost|FlagCancelled) == 0
}

// isAsking reports whether the row is an unanswered question of the server: a
// request, or a result that requests input.
func isAsking(at subject) bool {
	return at.row.Flags&FlagAsks != 0 || at.row.Stream == S2C && isPending(at)
}

// isLog reports whether the row is a log message.
func isLog(at subject) bool {
	if m := at.p.passing; m != nil {
		return m.isLog()
	}
	return at.row.Kind == RowNotification && at.p.s.Name(at.row.Method) == mcp.LogNotification
}

// isError reports whether the row is a response that says that its request failed, or
// that request.
func isError(at subject) bool {
	if at.row.Kind == RowRequest && at.p.passing == nil {
		resp := at.p.s.Row(at.row.Pair)
		return resp.Failed()
	}
	return at.row.Failed()
}

func hasFlag(f Flags) func(subject) bool {
	return func(at subject) bool { return at.row.Flags&f != 0 }
}

func isKind(kinds ...RowKind) func(subject) bool {
	var set uint32
	for _, k := range kinds {
		set |= 1 << k
	}
	return func(at subject) bool { return set>>at.row.Kind&1 != 0 }
}
