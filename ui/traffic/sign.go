package traffic

import (
	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/keyhelp"
)

// The mark of a frame follows its arrow; what is not a frame of a peer's has a
// sign of its own.
var (
	frameMarks = [...]string{session.RowRequest: " ", session.RowNotification: "·", session.RowResult: " ", session.RowBatch: "≡",
		session.RowText: "?", session.RowPart: "…", session.RowHeader: "#", session.RowBlank: "_", session.RowGrowing: "+"}
	eventSigns = map[session.RowKind]string{session.RowStderr: "┆ ", session.RowIO: "○ ", session.RowProc: "● ", session.RowGap: "✖ ",
		session.RowTrip: "◇ ", session.RowTripResponse: "◇ ", session.RowTripEnd: "╰ "}
)

// signOf returns the sign of a row: what it is, in an arrow and a mark, whatever the
// colours. Requests of the server, and the responses to them, have arrows of their own.
func signOf(r session.Row) string {
	if sign, ok := eventSigns[r.Kind]; ok {
		return sign
	}
	arrow, out := format.Arrow(r), r.Stream == session.C2S
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
	switch {
	case r.Way == session.WayOut:
		return "injected"
	case r.Way == session.WayIn && r.Stream == session.S2C:
		return "taken out"
	case r.Way == session.WayIn:
		return "held back"
	}
	return ""
}

// Signs explains the signs of the rows.
var Signs = []keyhelp.Sign{
	{Sign: "→", Means: "from the client to the server"},
	{Sign: "←", Means: "from the server to the client"},
	{Sign: "⇠ ⇢", Means: "a request of the server, and its response"},
	{Sign: "· ✖ ≡", Means: "a notification, an error, a batch"},
	{Sign: "? + …", Means: "not a message, an unfinished line, part of a value over several lines"},
	{Sign: "↦", Means: "injected: sent to the server by wiretea, not by the client"},
	{Sign: "⇤", Means: "taken out: the response to it, hidden from the client"},
	{Sign: "┆ ● ○", Means: "stderr, the process, an event on a stream"},
	{Sign: "▾ ▸ ◇", Means: "an HTTP request with its messages below, folded, or without any; ╰ the end of its stream"},
	{Sign: "t7 c2", Means: "HTTP round trip 7, connection 2: the filters trip:7, c:2"},
	{Sign: "◆ ✎", Means: "your mark, your comment"},
}
