package format

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/lazy"
)

// Event writes in a line what a record tells of that is not a frame: what happened to
// the server's process, to a stream or to what decides on messages, or which bytes are missing. It is empty for
// any other record.
func Event(rec *session.Record) string {
	text := ""
	switch rec.Kind {
	case session.RecProc:
		text = processEvent(&rec.Proc)
	case session.RecIO:
		text = streamEvent(rec)
	case session.RecGap:
		text = gap(&rec.Gap)
	case session.RecPath:
		text = pathEvent(&rec.Path)
	default:
	}
	return Visible([]byte(text), 0)
}

// StreamEvent writes what happened to a stream, from its row alone.
func StreamEvent(s *session.Snapshot, row session.Row) string {
	return Event(&session.Record{Kind: session.RecIO, Stream: row.Stream, IO: session.IOEvent{
		Event: s.Name(row.Method), Side: s.Name(row.Target), Bytes: int64(row.Len),
	}})
}

func processEvent(ev *session.Proc) string {
	switch ev.Event {
	case "start":
		if ev.Why != "" {
			return fmt.Sprintf("server started again: %s, pid %d", ev.Why, ev.PID)
		}
		return fmt.Sprintf("server started, pid %d", ev.PID)
	case "exit":
		if ev.Signal != "" {
			return "server ended by " + ev.Signal
		}
		return fmt.Sprintf("server exited with code %d", ev.Code)
	case "signal":
		return ev.Signal + " sent by " + Sender(ev.By)
	case "orphans":
		return "processes left running: " + Pids(ev.PIDs)
	case "failed":
		return "server could not be started: " + ev.Err
	}
	return ev.Event
}

func pathEvent(ev *session.PathEvent) string {
	switch ev.Event {
	case "on":
		return ev.What + " in force: " + ev.Text
	case "changed":
		return ev.What + " changed, in force now: " + ev.Text
	case session.PathBroken:
		return ev.What + " changed and cannot be used, the last one stays in force: " + ev.Text
	case "off":
		return ev.What + " off"
	}
	return ev.What + ": " + ev.Text
}

// Sender writes who sent a signal, as session.Proc.By names it.
func Sender(by string) string {
	switch by {
	case "us":
		return "wiretea"
	case "client":
		return "the client"
	case "other", "":
		return "another process"
	}
	return by
}

// Pids writes process numbers, the first 16 of them.
func Pids(pids []int) string {
	const most = 16
	var parts []string
	for _, pid := range pids[:min(len(pids), most)] {
		parts = append(parts, strconv.Itoa(pid))
	}
	if len(pids) > most {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

var streamEvents = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"eof": "end of file", "blocked": "blocked, not read by the other side", "unblocked": "read again", "epipe": "broken pipe"}
}}

func streamEvent(rec *session.Record) string {
	what, known := streamEvents.Get()[rec.IO.Event]
	if !known {
		what = rec.IO.Event
	}
	text := Stream(rec.Stream) + ": " + what
	if rec.IO.Side != "" {
		text += " (" + rec.IO.Side + ")"
	}
	if rec.IO.Bytes > 0 {
		text += ", " + Size(rec.IO.Bytes) + " waiting"
	}
	return text
}

var gapReasons = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"memory": "memory was full: the disk did not keep up", "disk": "the disk was full", "tail": "only the session's end is kept in memory"}
}}

// NoEnd is why a recording may end without saying how. The file does not tell which it was.
const NoEnd = "the process was killed, the recorder failed, the machine stopped, or the file was truncated"

// Missing says what the file of a session lacks; empty where that is nothing.
func Missing(t *session.Totals) string {
	var parts []string
	if t.Gap > 0 {
		parts = append(parts, Size(t.Gap)+" could not be recorded")
	}
	if t.Damaged > 0 {
		parts = append(parts, Plural(t.Damaged, "line")+" of the recording cannot be read")
	}
	if t.Torn > 0 {
		parts = append(parts, "the recording ends within a record")
	}
	return strings.Join(parts, "; ")
}

func gap(g *session.Gap) string {
	if g.Lines > 0 {
		return Plural(g.Lines, "line") + " of the recording cannot be read here"
	}
	if g.Why == "ring" {
		who := map[session.Stream]string{session.C2S: "what the client sent", session.S2C: "what the server sent"}[g.Stream]
		return cmp.Or(who, Stream(g.Stream)) + " before this is in the earlier files of the ring"
	}
	what, why := Size(g.Bytes), gapReasons.Get()[g.Why]
	if g.Frames >= 0 {
		what += " (" + Plural(g.Frames, "frame") + ")"
	}
	why = cmp.Or(why, g.Why)
	return fmt.Sprintf("gap: %s of %s missing; %s", what, Stream(g.Stream), why)
}

// Stream writes the server's name of a stream: stdin, stdout or stderr.
func Stream(s session.Stream) string {
	switch s {
	case session.C2S:
		return "stdin"
	case session.S2C:
		return "stdout"
	case session.Stderr:
		return "stderr"
	}
	return "?"
}

// Arrow points to the side that gets a frame. It begins at a bar where wiretea sent the
// frame, and ends at one where wiretea kept it.
func Arrow(r session.Row) string {
	if r.Stream == session.C2S {
		return arrows[r.Way][0]
	}
	return arrows[r.Way][1]
}

var arrows = [...][2]string{session.Crossed: {"→", "←"}, session.WayOut: {"↦", "↤"}, session.WayIn: {"⇥", "⇤"}}

// Trip words a row of a round trip: "POST /mcp 200 12.0 ms" for its request, "200 12.0 ms"
// for its response, "stream ended by the server after 60.0 s" for the end of an event
// stream.
func Trip(s *session.Snapshot, i uint32) string {
	row := s.Row(i)
	trip := s.Trip(s.TripRow(i))
	switch row.Kind {
	case session.RowTrip:
		words := Visible([]byte(s.Name(row.Method)+" "+s.Name(row.Target)), 0)
		if trip.Response.Kind == session.RowTripResponse {
			words += " " + tripStatus(trip)
		}
		return words
	case session.RowTripResponse:
		return tripStatus(trip)
	case session.RowTripEnd:
		return "stream " + tripEnd(s.Name(row.Method)) + " after " + Duration(trip.Took)
	}
	return ""
}

func tripStatus(trip session.TripView) string {
	words := []string{"no response"}
	if trip.Status != 0 {
		words[0] = strconv.Itoa(trip.Status)
	}
	switch {
	case trip.Over:
		words = append(words, Duration(trip.Took))
	case trip.Stream:
		words = append(words, "stream open")
	}
	return strings.Join(words, " ")
}

// tripEnd words why a round trip ended.
func tripEnd(why string) string {
	switch why {
	case "eof":
		return "ended"
	case "client", "server":
		return "cut by the " + why
	case "reset":
		return "reset"
	case "timeout":
		return "timed out"
	}
	return "ended: " + Visible([]byte(why), 40)
}

// barCells is the length of a bar of progress.
const barCells = 8

// Progress writes how far something has come: a bar with its percentage, the
// percentage alone if the bar does not fit into w cells, or done itself if the total is
// unknown.
func Progress(done, total float64, w int) string {
	if total <= 0 || done < 0 {
		return "▰ " + strconv.FormatFloat(done, 'g', 6, 64)
	}
	part := min(1, done/total)
	words := fmt.Sprintf("%d %%", int(100*part))
	if w < barCells+1+utf8.RuneCountInString(words) {
		return words
	}
	full := int(part*barCells + 0.5)
	return strings.Repeat("▰", full) + strings.Repeat("▱", barCells-full) + " " + words
}
