package session

import "wiretea/session/mcp"

// isWords are the values of the word is.
var isWords = []struct {
	name  string
	holds func(at subject) bool
}{
	{"pending", isPending},
	{"error", isError},
	{"late", hasFlag(FlagLate)},
	{"asking", isAsking},
	{"log", isLog},
	{"lost", hasFlag(FlagLost)},
	{"cancelled", hasFlag(FlagCancelled)},
	{"request", isKind(RowRequest)},
	{"response", isKind(RowResult, RowError)},
	{"notification", isKind(RowNotification)},
	{"batch", isKind(RowBatch)},
	{"text", isKind(RowText)},
	{"blank", isKind(RowBlank)},
	{"header", isKind(RowHeader)},
	{"part", isKind(RowPart)},
	{"growing", isKind(RowGrowing)},
	{"stderr", isKind(RowStderr)},
	{"proc", isKind(RowProc)},
	{"io", isKind(RowIO)},
	{"gap", isKind(RowGap)},
	{"http", isHTTP},
	{"sse", isStream},
	{"unterminated", hasFlag(FlagUnterminated)},
	{"injected", func(at subject) bool { return at.row.Way != Crossed }},
	{"marked", func(at subject) bool { return at.p.s.IsMarked(at.i) }},
	{"finding", func(at subject) bool { return at.row.Sev != NoSeverity }},
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
			return &rowTest{"is", ":", w.name, w.holds}, ""
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
	return at.row.Kind == RowNotification && at.p.s.Name(at.row.Method) == mcp.LogNotification
}

// isError reports whether the row is a response that says that its request failed, or
// that request.
func isError(at subject) bool {
	if at.row.Kind == RowRequest {
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
