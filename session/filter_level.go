package session

import (
	"slices"
	"strings"
)

// methodMessage is the notification that is a log message.
const methodMessage = "notifications/message"

// logLevels are the levels of log messages, those of RFC 5424, the least urgent
// first.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// levelWord compares the level of a log message. What is none of the eight has no
// place among them.
func levelWord(f *Filter, o operand) (node, string) {
	want := slices.Index(logLevels, strings.ToLower(o.text))
	if want < 0 {
		return nil, "level is one of " + strings.Join(logLevels, ", ")
	}
	place := f.nameTest(func(level string) bool {
		have := slices.Index(logLevels, level)
		return have >= 0 && compare(o.op, int64(have), int64(want))
	})
	return &rowTest{"level", o.op, logLevels[want], func(at subject) bool {
		return isLog(at) && at.p.names[place].has(at.row.Target)
	}}, ""
}
