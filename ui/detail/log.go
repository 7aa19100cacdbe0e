package detail

import (
	"slices"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/ui/content"
)

const (
	logBefore = 20      // log messages that are shown before one,
	logAfter  = 200     // and after it.
	logRows   = 1 << 16 // rows that are looked at on either side.
	logBytes  = 4 << 10 // bytes of a log message that are read.
)

// logAround reads the log messages of the connection around one of them, with their rows.
func logAround(snap *session.Snapshot, log recorder.Log, row uint32) (entries []content.LogEntry, rows []uint32) {
	if row == session.NoRow {
		return nil, nil
	}
	conn, end := snap.Row(row).Conn, uint32(snap.Len())
	is := func(i uint32) bool {
		r := snap.Row(i)
		return r.Kind == session.RowNotification && r.Conn == conn && snap.Name(r.Method) == mcp.LogNotification
	}
	for i, n := row, 0; i > 0 && n < logRows && len(rows) < logBefore; n++ {
		if i--; is(i) {
			rows = append(rows, i)
		}
	}
	slices.Reverse(rows)
	rows = append(rows, row)
	for i, n, most := row+1, 0, len(rows)+logAfter; i < end && n < logRows && len(rows) < most; i, n = i+1, n+1 {
		if is(i) {
			rows = append(rows, i)
		}
	}
	bodies := rows[:0]
	for _, i := range rows {
		r := snap.Row(i)
		body, err := recorder.ReadFrame(log, r, 0, logBytes)
		if err != nil {
			continue
		}
		bodies = append(bodies, i)
		entries = append(entries, content.LogEntry{At: r.T, Body: body, Here: i == row})
	}
	return entries, bodies
}
