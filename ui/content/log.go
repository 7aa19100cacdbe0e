package content

import (
	"cmp"
	"strings"

	"wiretea/session/cells"
	"wiretea/session/json/lex"
	"wiretea/session/text"
)

// A LogEntry is a log message of the session.
type LogEntry struct {
	At   int64  // At is when it came, in nanoseconds since the session's start.
	Body []byte // Body is the notification, or its beginning.
	Here bool   // Here: it is the message that is shown.
}

// logAround is a block of the log messages around one, a line each.
func logAround(entries []LogEntry) Block {
	return Block{Title: "the log around it", Notes: text.Plural(int64(len(entries)), "message"), draw: func(l *layout) {
		levels, loggers := 0, 0
		for _, e := range entries {
			params := value(e.Body).get("params")
			levels, loggers = max(levels, cells.Width(params.get("level").words())), max(loggers, cells.Width(params.get("logger").words()))
		}
		levels, loggers = min(levels, longestLevel), min(loggers, l.w/6)
		for i, e := range entries {
			l.logEntry(e, levels, loggers)
			if n := len(l.lines); n < maxLines {
				l.lines[n-1].Log = i
			}
		}
	}}
}

const (
	longestLevel = 9 // longestLevel is the width of "emergency".
	logTimeWidth = 8 // logTimeWidth is the width of a time.
)

// logEntry adds the line of a log message.
func (l *layout) logEntry(e LogEntry, levels, loggers int) {
	params := value(e.Body).get("params")
	level, logger := params.get("level").words(), params.get("logger").words()
	mark, ink := "  ", Plain
	if e.Here {
		mark, ink = "› ", Strong
	}
	parts := []Part{{Ink: Heading, Text: mark}, {Ink: Dim, Text: cells.FitLeft(text.Seconds(e.At), logTimeWidth) + "  "}, {Ink: levelInk(level), Text: cells.Fit(level, levels) + "  "}}
	if loggers > 0 {
		parts = append(parts, Part{Ink: Dim, Text: cells.Fit(logger, loggers) + "  "})
	}
	room := l.w
	for _, p := range parts {
		room -= cells.Width(p.Text)
	}
	data := params.get("data")
	words := cmp.Or(strings.TrimSpace(text.OneLine(data.text())), text.Visible(lex.AppendCompact(nil, data), 400))
	l.put(append(parts, Part{Ink: ink, Text: strings.TrimRight(cells.Fit(words, max(1, room)), " ")})...)
}

// levelInk is the ink of a level of a log message.
func levelInk(level string) Ink {
	switch level {
	case "emergency", "alert", "critical", "error":
		return Bad
	case "warning":
		return Warn
	case "debug":
		return Dim
	}
	return Plain
}
