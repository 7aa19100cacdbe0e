package intercept

import (
	tea "charm.land/bubbletea/v2"
	"slices"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/ui/composer/form"
	"wiretea/ui/held"
	"wiretea/ui/host"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// A formBox is a form over the panes about a held message.
type formBox struct {
	of    *Intercept
	held  session.Held
	title string
	says  string // says is a line above the form; empty = none.
	keeps string // keeps is what ctrl-s does, in a word or two.

	form *form.Form

	// keep takes what was filled in, and closes the box unless it fails.
	keep func(f *form.Form) (tea.Cmd, error)

	// anew composes a new call of what was filled in, where the message is not held any more; nil
	// = nothing can be made of it.
	anew func() tea.Cmd
}

var (
	_ overlay.Taker = (*formBox)(nil)
	_ host.Receiver = (*formBox)(nil)
)

// open opens the box.
func (b *formBox) open() tea.Cmd {
	b.of.tab.Open(b)
	return b.of.tab.Addressed(b, b.form.Init())
}

// gone reports whether the message is not held any more.
func (b *formBox) gone() bool {
	return !slices.ContainsFunc(b.of.tab.Held.State().Held, func(h session.Held) bool { return h.ID == b.held.ID })
}

// NamesEscape implements overlay.Hinted.
func (b *formBox) NamesEscape() {}

// Title implements overlay.Box.
func (b *formBox) Title() string { return b.title + " · " + held.Subject(&b.held) }

// Size implements overlay.Box.
func (b *formBox) Size(_ *style.Theme, w, h int) (int, int) {
	bw, bh := overlay.Roomy(w, h)
	if w < 100 {
		bw = w
	}
	if h < 30 {
		bh = h
	}
	return bw, bh
}

// View implements overlay.Box.
func (b *formBox) View(th *style.Theme, w, h int) []string {
	words, sev := held.Until(b.of.tab.Ctx.Wall(), &b.held)
	look, sign := th.Severity(sev)
	says, keeps := b.says, b.keeps
	if !b.held.Timeout.IsZero() {
		if more := held.GivesUp(b.of.tab.Ctx.Wall(), &b.held) + " · " + says; cells.Width(words+more) < w-5 {
			says = more
		}
	}
	switch {
	case b.gone():
		words, look, sign, says = "it is not held any more; what you typed stays here", th.Error, "✖", ""
		if b.anew != nil {
			keeps = "send as a new call"
		}
	case sev == session.NoSeverity:
		look, sign = th.Dim, "◔"
	}
	lines := []string{cells.Fit(look.Paint(" "+sign+" "+words)+th.Dim.Paint("  "+says), w)}
	lines = append(lines, b.form.View(th, w, max(1, h-2), true)...)
	hints := keyhelp.NewHints(th, w, "")
	for _, k := range [][2]string{{"ctrl+s", keeps}, {"esc", "leave"}, {b.outside(), "$EDITOR"}} {
		if !hints.Add(keys.Word(k[0]), k[1]) {
			break
		}
	}
	return append(lines, hints.String())
}

// outside is the key that opens $EDITOR, as in the composer.
func (b *formBox) outside() string {
	if k := b.of.tab.Ctx.Keys.Find(keys.EditOutside, keys.Composer); k != nil && len(k.Keys) > 0 {
		return k.Keys[0]
	}
	return ""
}

// Key implements overlay.Box.
func (b *formBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) { return b.Take(msg), false }

// Take implements overlay.Taker.
func (b *formBox) Take(msg any) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch msg.String() {
		case b.outside():
			return b.edit()
		case "ctrl+s", "ctrl+enter", "esc":
			return b.of.tab.Addressed(b, b.end(msg))
		}
	case pane.ClickMsg:
		msg.Y-- // The line above the form.
		return b.of.tab.Addressed(b, b.form.Update(msg))
	}
	return b.of.tab.Addressed(b, b.form.Update(msg))
}

// end gives the form a key that may end it. That it is sent or left is taken at once, so that no
// key that was pressed behind it goes into the form.
func (b *formBox) end(msg tea.KeyPressMsg) tea.Cmd {
	cmd := b.form.Update(msg)
	if cmd == nil {
		return nil
	}
	switch what := cmd().(type) { // A form answers these keys at once.
	case form.SendMsg, form.LeaveMsg:
		return b.Update(what)
	case nil:
		return nil
	default:
		return pane.Tell(what)
	}
}

// An editedMsg is what came back from the editor.
type editedMsg struct {
	text string
	err  error
}

// edit opens what is filled in in $EDITOR.
func (b *formBox) edit() tea.Cmd {
	name := "message.json"
	if b.form.Mode() == form.Malformed {
		name = "bytes.txt"
	}
	back := func(path string, err error) tea.Msg {
		msg := editedMsg{err: err}
		if err == nil {
			msg.text, msg.err = pane.ReadEdited(path)
		}
		return host.AddressedMsg{Tab: b.of.tab, To: b, Msg: msg}
	}
	return pane.Tell(pane.EditMsg{Name: name, Body: []byte(b.form.Text() + "\n"), Back: back})
}

// Update implements host.Receiver.
func (b *formBox) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case form.SendMsg:
		switch {
		case b.gone() && b.anew != nil:
			return b.anew()
		case b.gone():
			return b.of.tab.Say(session.Error, session.ErrNotHeld.Error()+"; what you typed stays here")
		}
		cmd, err := b.keep(b.form)
		if err != nil {
			return b.of.tab.Say(session.Error, err.Error())
		}
		b.close()
		return cmd
	case form.LeaveMsg:
		b.close()
		return nil
	case editedMsg:
		if msg.err != nil {
			return b.of.tab.Say(session.Error, msg.err.Error())
		}
		return b.form.SetText(msg.text)
	}
	return b.form.Update(msg)
}

func (b *formBox) close() {
	if b.of.tab.Overlay() == overlay.Box(b) {
		b.of.tab.Open(nil)
	}
}
