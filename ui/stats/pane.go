package stats

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// A Pane is the table.
type Pane struct {
	list list.List
	rows []session.MethodStats // rows are the snapshot's, sorted.
	sum  session.MethodStats   // sum is over all rows; of its latencies there is Max only.
	sort column
	turn bool // turn: the order is the other way round than the column's own.
	low  int64
	high int64 // low and high are the ends of the scale of latencies, in ns.

	shown []column // shown are the columns that were drawn last.
	head  []int    // head are the cells at which they end.
}

var _ pane.Pane = (*Pane)(nil)

// New returns the pane of a session, sorted by count.
func New() *Pane { return &Pane{sort: count, shown: allColumns} }

// Do carries out an action.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	if p.list.Do(a, len(p.rows)) {
		return nil, true
	}
	switch a {
	case keys.SortNext:
		at := slices.Index(p.shown, p.sort)
		p.sortBy(p.shown[(at+1)%len(p.shown)], false)
	case keys.SortBack:
		p.sortBy(p.sort, !p.turn)
	case keys.Enter:
		return p.open(), true
	case keys.CopyValue:
		if m, ok := p.selected(); ok {
			return pane.Tell(pane.CopyMsg{What: "the line", Text: plain(m)}), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// Disabled says why an action cannot be carried out now: never.
func (p *Pane) Disabled(*pane.Context, keys.Action) string { return "" }

// Update takes new numbers, and the mouse.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.MovedMsg:
		p.take(c.Snap.Methods())
	case pane.WheelMsg:
		p.list.Wheel(msg.Lines)
	case pane.ClickMsg:
		return p.click(msg)
	}
	return nil
}

// selected returns the row under the cursor.
func (p *Pane) selected() (session.MethodStats, bool) {
	if p.list.At >= len(p.rows) {
		return session.MethodStats{}, false
	}
	return p.rows[p.list.At], true
}

// open filters traffic by the method under the cursor, and goes there.
func (p *Pane) open() tea.Cmd {
	m, ok := p.selected()
	switch {
	case !ok:
		return nil
	case m.Name == "…":
		return pane.Notify("this row sums many methods; it cannot be filtered")
	}
	return tea.Batch(pane.Tell(pane.SetFilterMsg{Text: "m:" + quote(m.Name)}), pane.Tell(pane.FocusMsg{Pane: keys.Traffic}))
}

// quote writes a method so that a filter takes it as it is.
func quote(name string) string {
	if strings.IndexFunc(name, func(r rune) bool {
		return r != '/' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0 {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// click selects a row, twice opens it; on the header it sorts by a column, and
// once more turns the order.
func (p *Pane) click(m pane.ClickMsg) tea.Cmd {
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
		return p.open()
	}
	return nil
}

// Title says how many methods there are and what they are sorted by.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	if len(p.rows) == 0 {
		return "statistics", ""
	}
	return "statistics", c.Theme.Dim.Paint(format.Plural(int64(len(p.rows)), "method") + " · by " + columns[p.sort].word)
}
