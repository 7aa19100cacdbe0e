package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/ui/keys"
)

// speeds are those of playing, as multiples of the session's own; the last is as fast
// as possible.
var speeds = [...]float64{0.1, 1, 10, 100, 0}

// ownSpeed is the place of the session's own speed, and fastest that of the last.
const ownSpeed, fastest = 1, len(speeds) - 1

// wholeIn is how many pictures the whole session takes as fast as possible, at most.
const wholeIn = 300

// A player moves a moment on as time passes. The zero player stands, at the session's
// own speed.
type player struct {
	playing bool
	speed   int // speed is the place in speeds, less ownSpeed.
	serial  int // serial tells old ticks from the latest one's.

	since time.Time // since is when playing began at this speed,
	from  int64     // and from the session's clock then.
}

// A playTick moves a tab on.
type playTick struct {
	tab    *tab
	serial int
}

// rate is how many seconds of the session pass in one; 0 = as many as possible.
func (p *player) rate() float64 { return speeds[p.speed+ownSpeed] }

// begin begins to play from a moment of the session.
func (p *player) begin(now time.Time, clock int64) { p.since, p.from = now, clock }

// clock is the session's clock at a time.
func (p *player) clock(now time.Time) int64 {
	return p.from + int64(float64(now.Sub(p.since))*p.rate())
}

// pause is how long nothing changes, from a time on, where the next thing happens at a
// time of the session.
func (p *player) pause(now time.Time, next int64) time.Duration {
	if p.rate() == 0 {
		return frame
	}
	wait := time.Duration(float64(next-p.clock(now)) / p.rate())
	return max(frame, min(wait, time.Second))
}

// words say how it plays: "10×".
func (p *player) words() string {
	if p.rate() == 0 {
		return "max"
	}
	return strconv.FormatFloat(p.rate(), 'g', -1, 64) + "×"
}

// play plays from the selected row, or from the moment that is shown; at the end from
// the beginning; or pauses.
func (s *Screen) play() tea.Cmd {
	t := s.tab()
	p := &t.past
	switch {
	case p.playing:
		p.playing = false
		p.serial++
		return nil
	case p.on && p.at.clock >= p.h.Whole().Clock(), !p.on && int(t.ctx.Cursor) == t.ctx.Snap.Len()-1:
		p.playing = true
		p.begin(time.Time{}, 0) // at the arrival
		return t.enterPast(toRow(0))
	case p.on:
		p.playing = true
		p.begin(time.Now(), p.at.clock)
		t.traffic.Follow(&t.ctx)
		return t.playOn()
	}
	p.playing = true
	p.begin(time.Time{}, 0) // at the arrival
	return t.enterPast()
}

// playOn waits until there is more to be seen.
func (t *tab) playOn() tea.Cmd {
	p := &t.past
	if !p.playing || p.busy {
		return nil
	}
	if p.at.clock >= p.h.Whole().Clock() {
		p.playing = false
		return nil
	}
	now := time.Now()
	if p.since.IsZero() {
		p.begin(now, p.at.clock)
		t.traffic.Follow(&t.ctx)
	}
	next := p.h.Whole().Clock()
	if int(p.at.n) < p.h.Len() {
		next = min(next, p.h.TimeAt(p.at.n+1))
	}
	p.serial++
	serial := p.serial
	return tea.Tick(p.pause(now, next), func(time.Time) tea.Msg { return playTick{t, serial} })
}

// played moves a tab on by the time that has passed.
func (t *tab) played(msg playTick) tea.Cmd {
	p := &t.past
	if msg.serial != p.serial || !p.playing {
		return nil
	}
	if p.rate() > 0 {
		clock := p.clock(time.Now())
		return t.travel(func(h *session.History, _ moment) arrival {
			a := toTime(clock, false)(h, moment{})
			a.stay = true
			return a
		})
	}
	return t.travel(func(h *session.History, from moment) arrival {
		n := min(from.n+uint32(max(1, h.Len()/wholeIn)), uint32(h.Len()))
		if n == from.n {
			return arrival{moment: moment{n, h.Whole().Clock()}, stay: true}
		}
		a := latest(h, n)
		a.stay = true
		return a
	})
}

// turnSpeed plays faster or slower.
func (s *Screen) turnSpeed(by int) tea.Cmd {
	t := s.tab()
	p := &t.past
	p.speed = clamp(p.speed, -ownSpeed, fastest-ownSpeed)
	to := clamp(p.speed+by, -ownSpeed, fastest-ownSpeed)
	if p.playing && !p.since.IsZero() {
		p.begin(time.Now(), p.at.clock)
	}
	p.speed = to
	return tea.Batch(s.say(session.Info, "plays at "+p.words()), t.playOn())
}

// timeMsg takes the messages of going through time.
func (s *Screen) timeMsg(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case arrived:
		return s.arriveAt(msg), true
	case playTick:
		return msg.tab.played(msg), true
	}
	return nil, false
}

// inTime carries out what means something else, or only something, in the past. It
// reports false for anything else.
func (s *Screen) inTime(a keys.Action) (tea.Cmd, bool) {
	t := s.tab()
	p := &t.past
	if a == keys.Play && (s.layout.page != keys.Global || t.source.Live()) {
		return s.do(keys.PageDown), true
	}
	if !p.on {
		return nil, false
	}
	switch a {
	case keys.FindNext:
		return s.jump(toFinding(1)), true
	case keys.FindPrev:
		return s.jump(toFinding(-1)), true
	case keys.MarkNext:
		return s.jump(toMark(slices.Clone(t.traffic.Noted()), 1)), true
	case keys.MarkPrev:
		return s.jump(toMark(slices.Clone(t.traffic.Noted()), -1)), true
	case keys.Bottom:
		if s.focus == keys.Traffic {
			return s.leavePast(), true
		}
	}
	return nil, false
}

// jump goes to another moment. Playing ends.
func (s *Screen) jump(one step) tea.Cmd {
	t := s.tab()
	t.past.playing = false
	t.past.serial++
	return t.travel(one)
}

// stepTo is jump that first goes to the past, at the selected row, where it does not
// stand there: then that is all.
func (s *Screen) stepTo(one step) tea.Cmd {
	t := s.tab()
	if !t.past.on && !t.past.busy {
		return t.enterPast()
	}
	return s.jump(one)
}

// goToTime goes to a time of the session: 12.5s, 1m3s, +2s, -500ms, 10:00:12; nothing = when
// the selected row came.
func (s *Screen) goToTime(rest string) tea.Cmd {
	t := s.tab()
	if why := t.noPast(); why != "" {
		return s.say(session.Info, why)
	}
	if rest == "" {
		if t.past.on {
			return s.jump(toRow(t.ctx.Cursor))
		}
		return t.enterPast()
	}
	ns, by, err := s.parseTime(rest)
	if err != nil {
		return s.say(session.Error, err.Error())
	}
	t.past.playing = false
	t.past.serial++
	return t.enterPast(toTime(ns, by))
}

// parseTime reads a time of the session; by says that it is relative.
func (s *Screen) parseTime(text string) (ns int64, by bool, err error) {
	by = strings.ContainsRune("+-", rune(text[0]))
	if sec, err := strconv.ParseFloat(text, 64); err == nil && sec < 1e9 && sec > -1e9 {
		return int64(sec * 1e9), by, nil
	}
	if d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil {
		return int64(d), by, nil
	}
	t0 := s.tab().timeOf(0)
	for _, layout := range []string{"15:04:05", "15:04"} {
		day, err := time.ParseInLocation(layout, text, time.Local)
		if err != nil || t0.IsZero() {
			continue
		}
		at := time.Date(t0.Year(), t0.Month(), t0.Day(), day.Hour(), day.Minute(), day.Second(), day.Nanosecond(), t0.Location())
		if at.Before(t0.Truncate(time.Second)) {
			at = at.AddDate(0, 0, 1)
		}
		return int64(at.Sub(t0)), false, nil
	}
	return 0, false, fmt.Errorf("%q is not a time; :at 12.5s, 1m3s, +2s, -500ms or 10:00:12", text)
}

// amount reads a JSON number; 0 where there is none.
func amount(v *jsonrpc.Value) float64 {
	if v.Type != jsonrpc.Number {
		return 0
	}
	n, err := strconv.ParseFloat(string(v.Raw), 64)
	if err != nil {
		return 0 // too large for any sense
	}
	return n
}
