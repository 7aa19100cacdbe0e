package screen

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"wiretea/recorder/merge"
	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/style"
)

// narrow is the width below which the program's name gives way while something of
// ours is in the way: what the session is must be known then.
const narrow = 100

// header is the line at the top: what is looked at and how it stands. Where
// there is little room the less important parts go first; that something of ours
// is in the way between client and server never goes.
func (s *Screen) header() string {
	t, th := s.tab(), s.theme
	left, least := " ", 12 // least is the room that a title gets before all the rest.
	way := s.inTheWay()
	if way == "" || s.w >= narrow {
		left += th.Accent.Paint("wiretea") + "  "
	}
	if way != "" {
		left += th.Warning.Paint(way) + "  "
		least = 8
	}
	if held := s.heldWord(); held != "" {
		left += held + "  "
	}
	left += t.stateWord()
	if busy := t.busyWord(); busy != "" {
		left += "  " + busy
	}
	if len(s.tabs) > 1 && s.tabNames() == nil {
		left += th.Dim.Paint(fmt.Sprintf("  %d/%d", s.at+1, len(s.tabs)))
	}
	if s.all {
		left += "  " + th.Session(s.at).Paint(merge.Letter(s.at))
	}
	parts := []string{t.pulse.word(th), t.watchWord(s.w), t.processWord(), t.eraWord(), s.counts(), t.recordWord()}
	line := ""
	for _, drop := range [...]int{-1, 0, 1, 2, 3, 5} { // Of the parts, what is wrong never goes.
		if drop >= 0 {
			parts[drop] = ""
		}
		right := ""
		for _, p := range parts {
			if p != "" {
				right += "   " + p
			}
		}
		room := s.w - cells.Width(left) - cells.Width(right) - 4
		title := format.Visible([]byte(t.title()), 0)
		line = cells.Fit(left+"  "+th.Strong.Paint(cells.Fit(title, max(0, room)))+right+" ", s.w)
		if room >= least {
			break
		}
	}
	return line
}

// title names the session: of a URL its host and its path.
func (t *tab) title() string {
	title := t.Source.Title()
	if h := t.Ctx.Header; t.Ctx.HTTP() && t.Ctx.Attached != nil && h.Name == "" {
		title = h.URL
	}
	if _, rest, url := strings.Cut(title, "://"); url && t.Ctx.HTTP() {
		return rest
	}
	return title
}

// stateWord is a sign and a word for how the session stands.
func (t *tab) stateWord() string {
	th := t.Ctx.Theme
	switch {
	case t.Ctx.Past:
		return th.Accent.Paint("◷ past")
	case t.Ctx.Paused:
		return th.Warning.Paint(fmt.Sprintf("‖ paused, %s wait", format.Count(int64(t.Ctx.Backlog))))
	case !t.Ctx.Live && t.Ctx.Snap.End() == nil && t.Reading():
		return th.Dim.Paint("◌ reading")
	case !t.Ctx.Live && t.Ctx.Snap.End() == nil:
		return th.Warning.Paint("◌ broken off")
	case !t.Ctx.Live && t.Ctx.Lived:
		return th.Dim.Paint("■ over")
	case !t.Ctx.Live:
		return th.Dim.Paint("■ recording")
	}
	switch c := t.Ctx.Snap.LastConn(); {
	case c != nil && c.Failed && !c.Started:
		return th.Error.Paint("✖ not started")
	case c != nil && c.Exited:
		return th.Error.Paint("○ exited")
	}
	switch h, hangs := t.Ctx.Hanging(); {
	case hangs && h.Limit > 0:
		return th.Warning.Paint("● " + format.Wait(h.Limit-h.For) + " left")
	case hangs:
		return th.Warning.Paint("● waits " + format.Wait(h.For))
	}
	return th.OK.Paint("● live")
}

// processWord is the process: its pid and how long it is up, or how it ended.
func (t *tab) processWord() string {
	c, th := t.Ctx.Snap.LastConn(), t.Ctx.Theme
	if t.Ctx.HTTP() {
		return t.answerWord()
	}
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
	if up := t.Ctx.Now - c.StartT; t.Ctx.Live && up >= 0 {
		words += th.Dim.Paint("  up ") + format.Uptime(up)
	}
	return words
}

// lastTrips is how many of the latest rows are looked at for the response that came last.
const lastTrips = 64

// answerWord says, of a live session over HTTP, when the server said something last, or
// that the latest request has no response.
func (t *tab) answerWord() string {
	s, th := t.Ctx.Snap, t.Ctx.Theme
	if !t.Ctx.Live {
		return ""
	}
	last := int64(-1)
	for i := s.Len() - 1; i >= max(0, s.Len()-lastTrips); i-- {
		if r := s.Row(uint32(i)); r.Kind == session.RowTripResponse {
			if r.Skip == 0 {
				return th.Error.Paint("✖ no response")
			}
			last = r.T
			break
		}
	}
	for _, c := range s.Conns() {
		last = max(last, c.LastT[session.S2C])
	}
	since := time.Duration(t.Ctx.Now - last).Truncate(time.Second)
	switch {
	case last < 0:
		return th.Dim.Paint("no answer yet")
	case since < time.Second:
		return th.Dim.Paint("answered just now")
	}
	return th.Dim.Paint("answered ") + format.Wait(since) + th.Dim.Paint(" ago")
}

func (t *tab) eraWord() string {
	c := t.Ctx.Snap.LastConn()
	if c == nil || c.Era.String() == "" {
		return ""
	}
	version := cmp.Or(c.VersionText, c.Version.String())
	era := t.Ctx.Theme.Dim.Paint(c.Era.String())
	if version == "" {
		return era
	}
	return format.Visible([]byte(version), 20) + " " + era
}

// recordWord is how large the recording is, in red where something is missing.
func (t *tab) recordWord() string {
	th := t.Ctx.Theme
	size := format.Size(t.Ctx.Log.Size())
	switch {
	case t.Ctx.Snap.Totals().Gap > 0:
		return th.Error.Paint("✖ " + format.Size(t.Ctx.Snap.Totals().Gap) + " not recorded")
	case t.Source.Reason() != nil:
		return th.Error.Paint("✖ not in the file: " + format.OneLine(t.Source.Reason().Error()))
	case t.Source.Path() == "":
		return th.Dim.Paint("○ not kept")
	case t.Ctx.Live && !t.Ctx.Past:
		return th.Error.Paint("◉") + th.Dim.Paint(" rec ") + size
	}
	return th.Dim.Paint(size)
}

// counts are the numbers of findings by severity, worst first, without those that
// were silenced.
func (t *tab) counts() string {
	found, _ := t.Findings.Counts(&t.Ctx)
	return cmp.Or(countWords(t.Ctx.Theme, found), t.verdictSign())
}

// counts are those of the session that is shown, or of all of them together.
func (s *Screen) counts() string {
	if !s.all {
		return s.tab().counts()
	}
	var sum [4]int64
	for _, t := range s.tabs {
		found, _ := t.Findings.Counts(&t.Ctx)
		for sev, n := range found {
			sum[sev] += n
		}
	}
	return cmp.Or(countWords(s.theme, sum), s.troubled().verdictSign())
}

// severity is how bad the root cause of what is wrong with the session is.
func (t *tab) severity() session.Severity {
	_, sev := t.Findings.Cause(&t.Ctx)
	return sev
}

// countWords writes numbers of findings by severity.
func countWords(th *style.Theme, found [4]int64) string {
	var parts []string
	for _, sev := range []session.Severity{session.Error, session.Warning, session.Info} {
		if n := found[sev]; n > 0 {
			look, sign := th.Severity(sev)
			parts = append(parts, look.Paint(sign+" "+format.Count(n)))
		}
	}
	return strings.Join(parts, "  ")
}

// verdictSign is what the header has of a session without findings. What is wrong may rest on
// none: a server that could not be started breaks no rule.
func (t *tab) verdictSign() string {
	cause, sev := t.Findings.Cause(&t.Ctx)
	if cause.Empty() || cause.Finding >= 0 {
		sev = session.NoSeverity
	}
	look, sign := t.Ctx.Theme.Severity(sev)
	if c := t.Ctx.Snap.LastConn(); sev == session.Error && c != nil && c.Failed && !c.Started {
		if t.Ctx.Live && !t.Ctx.Past && !t.Ctx.Paused {
			return "" // The word for how the session stands says it.
		}
		return look.Paint(sign + " not started")
	}
	return look.Paint(sign)
}
