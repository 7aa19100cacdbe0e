package composer

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/ui/composer/form"
	"wiretea/ui/host"
	"wiretea/ui/pane"
)

// An editedMsg is what came back from the editor.
type editedMsg struct {
	form *form.Form
	text string
	same bool // same: nothing was changed.
	err  error
}

// edit opens what is filled in in $EDITOR: pretty JSON, or the notation of bytes. What is
// saved there comes back.
func (c *Composer) edit() tea.Cmd {
	f := c.form
	text, name := f.Text()+"\n", "values.json"
	if f.Mode() == form.Malformed {
		name = "bytes.txt"
	}
	back := func(path string, err error) tea.Msg {
		msg := editedMsg{form: f, err: err}
		if err == nil {
			msg.text, msg.err = pane.ReadEdited(path)
			msg.same = msg.text == text
		}
		return host.AddressedMsg{Tab: c.tab, To: c, Msg: msg}
	}
	return pane.Tell(pane.EditMsg{Name: name, Body: []byte(text), Back: back})
}
