package tools

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/jsonview"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// Update implements pane.Pane.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.Answer:
		return msg.For(p, c)
	case pane.ShownMsg:
		return p.countUses(c)
	case pane.WheelMsg:
		p.list.Wheel(msg.Lines)
		return p.show()
	case pane.ClickMsg:
		return p.click(c, msg)
	}
	if _, moved := msg.(pane.MovedMsg); moved || p.rows.Take(msg) {
		return tea.Batch(p.rows.Next(c.Snap), p.collect(c))
	}
	return nil
}

// click chooses a line of the list, or a row of the JSON.
func (p *Pane) click(c *pane.Context, msg pane.ClickMsg) tea.Cmd {
	x, y := msg.X-p.listW-3, msg.Y
	inList := msg.X < p.listW
	if !p.beside {
		x, y = msg.X, msg.Y-p.listH-1
		inList = msg.Y < p.listH
	}
	if !inList {
		if p.jsonY >= 0 && y >= p.jsonY && x >= 0 {
			p.json.Click(x, y-p.jsonY)
		}
		return nil
	}
	line, ok := p.list.Line(msg.Y)
	if !ok {
		return nil
	}
	p.list.At, p.about.Top, p.moved = line, 0, true
	cmd := p.show()
	if msg.Double {
		enter, _ := p.Do(c, keys.Enter)
		cmd = tea.Batch(cmd, enter)
	}
	return cmd
}

// arrange makes the lines of the list, and keeps the cursor with its item.
func (p *Pane) arrange() {
	k, key := capabilities, ""
	if p.list.At < len(p.lines) {
		k, key = p.shown.kind, p.shown.key
	}
	p.lines = p.lines[:0]
	at := -1
	for kind := range numKinds {
		s := &p.got.sections[kind]
		if !p.hasSection(kind) {
			continue
		}
		head := len(p.lines)
		p.lines = append(p.lines, entry{kind, -1})
		for _, i := range p.sorted(kind) {
			if !p.meant(&s.items[i]) {
				continue
			}
			if kind == k && s.items[i].key == key && key != "" && at < 0 {
				at = len(p.lines)
			}
			p.lines = append(p.lines, entry{kind, i})
		}
		switch {
		case p.narrow != "" && len(p.lines) == head+1:
			p.lines = p.lines[:head]
		case kind == k && at < 0:
			at = head
		}
	}
	if first := slices.IndexFunc(p.lines, func(e entry) bool { return e.kind == tools && e.item >= 0 }); first >= 0 && !p.moved {
		at = first
	}
	p.list.At = max(0, at)
}

// hasSection reports whether a section is shown: where something was listed, and
// where the server declared it, or has declared nothing yet.
func (p *Pane) hasSection(k kind) bool {
	s := &p.got.sections[k]
	yes, known := offers(p.got.shake, k)
	switch k {
	case capabilities, subscriptions:
		return s.listed
	case tasks:
		return len(s.items) > 0 || s.listed || s.failed > 0 || yes
	}
	return s.listed || s.failed > 0 || yes || !known
}

// show has the JSON of the selected item's tab indexed, where it is not shown
// already.
func (p *Pane) show() tea.Cmd {
	k, _, it := p.selected()
	want := shown{kind: k}
	if it != nil {
		t := it.tabs[p.tabOf(it)]
		want.key, want.tab, want.raw = it.key, t.name, string(t.raw)
	}
	if want == p.shown {
		return nil
	}
	p.shown = want
	p.gen++
	if want.raw == "" {
		p.json.Show(nil)
		return nil
	}
	gen := p.gen
	return pane.Work(p, func() pane.Then {
		doc, err := jsonview.Index(context.Background(), []byte(want.raw), jsonview.Options{})
		if err != nil { // 4 GiB are more than is ever read.
			return nil
		}
		return func(*pane.Context) tea.Cmd {
			if gen == p.gen {
				p.json.Show(doc)
			}
			return nil
		}
	})
}
