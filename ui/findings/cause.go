package findings

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/ui/pane"
)

// stderrHead is how much of a line of stderr a diagnosis looks at, in bytes.
const stderrHead = 1 << 10

// A pulse is what a diagnosis depends on, as numbers: where it is the same as
// before, so is the diagnosis.
type pulse struct {
	findings            [4]int64
	late, lost, dropped int64
	conns, since        int
	exited, ended, over bool
	phase               session.Phase
	stderr              int64 // stderr counts its lines, once the server is gone.
}

func pulseOf(ctx *pane.Context) pulse {
	s := ctx.Snap
	t := s.Totals()
	p := pulse{findings: t.Findings, late: t.Late, lost: t.Lost, dropped: t.Dropped, over: s.End() != nil, conns: len(s.Conns()), since: ctx.Since()}
	if c := s.LastConn(); c != nil {
		if p.exited, p.ended, p.phase = c.Exited, c.Ended, c.Phase; c.Exited {
			p.stderr = t.Frames[session.Stderr]
		}
	}
	return p
}

// A diagnosis that costs much, among thousands of findings, is drawn a fifth of the
// time at most, and after mostRest; one that costs less than littleCost at once.
const (
	littleCost = 10 * time.Millisecond
	restFactor = 4
	mostRest   = 2 * time.Second
)

// diagnose has the root cause drawn again where it may be another one. One command
// is under way at a time.
func (p *Pane) diagnose(c *pane.Context) tea.Cmd {
	now := pulseOf(c)
	if p.busy || p.drawn && now == p.pulse {
		return nil
	}
	p.busy = true
	snap, log, since := c.Snap, c.Log, c.Since()
	return pane.Work(p, func() pane.Then {
		begin := time.Now()
		found := cause.Among(snap, func(row session.Row) []byte {
			line, err := recorder.ReadFrame(log, row, 0, stderrHead)
			if err != nil {
				return nil // Its other lines may say enough.
			}
			return line
		}, of(snap.Findings(), since))
		took := time.Since(begin)
		return func(c *pane.Context) tea.Cmd { return p.take(c, found, now, took) }
	})
}

// of selects the findings of connections from since on, and those of none; nil = all.
func of(all []session.Finding, since int) func(int) bool {
	if since == 0 {
		return nil
	}
	return func(i int) bool { return all[i].Conn == 0 || all[i].Conn >= since }
}

// take takes a diagnosis, and has the next one drawn where the session has gone on.
func (p *Pane) take(c *pane.Context, found cause.Diagnosis, of pulse, took time.Duration) tea.Cmd {
	p.drawn, p.stale = true, true
	p.cause, p.pulse = found, of
	p.sort(c)
	next := func(c *pane.Context) tea.Cmd {
		p.busy = false
		return p.diagnose(c)
	}
	if took <= littleCost {
		return next(c)
	}
	return pane.Work(p, func() pane.Then {
		time.Sleep(min(restFactor*took, mostRest))
		return next
	})
}

// Cause returns the root cause of what is wrong with the server's latest start, and how bad
// that is; an empty one where nothing is, or nothing was drawn yet.
func (p *Pane) Cause(c *pane.Context) (cause.Diagnosis, session.Severity) {
	if p.cause.Empty() || p.cause.Conn > 0 && p.cause.Conn < c.Since() {
		return cause.Diagnosis{Finding: -1}, session.NoSeverity
	}
	if all := c.Snap.Findings(); p.cause.Finding >= 0 && p.cause.Finding < len(all) {
		if p.silenced[all[p.cause.Finding].Rule] {
			return cause.Diagnosis{Finding: -1}, session.NoSeverity
		}
	}
	return p.cause, p.cause.Severity
}
