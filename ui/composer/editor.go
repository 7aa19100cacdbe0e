package composer

import (
	"fmt"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"wiretea/ui/composer/form"
	"wiretea/ui/host"
	"wiretea/ui/pane"
)

// longestEdit is how much is taken back from an editor, in bytes.
const longestEdit = 16 << 20

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
			msg.text, msg.err = readEdited(path)
			msg.same = msg.text == text
		}
		return host.AddressedMsg{Tab: c.tab, To: c, Msg: msg}
	}
	return pane.Tell(pane.EditMsg{Name: name, Body: []byte(text), Back: back})
}

// readEdited reads a file that somebody has edited.
func readEdited(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > longestEdit {
		return "", fmt.Errorf("%s is longer than what can be taken back", filepath.Base(path))
	}
	text, err := os.ReadFile(path)
	return string(text), err
}
