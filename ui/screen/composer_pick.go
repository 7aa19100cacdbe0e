package screen

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/format"
)

// An offerBox asks what to compose: what the server offers, and every method.
type offerBox struct {
	chooser
	gen    int
	cancel context.CancelFunc
	draft  *composer // draft is what was filled in and not sent, nil = nothing.
	offers []offer
	here   bool // here: the offers are all there.
	lines  []offerLine
}

// An offerLine is a line of the box.
type offerLine struct {
	kind, name, brief string
	recipe            recipe
	draft             bool
}

// offered are the offers of a server.
type offered struct {
	gen    int
	offers []offer
}

// offerWords are what an offer is, by the method that uses it.
var offerWords = map[string]string{"tools/call": "tool", "prompts/get": "prompt", "resources/read": "resource"}

// choose makes the lines: what was left, what is offered, the methods.
func (b *offerBox) choose() {
	b.lines = b.lines[:0]
	if b.draft != nil {
		b.lines = append(b.lines, offerLine{kind: "not sent", name: b.draft.recipe.title(), brief: "go on where you left", draft: true})
	}
	for _, o := range b.offers {
		kind := offerWords[o.recipe.method]
		if o.recipe.uri != "" {
			kind = "template"
		}
		b.lines = append(b.lines, offerLine{kind: kind, name: o.recipe.name, brief: o.brief, recipe: o.recipe})
	}
	for _, m := range clientMethods() {
		kind := "method"
		if m.Notification {
			kind = "notification"
		}
		b.lines = append(b.lines, offerLine{kind: kind, name: m.Name, recipe: recipe{method: m.Name}})
	}
	b.find()
}

func (b *offerBox) find() {
	b.Look(len(b.lines), func(i int) string { return b.lines[i].kind + " " + b.lines[i].name + " " + b.lines[i].brief })
}

func (b *offerBox) typed(text string) { b.Write(text); b.find() }

// escape ends the looking.
func (b *offerBox) escape() bool { b.cancel(); return false }

func (b *offerBox) title() string { return "compose" }

func (b *offerBox) size(_ *Screen, w, h int) (int, int) { return min(w, 110), h }

func (b *offerBox) key(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	switch name := msg.String(); {
	case name == "enter":
		return b.open(s)
	case name == "ctrl+r":
		return s.recall()
	}
	if b.Key(msg) {
		b.find()
	}
	return nil
}

// open goes on with the line that is chosen; a method that is not listed can be
// typed.
func (b *offerBox) open(s *Screen) tea.Cmd {
	at := b.Chosen()
	if at < 0 {
		s.overlay = nil
		return s.composeCommand(strings.TrimSpace(b.Search))
	}
	l := b.lines[at]
	s.overlay = nil
	if l.draft {
		s.composer = b.draft
		return nil
	}
	b.cancel()
	return s.build(building{row: session.NoRow, recipe: l.recipe})
}

// takeOffers puts what the server offers into the box that waits for it.
func (s *Screen) takeOffers(msg offered) tea.Cmd {
	b, ok := s.overlay.(*offerBox)
	if !ok || b.gen != msg.gen {
		return nil
	}
	b.offers, b.here = msg.offers, true
	b.choose()
	return nil
}

// kindWidth is the column of what a line is, in cells.
const kindWidth = 13

func (b *offerBox) view(s *Screen, w, h int) []string {
	th := s.theme
	hint := "type to search · enter opens the form · ctrl-r what was sent before"
	if !b.here {
		hint = "… looking what the server offers · type to search · enter opens"
	}
	lines := []string{b.head(s, w, hint), ""}
	if len(b.Found) == 0 {
		return append(lines, th.Dim.Paint(cells.Fit("  enter composes this method, whatever it is", w)))
	}
	wide := 0
	from, to := b.Window(h - 2)
	for _, i := range b.Found[from:to] {
		wide = max(wide, cells.Width(format.Visible([]byte(b.lines[i].name), 60)))
	}
	return append(lines, b.chooser.view(s, w, h-2, func(i, w int) string {
		l := &b.lines[i]
		name := cells.Fit(format.Visible([]byte(l.name), 200), min(wide, max(10, (w-kindWidth-2)*2/3)))
		brief := oneLine(l.brief)
		return th.Dim.Paint(cells.Fit(l.kind, kindWidth)) + th.Strong.Paint(name) + "  " + th.Dim.Paint(cells.Fit(brief, max(0, w-kindWidth-cells.Width(name)-2)))
	})...)
}
