package export

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/merge"
	"wiretea/session"
)

// A Merged is several sessions that are exported on one clock, that of package merge. They
// have the letters A, B … in their order; a session alone has none.
type Merged struct{ Recordings []*Recording }

// MergedNames are the names of the formats that can hold several sessions.
func MergedNames() (names []string) {
	for _, f := range Formats {
		if f.Merged != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// A line is a row of one of the sessions.
type line struct {
	merge.Row
	*Recording
	t int64 // t is its time on the clock of all, in nanoseconds.
}

// row is the row of the line.
func (l *line) row() session.Row { return l.Snap.Row(l.Row.Row) }

// letter is that of a session, empty where there is one only.
func (m *Merged) letter(session int) string {
	if len(m.Recordings) < 2 {
		return ""
	}
	return merge.Letter(session)
}

// lines are the rows of all sessions that their filters select, in the order of the clock.
func (m *Merged) lines(ctx context.Context) ([]line, error) {
	sessions := make([]merge.Session, len(m.Recordings))
	for k, r := range m.Recordings {
		sessions[k].Snap = r.Snap
		if err := r.rows(ctx, func(i uint32, _ session.Row) error { sessions[k].Rows = append(sessions[k].Rows, i); return nil }); err != nil {
			return nil, err
		}
	}
	order := (*merge.Order)(nil).Extend(sessions)
	lines := make([]line, order.Len())
	for i := range lines {
		lines[i].Row, lines[i].t = order.At(i), order.Time(i)
		lines[i].Recording = m.Recordings[lines[i].Session]
		if len(m.Recordings) == 1 {
			lines[i].t = lines[i].row().T // A session alone has its own clock.
		}
	}
	return lines, nil
}

// each calls f for each of the lines.
func (m *Merged) each(ctx context.Context, f func(l *line) error) error {
	lines, err := m.lines(ctx)
	if err != nil {
		return err
	}
	for i := range lines {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f(&lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// missing says what the sessions lack, each with its letter.
func (m *Merged) missing() string {
	words := ""
	for k, r := range m.Recordings {
		if missing := r.missing(); missing != "" {
			words += "; " + m.letter(k) + ": " + missing
		}
	}
	if words == "" {
		return ""
	}
	return words[2:]
}

// MergedText is Text with the letter of the session before each line. The first lines name
// the sessions.
func MergedText(ctx context.Context, w io.Writer, m *Merged) error {
	out := bufio.NewWriter(w)
	for k, r := range m.Recordings {
		fmt.Fprintf(out, "%s = %s\n", m.letter(k), r.visibleName())
		r.writeMissing(out, m.letter(k)+" ✖ ")
	}
	err := m.each(ctx, func(l *line) error {
		row := l.row()
		text, err := l.textLine(l.Row.Row, row)
		if err != nil || text == "" {
			return err
		}
		text = m.letter(l.Session) + " " + text
		if note := l.note(row); note != "" {
			text += "\n" + m.letter(l.Session) + " ✎ " + note
		}
		_, err = fmt.Fprintln(out, text)
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// A mergedMessage is a line of MergedJSONL.
type mergedMessage struct {
	Session   string          `json:"session"`
	SID       string          `json:"sid,omitempty"`
	Server    string          `json:"server,omitempty"`
	Time      string          `json:"time,omitempty"` // Time is the wall time in RFC 3339 with nanoseconds; empty where the session does not know it.
	N         uint32          `json:"record"`
	Conn      int             `json:"connection"`
	Direction string          `json:"direction"`         // Direction is c2s or s2c.
	Message   json.RawMessage `json:"message,omitempty"` // Message is as it was sent, but for blanks between its values.
	Text      string          `json:"text,omitempty"`    // Text is a message that other readers of JSON do not take.
}

// MergedJSONL writes the messages of all sessions in the order of the clock, one a line, each
// as the member message of an object that says where it is from.
func MergedJSONL(ctx context.Context, w io.Writer, m *Merged) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := m.each(ctx, func(l *line) error {
		row := l.row()
		body, err := l.message(l.Row.Row, row)
		if err != nil || body == nil {
			return err
		}
		one := mergedMessage{Session: m.letter(l.Session), N: row.N, Conn: int(row.Conn), Direction: row.Stream.String()}
		if h := l.Snap.Header(); h != nil && !h.T0.IsZero() {
			one.SID, one.Server = h.SID, recorder.ShortName(h)
		}
		if wall := l.Snap.Wall(row.T); !wall.IsZero() {
			one.Time = wall.UTC().Format(time.RFC3339Nano)
		}
		if json.Valid(body) {
			one.Message = body
		} else {
			one.Text = textOf(body)
		}
		return enc.Encode(one)
	})
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if missing := m.missing(); missing != "" {
		return fmt.Errorf("%w: %s", ErrIncomplete, missing)
	}
	return nil
}

// MergedCSV is CSV with the letter of the session in its first column, and times on the clock
// of all. The exchanges are in the order of their requests.
func MergedCSV(ctx context.Context, w io.Writer, m *Merged) error {
	sessions := m.sessions()
	base := merge.Base(sessions)
	type entry struct {
		at   int64
		line []string
	}
	var all []entry
	for k, r := range m.Recordings {
		if err := r.exchanges(ctx, false, func(x exchange) error {
			at := merge.Time(base, r.Snap, x.row.T)
			line, err := r.csvLine(x, at)
			all = append(all, entry{at, append([]string{m.letter(k)}, line...)})
			return err
		}); err != nil {
			return err
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return int(max(-1, min(1, a.at-b.at))) })
	out := csv.NewWriter(w)
	_ = out.Write(append([]string{"session"}, csvColumns...)) // A csv.Writer keeps its error.
	for _, e := range all {
		_ = out.Write(e.line)
	}
	for k, r := range m.Recordings {
		if line := r.csvMissing(); line != nil {
			_ = out.Write(append([]string{m.letter(k)}, line...))
		}
	}
	out.Flush()
	return out.Error()
}

// sessions are the recordings as they are merged, without rows.
func (m *Merged) sessions() []merge.Session {
	sessions := make([]merge.Session, len(m.Recordings))
	for k, r := range m.Recordings {
		sessions[k].Snap = r.Snap
	}
	return sessions
}
