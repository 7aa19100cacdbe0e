package session

// wordOf returns the word of a value, "?" if it has none.
func wordOf[T ~uint8](words []string, v T) string {
	if int(v) < len(words) {
		return words[v]
	}
	return "?"
}

// The words of enumerations, by value.
var (
	severityWords = []string{"", "info", "warning", "error"}
	faultWords    = []string{"nobody", "client", "server", "intermediary"}
	streamWords   = []string{"c2s", "s2c", "err"}
	wayWords      = []string{"", "in", "out"}
	stateWords    = []string{"pending", "answered", "failed", "cancelled", "lost"}
	matchWords    = []string{"none", "new", "reused", "clash", "answer", "late", "cancelled", "duplicate", "type", "orphan"}
	phaseWords    = []string{"new", "probing", "initialize", "legacy", "modern"}
	rowKindWords  = []string{
		"text", "request", "notification", "result", "error", "batch", "part", "header", "blank", "growing", "stderr", "io", "proc", "gap",
		"http", "http response", "http end",
	}
)

// String returns info, warning or error, and "" for none.
func (s Severity) String() string { return wordOf(severityWords, s) }

// String returns nobody, client or server.
func (f Fault) String() string { return wordOf(faultWords, f) }

// String returns the stream's word in the session file: c2s, s2c or err.
func (s Stream) String() string { return wordOf(streamWords, s) }

// String returns the word in the session file, empty for Crossed.
func (w Way) String() string { return wordOf(wayWords, w) }

// String returns the state's word in lower case.
func (s State) String() string { return wordOf(stateWords, s) }

// String returns the match's word in lower case.
func (m Match) String() string { return wordOf(matchWords, m) }

// String returns the phase's word in lower case.
func (p Phase) String() string { return wordOf(phaseWords, p) }

// String returns the kind's word in lower case.
func (k RowKind) String() string { return wordOf(rowKindWords, k) }
