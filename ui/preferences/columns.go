package preferences

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/ui/list"
	"wiretea/ui/overlay"
	"wiretea/ui/style"
	"wiretea/ui/traffic"
)

// setColumns changes the columns of traffic in all tabs; empty = the usual ones.
func (p *Preferences) setColumns(text string) tea.Cmd {
	for _, t := range p.tabs {
		if err := t.Traffic.SetColumns(text); err != nil {
			return p.say(session.Error, err.Error())
		}
	}
	p.opt.Screen.Layout().Columns = text
	return nil
}

// Widen gives a column of traffic another width, in cells.
func (p *Preferences) Widen(name string, width int) tea.Cmd {
	list := p.opt.Screen.Current().Traffic.Columns()
	for i := range list {
		if list[i].Name == name {
			list[i].Width = width
		}
	}
	return p.setColumns(traffic.ColumnsText(list))
}

// A columnsBox is the list of the columns of traffic. What is changed in it is seen at once.
type columnsBox struct {
	p       *Preferences
	columns []traffic.Column // columns are all of them, those that are shown in their order.
	shown   []bool           // shown are those of columns that are.
	list    list.List
}

// openColumns opens the list.
func (p *Preferences) openColumns() tea.Cmd {
	b := &columnsBox{p: p}
	b.read()
	p.opt.Screen.Open(b)
	return nil
}

// read lists the columns as they are now; those that are not shown are last.
func (b *columnsBox) read() {
	b.columns, b.shown = b.traffic().Columns(), nil
	for range b.columns {
		b.shown = append(b.shown, true)
	}
	for _, name := range traffic.ColumnNames {
		if !slices.ContainsFunc(b.columns, func(c traffic.Column) bool { return c.Name == name }) {
			b.columns, b.shown = append(b.columns, traffic.Column{Name: name}), append(b.shown, false)
		}
	}
}

func (b *columnsBox) traffic() *traffic.Pane { return b.p.opt.Screen.Current().Traffic }

// write shows the columns as they are listed.
func (b *columnsBox) write() tea.Cmd {
	var list []traffic.Column
	for i, c := range b.columns {
		if b.shown[i] {
			list = append(list, c)
		}
	}
	return b.p.setColumns(traffic.ColumnsText(list))
}

// NamesEscape implements overlay.Hinted.
func (b *columnsBox) NamesEscape() {}

// Title implements overlay.Box.
func (b *columnsBox) Title() string { return "columns of traffic" }

// Size implements overlay.Box: it leaves the list of traffic to be seen.
func (b *columnsBox) Size(_ *style.Theme, w, h int) (int, int) {
	return min(w, 66), min(h, len(b.columns)+6)
}

// View implements overlay.Box.
func (b *columnsBox) View(th *style.Theme, w, h int) []string {
	hint := func(key, words string) string { return th.Accent.Paint(key) + th.Dim.Paint(" "+words+"  ") }
	lines := []string{
		cells.Fit(" "+hint("space", "shows or hides")+hint("J K", "moves down, up")+hint("← →", "width"), w),
		cells.Fit(" "+hint("0", "usual width")+hint("r", "the usual columns")+hint("esc", "closes"), w),
		"",
	}
	if h < 8 {
		lines = nil
	}
	from, to := b.list.Fit(len(b.columns), h-len(lines))
	for i := from; i < to; i++ {
		c, sign := b.columns[i], "   "
		if b.shown[i] {
			sign = " ✔ "
		}
		width := ""
		switch {
		case c.Name == "info":
			width = "what is left"
		case c.Width > 0 && b.shown[i] && b.p.opt.ColumnWidth(c.Name) == 0:
			width = "no room"
		case c.Width > 0:
			width = fmt.Sprintf("%d cells", c.Width)
		case b.shown[i] && b.p.opt.ColumnWidth(c.Name) == 0:
			width = "no room"
		case b.shown[i]:
			width = "usual width"
		}
		name, says := sign+cells.Fit(c.Name, 11), " "+cells.Fit(width, 14)+traffic.ColumnSays(c.Name)
		look, dim := th.Text, th.Dim
		if !b.shown[i] {
			look = th.Dim
		}
		if i == b.list.At {
			look, dim = look.With(th.Selected), dim.With(th.Selected)
		}
		lines = append(lines, look.Paint(name)+dim.Paint(cells.Fit(says, max(0, w-cells.Width(name)))))
	}
	return lines
}

// Key implements overlay.Box.
func (b *columnsBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	at := b.list.At
	switch name := msg.String(); name {
	case "enter", "q":
		return nil, true
	case "space", "x":
		if b.columns[at].Name == "what" {
			return b.p.say(session.Error, traffic.ErrNeedsWhat.Error()), false
		}
		b.shown[at] = !b.shown[at]
		return b.write(), false
	case "J", "alt+down", "ctrl+j":
		return b.move(1), false
	case "K", "alt+up", "ctrl+k":
		return b.move(-1), false
	case "left", "h", "-":
		return b.widen(-1), false
	case "right", "l", "+", "=":
		return b.widen(1), false
	case "0", "backspace":
		b.columns[at].Width = 0
		return b.write(), false
	case "r":
		cmd := b.p.setColumns("")
		b.read()
		return cmd, false
	default:
		b.list.Do(b.p.opt.Keys.Moving(name), len(b.columns))
		return nil, false
	}
}

// move moves the chosen column by a step.
func (b *columnsBox) move(step int) tea.Cmd {
	at, to := b.list.At, b.list.At+step
	if to < 0 || to >= len(b.columns) {
		return nil
	}
	b.columns[at], b.columns[to] = b.columns[to], b.columns[at]
	b.shown[at], b.shown[to] = b.shown[to], b.shown[at]
	b.list.At = to
	return b.write()
}

// widen makes the chosen column wider by a step.
func (b *columnsBox) widen(step int) tea.Cmd {
	c := &b.columns[b.list.At]
	if !b.shown[b.list.At] || c.Name == "info" {
		return nil
	}
	if c.Width == 0 {
		c.Width = b.p.opt.ColumnWidth(c.Name)
	}
	c.Width = max(1, min(c.Width+step, traffic.MaxColumn))
	return b.write()
}

var _ overlay.Box = (*columnsBox)(nil)

// ColumnsCommand is :columns.
func (p *Preferences) ColumnsCommand(rest string) tea.Cmd {
	switch rest {
	case "":
		return p.openColumns()
	case "reset":
		return p.setColumns("")
	}
	return p.setColumns(strings.TrimSpace(rest))
}
