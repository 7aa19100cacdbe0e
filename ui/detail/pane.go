package detail

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/content"
	"wiretea/ui/jsonview"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// A Pane is the detail pane of one session.
type Pane struct {
	sub  subject
	want tabKind // want is the tab that was chosen; noTab = the row's own.
	wrap bool

	sought string // sought is the text that is searched for, which is in the bytes; empty = none.

	cache cache
	text  decoded // text is the string that is shown in place of its frame.
	load  *load   // load is what is being read, nil for nothing.

	searching context.CancelFunc // searching ends the search under way; nil for none.

	rows      int             // rows is how many the session had when it was looked at last.
	answer    answer          // answer is what the response says, in brief.
	around    around          // around is what happened during the exchange.
	event     *session.Record // event is the record of a row that is not a frame.
	lastWords []string        // lastWords are the last lines of stderr before the exit that event records.
	trip      trip            // trip is the round trip of HTTP that the row belongs to.
	marks     marks           // marks are the findings of the row and its pair.
	regard    regard          // regard is how clients take the frame.

	reading  reading        // reading is what the tab content shows.
	giveUp   func()         // giveUp ends the one command that reads and lays it out; nil = none is under way.
	source   bool           // source: it shows texts as they are.
	pictures []pane.Picture // pictures are those of the last View.

	lists [numTabs]list.List // lists are the places in the tabs that are lists.
	sheet sheet              // sheet is the list that was made last.
	w, h  int                // w and h are the size that was drawn last.
	spots []spot             // spots are where the tabs are in the first line.
}

var _ pane.Pane = (*Pane)(nil)

// New returns the pane.
func New() *Pane {
	return &Pane{sub: subject{row: session.NoRow, req: session.NoRow, resp: session.NoRow, trip: session.NoRow}, w: 80, h: 24}
}

// tab is the tab that is shown.
func (p *Pane) tab() tabKind {
	switch {
	case p.want == noTab:
		return p.sub.own(p.sought != "")
	case p.sub.has(p.want):
		return p.want
	}
	return p.sub.own(p.sought != "")
}

// turn shows another tab.
func (p *Pane) turn(c *pane.Context, step int) tea.Cmd {
	tabs := p.sub.tabs
	for i, t := range tabs {
		if t == p.tab() {
			return p.choose(c, tabs[(i+step+len(tabs))%len(tabs)])
		}
	}
	return nil
}

func (p *Pane) choose(c *pane.Context, t tabKind) tea.Cmd {
	p.want, p.text = t, decoded{}
	p.sheet.dirty = true
	return p.ensure(c)
}

// shownFrame is the frame that the tab shows, nil where it shows none or it is
// not read yet.
func (p *Pane) shownFrame() *frame {
	row := p.sub.frame(p.tab())
	if row == session.NoRow {
		return nil
	}
	return p.cache.get(row)
}

// view is the view of bytes that is shown, nil where the tab shows none.
func (p *Pane) view() *jsonview.View {
	f := p.shownFrame()
	if f == nil || f.err != nil {
		return nil
	}
	if p.text.view != nil && p.text.row == p.sub.frame(p.tab()) {
		return p.text.view
	}
	return f.views[formOf(p.tab())]
}

// Do implements pane.Pane.
func (p *Pane) Do(c *pane.Context, a keys.Action) (tea.Cmd, bool) {
	switch a {
	case keys.NextTab:
		return p.turn(c, 1), true
	case keys.PrevTab:
		return p.turn(c, -1), true
	case keys.Wrap:
		return p.toggleWrap(), true
	case keys.Enter:
		return p.enter(), true
	case keys.Text:
		return p.toggleText(), true
	case keys.SearchNext:
		return p.search(c, false)
	case keys.SearchPrev:
		return p.search(c, true)
	case keys.Save:
		if b := p.block(); b != nil {
			return pane.Tell(pane.SaveMsg{Name: b.Name}), true
		}
		return nil, true
	case keys.Pair:
		if b := p.block(); b != nil && b.Kind != "" {
			return pane.Tell(pane.OutsideMsg{Kind: b.Kind, Ending: content.Ending(b.Kind), Data: b.Data}), true
		}
		if row := p.sub.other(); p.noPair() == "" {
			return pane.Tell(pane.GotoMsg{Row: row}), true
		}
		return nil, true
	case keys.Editor:
		return p.edit(c), true
	case keys.CopyValue:
		return p.copyValue(), true
	case keys.CopyPath:
		if v := p.view(); v != nil && v.Path() != "" {
			return pane.Tell(pane.CopyMsg{What: "the path", Text: v.Path()}), true
		}
		return nil, true
	case keys.CopyRaw:
		return p.copyRaw(c), true
	case keys.CopyCall:
		return p.copyCall(c), true
	case keys.CopyCurl:
		return p.copyCurl(c), true
	}
	if v := p.view(); v != nil {
		return nil, v.Do(a)
	}
	if p.tab() == contentTab && p.foldContent(a) {
		return nil, true
	}
	return nil, p.lists[p.tab()].Do(a, p.listLen())
}

// listLen is how many lines the tab has that is a list.
func (p *Pane) listLen() int {
	if p.tab() == contentTab {
		return len(p.reading.lines)
	}
	return len(p.sheet.items)
}

func (p *Pane) toggleWrap() tea.Cmd {
	p.wrap = !p.wrap
	if v := p.text.view; v != nil {
		v.SetWrap(!v.Wrapped())
	}
	for _, f := range p.cache.frames {
		for _, v := range f.views {
			if v != nil {
				v.SetWrap(p.wrap)
			}
		}
	}
	return nil
}

// enter folds or unfolds, or goes where the line under the cursor points.
func (p *Pane) enter() tea.Cmd {
	if v := p.view(); v != nil {
		v.Toggle()
		return nil
	}
	if p.tab() == contentTab {
		return p.openLine()
	}
	at := p.lists[p.tab()].At
	if at < 0 || at >= len(p.sheet.items) {
		return nil
	}
	switch it := p.sheet.items[at]; {
	case it.rule != "":
		return pane.Tell(pane.ExplainMsg{Rule: it.rule})
	case it.row != session.NoRow:
		return pane.Tell(pane.GotoMsg{Row: it.row})
	}
	return nil
}

// Disabled implements pane.Pane.
func (p *Pane) Disabled(c *pane.Context, a keys.Action) string {
	none := p.sub.row == session.NoRow
	switch a {
	case keys.Save:
		if b := p.block(); b == nil || b.Data == nil {
			return "only what is in the tab content is saved: move the cursor to a text, an image or other data there"
		}
	case keys.Pair:
		if b := p.block(); b != nil && b.Kind != "" {
			return ""
		}
		return p.noPair()
	case keys.Editor, keys.CopyRaw:
		switch {
		case none:
			return "no frame is selected"
		case p.sub.isEvent() && p.sub.trip != session.NoRow:
			return "the row has no frame; " + c.Keys.WordOf(keys.CopyCurl, keys.Detail) + " copies the HTTP request"
		case p.sub.isEvent():
			return "an event has no bytes"
		}
	case keys.CopyCall:
		return p.noCall(c)
	case keys.CopyCurl:
		return p.noCurl()
	case keys.Text:
		return p.noText()
	case keys.CopyPath:
		if v := p.view(); v == nil || v.Path() == "" {
			return "no JSON here"
		}
	}
	return ""
}

// noPair says why there is nothing to jump to.
func (p *Pane) noPair() string {
	if p.sub.row != session.NoRow && p.sub.r.Kind == session.RowTrip {
		return "the response is below the request, on the tab http"
	}
	return pane.NoPair(p.sub.row, p.sub.r, p.sub.other())
}
