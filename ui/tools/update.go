package tools

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/jsonview"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// indexed is the JSON of a tab, ready to be shown.
type indexed struct {
	owner *Pane
	gen   int
	doc   *jsonview.Document
}

// Update implements pane.Pane.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.Moved:
		return tea.Batch(p.rows.Next(c.Snap), p.collect(c))
	case collected:
		if msg.owner != p {
			return nil
		}
		p.busy, p.got = false, msg.got
		p.arrange()
		return tea.Batch(p.collect(c), p.show())
	case indexed:
		if msg.owner == p && msg.gen == p.gen {
			p.json.Show(msg.doc)
		}
		return nil
	case pane.Wheel:
		p.list.Wheel(msg.Lines)
		return p.show()
	case pane.Click:
		return p.click(c, msg)
	}
	if p.rows.Take(msg) {
		return tea.Batch(p.rows.Next(c.Snap), p.collect(c))
	}
	return nil
}

// click chooses a line of the list, or a row of the JSON.
func (p *Pane) click(c *pane.Context, msg pane.Click) tea.Cmd {
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
	p.list.At, p.about.Top = line, 0
	cmd := p.show()
	if msg.Double {
		enter, _ := p.Do(c, keys.Enter)
		cmd = tea.Batch(cmd, enter)
	}
	return cmd
}

// arrange makes the lines of the list, and keeps the cursor with its item.
func (p *Pane) arrange() {
	k, name := capabilities, ""
	if p.list.At < len(p.lines) {
		k, name = p.shown.kind, p.shown.name
	}
	p.lines = p.lines[:0]
	at := -1
	for kind := range numKinds {
		s := &p.got.sections[kind]
		if !p.hasSection(kind) {
			continue
		}
		if kind == k && at < 0 {
			at = len(p.lines)
		}
		p.lines = append(p.lines, entry{kind, -1})
		for i := range s.items {
			if kind == k && s.items[i].name == name && name != "" && p.lines[at].item < 0 {
				at = len(p.lines)
			}
			p.lines = append(p.lines, entry{kind, i})
		}
	}
	p.list.At = max(0, at)
}

// hasSection reports whether a section is shown: where something was listed, and
// where the server declared it, or has declared nothing yet.
func (p *Pane) hasSection(k kind) bool {
	s := &p.got.sections[k]
	if k == capabilities {
		return s.listed
	}
	yes, known := offers(p.got.shake, k)
	return s.listed || s.failed > 0 || yes || !known
}

// show has the JSON of the selected item's tab indexed, where it is not shown
// already.
func (p *Pane) show() tea.Cmd {
	k, _, it := p.selected()
	want := shown{kind: k}
	if it != nil {
		t := it.tabs[p.tabOf(it)]
		want.name, want.tab, want.raw = it.name, t.name, string(t.raw)
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
	return func() tea.Msg {
		doc, err := jsonview.Index(context.Background(), []byte(want.raw), jsonview.Options{})
		if err != nil { // 4 GiB are more than is ever read.
			return nil
		}
		return indexed{p, gen, doc}
	}
}
