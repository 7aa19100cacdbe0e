package screen

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/chart"
	"wiretea/ui/keys"
	"wiretea/ui/style"
)

// narrow is the width below which the program's name gives way while something of
// ours is in the way: what the session is must be known then.
const narrow = 100

// header is the line at the top: what is looked at and how it stands. Where
// there is little room the less important parts go first; that something of ours
// is in the way between client and server never goes.
func (s *Screen) header() string {
	t, th := s.tab(), s.prefs.Theme
	left, least := " ", 12 // least is the room that a title gets before all the rest.
	way := t.inTheWay(s.w)
	if way == "" || s.w >= narrow {
		left += th.Accent.Paint("wiretea") + "  "
	}
	if way != "" {
		left += th.Warning.Paint(way) + "  "
		least = 8
	}
	if held := t.heldWord(); held != "" {
		left += held + "  "
	}
	left += t.stateWord()
	if busy := t.busyWord(); busy != "" {
		left += "  " + busy
	}
	if len(s.opt.Sources) > 1 && s.tabLine() == nil {
		left += th.Dim.Paint(fmt.Sprintf("  %d/%d", s.at+1, len(s.opt.Sources)))
	}
	parts := []string{t.pulse.word(th), t.watchWord(s.w), t.processWord(), t.eraWord(), t.Counts(), t.recordWord()}
	if len(t.Ctx.Snap.Members()) > 0 {
		parts[2], parts[3], parts[5] = "", "", "" // They are those of one session.
	}
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
		title := text.Visible([]byte(t.Name()), 0)
		line = cells.Fit(left+"  "+th.Strong.Paint(cells.Fit(title, max(0, room)))+right+" ", s.w)
		if room >= least {
			break
		}
	}
	return line
}

// inTheWay says, in a header of w cells, what of ours is in the way between client and server; empty for
// nothing.
func (t *tab) inTheWay(w int) string {
	state := t.Held.State()
	if !t.Ctx.Live || t.Ctx.Past {
		return ""
	}
	var parts []string
	if t.InPath != "" {
		parts = append(parts, text.Visible([]byte(t.InPath), 0))
	}
	if len(state.Places) > 0 && !strings.Contains(t.InPath, "hold") {
		parts = append(parts, "intercept")
	}
	if t.Outstanding == 0 && len(parts) == 0 {
		return ""
	}
	words := "⚠ NOT TRANSPARENT"
	if len(parts) > 0 {
		words += ": " + strings.Join(parts, ", ")
	}
	// What is held now has a record that counts too, and a word of its own.
	if n := t.Source.Snapshot().Totals().Decided - int64(len(state.Held)); n > 0 && w >= narrow {
		words += fmt.Sprintf(" (%s decided)", text.Count(n))
	}
	return words
}

// heldWord is how many messages are held, and the least time that is left to one, for the
// header.
func (t *tab) heldWord() string {
	state := t.Held.State()
	if len(state.Held) == 0 {
		return ""
	}
	words := "‖ " + text.Count(int64(len(state.Held))) + " held"
	if t.Layout().Focus != keys.Held {
		leads, scope := keys.Answer, keys.Global
		switch {
		case t.onHeld():
			leads, scope = keys.Release, keys.Held
		case t.questions.Disabled() == "": // That key answers the question first.
			leads = keys.ShowHeld
		}
		words += " (" + t.Ctx.Keys.WordOf(leads, scope) + ")"
	}
	return t.Ctx.Theme.Warning.Paint(words)
}

// stateWord is a sign and a word for how the session stands.
func (t *tab) stateWord() string {
	th := t.Ctx.Theme
	switch {
	case t.Ctx.Past:
		return th.Accent.Paint("◷ past")
	case t.Ctx.Paused:
		return th.Warning.Paint(fmt.Sprintf("‖ paused, %s wait", text.Count(int64(t.Ctx.Backlog))))
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
		return th.Warning.Paint("● " + text.Wait(h.Limit-h.For) + " left")
	case hangs:
		return th.Warning.Paint("● waits " + text.Wait(h.For))
	}
	_, unanswered := t.lastResponse()
	switch {
	case unanswered && t.Vouched():
		return th.Warning.Paint("● no response")
	case unanswered:
		return th.Error.Paint("✖ not connected")
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
		return th.Warning.Paint("ended by " + text.Visible([]byte(c.ExitSig), 20))
	case c.Exited && c.ExitCode != 0:
		return th.Error.Paint(fmt.Sprintf("exit code %d", c.ExitCode))
	case c.Exited:
		return th.Dim.Paint("exit code 0")
	}
	words := th.Dim.Paint("pid ") + fmt.Sprint(c.PID)
	if up := t.Ctx.Now - c.StartT; t.Ctx.Live && up >= 0 {
		words += th.Dim.Paint("  up ") + text.Uptime(up)
	}
	return words
}

// lastTrips is how many of the latest rows are looked at for the response that came last.
const lastTrips = 64

// lastResponse is when the last HTTP response came, by the session's clock, -1 for none, and
// whether the latest request ended without one.
func (t *tab) lastResponse() (at int64, unanswered bool) {
	s := t.Ctx.Snap
	for i := s.Len() - 1; i >= max(0, s.Len()-lastTrips); i-- {
		if r := s.Row(uint32(i)); r.Kind == session.RowTripResponse {
			return r.T, r.Skip == 0
		}
	}
	return -1, false
}

// answerWord says, of a live session over HTTP, when the server said something last.
func (t *tab) answerWord() string {
	s, th := t.Ctx.Snap, t.Ctx.Theme
	last, unanswered := t.lastResponse()
	if !t.Ctx.Live || unanswered {
		return ""
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
	return th.Dim.Paint("answered ") + text.Wait(since) + th.Dim.Paint(" ago")
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
	return text.Visible([]byte(version), 20) + " " + era
}

// recordWord is how large the recording is, in red where something is missing.
func (t *tab) recordWord() string {
	th := t.Ctx.Theme
	size := text.Size(t.Ctx.Log.Size())
	switch {
	case t.Ctx.Snap.Totals().Gap > 0:
		return th.Error.Paint("✖ " + text.Size(t.Ctx.Snap.Totals().Gap) + " not recorded")
	case t.Source.Reason() != nil:
		return th.Error.Paint("✖ not in the file: " + text.OneLine(t.Source.Reason().Error()))
	case t.Source.Path() == "":
		return th.Dim.Paint("○ not kept")
	case t.Ctx.Live && !t.Ctx.Past:
		return th.Error.Paint("◉") + th.Dim.Paint(" rec ") + size
	}
	return th.Dim.Paint(size)
}

const (
	pulseSeconds = 12 // pulseSeconds is how many seconds the sparkline of the header shows.
	busyRows     = 20 // busyRows is from how many rows a second on a session is busy.
)

// A pulse counts the rows of a live session by second. The zero pulse has counted none.
type pulse struct {
	begun  bool
	second int64 // second is the latest one, of the session's time,
	rows   int   // and rows how many the session had then.
	counts [pulseSeconds]int64
}

// look takes the session's time in nanoseconds, and how many rows it has.
func (p *pulse) look(now int64, rows int) {
	second := now / 1e9
	if !p.begun || second < p.second || rows < p.rows { // An earlier moment is looked at.
		*p = pulse{begun: true, second: second, rows: rows}
		return
	}
	if second == p.second {
		return
	}
	gone := int(min(second-p.second, pulseSeconds))
	copy(p.counts[:], p.counts[gone:])
	clear(p.counts[pulseSeconds-gone:])
	// What came while nobody looked is spread over that time.
	for i := range gone {
		p.counts[pulseSeconds-gone+i] = int64(rows-p.rows) / (second - p.second)
	}
	p.second, p.rows = second, rows
}

// word is the sparkline of a busy session, empty of any other.
func (p *pulse) word(th *style.Theme) string {
	sum := int64(0)
	for _, n := range p.counts {
		sum += n
	}
	if sum < busyRows*pulseSeconds {
		return ""
	}
	line := chart.Sparkline(p.counts[:], pulseSeconds)
	return th.Accent.Paint(line) + " " + text.Count(p.counts[pulseSeconds-1]) + th.Dim.Paint("/s")
}
