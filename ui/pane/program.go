package pane

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
)

// A ProgramMsg asks the root model to run a command whose message is for Bubble Tea
// itself, such as tea.Suspend. Such a message must not be wrapped.
type ProgramMsg struct{ Cmd tea.Cmd }

// Program returns the command that asks for cmd to be run by the root model.
func Program(cmd tea.Cmd) tea.Cmd { return Tell(ProgramMsg{cmd}) }

// Wrap returns a command that gives wrap of each message of cmd. What is for Bubble Tea
// itself has to be a Program.
func Wrap(cmd tea.Cmd, wrap func(tea.Msg) tea.Msg) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			all := make(tea.BatchMsg, len(msg))
			for i, one := range msg {
				all[i] = Wrap(one, wrap)
			}
			return all
		default:
			return wrap(msg)
		}
	}
}

// longestEdit is how much is taken back from an editor, in bytes.
const longestEdit = 16 << 20

// ReadEdited reads a file that somebody has edited in the editor that EditMsg opened. It
// returns an error for one of more than 16 MiB, for an empty one, as which an editor leaves what is
// to be given up, and for one that was removed.
func ReadEdited(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("the editor removed the file: nothing is changed")
	case err != nil:
		return "", err
	case info.Size() > longestEdit:
		return "", fmt.Errorf("%s is longer than what can be taken back", filepath.Base(path))
	}
	text, err := os.ReadFile(path)
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		return "", errors.New("the editor left the file empty: nothing is changed")
	}
	return string(text), err
}
