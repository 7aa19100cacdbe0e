package detail

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/content"
	"wiretea/ui/highlight"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A reading is an exchange, or a notification, laid out as people read it.
type reading struct {
	of     readingOf
	busy   bool
	doc    *content.Document
	lines  []content.Line // lines are the layout of doc for w and colour.
	w      int
	colour bool
	err    error
}

// readingOf is what a reading depends on. Rows that grow are read again.
type readingOf struct {
	req, resp uint32
	reqLen    uint32
	respLen   uint32
}

// contentRows are the rows that the tab content shows: the request, or the notification,
// and the response. NoRow stands for none.
func (s *subject) contentRows() (first, response uint32) {
	if s.req == session.NoRow && s.resp == session.NoRow {
		return s.row, session.NoRow
	}
	return s.req, s.resp
}

// showsContent reports whether a row is about something that content lays out.
func (s *subject) showsContent(snap *session.Snapshot) bool {
	switch s.r.Kind {
	case session.RowRequest, session.RowResult, session.RowError, session.RowNotification:
	default:
		return false
	}
	first, resp := s.contentRows()
	method := ""
	if first != session.NoRow {
		method = snap.Name(snap.Row(first).Method)
	}
	return content.Has(method, resp != session.NoRow && snap.Row(resp).Kind == session.RowError)
}

// ensureContent has the messages read and laid out.
func (p *Pane) ensureContent(c *pane.Context) tea.Cmd {
	if p.tab() != contentTab {
		return nil
	}
	var of readingOf
	of.req, of.resp = p.sub.contentRows()
	if of.req != session.NoRow {
		of.reqLen = c.Snap.Row(of.req).Len
	}
	if of.resp != session.NoRow {
		of.respLen = c.Snap.Row(of.resp).Len
	}
	if p.reading.of == of {
		return nil
	}
	if p.reading.of.req != of.req || p.reading.of.resp != of.resp {
		p.reading = reading{}
	}
	p.reading.of, p.reading.busy, p.reading.err = of, true, nil
	w, _ := p.bodySize()
	next := reading{of: of, w: w - margin, colour: !c.Theme.NoColour}
	snap, log := c.Snap, c.Log
	return pane.Work(p, func() pane.Then {
		if next.doc, next.err = readContent(snap, log, of); next.err == nil {
			next.lines = next.doc.Layout(next.w, next.colour)
		}
		return func(*pane.Context) tea.Cmd {
			if p.reading.of == of {
				p.reading = next
			}
			return nil
		}
	})
}

// readContent reads the messages.
func readContent(snap *session.Snapshot, log recorder.Log, of readingOf) (*content.Document, error) {
	var bodies [2][]byte
	method := ""
	for i, row := range []uint32{of.req, of.resp} {
		if row == session.NoRow {
			continue
		}
		r := snap.Row(row)
		if i == 0 || method == "" {
			method = snap.Name(r.Method)
		}
		if r.Len > content.MaxMessage {
			continue
		}
		body, err := recorder.ReadValue(log, snap, row, content.MaxMessage)
		if err != nil {
			return nil, err
		}
		bodies[i] = body
	}
	return content.Read(bodies[0], bodies[1], method), nil
}

// content draws the tab content.
func (p *Pane) content(c *pane.Context, w, h int, focus bool) []string {
	r := &p.reading
	if colour := !c.Theme.NoColour; r.doc != nil && (r.w != w-margin || r.colour != colour) {
		r.w, r.colour = w-margin, colour
		r.lines = r.doc.Layout(r.w, colour)
	}
	switch {
	case r.err != nil:
		return note(c.Theme.Error, " ✖ "+visible(r.err.Error()), w, h)
	case r.busy && r.lines == nil:
		return note(c.Theme.Dim, "", w, h)
	case len(r.lines) == 0 && p.sub.resp == session.NoRow && p.sub.req != session.NoRow:
		style, words := p.waiting(c)
		return note(style, " "+words, w, h)
	case len(r.lines) == 0:
		return note(c.Theme.Dim, " nothing to lay out; the tabs beside this one show the messages", w, h)
	}
	return p.drawn(len(r.lines), w, h, c.Theme, focus, func(i int, line *style.Line) {
		for _, part := range r.lines[i].Parts {
			look := inkStyle(c.Theme, part.Ink)
			if part.SGR != "" {
				look = style.Style(part.SGR)
			}
			line.Put(look, part.Text)
		}
	})
}

// inkStyle is how a theme draws an ink.
func inkStyle(th *style.Theme, k content.Ink) style.Style {
	if kind, ok := k.Code(); ok {
		return [highlight.NumKinds]style.Style{
			highlight.Plain: th.Text, highlight.Name: th.Key, highlight.Keyword: th.Literal, highlight.String: th.String, highlight.Number: th.Number,
			highlight.Punct: th.Punct, highlight.Comment: th.Dim, highlight.Strong: th.Strong, highlight.Inserted: th.OK, highlight.Deleted: th.Error,
		}[kind]
	}
	return map[content.Ink]style.Style{
		content.Dim: th.Dim, content.Strong: th.Strong, content.Heading: th.Accent, content.Link: th.Info,
		content.Good: th.OK, content.Warn: th.Warning, content.Bad: th.Error,
	}[k]
}

// openLink asks for the resource that the line under the cursor links to.
func (p *Pane) openLink() tea.Cmd {
	at := p.lists[contentTab].At
	if at < 0 || at >= len(p.reading.lines) || p.reading.lines[at].URI == "" {
		return nil
	}
	return pane.Tell(pane.ComposeMsg{Method: "resources/read", Name: p.reading.lines[at].URI})
}

// copyLine copies what the line under the cursor says.
func (p *Pane) copyLine() tea.Cmd {
	at := p.lists[contentTab].At
	if at < 0 || at >= len(p.reading.lines) {
		return nil
	}
	var b strings.Builder
	for _, part := range p.reading.lines[at].Parts {
		b.WriteString(part.Text)
	}
	return pane.Tell(pane.CopyMsg{What: "the line", Text: strings.TrimSpace(b.String())})
}
