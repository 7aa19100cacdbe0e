package screen

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// clipLimit is how much text is given to the terminal's clipboard, in bytes.
// More goes to a file: terminals refuse long OSC 52 sequences.
const clipLimit = 74_000

// copyText puts text on the clipboard by OSC 52. Nobody can know whether the
// terminal takes it, so it is always in a file as well, which the notice names.
func copyText(msg pane.CopyMsg) tea.Cmd {
	size, long := text.Size(int64(len(msg.Text))), len(msg.Text) > clipLimit
	keep := func() tea.Msg {
		path, err := keepCopy(msg.Text)
		switch {
		case long && err != nil:
			return pane.SayMsg{Severity: session.Error, Text: fmt.Sprintf("%s, %s, is too long for the clipboard: %v", msg.What, size, err)}
		case long:
			return pane.SayMsg{Severity: session.Info, Text: fmt.Sprintf("%s, %s, is too long for the clipboard: written to %s", msg.What, size, path)}
		case err != nil:
			return pane.SayMsg{Severity: session.Info, Text: fmt.Sprintf("copied %s, %s", msg.What, size)}
		}
		return pane.SayMsg{Severity: session.Info, Text: fmt.Sprintf("copied %s, %s (also in %s)", msg.What, size, path)}
	}
	if long {
		return keep
	}
	return tea.Batch(pane.Program(tea.SetClipboard(msg.Text)), keep)
}

// keepCopy writes the latest copy to a file for its owner alone.
func keepCopy(text string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "wiretea")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "clipboard")
	return path, atomicfile.WriteBytes(path, atomicfile.Options{NoSync: true}, []byte(text))
}

// edit opens bytes in the user's editor, which has the terminal until it is closed.
func edit(msg pane.EditMsg) tea.Cmd {
	return func() tea.Msg {
		editor := cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), strings.TrimSpace(os.Getenv("EDITOR")), "vi")
		dir, err := os.MkdirTemp("", "wiretea-")
		if err != nil {
			return pane.Failed(err)
		}
		path := filepath.Join(dir, filepath.Base(msg.Name))
		if err := os.WriteFile(path, msg.Body, 0o600); err != nil {
			os.RemoveAll(dir)
			return pane.Failed(err)
		}
		words := append(wordsOf(editor), path)
		return pane.ProgramMsg{Cmd: tea.ExecProcess(exec.Command(words[0], words[1:]...), func(err error) tea.Msg {
			defer os.RemoveAll(dir)
			if err != nil {
				err = editorFailed(editor, err)
			}
			switch {
			case msg.Back != nil:
				return msg.Back(path, err)
			case err != nil:
				return pane.Failed(err)
			}
			return nil
		})}
	}
}

// wordsOf splits the command line of an editor as a shell does, so that a path with spaces can be
// quoted. What a shell would not take, and a path of Windows, is split at its spaces.
func wordsOf(editor string) []string {
	if words, err := text.SplitWords(editor); err == nil && len(words) > 0 && runtime.GOOS != "windows" {
		return words
	}
	return strings.Fields(editor)
}

// editorFailed says why an editor gave nothing back. One that ran and said so
// itself (:cq in vi) is the right one; only one that could not be started is worth
// another EDITOR.
func editorFailed(editor string, err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%s: %w: nothing is changed", editor, exit)
	}
	// The names of the call and of the file would only repeat the editor's.
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	} else if look, ok := errors.AsType[*exec.Error](err); ok {
		err = look.Err
	}
	return fmt.Errorf("starting the editor %s: %w; set EDITOR", editor, err)
}
