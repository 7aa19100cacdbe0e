package screen

import (
	"fmt"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/source"
)

func count(n int64) string { return format.Count(n) }

// narrow is the width below which the program's name gives way while something of
// ours is in the way: what the session is must be known then.
const narrow = 100

// header is the line at the top: what is looked at and how it stands. Where
// there is little room the less important parts go first; that something of ours
// is in the way between client and server never goes.
func (s *Screen) header() string {
	t, th := s.tab(), s.theme
	left, least := " ", 12 // least is the room that a title gets before all the rest.
	if t.outstanding == 0 || s.w >= narrow {
		left += th.Accent.Paint("wiretea") + "  "
	}
	if t.outstanding > 0 {
		left += th.Warning.Paint("⚠ NOT TRANSPARENT") + "  "
		least = 8
	}
	left += s.stateWord()
	if busy := s.busyWord(); busy != "" {
		left += "  " + busy
	}
	if len(s.tabs) > 1 {
		left += th.Dim.Paint(fmt.Sprintf("  %d/%d", s.at+1, len(s.tabs)))
	}
	parts := []string{s.watchWord(), s.processWord(), s.eraWord(), s.counts(), s.recordWord()}
	for drop := 0; ; drop++ {
		right := ""
		for _, p := range parts[drop:] {
			if p != "" {
				right += "   " + p
			}
		}
		room := s.w - cells.Width(left) - cells.Width(right) - 4
		if room >= least || drop == len(parts)-1 {
			title := format.Visible([]byte(t.source.Title()), 0)
			return cells.Fit(left+"  "+th.Strong.Paint(cells.Fit(title, max(0, room)))+right+" ", s.w)
		}
	}
}

// stateWord is a sign and a word for how the session stands.
func (s *Screen) stateWord() string {
	t, th := s.tab(), s.theme
	switch {
	case t.past.on:
		return th.Accent.Paint("◷ past")
	case t.ctx.Paused:
		return th.Warning.Paint(fmt.Sprintf("‖ paused, %s wait", count(int64(t.ctx.Backlog))))
	case !t.ctx.Live && t.ctx.Snap.End() == nil && s.reading():
		return th.Dim.Paint("◌ reading")
	case !t.ctx.Live && t.ctx.Snap.End() == nil:
		return th.Warning.Paint("◌ broken off")
	case !t.ctx.Live && t.lived:
		return th.Dim.Paint("■ over")
	case !t.ctx.Live:
		return th.Dim.Paint("■ recording")
	}
	if c := s.conn(); c != nil && c.Exited {
		return th.Error.Paint("○ exited")
	}
	return th.OK.Paint("● live")
}

// reading reports whether the session is still being read.
func (s *Screen) reading() bool {
	r, ok := s.tab().source.(source.Reader)
	return ok && r.Reading()
}

// conn is the latest connection, nil before the first.
func (s *Screen) conn() *session.Conn {
	conns := s.tab().ctx.Snap.Conns()
	if len(conns) == 0 {
		return nil
	}
	return &conns[len(conns)-1]
}

// processWord is the process: its pid and how long it is up, or how it ended.
func (s *Screen) processWord() string {
	c, th := s.conn(), s.theme
	if c == nil || !c.Started {
		return ""
	}
	switch {
	case c.Exited && c.ExitSig != "":
		return th.Warning.Paint("ended by " + format.Visible([]byte(c.ExitSig), 20))
	case c.Exited && c.ExitCode != 0:
		return th.Error.Paint(fmt.Sprintf("exit code %d", c.ExitCode))
	case c.Exited:
		return th.Dim.Paint("exit code 0")
	}
	words := th.Dim.Paint("pid ") + fmt.Sprint(c.PID)
	if up := s.tab().ctx.Now - c.StartT; s.tab().ctx.Live && up >= 0 {
		words += th.Dim.Paint("  up ") + uptime(up)
	}
	return words
}

// uptime writes whole seconds: 0:07, 12:03, 3:07:10.
func uptime(ns int64) string {
	sec := ns / 1e9
	if sec >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", sec/3600, sec/60%60, sec%60)
	}
	return fmt.Sprintf("%d:%02d", sec/60, sec%60)
}

func (s *Screen) eraWord() string {
	c := s.conn()
	if c == nil || c.Era.String() == "" {
		return ""
	}
	version := c.VersionText
	if version == "" {
		version = c.Version.String()
	}
	era := s.theme.Dim.Paint(c.Era.String())
	if version == "" {
		return era
	}
	return format.Visible([]byte(version), 20) + " " + era
}

// recordWord is how large the recording is, in red where something is missing.
func (s *Screen) recordWord() string {
	t, th := s.tab(), s.theme
	size := format.Size(t.ctx.Log.Size())
	switch {
	case t.ctx.Snap.Totals().Gap > 0:
		return th.Error.Paint("✖ " + format.Size(t.ctx.Snap.Totals().Gap) + " not recorded")
	case t.source.Reason() != nil:
		return th.Error.Paint("✖ not in the file: " + oneLine(t.source.Reason().Error()))
	case t.source.Path() == "":
		return th.Dim.Paint("○ not kept")
	case t.ctx.Live && !t.ctx.Past:
		return th.Error.Paint("◉") + th.Dim.Paint(" rec ") + size
	}
	return th.Dim.Paint(size)
}
