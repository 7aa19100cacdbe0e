package filter

import (
	"slices"
	"strings"

	"wiretea/session/mcp"
)

// levelWord compares the level of a log message. Unknown levels do not match.
func levelWord(f *Filter, o operand) (node, string) {
	want := slices.Index(mcp.LogLevels, strings.ToLower(o.text))
	if want < 0 {
		return nil, "level: takes " + strings.Join(mcp.LogLevels, ", ")
	}
	place := f.nameTest(func(level string) bool {
		have := slices.Index(mcp.LogLevels, level)
		return have >= 0 && compare(o.op, int64(have), int64(want))
	})
	return &rowTest{key: "level", op: o.op, value: mcp.LogLevels[want], holds: func(at subject) bool {
		return isLog(at) && at.target(place)
	}}, ""
}
