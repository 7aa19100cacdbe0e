package held

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/jsonview"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/pane"
)

// An Edit is what goes on in the place of a held message once it is released.
type Edit struct {
	Text   []byte // Text is its text; nil = as it came.
	Status int    // Status and Header are those of its HTTP response; 0 and nil = as they came.
	Header []session.HTTPField
}

// A Pane shows the messages that are held.
type Pane struct {
	// Read returns the command that reads the text of a held message and shows it with
	// ShowText. Nil = texts are not shown.
	Read func(id uint64) tea.Cmd

	state *session.InterceptState // state is never nil.
	edits map[uint64]Edit

	list    list.List
	view    *jsonview.View
	shown   uint64 // shown is the message whose text is in view; 0 = none.
	reading uint64 // reading is the one whose text is being read; 0 = none.
	wrong   string // wrong says why the text cannot be shown, empty = it can.

	factsSeen bool // factsSeen: the lines of the messages have the id and the size.

	atText int // atText is the row at which the text was drawn, where it is below the list,
	left   int // and left the column, where it is beside it; 0 = it is below.
}

var _ pane.Pane = (*Pane)(nil)

// New returns a Pane of a session of which nothing is held.
func New() *Pane {
	v := jsonview.New()
	v.SetWrap(true)
	return &Pane{state: &session.InterceptState{}, edits: map[uint64]Edit{}, view: v}
}

// State is what was shown last; never nil. It must not be changed.
func (p *Pane) State() *session.InterceptState { return p.state }

// Show shows a state; nil = nothing is held. The cursor stays on its message, or comes to
// the one that took its place.
func (p *Pane) Show(s *session.InterceptState) tea.Cmd {
	if s == nil {
		s = &session.InterceptState{}
	}
	if now, ok := p.Selected(); ok {
		if at := slices.IndexFunc(s.Held, func(h session.Held) bool { return h.ID == now.ID }); at >= 0 {
			p.list.At = at
		}
	}
	p.state = s
	p.list.At = max(0, min(p.list.At, len(s.Held)-1))
	for id := range p.edits {
		if !slices.ContainsFunc(s.Held, func(h session.Held) bool { return h.ID == id }) {
			delete(p.edits, id)
		}
	}
	return p.load()
}

// Selected is the message under the cursor; false where none is held.
func (p *Pane) Selected() (session.Held, bool) {
	if p.list.At < 0 || p.list.At >= len(p.state.Held) {
		return session.Held{}, false
	}
	return p.state.Held[p.list.At], true
}

// Select puts the cursor on a message, by its index.
func (p *Pane) Select(at int) tea.Cmd {
	if at == p.list.At || at < 0 || at >= len(p.state.Held) {
		return nil
	}
	p.list.At = at
	return p.load()
}

// Edited is what was made of a held message; the zero Edit = nothing.
func (p *Pane) Edited(id uint64) Edit { return p.edits[id] }

// SetEdit sets what goes on in the place of a message; the zero Edit = what came.
func (p *Pane) SetEdit(id uint64, e Edit) tea.Cmd {
	if e.Text == nil && e.Status == 0 && e.Header == nil {
		delete(p.edits, id)
	} else {
		p.edits[id] = e
	}
	if p.shown == id {
		p.shown = 0
	}
	return p.load()
}

// load has the text of the selected message read, where it is not shown.
func (p *Pane) load() tea.Cmd {
	h, ok := p.Selected()
	if !ok {
		p.shown, p.wrong = 0, ""
		p.view.Show(nil)
		return nil
	}
	if p.Read == nil || p.shown == h.ID || p.reading == h.ID {
		return nil
	}
	p.reading = h.ID
	return p.Read(h.ID)
}

// ShowText shows the text of a message, if it is still the selected one; wrong says why there
// is none.
func (p *Pane) ShowText(id uint64, doc *jsonview.Document, wrong string) tea.Cmd {
	p.reading = 0
	if h, ok := p.Selected(); !ok || h.ID != id {
		return p.load()
	}
	p.shown, p.wrong = id, wrong
	p.view.Show(doc)
	return nil
}

// Do implements pane.Pane.
func (p *Pane) Do(_ *pane.Context, a keys.Action) (tea.Cmd, bool) {
	switch a {
	case keys.HalfDown, keys.PageDown, keys.HalfUp, keys.PageUp:
		step := 3
		if a == keys.HalfUp || a == keys.PageUp {
			step = -3
		}
		p.view.Scroll(step)
		return nil, true
	}
	if p.list.Do(a, len(p.state.Held)) {
		return p.load(), true
	}
	return nil, false
}

// Disabled implements pane.Pane.
func (p *Pane) Disabled(*pane.Context, keys.Action) string { return "" }

// Update implements pane.Pane.
func (p *Pane) Update(_ *pane.Context, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pane.ClickMsg:
		if i, ok := p.list.Line(msg.Y); ok && (p.left == 0 && msg.Y < p.atText || p.left > 0 && msg.X < p.left) {
			p.list.At = i
			return p.load()
		}
	case pane.WheelMsg:
		p.view.Scroll(msg.Lines)
	}
	return nil
}
