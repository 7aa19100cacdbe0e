package traffic

import (
	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/ui/keyhelp"
	"wiretea/ui/style"
)

// The mark of a frame follows its arrow; what is not a frame of a peer's has a
// sign of its own.
var (
	frameMarks = [...]string{session.RowRequest: " ", session.RowNotification: "·", session.RowResult: " ", session.RowBatch: "≡",
		session.RowText: "?", session.RowPart: "…", session.RowHeader: "#", session.RowBlank: "_", session.RowGrowing: "+"}
	eventSigns = lazy.Value[map[session.RowKind]string]{New: func() map[session.RowKind]string {
		return map[session.RowKind]string{session.RowStderr: "┆ ", session.RowIO: "○ ", session.RowProc: "● ", session.RowGap: "✖ ",
			session.RowTrip: "◇ ", session.RowTripResponse: "◇ ", session.RowTripEnd: "╰ "}
	}}
)

// signOf returns the sign of a row: what it is, in an arrow and a mark, whatever the
// colours. Requests of the server, and the responses to them, have arrows of their own.
func signOf(r session.Row) string {
	if sign, ok := eventSigns.Get()[r.Kind]; ok {
		return sign
	}
	arrow, out := r.Arrow(), r.Stream == session.C2S
	switch answer := r.Kind == session.RowResult || r.Kind == session.RowError; {
	case r.Stream == session.Stderr:
		arrow = "┆"
	case r.Way != session.Crossed:
	case r.Kind == session.RowRequest && !out:
		arrow = "⇠"
	case answer && out:
		arrow = "⇢"
	}
	switch {
	case r.Failed():
		return arrow + "✖"
	case r.Kind == session.RowError:
		return arrow + " "
	}
	return arrow + frameMarks[r.Kind]
}

// wayWord is what an arrow with a bar says, in a word; empty for what crossed.
func wayWord(r session.Row) string {
	switch decided := r.Flags&session.FlagDecided != 0; {
	case r.Way == session.WayOut && decided:
		return "put in"
	case r.Way == session.WayIn && decided:
		return "stopped"
	case r.Way == session.WayOut:
		return "injected"
	case r.Way == session.WayIn && r.Stream == session.S2C:
		return "taken out"
	case r.Way == session.WayIn:
		return "held back"
	}
	return ""
}

// Signs explains the signs and the colours of the rows.
var Signs = []keyhelp.Sign{
	{Sign: "→", Means: "from the client to the server", Look: func(th *style.Theme) style.Style { return th.Client }},
	{Sign: "←", Means: "from the server to the client", Look: func(th *style.Theme) style.Style { return th.Server }},
	{Sign: "→· ←·", Means: "a notification"},
	{Sign: "←✖ →✖", Means: "red: the request failed, with an error response or a tool's result that says isError; the request's row counts as failed too", Look: failed},
	{Sign: "←", Means: "dim: an error response that is not a failure, such as that of a server without the method that wiretea tries first", Look: dim},
	{Sign: "≡", Means: "a batch of messages", Look: warned},
	{Sign: "⇠ ⇢", Means: "a request of the server, and its response", Look: func(th *style.Theme) style.Style { return th.Asks }},
	{Sign: "←?", Means: "red: a line that is not a message", Look: failed},
	{Sign: "+ …", Means: "a line that is not finished, a part of a value over several lines"},
	{Sign: "# _", Means: "a header line, a blank line", Look: dim},
	{Sign: "↦", Means: "injected: sent to the server by wiretea, not by the client", Look: warned},
	{Sign: "⇤", Means: "taken out: the response to it, hidden from the client", Look: warned},
	{Sign: "⇥ ⇤", Means: "stopped or held: a policy, a fault or a person kept it from crossing as it was, as the row says", Look: warned},
	{Sign: "↦ ↤", Means: "put in: what wiretea sent in its place; O jumps between the two, d compares them", Look: warned},
	{Sign: "┆", Means: "a line on stderr", Look: dim},
	{Sign: "●", Means: "the process started, ended, or got a signal", Look: func(th *style.Theme) style.Style { return th.Accent }},
	{Sign: "○", Means: "an event on a stream, such as its end", Look: dim},
	{Sign: "✖ gap", Means: "bytes that were not recorded", Look: failed},
	{Sign: "→✔ POST 200", Means: "a message over HTTP with its request and the answer in one line; Z shows all rows"},
	{Sign: "▾ ▸ ◇", Means: "an HTTP request with its messages below, folded, or without any; ╰ the end of its stream"},
	{Sign: "t7 c2", Means: "HTTP round trip 7, connection 2: the filters trip:7, c:2"},
	{Sign: "◆ ✎", Means: "your mark, your comment", Look: func(th *style.Theme) style.Style { return th.Mark }},
	{Sign: "⠹ 1.2 s", Means: "a request that waits for its response, and for how long"},
	{Sign: "⠹ 5.2 s!", Means: "it waits for 5 s, or half of its timeout", Look: warned},
	{Sign: "‖ 5.2 s", Means: "the request, or a question of its receiver, is held here: meanwhile it is not late"},
	{Sign: "✖ 60.0 s", Means: "it waits longer than its timeout; red at a response: it came after the timeout", Look: failed},
	{Sign: "timed out", Means: "wiretea gave the request up", Look: failed},
	{Sign: "dropped", Means: "the request did not go on: a person, a policy or a fault dropped it", Look: dim},
	{Sign: "lost", Means: "the connection or the round trip ended before the response", Look: warned},
	{Sign: "12 MB", Means: "a size beyond half of the limit for a message; red: beyond the limit", Look: warned},
	{Sign: "✖ ⚠ ℹ", Means: "at the end of a row: it has a finding, an error, a warning or a remark", Look: failed},
}

func failed(th *style.Theme) style.Style { return th.Error }
func warned(th *style.Theme) style.Style { return th.Warning }
func dim(th *style.Theme) style.Style    { return th.Dim }

// isLog reports whether a row is a log message.
func isLog(s *session.Snapshot, r session.Row) bool {
	return r.Kind == session.RowNotification && s.Name(r.Method) == mcp.LogNotification
}

// verbs are short for the methods of messages that have a target.
var verbs = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		mcp.ToolsCall: "call", mcp.ResourcesRead: "read", mcp.PromptsGet: "get prompt", mcp.CompletionComplete: "complete",
		mcp.ResourcesSubscribe: "subscribe", mcp.ResourcesUnsubscribe: "unsubscribe", mcp.LoggingSetLevel: "log level",
		mcp.TasksGet: "get task", mcp.TasksResult: "task result", mcp.TasksCancel: "cancel task",
		mcp.LogNotification: "log", mcp.ProgressNotification: "progress",
	}
}}

// verbOf is a word for a method; empty where there is none that is shorter.
func verbOf(method string) string { return verbs.Get()[method] }
