package session

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"wiretea/session/text"
)

// Words writes in a line what a record tells of that is not a frame: what happened to
// the server's process, to a stream or to what decides on messages, or which bytes are missing. It is empty for
// any other record.
func (rec *Record) Words() string {
	words := ""
	switch rec.Kind {
	case RecProc:
		words = processEvent(&rec.Proc)
	case RecIO:
		words = streamEvent(rec)
	case RecGap:
		words = gapEvent(&rec.Gap)
	case RecPath:
		words = pathEvent(&rec.Path)
	default:
	}
	return text.Visible([]byte(words), 0)
}

// StreamWords writes what happened to a stream, from its row alone.
func (s *Snapshot) StreamWords(row Row) string {
	rec := Record{Kind: RecIO, Stream: row.Stream, IO: IOEvent{
		Event: s.Name(row.Method), Side: s.Name(row.Target), Bytes: int64(row.Len),
	}}
	return rec.Words()
}

func processEvent(ev *Proc) string {
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

func pathEvent(ev *PathEvent) string {
	switch ev.Event {
	case "on":
		return ev.What + " in force: " + ev.Text
	case "changed":
		return ev.What + " changed, in force now: " + ev.Text
	case PathBroken:
		return ev.What + " changed and cannot be used, the last one stays in force: " + ev.Text
	case "off":
		return ev.What + " off"
	}
	return ev.What + ": " + ev.Text
}

// Sender writes who sent a signal, as Proc.By names it.
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

func streamEvent(rec *Record) string {
	what := rec.IO.Event
	switch what {
	case "eof":
		what = "end of file"
	case "blocked":
		what = "blocked, not read by the other side"
	case "unblocked":
		what = "read again"
	case "epipe":
		what = "broken pipe"
	}
	words := rec.Stream.Stdio() + ": " + what
	if rec.IO.Side != "" {
		words += " (" + rec.IO.Side + ")"
	}
	if rec.IO.Bytes > 0 {
		words += ", " + text.Size(rec.IO.Bytes) + " waiting"
	}
	return words
}

// NoEnd is why a recording may end without saying how. The file does not tell which it was.
const NoEnd = "the process was killed, the recorder failed, the machine stopped, or the file was truncated"

// Missing says what the file of a session lacks; empty where that is nothing.
func (t *Totals) Missing() string {
	var parts []string
	if t.Gap > 0 {
		parts = append(parts, text.Size(t.Gap)+" could not be recorded")
	}
	if t.Damaged > 0 {
		parts = append(parts, text.Plural(t.Damaged, "line")+" of the recording cannot be read")
	}
	if t.Torn > 0 {
		parts = append(parts, "the recording ends within a record")
	}
	return strings.Join(parts, "; ")
}

func gapEvent(g *Gap) string {
	if g.Lines > 0 {
		return text.Plural(g.Lines, "line") + " of the recording cannot be read here"
	}
	if g.Why == "ring" {
		who := map[Stream]string{C2S: "what the client sent", S2C: "what the server sent"}[g.Stream]
		return cmp.Or(who, g.Stream.Stdio()) + " before this is in the earlier files of the ring"
	}
	what, why := text.Size(g.Bytes), g.Why
	switch why {
	case "memory":
		why = "memory was full: the disk did not keep up"
	case "disk":
		why = "the disk was full"
	case "tail":
		why = "only the session's end is kept in memory"
	}
	if g.Frames >= 0 {
		what += " (" + text.Plural(g.Frames, "frame") + ")"
	}
	return fmt.Sprintf("gap: %s of %s missing; %s", what, g.Stream.Stdio(), why)
}

// Stdio returns the server's name of a stream: stdin, stdout or stderr.
func (s Stream) Stdio() string {
	switch s {
	case C2S:
		return "stdin"
	case S2C:
		return "stdout"
	case Stderr:
		return "stderr"
	}
	return "?"
}

// Arrow points to the side that gets a frame. It begins at a bar where wiretea sent the
// frame, and ends at one where wiretea kept it.
func (r Row) Arrow() string {
	if r.Stream == C2S {
		return arrows[r.Way][0]
	}
	return arrows[r.Way][1]
}

var arrows = [...][2]string{Crossed: {"→", "←"}, WayOut: {"↦", "↤"}, WayIn: {"⇥", "⇤"}}

// TripWords words a row of a round trip: "POST /mcp 200 12.0 ms" for its request, "200 12.0 ms"
// for its response, "stream ended by the server after 60.0 s" for the end of an event
// stream.
func (s *Snapshot) TripWords(i uint32) string {
	row := s.Row(i)
	trip := s.Trip(s.TripRow(i))
	switch row.Kind {
	case RowTrip:
		words := text.Visible([]byte(s.Name(row.Method)+" "+s.Name(row.Target)), 0)
		if trip.ResponseRow.Kind == RowTripResponse {
			words += " " + tripStatus(trip)
		}
		return words
	case RowTripResponse:
		return tripStatus(trip)
	case RowTripEnd:
		return "stream " + tripEnd(s.Name(row.Method)) + " after " + text.Duration(trip.Took())
	}
	return ""
}

func tripStatus(trip Trip) string {
	words := []string{"no response"}
	if trip.Status != 0 {
		words[0] = strconv.Itoa(trip.Status)
	}
	switch {
	case trip.Over:
		words = append(words, text.Duration(trip.Took()))
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
	return "ended: " + text.Visible([]byte(why), 40)
}
