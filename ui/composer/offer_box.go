package composer

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/ui/cells"
	"wiretea/ui/format"
	"wiretea/ui/overlay"
	"wiretea/ui/style"
)

// An offerBox asks what to compose: what the server offers, and every method.
type offerBox struct {
	overlay.Chooser
	of     *Composer
	gen    int
	cancel context.CancelFunc
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

// An offeredMsg has the offers of a server.
type offeredMsg struct {
	gen    int
	offers []offer
}

// offerWords are what an offer is, by the method that uses it.
var offerWords = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"tools/call": "tool", "prompts/get": "prompt", "resources/read": "resource"}
}}

// choose makes the lines: what was left, what is offered, the methods.
func (b *offerBox) choose() {
	b.lines = b.lines[:0]
	if b.of.draft != nil {
		b.lines = append(b.lines, offerLine{kind: "not sent", name: b.of.draft.recipe.title(), brief: "go on where you left", draft: true})
	}
	for _, o := range b.offers {
		kind := offerWords.Get()[o.recipe.method]
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

// Typed implements overlay.Searched.
func (b *offerBox) Typed(text string) { b.Write(text); b.find() }

// Escape implements overlay.Escaper: it ends the looking.
func (b *offerBox) Escape() bool { b.cancel(); return false }

// Title implements overlay.Box.
func (b *offerBox) Title() string { return "compose" }

// Size implements overlay.Box.
func (b *offerBox) Size(_ *style.Theme, w, h int) (int, int) { return min(w, 110), h }

// Key implements overlay.Box.
func (b *offerBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "enter":
		return b.open(), true
	case "ctrl+r":
		return b.of.Recall(), false
	}
	if b.Chooser.Key(msg) {
		b.find()
	}
	return nil, false
}

// open goes on with the line that is chosen; a method that is not listed can be
// typed.
func (b *offerBox) open() tea.Cmd {
	at := b.Chosen()
	if at < 0 {
		return b.of.Command(strings.TrimSpace(b.Search))
	}
	l := b.lines[at]
	if l.draft {
		b.of.message = b.of.draft
		return nil
	}
	b.cancel()
	return b.of.build(building{row: session.NoRow, recipe: l.recipe})
}

// kindWidth is the column of what a line is, in cells.
const kindWidth = 13

// View implements overlay.Box.
func (b *offerBox) View(th *style.Theme, w, h int) []string {
	hint := "type to search · enter opens the form · ctrl-r what was sent before"
	if !b.here {
		hint = "… looking what the server offers · type to search · enter opens"
	}
	wide := 0
	from, to := b.Window(h - 2)
	for _, i := range b.Found[from:to] {
		wide = max(wide, cells.Width(format.Visible([]byte(b.lines[i].name), 60)))
	}
	lines := b.Draw(th, w, h, hint, func(i, w int) string {
		l := &b.lines[i]
		name := cells.Fit(format.Visible([]byte(l.name), 200), min(wide, max(10, (w-kindWidth-2)*2/3)))
		brief := format.OneLine(l.brief)
		return th.Dim.Paint(cells.Fit(l.kind, kindWidth)) + th.Strong.Paint(name) + "  " + th.Dim.Paint(cells.Fit(brief, max(0, w-kindWidth-cells.Width(name)-2)))
	})
	if len(b.Found) == 0 {
		lines = append(lines, th.Dim.Paint(cells.Fit("  enter composes this method, whatever it is", w)))
	}
	return lines
}
