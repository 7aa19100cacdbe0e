package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// A Timeline is where a tab is in the time of a session that is over. While
// pane.Context.Past is set the panes see the session as it was at a moment.
type Timeline struct {
	tab  *host.Tab
	film *analysis.Playback // film is nil while the whole is shown. The command under way has it.
	at   moment             // at is the moment that is shown.
	busy bool               // busy: a command goes to another one.
	done float64            // done is how much of a long way to it lies behind, 0 to 1.
	todo []step             // todo are the steps that were asked for meanwhile.
	gen  int                // gen tells the commands of an earlier stay in the past.

	player
}

// New returns the timeline of a tab, whose LeavePast it is.
func New(t *host.Tab) *Timeline {
	p := &Timeline{tab: t}
	t.LeavePast = p.Leave
	return p
}

// turn is how long a command analyses before it says how far it is.
const turn = 100 * time.Millisecond

// An arrivedMsg brings the session as it was. Where snap and err are nil it is on its way
// there.
type arrivedMsg struct {
	gen  int
	snap *session.Snapshot
	err  error
	done float64
	arrival
}

// Disabled says why the session cannot be shown at a moment; empty = it can.
func (p *Timeline) Disabled() string {
	t := p.tab
	switch {
	case t.Source.Live():
		return "the session is live: time travel begins when it is over"
	case t.Reading():
		return "the recording is still being read"
	case !t.Ctx.Past && t.Ctx.Snap.Len() == 0:
		return "the session is empty"
	}
	return ""
}

// travel goes to other moments: one command at a time takes all steps that were asked
// for since.
func (p *Timeline) travel(steps ...step) tea.Cmd {
	p.todo = append(p.todo, steps...)
	if p.busy || len(p.todo) == 0 {
		return nil
	}
	if p.film == nil {
		p.film = analysis.NewPlayback(p.tab.Source.Log(), p.tab.Source.Snapshot())
	}
	return p.run(arrival{moment: p.at, row: session.NoRow})
}

// run goes on to where one went, and from there the steps that were asked for since.
func (p *Timeline) run(to arrival) tea.Cmd {
	todo, gen, film := p.todo, p.gen, p.film
	p.busy, p.todo = true, nil
	return p.tab.Addressed(p, func() tea.Msg {
		for _, one := range todo {
			next := one(film, to.moment)
			if next.why != "" {
				to.why = next.why
				continue
			}
			to = next
		}
		ctx, cancel := context.WithTimeout(context.Background(), turn)
		defer cancel()
		snap, err := film.At(ctx, to.n, to.clock)
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
		return arrivedMsg{gen, snap, err, float64(film.Rows()) / float64(max(1, to.n)), to}
	})
}

// enter goes to the past, at the selected row where no step leads elsewhere.
func (p *Timeline) enter(steps ...step) tea.Cmd {
	c := &p.tab.Ctx
	if c.Past || p.busy {
		return p.travel(steps...)
	}
	row := c.Cursor
	if row == session.NoRow {
		row = uint32(max(0, c.Snap.Len()-1))
	}
	return p.travel(append([]step{toRow(row)}, steps...)...)
}

// Update implements host.Receiver.
func (p *Timeline) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case arrivedMsg:
		return p.arrive(msg)
	case tickMsg:
		return p.ticked(msg)
	}
	return nil
}

// arrive shows the moment that a command has come to.
func (p *Timeline) arrive(msg arrivedMsg) tea.Cmd {
	switch {
	case msg.gen != p.gen:
		return nil
	case msg.err != nil:
		return tea.Batch(p.Leave(), p.tab.Say(session.Error, msg.err.Error()))
	case msg.snap == nil:
		p.done = min(msg.done, 1)
		return p.run(msg.arrival)
	}
	t := p.tab
	p.busy, p.done, p.at = false, 0, moment{uint32(msg.snap.Len()), msg.snap.Clock()}
	c := &t.Ctx
	c.Snap, c.Now, c.Live, c.Past = t.Noted(msg.snap), msg.snap.Clock(), true, true
	if !msg.stay && msg.row == session.NoRow {
		t.Traffic.Follow(c)
	}
	cmds := []tea.Cmd{t.Tell(pane.MovedMsg{})}
	if !msg.stay && msg.row != session.NoRow {
		cmds = append(cmds, t.Goto(msg.row))
	}
	if msg.why != "" {
		cmds = append(cmds, t.Say(session.Info, msg.why))
	}
	return tea.Batch(append(cmds, p.travel(), p.playOn())...)
}

// Going reports whether it is on its way to a moment for a while.
func (p *Timeline) Going() bool { return p.done > 0 }

// Leave shows the whole session again, at the row that was selected.
func (p *Timeline) Leave() tea.Cmd {
	t := p.tab
	row := t.Ctx.Cursor
	*p = Timeline{tab: t, gen: p.gen + 1, player: player{speed: p.speed, serial: p.serial + 1}}
	t.Ctx.Past = false
	t.Look()
	return tea.Batch(t.Tell(pane.MovedMsg{}), t.Goto(row))
}

// Goto moves the cursor of traffic to a row, which may come later than the moment that is
// shown.
func (p *Timeline) Goto(row uint32) tea.Cmd {
	if c := &p.tab.Ctx; c.Past && row != session.NoRow && int(row) >= c.Snap.Len() {
		return p.jump(toRow(row))
	}
	return p.tab.Goto(row)
}

// jump goes to another moment. Playing ends.
func (p *Timeline) jump(one step) tea.Cmd {
	p.stop()
	return p.travel(one)
}

// stepTo is jump that first goes to the past, at the selected row, where it does not
// stand there: then that is all.
func (p *Timeline) stepTo(one step) tea.Cmd {
	if !p.tab.Ctx.Past && !p.busy {
		return p.enter()
	}
	return p.jump(one)
}

// byFrame steps by a frame that is shown: under a filter those between are passed over.
func (p *Timeline) byFrame(dir int, one step) step {
	if through := p.tab.Traffic.Filtered(&p.tab.Ctx); through != nil {
		return filtered(through, dir)
	}
	return one
}

// Do carries out an action that goes through time. It reports false for any other.
func (p *Timeline) Do(a keys.Action) (tea.Cmd, bool) {
	switch a {
	case keys.Play:
		return p.play(), true
	case keys.StepBack:
		return p.stepTo(p.byFrame(-1, back)), true
	case keys.StepOn:
		return p.stepTo(p.byFrame(1, on)), true
	case keys.OpBack:
		return p.stepTo(toOperation(-1)), true
	case keys.OpOn:
		return p.stepTo(toOperation(1)), true
	case keys.Slower:
		return p.turnSpeed(-1), true
	case keys.Faster:
		return p.turnSpeed(1), true
	}
	if !p.tab.Ctx.Past {
		return nil, false
	}
	switch a {
	case keys.FindNext:
		return p.jump(toFinding(1)), true
	case keys.FindPrev:
		return p.jump(toFinding(-1)), true
	case keys.MarkNext:
		return p.jump(toMark(slices.Clone(p.tab.Traffic.Noted()), 1)), true
	case keys.MarkPrev:
		return p.jump(toMark(slices.Clone(p.tab.Traffic.Noted()), -1)), true
	}
	return nil, false
}

// timeOf is a time of the session as the time of day, zero where that is not known.
func (p *Timeline) timeOf(ns int64) time.Time {
	if h := p.tab.Ctx.Header; h != nil && !h.T0.IsZero() {
		return h.T0.Add(time.Duration(ns)).Local()
	}
	return time.Time{}
}

// Line is where one is in the session's time, w cells wide: how it plays, a bar, the
// row, the session's time and the time of day. It is nil while the whole is shown.
func (p *Timeline) Line(w int) []string {
	c := &p.tab.Ctx
	th := c.Theme
	if p.done > 0 {
		return []string{cells.Fit(th.Dim.Paint(fmt.Sprintf(" ◷ analysing up to there: %.0f %%   %s stops that", 100*p.done, c.Keys.WordOf(keys.Escape, keys.Traffic))), w)}
	}
	if !c.Past {
		return nil
	}
	sign := th.Warning.Paint("‖ ")
	if p.playing {
		sign = th.OK.Paint("▶ ")
	}
	end := max(1, p.film.Whole().Clock())
	row := fmt.Sprintf("#%d", c.Snap.Row(max(1, p.at.n)-1).N)
	parts := []string{
		th.Strong.Paint(seconds(p.at.clock)) + th.Dim.Paint(" of "+seconds(end)),
		th.Dim.Paint("frame ") + row + th.Dim.Paint(fmt.Sprintf(", %s of %s", text.Count(int64(p.at.n)), text.Count(int64(p.film.Whole().Len())))),
	}
	if at := p.timeOf(p.at.clock); !at.IsZero() {
		parts = append(parts, th.Dim.Paint(at.Format("15:04:05.000")))
	}
	parts = append(parts, th.Dim.Paint(c.Keys.WordOf(keys.Escape, keys.Traffic)+" shows the whole"))
	left := " " + sign + cells.Fit(p.words(), 5)
	const leastBar, mostBar = 10, 60
	right := ""
	for i, part := range parts {
		more := right + "   " + part
		if i > 0 && cells.Width(left)+cells.Width(more)+leastBar+1 > w {
			break
		}
		right = more
	}
	bar := ""
	if n := min(mostBar, w-cells.Width(left)-cells.Width(right)-1); n >= leastBar {
		at := min(n-1, int(float64(p.at.clock)/float64(end)*float64(n-1)+0.5))
		bar = th.Accent.Paint(strings.Repeat("━", at)+"●") + th.Dim.Paint(strings.Repeat("─", n-1-at))
	}
	return []string{cells.Fit(left+bar+right, w)}
}

// seconds writes a time of the session: 12.500 s.
func seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }
