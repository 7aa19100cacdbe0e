package check

import (
	"fmt"
	"io"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/path"
	"wiretea/session/text"
)

// longest is the longest message that is read, in bytes: a longer one cannot be decided on.
const longest = 16 << 20

// try decides on the messages of a recording as the peers sent them, whatever was decided on
// them at the time. It writes a line for each that would not have crossed unmarked, and a sum,
// and returns how many would have been denied.
func try(w io.Writer, name string, s *session.Snapshot, log recorder.Log, by path.Decider) (denied int, err error) {
	var path path.Path
	path.Use(by)
	bodies := recorder.NewBodies(log)
	messages, counts := 0, map[string]int{}
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		switch row.Kind {
		case session.RowRequest, session.RowNotification, session.RowResult, session.RowError, session.RowBatch:
		default:
			continue
		}
		if row.Stream == session.Stderr || row.Way == session.WayOut {
			continue
		}
		messages++
		word, by := "", "policy: on_error"
		if row.Len > longest {
			if word = "noted"; path.TooLong() != "" {
				word = "denied"
			}
		} else {
			body, err := bodies.ReadValue(s, i, longest)
			if err != nil {
				return 0, fmt.Errorf("reading record %d: %w", row.N, err)
			}
			word, by = decided(&path, &row, body)
		}
		if word == "" {
			continue
		}
		counts[word]++
		line := strings.TrimRight(fmt.Sprintf("%-8s  #%d %s %s %s", word, row.N, row.Stream, s.Name(row.Method), s.Name(row.Target)), " ")
		if _, err := fmt.Fprintln(w, text.Line(line+"  "+by)); err != nil {
			return 0, err
		}
	}
	sum := fmt.Sprintf("%s: %d of %s denied", name, counts["denied"], text.Plural(int64(messages), "message"))
	if n := counts["held"]; n > 0 {
		sum += fmt.Sprintf(", %d held for a person", n)
	}
	_, err = fmt.Fprintln(w, text.Line(sum))
	return counts["denied"], err
}

// decided says in a word what becomes of a message, and who decides; an empty word if it passes.
func decided(path *path.Path, row *session.Row, body []byte) (word, by string) {
	ruling, order := path.Carried(&session.Carried{Conn: int(row.Conn), Stream: row.Stream, Text: body})
	held := order.Held
	if held != nil {
		ruling = path.Release(held, body, held.By)
	}
	switch {
	case ruling.By == "":
		return "", ""
	case ruling.Verb == session.Refuse:
		word = "denied"
	case held != nil:
		word = "held"
	default:
		word = "noted"
	}
	return word, ruling.By
}
