package wire

import (
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// grew reports a line as soon as it exceeds the maximum length, because it may
// never end.
func (s *framingStream) grew(ev *session.Event, r session.Reporter) {
	limit := maxLine(ev.Conn)
	if ev.Frame.Len <= limit || ev.Frame.Body || !s.grown.Put(ev.Frame.Row) {
		return
	}
	r.Report(tooLong(ev, limit, "%s wrote a line that has grown past %s and has not ended", ev.Frame.Stream.Sender(), rule.FormatSize(limit)))
}

// length reports a line that exceeds a limit, with the highest such limit.
func (s *framingStream) length(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	notes := ev.Conn.Limits.Lines
	if notes == nil {
		notes = defaultLimits.Lines
	}
	limit := maxLine(ev.Conn)
	if f.Len <= limit && (len(notes) == 0 || f.Len <= notes[0]) {
		return // the common case
	}
	if f.Body || s.grown.Is(f.Row) {
		return
	}
	limits := append(slices.Clip(notes), limit)
	for i := len(limits) - 1; i >= 0; i-- {
		if f.Len <= limits[i] {
			continue
		}
		found := tooLong(ev, limits[i], "%s wrote a line of %s, more than %s", f.Stream.Sender(), rule.FormatSize(f.Len), rule.FormatSize(limits[i]))
		if i < len(notes) {
			found.Severity = session.Info
		}
		r.Report(found)
		return
	}
}

var defaultLimits = session.DefaultLimits()

func maxLine(c *session.Conn) int64 {
	if c.Limits.MaxLine > 0 {
		return c.Limits.MaxLine
	}
	return defaultLimits.MaxLine
}

// tooLong is the finding of a line that exceeds a limit. Breaks are the clients
// whose own limit it exceeds.
func tooLong(ev *session.Event, limit int64, format string, args ...any) session.Finding {
	f := lineTooLong.At(ev, format, args...).Graded(session.Error).Keyed(rule.FormatSize(limit))
	if f.Fault == session.Server {
		for _, c := range mcp.Clients() {
			if c.MaxLine > 0 && ev.Frame.Len > c.MaxLine {
				f.Breaks = append(f.Breaks, c.Name)
			}
		}
	}
	return f
}
