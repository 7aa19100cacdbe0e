package traffic

import (
	"wiretea/session"
	"wiretea/ui/keyhelp"
)

// A sign shows what a frame is, in one arrow and one mark, whatever the colours.
type sign string

// signOf returns the sign of a row. What the server asks and we answer has
// arrows of its own, and so has what did not go from one peer to the other.
func signOf(r session.Row) sign {
	out := r.Stream == session.C2S
	switch r.Kind {
	case session.RowRequest:
		return arrow(r, !out, " ")
	case session.RowNotification:
		return arrow(r, false, "·")
	case session.RowResult:
		return arrow(r, out, " ")
	case session.RowError:
		return arrow(r, out, "✖")
	case session.RowBatch:
		return arrow(r, false, "≡")
	case session.RowText:
		return arrow(r, false, "?")
	case session.RowPart:
		return arrow(r, false, "…")
	case session.RowHeader:
		return arrow(r, false, "#")
	case session.RowBlank:
		return arrow(r, false, "_")
	case session.RowGrowing:
		if r.Stream == session.Stderr {
			return "┆+"
		}
		return arrow(r, false, "+")
	case session.RowStderr:
		return "┆ "
	case session.RowIO:
		return "○ "
	case session.RowProc:
		return "● "
	case session.RowGap:
		return "✖ "
	}
	return "  "
}

// arrow points to who gets the frame. asks: the server asks, or is answered.
func arrow(r session.Row, asks bool, mark sign) sign {
	out := r.Stream == session.C2S
	if r.Way != session.Crossed {
		return wayArrow(r.Way, out) + mark
	}
	switch {
	case out && asks:
		return "⇢" + mark
	case asks:
		return "⇠" + mark
	case out:
		return "→" + mark
	}
	return "←" + mark
}

// wayArrow begins at a bar where wiretea sent the frame, and ends at one where
// wiretea kept it.
func wayArrow(way session.Way, out bool) sign {
	switch {
	case way == session.WayOut && out:
		return "↦"
	case way == session.WayOut:
		return "↤"
	case out:
		return "⇥"
	}
	return "⇤"
}

// wayWord is what wayArrow says, in a word; empty for what crossed.
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
	{Sign: "⇠ ⇢", Means: "the server asks, and is answered"},
	{Sign: "· ✖ ≡", Means: "a notification, an error response, a batch"},
	{Sign: "? + …", Means: "no message, a line without end, part of a value over several lines"},
	{Sign: "↦", Means: "injected: sent to the server by wiretea, not by the client"},
	{Sign: "⇤", Means: "taken out: the answer to that, which the client did not get"},
	{Sign: "┆ ● ○", Means: "stderr, the process, an event on a stream"},
	{Sign: "◆ ✎", Means: "a mark of yours, a comment of yours"},
}
