package tools

import (
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/statistics"
	"wiretea/session/text"
	"wiretea/ui/jsonview"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A Pane is the page.
type Pane struct {
	rows *pane.RowPicker
	busy bool // busy: a command that reads rows is under way.
	got  catalogue

	list   list.List
	lines  []entry
	moved  bool                      // moved: the user has moved the cursor, which is at the first tool before.
	narrow string                    // narrow is what an item must have in its name or description to be shown, empty = nothing.
	going  [numKinds]json.RawMessage // going are the cursors that were asked for last, of lists that are gone through page by page; nil = none is.

	tab   string         // tab is the name of the tab that is shown, where the item has it.
	about list.Page      // about scrolls the text about an item.
	json  *jsonview.View // json shows the tab's JSON.
	shown shown          // shown is what json shows, or is about to.
	gen   int            // gen tells the latest index from earlier ones.
	wraps wrapped

	order    order
	uses     *statistics.Uses // uses are what was called, nil before that is known.
	counting bool             // counting: a command counts them.
	client   []string         // client says what the client has not done with the tools.

	beside bool // beside: the detail was beside the list when it was drawn last,
	listW  int  // which was so wide,
	listH  int  // and so high;
	jsonY  int  // from that line on of the detail there was JSON, -1 = there was none.
}

// wrapped is the text about an item as it was wrapped last.
type wrapped struct {
	about []line
	theme *style.Theme
	w     int
	lines []string
}

// An entry is a line of the list: the head of a section, or an item of it.
type entry struct {
	kind kind
	item int // item is its index, -1 for the head.
}

// shown is the JSON of an item's tab.
type shown struct {
	kind kind
	key  string
	tab  string
	raw  string
}

var _ pane.Pane = (*Pane)(nil)

// New returns a Pane that has seen nothing.
func New() *Pane {
	p := &Pane{rows: pane.NewRowPicker(wanted), json: jsonview.New(), jsonY: -1}
	p.json.SetWrap(true)
	p.arrange()
	return p
}

// selected returns the line under the cursor with its section, and its item,
// nil for the head of a section.
func (p *Pane) selected() (kind, *section, *item) {
	if p.list.At >= len(p.lines) {
		return capabilities, &p.got.sections[capabilities], nil
	}
	e := p.lines[p.list.At]
	s := &p.got.sections[e.kind]
	if e.item < 0 || e.item >= len(s.items) {
		return e.kind, s, nil
	}
	return e.kind, s, &s.items[e.item]
}

// tabOf returns the tab of an item that is shown: the one that was chosen, where
// the item has it, else its first.
func (p *Pane) tabOf(it *item) int {
	for i := range it.tabs {
		if it.tabs[i].name == p.tab {
			return i
		}
	}
	return 0
}

// Do implements pane.Pane.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	if p.list.Do(a, len(p.lines)) {
		p.about.Top, p.moved = 0, true
		return p.show(), true
	}
	if p.fold(a) {
		return nil, true
	}
	switch a {
	case keys.NextTab:
		return p.turn(1), true
	case keys.PrevTab:
		return p.turn(-1), true
	case keys.CopyValue:
		return p.copy(), true
	case keys.SortNext:
		return p.turnOrder(), true
	}
	return p.act(c, a)
}

// fold carries out what is done with the detail: in the text about an item the keys
// that go to a sibling scroll. "Fold all" leaves the outermost level open.
func (p *Pane) fold(a keys.Action) bool {
	_, _, it := p.selected()
	text := it == nil || it.tabs[p.tabOf(it)].raw == nil
	switch {
	case text && a == keys.SiblingDn:
		p.about.Wheel(1)
	case text && a == keys.SiblingUp:
		p.about.Wheel(-1)
	case a == keys.FoldAll:
		p.json.Depth(1)
	default:
		return p.json.DoFold(a)
	}
	return true
}

// turn goes to the next tab, or the one before.
func (p *Pane) turn(step int) tea.Cmd {
	_, _, it := p.selected()
	if it == nil {
		return nil
	}
	n := len(it.tabs)
	p.tab = it.tabs[(p.tabOf(it)+step+n)%n].name
	p.about.Top = 0
	return p.show()
}

// copy copies the value at the cursor of the JSON, or the text about the item.
func (p *Pane) copy() tea.Cmd {
	_, _, it := p.selected()
	if it == nil {
		return nil
	}
	if t := it.tabs[p.tabOf(it)]; t.raw != nil {
		if value := p.json.Value(); len(value) > 0 {
			return pane.Tell(pane.CopyMsg{What: "value", Text: string(value)})
		}
		return pane.Tell(pane.CopyMsg{What: t.name, Text: string(t.raw)})
	}
	text := it.name
	for _, l := range it.about {
		text += "\n" + l.text
	}
	return pane.Tell(pane.CopyMsg{What: "text", Text: text})
}

// Disabled implements pane.Pane.
func (p *Pane) Disabled(c *pane.Context, a keys.Action) string {
	_, _, it := p.selected()
	switch {
	case a == keys.CopyValue && it == nil:
		return "select an item"
	case (a == keys.NextTab || a == keys.PrevTab) && (it == nil || len(it.tabs) < 2):
		return "there is only one tab"
	case jsonview.Folds(a) && (it == nil || it.tabs[p.tabOf(it)].raw == nil):
		return "no JSON in this tab"
	}
	return p.cannot(c, a)
}

// Title implements pane.Pane.
func (p *Pane) Title(c *pane.Context) (left, right string) {
	left = "tools"
	if p.narrow != "" {
		left += " with " + text.Visible([]byte(p.narrow), 40)
	}
	if p.got.shake == nil {
		return left, ""
	}
	server := &p.got.shake.Server
	return left, c.Theme.Dim.Paint(text.Visible([]byte(strings.TrimSpace(server.Name+" "+server.Version)), 60))
}
