package timeline

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/analysis"
	"wiretea/session"
)

// speeds are those of playing, as multiples of the session's own; the last is as fast
// as possible.
var speeds = [...]float64{0.1, 1, 10, 100, 0}

// ownSpeed is the place of the session's own speed, and fastest that of the last.
const ownSpeed, fastest = 1, len(speeds) - 1

// wholeIn is how many pictures the whole session takes as fast as possible, at most.
const wholeIn = 300

// frame is the least time between two pictures.
const frame = 33 * time.Millisecond

// A player moves a moment on as time passes. The zero player is paused, at the session's
// own speed.
type player struct {
	playing bool
	speed   int // speed is the place in speeds, less ownSpeed.
	serial  int // serial tells old ticks from the latest one's.

	since time.Time // since is when playing began at this speed,
	from  int64     // and from the session's clock then.
}

// A tickMsg moves a tab on that plays.
type tickMsg struct{ serial int }

// rate is how many seconds of the session pass in one; 0 = as many as possible.
func (p *player) rate() float64 { return speeds[p.speed+ownSpeed] }

// begin begins to play from a moment of the session.
func (p *player) begin(now time.Time, clock int64) { p.since, p.from = now, clock }

// clock is the session's clock at a time.
func (p *player) clock(now time.Time) int64 {
	return p.from + int64(float64(now.Sub(p.since))*p.rate())
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
func (p *Timeline) play() tea.Cmd {
	if p.playing {
		p.stop()
		return nil
	}
	c := &p.tab.Ctx
	p.playing = true
	p.begin(time.Time{}, 0) // at the arrival
	switch {
	case c.Past && p.at.clock >= p.film.Whole().Clock(), !c.Past && int(c.Cursor) == c.Snap.Len()-1:
		return p.enter(toRow(0))
	case c.Past:
		return p.playOn()
	}
	return p.enter()
}

// stop ends playing.
func (p *Timeline) stop() {
	p.playing = false
	p.serial++
}

// playOn waits until there is more to be seen.
func (p *Timeline) playOn() tea.Cmd {
	if !p.playing || p.busy {
		return nil
	}
	if p.at.clock >= p.film.Whole().Clock() {
		p.playing = false
		return nil
	}
	now := time.Now()
	if p.since.IsZero() {
		p.begin(now, p.at.clock)
		p.tab.Traffic.Follow(&p.tab.Ctx)
	}
	next := p.film.Whole().Clock()
	if int(p.at.n) < p.film.Whole().Len() {
		next = min(next, p.film.Whole().TimeAt(p.at.n+1))
	}
	p.serial++
	serial, pause := p.serial, frame // pause is how long nothing changes.
	if p.rate() > 0 {
		pause = max(frame, min(time.Duration(float64(next-p.clock(now))/p.rate()), time.Second))
	}
	return p.tab.Addressed(p, tea.Tick(pause, func(time.Time) tea.Msg { return tickMsg{serial} }))
}

// ticked moves a tab on by the time that has passed.
func (p *Timeline) ticked(msg tickMsg) tea.Cmd {
	if msg.serial != p.serial || !p.playing {
		return nil
	}
	if p.rate() > 0 {
		clock := p.clock(time.Now())
		return p.travel(func(f *analysis.Playback, _ moment) arrival {
			a := toTime(clock, false)(f, moment{})
			a.stay = true
			return a
		})
	}
	return p.travel(func(f *analysis.Playback, from moment) arrival {
		whole := f.Whole().Len()
		n := min(from.n+uint32(max(1, whole/wholeIn)), uint32(whole))
		if n == from.n {
			return arrival{moment: moment{n, f.Whole().Clock()}, stay: true}
		}
		a := latest(f, n)
		a.stay = true
		return a
	})
}

// turnSpeed plays faster or slower.
func (p *Timeline) turnSpeed(by int) tea.Cmd {
	if p.playing && !p.since.IsZero() {
		p.begin(time.Now(), p.at.clock)
	}
	p.speed = max(-ownSpeed, min(p.speed+by, fastest-ownSpeed))
	return tea.Batch(p.tab.Say(session.Info, "plays at "+p.words()), p.playOn())
}

// At goes to a time of the session: 12.5s, 1m3s, +2s, -500ms, 10:00:12; nothing = when
// the selected row came.
func (p *Timeline) At(rest string) tea.Cmd {
	if why := p.Disabled(); why != "" {
		return p.tab.Say(session.Info, why)
	}
	if rest == "" {
		if p.tab.Ctx.Past {
			return p.jump(toRow(p.tab.Ctx.Cursor))
		}
		return p.enter()
	}
	ns, by, err := p.parseTime(rest)
	if err != nil {
		return p.tab.Say(session.Error, err.Error())
	}
	p.stop()
	return p.enter(toTime(ns, by))
}

// parseTime reads a time of the session; by says that it is relative.
func (p *Timeline) parseTime(text string) (ns int64, by bool, err error) {
	by = strings.ContainsRune("+-", rune(text[0]))
	if sec, err := strconv.ParseFloat(text, 64); err == nil && sec < 1e9 && sec > -1e9 {
		return int64(sec * 1e9), by, nil
	}
	if d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil {
		return int64(d), by, nil
	}
	t0 := p.timeOf(0)
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
