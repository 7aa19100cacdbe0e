package comparing

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/compare"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// A Comparing compares rows of a tab.
type Comparing struct {
	tab    *host.Tab
	unseen bool // unseen: a difference that came unasked was not looked at.
}

// New returns what compares rows of a tab.
func New(t *host.Tab) *Comparing { return &Comparing{tab: t} }

// Disabled says why the selected row cannot be compared with another, empty = it can be tried.
func (c *Comparing) Disabled() string {
	t := c.tab
	marks := t.Traffic.Marks()
	switch {
	case t.Layout().Page == keys.Compare:
		return ""
	case c.unseen || len(marks) == 2:
		return ""
	case len(marks) > 2:
		return fmt.Sprintf("%d rows are marked; two can be compared", len(marks))
	case t.Ctx.Cursor == session.NoRow:
		return "no row is selected"
	case len(marks) == 1 && marks[0] != t.Ctx.Cursor:
		return ""
	case c.altered():
		return ""
	case t.Ctx.Snap.RequestOf(t.Ctx.Cursor) == session.NoRow:
		return "Select an answer, or mark two rows with m to compare them."
	}
	return ""
}

// Difference compares the marked row, or two, with the selected one; else the answer to the
// selected request with an earlier one, as compare.Answers chooses it. What came unasked and was not
// looked at goes first. On the page itself it leads back.
func (c *Comparing) Difference() tea.Cmd {
	t := c.tab
	if c.unseen {
		c.open()
		return nil
	}
	if t.Layout().Page == keys.Compare {
		t.Layout().Back()
		return nil
	}
	snap, log, row := t.Ctx.Snap, t.Ctx.Log, t.Ctx.Cursor
	old, new := row, row
	switch marks := t.Traffic.Marks(); len(marks) {
	case 2:
		old, new = marks[0], marks[1]
	case 1:
		old, new = min(row, marks[0]), max(row, marks[0])
	}
	altered := old == new && c.altered()
	request := snap.RequestOf(row)
	origin, ok := t.Origins[request]
	if !ok {
		origin = session.NoRow
	}
	return t.Addressed(t, func() tea.Msg {
		var cmp pane.CompareMsg
		var err error
		if altered {
			if other, err := compare.Replaced(snap, log, row); err == nil && sameKind(snap, row, other) {
				old, new = min(row, other), max(row, other)
			}
		}
		if old != new {
			cmp, err = compare.Frames(snap, log, old, new)
		} else {
			cmp, err = compare.Answers(snap, log, request, origin)
		}
		if err != nil {
			return pane.SayMsg{Text: err.Error(), Severity: session.Error}
		}
		return cmp
	})
}

// altered reports whether somebody decided on the selected row, so that it did not cross.
func (c *Comparing) altered() bool {
	t := c.tab
	return t.Ctx.Snap.Row(t.Ctx.Cursor).Flags&session.FlagDecided != 0
}

// sameKind reports whether two rows are both requests, both notifications, or both
// responses, so that one can be compared with the other.
func sameKind(snap *session.Snapshot, a, b uint32) bool {
	x, y := snap.Row(a).Kind, snap.Row(b).Kind
	response := func(k session.RowKind) bool { return k == session.RowResult || k == session.RowError }
	return x == y || response(x) && response(y)
}

// Original goes to what took the place of the selected message, or to that message.
func (c *Comparing) Original() tea.Cmd {
	t := c.tab
	snap, log, row := t.Ctx.Snap, t.Ctx.Log, t.Ctx.Cursor
	return t.Addressed(t, func() tea.Msg {
		other, err := compare.Replaced(snap, log, row)
		if err != nil {
			return pane.SayMsg{Text: err.Error(), Severity: session.Info}
		}
		return pane.PointMsg{Row: other}
	})
}

// Show compares two texts. The page opens at once, unless msg is Quiet.
func (c *Comparing) Show(msg pane.CompareMsg) tea.Cmd {
	if c.tab != c.tab.Current() {
		return nil
	}
	cmd := c.tab.TellOne(keys.Compare, msg)
	if !msg.Quiet {
		c.open()
	}
	return cmd
}

func (c *Comparing) open() {
	c.unseen = false
	c.tab.Layout().Open(keys.Compare)
}

// Compared shows the result of a Quiet comparison, and opens the page where nothing else
// is open.
func (c *Comparing) Compared(msg pane.ComparedMsg) tea.Cmd {
	t := c.tab
	if !msg.Quiet {
		return nil
	}
	what := msg.Title + ": "
	switch {
	case msg.Why != "":
		return t.Say(session.Warning, what+"the results are not compared: "+msg.Why)
	case msg.Differences == 0:
		c.unseen = false
		return t.Say(session.Info, what+"the same result")
	}
	text := text.Plural(int64(msg.Differences), "difference")
	if t == t.Current() && t.Idle() && t.Layout().Vacant() {
		c.open()
		return t.Say(session.Info, what+text)
	}
	c.unseen = true
	return t.Say(session.Info, what+text+"; "+t.Ctx.Keys.WordOf(keys.Difference, keys.Traffic)+" shows")
}

// Ignore leaves out of differences what a pattern matches.
func (c *Comparing) Ignore(pattern string) tea.Cmd {
	t := c.tab
	pattern = strings.TrimPrefix(pattern, "$") // as JSONPath begins
	cmd, err := t.Compare.Ignore(pattern)
	if err != nil {
		return t.Say(session.Error, err.Error()+"; as in .content[0].text, .items[*].time or ..timestamp")
	}
	return tea.Batch(t.AddressedTo(keys.Compare, cmd), t.Say(session.Info, pattern+" does not count in differences"))
}
