package screen

import (
	"fmt"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/composer/form"
)

// longestEdit is how much is taken back from an editor, in bytes.
const longestEdit = 16 << 20

// editedOutside is what came back from the editor.
type editedOutside struct {
	form *form.Form
	text string
	same bool // same: nothing was changed.
	err  error
}

// editOutside opens what is filled in in $EDITOR: pretty JSON, or the notation of
// bytes. What is saved there comes back.
func (s *Screen) editOutside() tea.Cmd {
	f := s.composer.form
	text, name := f.Text()+"\n", "values.json"
	if f.Mode() == form.Malformed {
		name = "bytes.txt"
	}
	back := func(path string, err error) tea.Msg {
		if err != nil {
			return editedOutside{form: f, err: err}
		}
		now, err := readEdited(path)
		return editedOutside{form: f, text: now, same: now == text, err: err}
	}
	return func() tea.Msg { return prepareEdit(name, []byte(text), back) }
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

// takeEdited puts what was edited into the form it came from.
func (s *Screen) takeEdited(msg editedOutside) tea.Cmd {
	c := s.composer
	switch {
	case msg.err != nil:
		return s.say(session.Error, msg.err.Error())
	case c == nil || c.form != msg.form || msg.same:
		return nil
	}
	return c.form.SetText(msg.text)
}
