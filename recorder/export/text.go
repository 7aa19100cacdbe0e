package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/text"
)

// Text writes the session with a line for each frame:
//
//	→ tools/list (7)
//	← tools/list (7) 23.0 ms
//
// Of several sessions, the first lines name them, and each line begins with a letter.
func Text(ctx context.Context, w io.Writer, r *Recording) error {
	out := bufio.NewWriter(w)
	for i, name := range r.Snap.Members() {
		fmt.Fprintf(out, "%s = %s\n", session.Letter(i+1), text.Visible([]byte(name), 200))
	}
	r.writeMissing(out, "✖ ")
	if err := r.rows(ctx, func(i uint32, row session.Row) error {
		line, err := r.textLine(i, row)
		if err != nil || line == "" {
			return err
		}
		if note := r.note(row); note != "" {
			line += "\n" + r.mark(row) + "✎ " + note
		}
		_, err = fmt.Fprintln(out, r.mark(row)+line)
		return err
	}); err != nil {
		return err
	}
	return out.Flush()
}

// textLine is a row's line; empty for what has none.
func (r *Recording) textLine(i uint32, row session.Row) (string, error) {
	switch row.Kind {
	case session.RowProc, session.RowIO, session.RowGap:
		return "● " + r.event(row), nil
	case session.RowTrip, session.RowTripResponse, session.RowTripEnd:
		return "◇ " + r.Snap.TripWords(i), nil
	case session.RowRequest, session.RowNotification:
		return arrow(row) + " " + r.name(row) + r.id(row), nil
	case session.RowResult, session.RowError:
		return r.answerLine(i, row)
	}
	const most = 200
	body, err := r.body(i, 8*most)
	if err != nil {
		return "", err
	}
	shown := text.Visible(body, most)
	switch row.Kind {
	case session.RowStderr:
		return "┆ " + shown, nil
	case session.RowBlank, session.RowPart, session.RowHeader, session.RowGrowing, session.RowBatch:
		return arrow(row) + " " + row.Kind.String() + " " + shown, nil
	}
	return "✖ " + arrow(row) + " " + shown, nil
}

func (r *Recording) answerLine(i uint32, row session.Row) (string, error) {
	line := arrow(row) + " " + r.name(row) + r.id(row)
	if row.Kind == session.RowError {
		code, message, err := r.errorOf(i)
		if err != nil {
			return "", err
		}
		line += fmt.Sprintf(" error %d %s", code, text.Visible([]byte(message), 120))
	}
	if row.Flags&session.FlagToolError != 0 {
		line += " tool error"
	}
	if ns, ok := r.Snap.Latency(i); ok {
		line += " " + text.Duration(ns)
	}
	return line, nil
}

// errorOf is the code and the message of an error response.
func (r *Recording) errorOf(i uint32) (code int64, message string, err error) {
	body, err := r.body(i, mostBody)
	if err != nil {
		return 0, "", err
	}
	var answer struct {
		Error struct {
			Code    json.Number
			Message string
		}
	}
	// What is not as it should be says nothing.
	_ = json.Unmarshal(body, &answer)
	code, _ = answer.Error.Code.Int64()
	return code, answer.Error.Message, nil
}

// JSONL writes the messages alone, one a line. What is not a message is left out. Of several
// sessions, each is the member message of an object that says where it is from.
func JSONL(ctx context.Context, w io.Writer, r *Recording) error {
	out := bufio.NewWriter(w)
	if err := r.rows(ctx, func(i uint32, row session.Row) error {
		body, err := r.message(i, row)
		if err != nil || body == nil {
			return err
		}
		if r.merged() {
			body = r.placed(row, body)
		}
		_, _ = out.Write(body) // A bufio.Writer keeps its error.
		return out.WriteByte('\n')
	}); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if missing := r.missing(); missing != "" {
		return fmt.Errorf("%w: %s", ErrIncomplete, missing) // The messages have no place for it.
	}
	return nil
}

// placed is a message with where it is from.
func (r *Recording) placed(row session.Row, body []byte) []byte {
	one := struct {
		Session   string          `json:"session"`
		SID       string          `json:"sid,omitempty"`
		Server    string          `json:"server,omitempty"`
		Time      string          `json:"time,omitempty"` // Time is the wall time in RFC 3339 with nanoseconds; empty where the sessions do not know it.
		N         uint32          `json:"record"`
		Conn      int             `json:"connection"`
		Direction string          `json:"direction"`         // Direction is c2s or s2c.
		Message   json.RawMessage `json:"message,omitempty"` // Message is as it was sent, but for blanks between its values.
		Text      string          `json:"text,omitempty"`    // Text is a message that other readers of JSON do not take.
	}{Session: r.letterOf(row), N: row.N, Conn: r.Snap.Own(int(row.Conn)), Direction: row.Stream.String()}
	if h := r.Snap.HeaderOf(int(row.Conn)); h != nil && !h.T0.IsZero() {
		one.SID, one.Server = h.SID, recorder.ShortName(h)
	}
	if wall := r.Snap.Wall(row.T); !wall.IsZero() {
		one.Time = wall.UTC().Format(time.RFC3339Nano)
	}
	if json.Valid(body) {
		one.Message = body
	} else {
		one.Text = textOf(body)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(one) // A buffer takes everything.
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// message is the message of a row in one line; nil where it has none.
func (r *Recording) message(i uint32, row session.Row) ([]byte, error) {
	switch row.Kind {
	case session.RowRequest, session.RowNotification, session.RowResult, session.RowError, session.RowBatch:
	default:
		return nil, nil
	}
	body, err := r.body(i, recorder.MaxValue)
	for j, c := range body {
		if c == '\n' || c == '\r' {
			body[j] = ' ' // Only between the values of a message is there one.
		}
	}
	return body, err
}

// arrow points to who gets a frame.
func arrow(row session.Row) string {
	if row.Stream == session.C2S {
		return "→"
	}
	return "←"
}

// name is a row's method with what it acts on.
func (r *Recording) name(row session.Row) string {
	words := []string{r.Snap.Name(row.Method)}
	if target := r.Snap.Name(row.Target); target != "" {
		words = append(words, target)
	}
	return text.Visible([]byte(strings.Join(words, " ")), 200)
}

// id is a row's id in parentheses, empty where it has none.
func (r *Recording) id(row session.Row) string {
	if id := r.Snap.ID(row); id != "" {
		return " (" + text.Visible([]byte(id), 80) + ")"
	}
	return ""
}

// event is the line of a row that is not a frame.
func (r *Recording) event(row session.Row) string {
	switch row.Kind {
	case session.RowProc:
		return "server " + r.name(row)
	case session.RowIO:
		return r.Snap.StreamWords(row)
	}
	if row.Skip > 0 {
		return text.Plural(int64(row.Skip), "line") + " of the recording cannot be read here"
	}
	if row.Flags&session.FlagAnyStream != 0 {
		return "records may be missing here"
	}
	return fmt.Sprintf("%s of %s missing", text.Size(int64(row.Len)), row.Stream.Stdio())
}
