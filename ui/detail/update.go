package detail

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/jsonview"
	"wiretea/ui/pane"
)

// Update implements pane.Pane.
func (p *Pane) Update(c *pane.Context, msg tea.Msg) tea.Cmd {
	if text := c.Search.Text; text != p.sought {
		if p.sought = text; text != "" && p.want != rawTab && p.want != messageTab {
			p.want = noTab // The hits are in the bytes of the row itself.
		}
	}
	switch msg := msg.(type) {
	case pane.CursorMovedMsg, pane.MovedMsg:
		return p.follow(c)
	case pane.SentMsg:
		if p.sub.frame(p.want) == session.NoRow { // It is the answer that is awaited.
			return p.choose(c, noTab)
		}
	case pane.RestyledMsg:
		p.sheet.dirty = true
		return tea.Batch(p.newSearch(c), p.ensure(c)) // A search that begins or ends changes the tab.
	case pane.ClickMsg:
		return p.click(c, msg)
	case pane.WheelMsg:
		if v := p.view(); v != nil {
			v.Scroll(msg.Lines)
		} else {
			p.lists[p.tab()].Wheel(msg.Lines)
		}
	case pane.Answer:
		return msg.For(p, c)
	}
	return nil
}

// follow looks at the row under the cursor, which may be another one or have
// changed.
func (p *Pane) follow(c *pane.Context) tea.Cmd {
	old := p.sub
	if n := c.Snap.Len(); n < p.rows { // An earlier moment is shown: what came later has not happened.
		p.around.forget()
	}
	p.rows = c.Snap.Len()
	p.sub = newSubject(c.Snap, c.Cursor)
	p.sheet.dirty = true
	if p.sub.row != old.row {
		p.event, p.lastWords, p.text = nil, nil, decoded{}
		p.around.reset(p.sub.req, p.sub.resp)
		for i := range p.lists {
			p.lists[i].At, p.lists[i].Top = 0, 0
		}
	}
	p.marks.look(c.Snap, &p.sub)
	p.sub.tellsClients(p.regard.of == p.sub.row && p.regard.faults != 0)
	return p.ensure(c)
}

// ensure asks for what the tab and the title need and is not there. It does nothing while
// the pane is not in sight.
func (p *Pane) ensure(c *pane.Context) tea.Cmd {
	if c.Unseen {
		p.stop()
		return nil
	}
	return tea.Batch(p.ensureFrame(c), p.ensureContent(c), p.ensureAnswer(c), p.ensureAround(c), p.ensureEvent(c), p.ensureTrip(c), p.ensureClients(c))
}

// ensureFrame has the bytes read that the tab shows. What is being read for
// another tab or row is given up.
func (p *Pane) ensureFrame(c *pane.Context) tea.Cmd {
	row := p.sub.frame(p.tab())
	if row == session.NoRow {
		p.stop()
		return nil
	}
	as := formOf(p.tab())
	if f := p.cache.get(row); f != nil && !f.stale(c.Snap.Row(row)) && (f.err != nil || f.whole && f.views[as] != nil) {
		p.stop()
		return nil
	}
	if p.load != nil && p.load.row == row && p.load.form == as {
		return nil
	}
	p.stop()
	ctx, cancel := context.WithCancel(context.Background())
	p.load = &load{row: row, r: c.Snap.Row(row), form: as, ctx: ctx, cancel: cancel, log: c.Log, snap: c.Snap}
	if have := p.cache.get(row); have != nil && have.whole && !have.stale(p.load.r) && have.err == nil {
		p.load.buf, p.load.n, p.load.whole = have.buf, have.n, true
	}
	return p.step(p.load)
}

// ensureEvent has the record of an event read, or of a frame that was decided on.
func (p *Pane) ensureEvent(c *pane.Context) tea.Cmd {
	if !p.sub.has(eventTab) && p.sub.r.Flags&session.FlagDecided == 0 || p.event != nil {
		return nil
	}
	log, snap, row, off := c.Log, c.Snap, p.sub.row, p.sub.r.Off
	return pane.Work(p, func() pane.Then {
		rec := new(session.Record)
		if err := recorder.NewReader(log, off).Next(rec); err != nil || rec.Off != off {
			*rec = session.Record{}
		}
		rec.Body, rec.Term = nil, nil
		var words []string
		if rec.Kind == session.RecProc && rec.Proc.Event == "exit" {
			words = lastWords(log, snap, row)
		}
		return func(*pane.Context) tea.Cmd {
			if row == p.sub.row {
				p.event, p.lastWords, p.sheet.dirty = rec, words, true
			}
			return nil
		}
	})
}

// lastWords reads the last lines that a connection wrote to stderr before a row.
func lastWords(log recorder.Log, snap *session.Snapshot, row uint32) []string {
	const most = 12
	var words []string
	conn := snap.Row(row).Conn
	for i, looked := row, 0; i > 0 && looked < lookRows && len(words) < most; looked++ {
		i--
		r := snap.Row(i)
		if r.Conn != conn || r.Kind == session.RowProc {
			break
		}
		if r.Kind != session.RowStderr || r.Len == 0 {
			continue
		}
		if line, err := recorder.ReadFrame(log, r, 0, noteBytes); err == nil {
			words = append(words, text.Visible(line, excerpt))
		}
	}
	slices.Reverse(words)
	return words
}

// click chooses a tab, or a line.
func (p *Pane) click(c *pane.Context, at pane.ClickMsg) tea.Cmd {
	if at.Y == 0 && p.h > 1 {
		for _, s := range p.spots {
			if at.X >= s.from && at.X < s.to {
				return p.choose(c, s.tab)
			}
		}
		return nil
	}
	y := at.Y - p.top()
	if v := p.view(); v != nil {
		v.Click(at.X, y)
		if at.Double {
			v.Toggle()
		}
		return nil
	}
	l := &p.lists[p.tab()]
	if i, ok := l.Line(y); ok {
		l.At = i
		if at.Double {
			return p.enter()
		}
	}
	return nil
}

// search looks for the next hit in what is shown. It is not the pane's where
// nothing is searched for, or no bytes are shown.
func (p *Pane) search(c *pane.Context, back bool) (tea.Cmd, bool) {
	v := p.view()
	if v == nil || v.Document() == nil || c.Search.Text == "" {
		return nil, false
	}
	return p.find(c, v, v.Place(), back, true), true
}

// firstHit goes to the first hit in a frame that is shown for the first time.
func (p *Pane) firstHit(c *pane.Context, f *frame, as form) tea.Cmd {
	v := f.views[as]
	if c.Search.Text == "" || v == nil || v != p.view() || f.searched[as] == c.Search.Text {
		return nil
	}
	f.searched[as] = c.Search.Text
	return p.find(c, v, -1, false, false)
}

// find goes to the next hit behind a place. asked: where there is none, that is said.
func (p *Pane) find(c *pane.Context, v *jsonview.View, from int, back, asked bool) tea.Cmd {
	doc, text, row := v.Document(), c.Search.Text, p.sub.row
	if p.searching != nil {
		p.searching()
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.searching = cancel
	return pane.Work(p, func() pane.Then {
		defer cancel()
		at := jsonview.Find(ctx, doc.Body(), text, from, back)
		return func(*pane.Context) tea.Cmd {
			v := p.view()
			switch {
			case row != p.sub.row || v == nil || v.Document() != doc:
			case at >= 0:
				v.Reveal(at)
			case asked:
				return pane.Notify("nothing found in this " + tabNames[p.tab()])
			}
			return nil
		}
	})
}

// newSearch marks what is searched for now.
func (p *Pane) newSearch(c *pane.Context) tea.Cmd {
	if p.text.view != nil {
		p.text.view.SetSearch(c.Search.Text)
	}
	for _, f := range p.cache.frames {
		for as, v := range f.views {
			if v != nil && f.searched[as] != c.Search.Text {
				v.SetSearch(c.Search.Text)
			}
		}
	}
	if f := p.shownFrame(); f != nil && f.whole && f.err == nil {
		return p.firstHit(c, f, formOf(p.tab()))
	}
	return nil
}
