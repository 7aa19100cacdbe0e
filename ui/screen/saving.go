package screen

import (
	"fmt"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/detail"
	"wiretea/ui/keys"
	"wiretea/ui/outside"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
)

// askSave opens the command line with the name of a file in it, to be changed or agreed to.
func (s *Screen) askSave(_ *tab, msg pane.SaveMsg) tea.Cmd {
	return s.prompt.Fill(s.asked.command, "save "+msg.Name)
}

// save writes what the cursor of the tab content is on to a new file.
func (s *Screen) save(t *tab, path string) tea.Cmd {
	if path == "" {
		return t.Say(session.Error, "save FILE")
	}
	d, _ := t.Pane(keys.Detail).(*detail.Pane)
	data := d.Saved()
	if data == nil {
		return t.Say(session.Error, "nothing to save: move the cursor of the tab content to a text, an image or other data")
	}
	return func() tea.Msg {
		n, err := writeNew(path, func(f *os.File) error {
			_, err := f.Write(data)
			return err
		})
		return exported("the content", path, n, err)
	}
}

// askOutside asks whether data of a peer is to be opened with another program.
func (s *Screen) askOutside(_ *tab, msg pane.OutsideMsg) tea.Cmd {
	opener := outside.Opener()
	s.Open(&overlay.Confirm{Head: "open outside?", Yes: "opens it", Parts: []overlay.Part{
		overlay.Text.Of(fmt.Sprintf("%s, %s, comes from a peer of this session.", msg.Kind, text.Size(int64(len(msg.Data))))),
		overlay.Text.Of("It is written to a temporary file and given to the program that this machine has for such files: " + opener[0] + "."),
	}, Do: func() tea.Cmd {
		return func() tea.Msg {
			path, err := temporary(msg)
			if err == nil {
				err = outside.Open(opener, path)
			}
			if err != nil {
				return pane.SayMsg{Text: "opening it outside: " + err.Error() + "; ctrl-s saves it", Severity: session.Error}
			}
			return pane.SayMsg{Text: "opened " + path, Severity: session.Info}
		}
	}})
	return nil
}

// temporary writes data to a file that only this user can read. It stays until the system
// clears its folder for such files: the program that shows it may read it at any time.
func temporary(msg pane.OutsideMsg) (string, error) {
	dir, err := os.MkdirTemp("", "wiretea-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "content"+msg.Ending)
	return path, os.WriteFile(path, msg.Data, 0o600)
}
