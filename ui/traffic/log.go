package traffic

import (
	"encoding/json"
	"strings"

	"wiretea/session"
	"wiretea/ui/format"
)

const (
	logMethod = "notifications/message"
	logLen    = 8 << 10 // bytes of a log message that are looked at
	logRoom   = 56      // cells from which on a log message's method is written out
)

// isLog reports whether a row is a log message.
func isLog(s *session.Snapshot, r session.Row) bool {
	return r.Kind == session.RowNotification && s.Name(r.Method) == logMethod
}

// log writes a log message: its level with a sign, and what it says.
func (d *drawer) log(r session.Row, words string, w int) {
	level := d.c.Snap.Name(r.Target)
	sign, style := d.th.LogLevel(level)
	method := logMethod
	if w < logRoom {
		method = "…/message"
	}
	left := d.part(d.th.Dim, method, w)
	left = d.part(style, strings.TrimSpace(sign+" "+format.Visible([]byte(level), 20)), left)
	left = d.part(d.th.Warning, wayWord(r), left)
	left = d.part(d.th.Text, words, left)
	d.Space(left)
}

// logWords is what a log message says, in a line: its logger and its data. A text
// is written as it is, all else as JSON.
func logWords(body []byte) string {
	var m struct {
		Params struct {
			Logger string
			Data   json.RawMessage
		}
	}
	if json.Unmarshal(body, &m) != nil {
		_, data, _ := strings.Cut(string(body), `"data":`) // it is longer than logLen, or broken
		return format.Visible([]byte(data), excerptLen)
	}
	var text string
	if json.Unmarshal(m.Params.Data, &text) != nil {
		text = string(m.Params.Data)
	}
	if m.Params.Logger != "" {
		text = m.Params.Logger + ": " + text
	}
	return format.Visible([]byte(text), excerptLen)
}
