package stats

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// A Pane is the table.
type Pane struct {
	list    list.List
	methods []row               // methods are those of the session, sorted.
	rows    []row               // rows are what is shown: methods, what unfolded ones act on, and requests that stand out.
	sum     session.MethodStats // sum is over all methods; of its latencies there is Max only.
	open    map[statistics.Key]bool

	got     *statistics.Statistics // got are the statistics as they were counted last, nil before that.
	busy    bool                   // busy: a command counts them.
	counted time.Time              // counted is when they were,
	took    time.Duration          // and took how long that took.
	over    bool                   // over: where there is room for one picture, that over time is shown.
	turns   bool                   // turns: one picture was drawn, and there is another one.

	sort column
	turn bool // turn: the order is the other way round than the column's own.
	low  int64
	high int64 // low and high are the ends of the scale of latencies, in ns.

	shown []column // shown are the columns that were drawn last.
	head  []int    // head are the cells at which they end.
}

var _ pane.Pane = (*Pane)(nil)

// New returns the pane of a session, sorted by count.
func New() *Pane { return &Pane{sort: count, shown: allColumns, open: map[statistics.Key]bool{}} }

// Do carries out an action.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	if p.list.Do(a, len(p.rows)) {
		return p.collect(c), true
	}
	switch a {
	case keys.SortNext:
		at := slices.Index(p.shown, p.sort)
		p.sortBy(p.shown[(at+1)%len(p.shown)], false)
	case keys.SortBack:
		p.sortBy(p.sort, !p.turn)
	case keys.NextTab, keys.PrevTab:
		p.over = !p.over
	case keys.Unfold, keys.Fold:
		p.unfold(a == keys.Unfold)
	case keys.UnfoldAll, keys.FoldAll:
		p.unfoldAll(a == keys.UnfoldAll)
	case keys.Enter:
		return p.enter(c), true
	case keys.CopyValue:
		if r, ok := p.selected(); ok {
			return pane.Tell(pane.CopyMsg{What: "the line", Text: plain(r)}), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// Disabled implements pane.Pane.
func (p *Pane) Disabled(_ *pane.Context, a keys.Action) string {
	if (a == keys.NextTab || a == keys.PrevTab) && !p.turns {
		return "the pane shows both pictures, or has room for one only"
	}
	return ""
}

// Update takes new numbers, and the mouse.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.Answer:
		return msg.For(p, c)
	case pane.ShownMsg:
		return p.collect(c)
	case pane.MovedMsg:
		if p.got == nil {
			p.take(c.Snap.Methods())
		}
	case pane.WheelMsg:
		p.list.Wheel(msg.Lines)
		return p.collect(c)
	case pane.ClickMsg:
		return tea.Batch(p.click(c, msg), p.collect(c))
	}
	return nil
}

// selected returns the row under the cursor.
func (p *Pane) selected() (row, bool) {
	if p.list.At >= len(p.rows) {
		return row{}, false
	}
	return p.rows[p.list.At], true
}

// enter unfolds the method under the cursor; once that is unfolded, or has nothing to
// unfold, it filters traffic by it. Of a request that stands out it goes there.
func (p *Pane) enter(c *pane.Context) tea.Cmd {
	r, ok := p.selected()
	switch {
	case !ok:
		return nil
	case r.extreme != nil:
		return pane.Tell(pane.GotoMsg{Row: r.extreme.Row})
	case r.Name == "…" || r.target == "…":
		return pane.Notify("this row sums many; it cannot be filtered")
	case p.unfold(true):
		return nil
	}
	text := "m:" + filter.Value(r.Name)
	if r.target != "" {
		text += " t:" + filter.Value(r.target)
	}
	if r.label != "" {
		text += " is:error"
	}
	return tea.Batch(pane.Tell(pane.SetFilterMsg{Text: text}), pane.Tell(pane.FocusMsg{Pane: keys.Traffic}))
}

// click selects a row, twice opens it; on the header it sorts by a column, and
// once more turns the order.
func (p *Pane) click(c *pane.Context, m pane.ClickMsg) tea.Cmd {
	if m.Y == 0 && len(p.head) > 0 {
		for i, end := range p.head {
			if m.X < end {
				p.sortBy(p.shown[i], p.shown[i] == p.sort && !p.turn)
				break
			}
		}
		return nil
	}
	at, ok := p.list.Line(m.Y - p.above())
	if !ok {
		return nil
	}
	p.list.At = at
	if m.Double {
		return p.enter(c)
	}
	return nil
}

// Title says how many methods there are and what they are sorted by.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	if len(p.methods) == 0 {
		return "statistics", ""
	}
	below := ""
	if p.got != nil && len(p.got.Slowest) > 0 {
		below = " · below them the slowest and the largest"
	}
	return "statistics", c.Theme.Dim.Paint(text.Plural(int64(len(p.methods)), "method") + " · by " + columns[p.sort].word + below)
}
