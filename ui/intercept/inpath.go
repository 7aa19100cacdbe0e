package intercept

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/overlay"
	"wiretea/ui/style"
)

// maxCounted is how many decided rows are counted, the latest first.
const maxCounted = 100_000

// A tally is how often somebody decided.
type tally struct {
	by string // by is as the record has it.
	n  int64
}

// An inPathPage shows what acts on the messages of the session, and how often each did.
type inPathPage struct {
	overlay.Page
	of      *Intercept
	tallies []tally // tallies are the most frequent first; nil until they are counted.
	counted bool
}

// A countedMsg brings the counts.
type countedMsg struct{ tallies []tally }

// ShowPath opens the page of what acts on the messages.
func (q *Intercept) ShowPath() tea.Cmd {
	p := &inPathPage{of: q}
	p.Page = overlay.Page{Name: "in the path", Keys: q.tab.Ctx.Keys, Fits: true, Lines: p.lines}
	q.tab.Open(p)
	snap, log := q.tab.Ctx.Snap, q.tab.Ctx.Log
	return q.tab.Addressed(p, func() tea.Msg { return countedMsg{countBy(snap, log)} })
}

// Update implements host.Receiver.
func (p *inPathPage) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(countedMsg); ok {
		p.tallies, p.counted = m.tallies, true
	}
	return nil
}

// countBy counts who decided on the messages that did not cross as they came, and on those
// that were put in without one.
func countBy(snap *session.Snapshot, log recorder.Log) []tally {
	bodies, counts, n := recorder.NewBodies(log), map[string]int64{}, 0
	for i := snap.Len() - 1; i >= 0 && n < maxCounted; i-- {
		r := snap.Row(uint32(i))
		if r.Flags&session.FlagDecided == 0 {
			continue
		}
		n++
		if rec := bodies.Record(r.Off); rec != nil && (r.Way == session.WayIn || rec.Of == 0) {
			who := strings.TrimSuffix(strings.TrimSuffix(rec.By, session.ByAsked), session.ByHeld)
			for by := range strings.SplitSeq(who, "; ") {
				counts[by]++
			}
		}
	}
	tallies := make([]tally, 0, len(counts))
	for by, n := range counts {
		tallies = append(tallies, tally{by, n})
	}
	slices.SortFunc(tallies, func(a, b tally) int { return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.by, b.by)) })
	return tallies
}

// lines draws the page.
func (p *inPathPage) lines(th *style.Theme, w int) (lines []string) {
	label := func(name, words string, look style.Style) {
		for i, part := range cells.Wrap(words, max(10, w-14)) {
			if i > 0 {
				name = ""
			}
			lines = append(lines, " "+th.Dim.Paint(cells.Fit(name, 11))+look.Paint(part))
		}
	}
	t, state := p.of.tab, p.of.tab.Held.State()
	for _, on := range t.Source.Snapshot().InPath() {
		if on.What == "faults" && len(state.Faults) > 0 {
			continue
		}
		if on.Event == session.PathBroken {
			label("", "✖ its file was changed and cannot be used: "+text.Visible([]byte(on.Text), 0), th.Error)
			continue
		}
		label(text.Visible([]byte(on.What), 10), text.Visible([]byte(on.Text), 0), th.Text)
	}
	for i, spec := range state.Faults {
		label("fault "+strconv.Itoa(i+1), text.Visible([]byte(spec), 0), th.Text)
	}
	for _, place := range state.Places {
		label("intercept", text.Visible([]byte(place.Filter+"  by "+place.By), 0), th.Text)
	}
	if len(lines) == 0 {
		label("", "Nothing acts on the messages now: they pass as they come.", th.Text)
	}
	if n := len(state.Held); n > 0 || state.Decided > 0 {
		label("held", fmt.Sprintf("%s now, %s decided on before", text.Count(int64(n)), text.Count(int64(state.Decided))), th.Text)
	}
	lines = append(lines, "")
	switch decided := t.Source.Snapshot().Totals().Decided; {
	case !p.counted:
		lines = append(lines, th.Dim.Paint(" counting…"))
	case len(p.tallies) == 0:
		lines = append(lines, th.Dim.Paint(" No message was held, stopped or changed in this session."))
	default:
		lines = append(lines, " "+th.Strong.Paint("Held, stopped or changed: "+text.Plural(decided, "message"))+th.Dim.Paint("  the filter is:decided shows them"))
		for _, c := range p.tallies {
			label(text.Count(c.n)+" ×", text.Visible([]byte(c.by), 0), th.Text)
		}
	}
	lines = append(lines, "")
	for _, part := range cells.Wrap(":fault SPEC adds a fault, :fault off N ends one, :fault off all · :intercept FILTER holds messages", max(10, w-2)) {
		lines = append(lines, " "+th.Dim.Paint(part))
	}
	return lines
}

// Fault carries out :fault [SPEC | off [N]].
func (q *Intercept) Fault(rest string) tea.Cmd {
	if rest == "" {
		return q.ShowPath()
	}
	if why := q.Disabled(); why != "" {
		return q.tab.Say(session.Error, why)
	}
	return q.open(func() tea.Cmd {
		specs, says, err := faultsAfter(q.place.State().Faults, rest)
		if err != nil {
			return q.tab.Say(session.Error, err.Error())
		}
		place := q.place
		return q.do(says, func(ctx context.Context) error { return place.SetFaults(ctx, specs) })
	})
}

// faultsAfter returns the faults that are in force after :fault rest, and what is said then.
func faultsAfter(now []string, rest string) (specs []string, says string, err error) {
	word, which, off := strings.Cut(rest, " ")
	if word != "off" {
		return append(slices.Clone(now), rest), "fault in force: " + text.Visible([]byte(rest), 200), nil
	}
	which = strings.TrimSpace(which)
	switch n, err := strconv.Atoi(which); {
	case !off || which == "" || which == "all":
		return nil, "faults are off", nil
	case err != nil || n < 1 || n > len(now):
		return nil, "", fmt.Errorf("unknown fault %q: :fault lists them", which)
	default:
		return slices.Delete(slices.Clone(now), n-1, n), "fault off: " + text.Visible([]byte(now[n-1]), 200), nil
	}
}

// Faults are words that :fault can go on with.
func (q *Intercept) Faults() []string {
	words := []string{"off"}
	for i := range q.tab.Held.State().Faults {
		words = append(words, "off "+strconv.Itoa(i+1))
	}
	return words
}
