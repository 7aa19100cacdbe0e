package detail

import (
	"context"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/content"
	"wiretea/ui/highlight"
	"wiretea/ui/jsonview"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A reading is an exchange, or a notification, laid out as people read it.
type reading struct {
	of     readingOf
	busy   bool
	doc    *content.Document
	log    []uint32       // log are the rows of the document's log messages.
	lines  []content.Line // lines are the layout of doc for w and colour.
	w      int
	colour bool
	steps  int // steps is how many notifications of progress are laid out.
	err    error
}

// readingOf is what a reading depends on. Rows that grow are read again.
type readingOf struct {
	req, resp uint32
	reqLen    uint32
	respLen   uint32
}

// contentRows are the rows that the tab content shows: the request as the response's sender
// got it, or the notification, and the response. NoRow stands for none.
func (s *subject) contentRows() (first, response uint32) {
	if s.req == session.NoRow && s.resp == session.NoRow {
		return s.row, session.NoRow
	}
	if s.went != session.NoRow {
		return s.went, s.resp
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

// ensureContent has the messages read and laid out, one after the other: rows that were passed
// meanwhile are not.
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
		p.reading = reading{of: readingOf{req: of.req, resp: of.resp}, busy: true}
		if p.giveUp != nil {
			p.giveUp()
		}
	}
	if p.giveUp != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.giveUp = cancel
	p.reading.of, p.reading.busy, p.reading.err = of, true, nil
	w, _ := p.bodySize()
	next := reading{of: of, w: w - margin, colour: !c.Theme.NoColour}
	snap, log := c.Snap, c.Log
	return pane.Work(p, func() pane.Then {
		defer cancel()
		if next.doc, next.log, next.err = readContent(snap, log, of); next.err == nil && ctx.Err() == nil {
			next.doc.Wanted = ctx
			next.lines = next.doc.Layout(next.w, next.colour)
			next.doc.Wanted = nil
		}
		return func(c *pane.Context) tea.Cmd {
			p.giveUp = nil
			if p.reading.of != of {
				return p.ensure(c)
			}
			p.reading = next
			if slices.ContainsFunc(next.lines, func(l content.Line) bool { return l.Picture != nil }) {
				return tea.Batch(pane.Tell(pane.PictureMsg{}), p.ensure(c))
			}
			return p.ensure(c)
		}
	})
}

// readContent reads the messages; around are the rows of the log around a log message.
func readContent(snap *session.Snapshot, log recorder.Log, of readingOf) (doc *content.Document, around []uint32, err error) {
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
			return nil, nil, err
		}
		bodies[i] = body
	}
	m := content.Message{Method: method, Request: bodies[0], Response: bodies[1]}
	if content.Structured(m.Response) {
		m.Schema = outputSchema(snap, log, of)
	}
	if method == mcp.LogNotification {
		m.Log, around = logAround(snap, log, of.req)
	}
	return content.Read(m), around, nil
}

// backRows is how many rows before a result the list with its tool is looked for.
const backRows = 1 << 16

// outputSchema is the output schema of the tool of a call, by the latest list before its
// result; nil where none is known.
func outputSchema(snap *session.Snapshot, log recorder.Log, of readingOf) []byte {
	if of.req == session.NoRow || of.resp == session.NoRow {
		return nil
	}
	call := snap.Row(of.req)
	name := snap.Name(call.Target)
	for row, n := of.resp, 0; row > 0 && n < backRows; n++ {
		row--
		r := snap.Row(row)
		if r.Kind != session.RowResult || r.Conn != call.Conn || snap.Name(r.Method) != mcp.ToolsList || r.Len > content.MaxMessage {
			continue
		}
		body, err := recorder.ReadValue(log, snap, row, content.MaxMessage)
		if err != nil {
			return nil
		}
		for _, tool := range lex.Items(lex.Get(lex.Get(body, "result"), "tools")) {
			if got := lex.Get(tool, "name"); len(got) > 0 && got[0] == '"' && lex.Unquote(got) == name {
				return lex.Get(tool, "outputSchema")
			}
		}
	}
	return nil
}

// content draws the tab content.
func (p *Pane) content(c *pane.Context, w, h int, focus bool) []string {
	r := &p.reading
	if colour := !c.Theme.NoColour; r.doc != nil && (r.w != w-margin || r.colour != colour || r.doc.Source != p.source || r.steps != len(p.around.notes)) {
		r.w, r.colour, r.doc.Source, r.steps = w-margin, colour, p.source, len(p.around.notes)
		r.doc.Progress = p.progressSteps(c)
		r.layout()
	}
	switch {
	case r.err != nil:
		return note(c.Theme.Error, " ✖ "+text.Line(r.err.Error()), w, h)
	case r.busy && r.lines == nil:
		return note(c.Theme.Dim, "", w, h)
	case len(r.lines) == 0 && p.sub.resp == session.NoRow && p.sub.req != session.NoRow:
		style, words := p.waiting(c)
		return note(style, " "+words, w, h)
	case len(r.lines) == 0:
		return note(c.Theme.Dim, " nothing to lay out; the tabs beside this one show the messages", w, h)
	}
	from, to := p.lists[contentTab].Fit(len(r.lines), h)
	shown := func(i int) bool { // whether the terminal draws the picture of line i
		l := &r.lines[i]
		return c.Graphics && l.Picture != nil && i-l.Row >= from && i-l.Row+l.Picture.Rows <= to
	}
	for i := from; i < to; i++ {
		if l := &r.lines[i]; l.Row == 0 && shown(i) {
			at := image.Pt(margin+l.Picture.Indent, p.top()+i-from)
			p.pictures = append(p.pictures, pane.Picture{Image: l.Picture.Image, Area: image.Rectangle{Min: at, Max: at.Add(image.Pt(l.Picture.Cols, l.Picture.Rows))}})
		}
	}
	return p.drawn(len(r.lines), w, h, c.Theme, focus, func(i int, line *style.Line) {
		if shown(i) { // Its cells stay as they are, so that nothing is drawn over it.
			line.Reset(w, "")
			line.Put(c.Theme.Over(i == p.lists[contentTab].At, focus), " ")
			return
		}
		for _, part := range r.lines[i].Parts {
			look := inkStyle(c.Theme, part.Ink)
			if part.SGR != "" {
				look = style.Style(part.SGR)
			}
			line.Put(look, part.Text)
		}
	})
}

// block is the block of the content under the cursor, nil for none.
func (p *Pane) block() *content.Block {
	at := p.lists[contentTab].At
	if p.tab() != contentTab || at < 0 || at >= len(p.reading.lines) || p.reading.lines[at].Block < 0 {
		return nil
	}
	return &p.reading.doc.Blocks[p.reading.lines[at].Block]
}

// Saved is the data of the block under the cursor; nil = there is none.
func (p *Pane) Saved() []byte {
	if b := p.block(); b != nil {
		return b.Data
	}
	return nil
}

// Pictures implements pane.Pictured.
func (p *Pane) Pictures() []pane.Picture { return p.pictures }

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

// openLine folds or unfolds what the line under the cursor begins, goes to the log message
// that it shows, or asks for the resource that it links to.
func (p *Pane) openLine() tea.Cmd {
	at, r := p.lists[contentTab].At, &p.reading
	if at < 0 || at >= len(r.lines) {
		return nil
	}
	switch l := r.lines[at]; {
	case l.Fold != "":
		r.doc.Toggle(l)
		r.layout()
	case l.Log >= 0 && l.Log < len(r.log):
		return pane.Tell(pane.GotoMsg{Row: r.log[l.Log]})
	case l.URI != "":
		return pane.Tell(pane.ComposeMsg{Method: mcp.ResourcesRead, Name: l.URI})
	}
	return nil
}

// layout lays the document out again.
func (r *reading) layout() { r.lines = r.doc.Layout(r.w, r.colour) }

// foldContent carries out an action that folds in the tab content. It reports false for any
// other action.
func (p *Pane) foldContent(a keys.Action) bool {
	l, r := &p.lists[contentTab], &p.reading
	if r.doc == nil || l.At < 0 || l.At >= len(r.lines) {
		return false
	}
	if depth, ok := jsonview.Depth(a); ok {
		r.doc.Unfold(depth)
		r.layout()
		return true
	}
	line := r.lines[l.At]
	switch {
	case a == keys.Fold && line.Fold != "" && line.Open, a == keys.Unfold && line.Fold != "" && !line.Open:
		r.doc.Toggle(line)
		r.layout()
	case a == keys.Fold: // To what the line is in.
		for i := l.At - 1; i >= 0 && line.Depth > 0; i-- {
			if above := r.lines[i]; above.Fold != "" && above.Depth < line.Depth {
				l.At = i
				break
			}
		}
	case a == keys.Unfold:
		if line.Fold != "" {
			l.At = min(l.At+1, len(r.lines)-1)
		}
	default:
		return false
	}
	return true
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

const (
	logBefore = 20      // log messages that are shown before one,
	logAfter  = 200     // and after it.
	logRows   = 1 << 16 // rows that are looked at on either side.
	logBytes  = 4 << 10 // bytes of a log message that are read.
)

// logAround reads the log messages of the connection around one of them, with their rows.
func logAround(snap *session.Snapshot, log recorder.Log, row uint32) (entries []content.LogEntry, rows []uint32) {
	if row == session.NoRow {
		return nil, nil
	}
	conn, end := snap.Row(row).Conn, uint32(snap.Len())
	is := func(i uint32) bool {
		r := snap.Row(i)
		return r.Kind == session.RowNotification && r.Conn == conn && snap.Name(r.Method) == mcp.LogNotification
	}
	for i, n := row, 0; i > 0 && n < logRows && len(rows) < logBefore; n++ {
		if i--; is(i) {
			rows = append(rows, i)
		}
	}
	slices.Reverse(rows)
	rows = append(rows, row)
	for i, n, most := row+1, 0, len(rows)+logAfter; i < end && n < logRows && len(rows) < most; i, n = i+1, n+1 {
		if is(i) {
			rows = append(rows, i)
		}
	}
	bodies := rows[:0]
	for _, i := range rows {
		r := snap.Row(i)
		body, err := recorder.ReadFrame(log, r, 0, logBytes)
		if err != nil {
			continue
		}
		bodies = append(bodies, i)
		entries = append(entries, content.LogEntry{At: r.T, Body: body, Here: i == row})
	}
	return entries, bodies
}

// progressBar says how far the request has come, and what the server says of it.
func (p *Pane) progressBar(c *pane.Context, s *sheet) {
	if p.sub.req == session.NoRow || p.sub.row != p.sub.req || !c.Live {
		return
	}
	x := c.Snap.Waiting(p.sub.req)
	if x == nil || x.Progress == 0 {
		return
	}
	says := ""
	for _, n := range p.around.notes {
		if n.says != "" {
			says = "  " + n.says
		}
	}
	s.fact(c.Theme, "progress", part{c.Theme.Accent, " " + text.Progress(x.Done, x.Total, 40)}, part{c.Theme.Text, says}).row = x.LastNote
}

// progressSteps are the notifications of progress of the request, for the tab content.
func (p *Pane) progressSteps(c *pane.Context) []content.Step {
	if p.around.req != p.sub.req || p.sub.req == session.NoRow {
		return nil
	}
	var steps []content.Step
	for _, n := range p.around.notes {
		if c.Snap.Name(c.Snap.Row(n.row).Method) == mcp.ProgressNotification {
			steps = append(steps, content.Step{After: c.Snap.Row(n.row).T - c.Snap.Row(p.sub.req).T, Done: n.done, Total: n.total, Says: n.says})
		}
	}
	return steps
}

// people says whom the request waits for besides the server: while the server asks
// people, nothing is late; empty = nothing else. since is when they had last answered;
// its time starts again then.
func (p *Pane) people(c *pane.Context) (who string, since int64) {
	r := p.sub.r
	conn := c.Snap.Conn(int(r.Conn))
	if conn == nil || r.Kind != session.RowRequest {
		return "", 0
	}
	_, asks := conn.HumanWait()
	if asks == 0 || r.Stream == session.S2C && !conn.ForHuman(&session.Exchange{Sender: session.S2C, Method: c.Snap.Name(r.Method)}) {
		return "", conn.People
	}
	if conn.Ours {
		return "you", conn.People
	}
	return "its user", conn.People
}
