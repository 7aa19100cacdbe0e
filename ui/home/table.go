package home

import (
	"cmp"
	"fmt"
	"time"

	"wiretea/recorder/inventory"
	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/style"
)

// columns are the widths of the list's columns, the same for all kinds of rows so
// that they are below each other; 0 = there is no room for one.
type columns struct {
	w                           int
	name, client                int
	when, length, size, details int
}

// columns shares w cells out. What matters least goes first.
func (h *Home) columns(w int) columns {
	c := columns{w: w, name: min(h.nameW, max(12, w/4-3)), when: 10}
	if w >= 66 {
		most := 14
		if w >= 100 {
			most = 22
		}
		c.client = min(h.clientW, most)
	}
	if w >= 50 {
		c.length, c.size = max(7, h.pidW), 7
	}
	c.details = w - 3
	for _, n := range []int{c.name, c.client, c.when, c.length, c.size} {
		if n > 0 {
			c.details -= n + 2
		}
	}
	return c
}

// cellRow writes one row.
type cellRow struct {
	*style.Line
	th   *style.Theme
	cols columns
}

// left writes a text into a column of w cells and the gap behind it; nothing where
// w is 0.
func (c *cellRow) left(style style.Style, text string, w int) {
	if w > 0 {
		c.Left(style, text, w)
		c.Space(2)
	}
}

// right is left with the text at the column's right.
func (c *cellRow) right(style style.Style, text string, w int) {
	if w > 0 {
		c.Right(style, text, w)
		c.Space(2)
	}
}

func (c *cellRow) sign(style style.Style, sign string) { c.Put(style, " "+sign+" ") }

func (c *cellRow) live(s *inventory.Session, now time.Time) {
	c.sign(c.th.OK, "●")
	c.left(c.th.Strong, text.Line(s.Server), c.cols.name)
	c.left(c.th.Text, text.Line(s.Client), c.cols.client)
	d := now.Sub(s.Start)
	up := text.Uptime(int64(d))
	if d >= 100*time.Hour {
		up = fmt.Sprintf("%d d", d/(24*time.Hour))
	}
	c.left(c.th.Text, "up "+up, c.cols.when)
	c.right(c.th.Dim, pidWord(s), c.cols.length)
	c.right(c.th.Text, text.Size(s.Size), c.cols.size)
	c.Put(c.th.Dim, text.Line(s.Command))
}

func (c *cellRow) server(s *inventory.Server) {
	sign, style := "○", c.th.Dim
	switch {
	case s.Trouble != "":
		sign, style = "⚠", c.th.Warning
	case s.Wrapped:
		sign, style = "◉", c.th.Accent
	}
	c.sign(style, sign)
	c.left(c.th.Strong, text.Line(s.Name), c.cols.name)
	c.left(c.th.Text, text.Line(s.Client), c.cols.client)
	level := c.th.Dim
	if s.Level == "project" {
		level = c.th.Asks
	}
	c.left(level, text.Line(s.Level), c.cols.when)
	state := c.th.Dim
	if s.Wrapped {
		state = c.th.Accent
	}
	c.left(state, s.State(), c.cols.length)
	c.Put(c.th.Dim, text.Line(cmp.Or(s.Command, s.URL)))
}

func (c *cellRow) recording(s *inventory.Session, now time.Time, judging, marked bool) {
	switch {
	case marked:
		c.sign(c.th.Accent, "◆")
	case s.Fault != "":
		c.sign(c.th.Error, "✖")
	case s.Broken:
		c.sign(c.th.Warning, "◌")
	default:
		c.sign(c.th.Dim, "■")
	}
	c.left(c.th.Text, text.Line(s.Server), c.cols.name)
	c.left(c.th.Text, text.Line(s.Client), c.cols.client)
	c.left(c.th.Text, ago(s.Start, now), c.cols.when)
	length := ""
	if s.Length > 0 {
		length = text.Duration(int64(s.Length))
	}
	c.right(c.th.Text, length, c.cols.length)
	c.right(c.th.Text, text.Size(s.Size), c.cols.size)
	c.verdict(s, judging)
}

// verdictW is the width of the findings where the command follows.
const verdictW = 18

// verdict is what is wrong with a session, and its command where there is room.
func (c *cellRow) verdict(s *inventory.Session, judging bool) {
	from := c.Room()
	switch {
	case s.Fault != "":
		c.Put(c.th.Error, text.Line(s.Fault))
		return
	case judging && !s.Judged:
		c.Put(c.th.Dim, "…")
	}
	any := false
	for _, part := range []struct {
		n        int64
		severity session.Severity
	}{{s.Errors, session.Error}, {s.Warnings, session.Warning}, {s.Infos, session.Info}} {
		if part.n > 0 {
			style, sign := c.th.Severity(part.severity)
			c.Put(style, sign+" "+text.Count(part.n)+"  ")
			any = true
		}
	}
	if s.Judged && !any {
		style, sign := c.th.Severity(session.NoSeverity)
		c.Put(style, sign+"  ")
	}
	if s.Broken && c.Room() >= 10 {
		c.Put(c.th.Warning, "broken off  ")
	}
	if s.Outcome != "" && c.Room() >= 12 {
		c.Put(c.th.Warning, text.Line(s.Outcome)+"  ")
	}
	if c.cols.details > 2*verdictW {
		c.Space(verdictW - (from - c.Room()))
		c.Put(c.th.Dim, text.Line(s.Command))
	}
}

// ago writes how long ago something was, in ten cells at most; what is longer
// ago than a week as its date. It is empty for the zero time.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < 0:
		return t.Local().Format("2006-01-02")
	case d < 10*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d < 48*time.Hour:
		return "1 day ago"
	case d < 7*24*time.Hour:
		return fmt.Sprintf("%d days ago", d/(24*time.Hour))
	}
	return t.Local().Format("2006-01-02")
}
