package screen

import (
	"errors"
	"io/fs"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"
)

// TestEditorWords holds that an editor is split as a shell splits it, else at its spaces.
func TestEditorWords(t *testing.T) {
	for editor, want := range map[string][]string{
		"code --wait":            {"code", "--wait"},
		`"/opt/my editor/vi" -n`: {"/opt/my editor/vi", "-n"},
		`/opt/my\ editor`:        {"/opt/my editor"},
		`it's`:                   {"it's"},
	} {
		if got := wordsOf(editor); !slices.Equal(got, want) && runtime.GOOS != "windows" {
			t.Errorf("%s: %q", editor, got)
		}
	}
}

// TestEditorFailed holds that only an editor that could not be started is blamed
// on EDITOR, and that its name is said once.
func TestEditorFailed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		editor string
		err    error
		want   string
	}{
		{"ended by itself", "vim -n", &exec.ExitError{}, "vim -n: " + (&exec.ExitError{}).Error() + ": nothing is changed"},
		{"not in the path", "vimm", &exec.Error{Name: "vimm", Err: exec.ErrNotFound}, "starting the editor vimm: " + exec.ErrNotFound.Error() + "; set EDITOR"},
		{"no such file", "/opt/vi", &fs.PathError{Op: "fork/exec", Path: "/opt/vi", Err: syscall.ENOENT}, "starting the editor /opt/vi: " + syscall.ENOENT.Error() + "; set EDITOR"},
		{"anything else", "vi", errors.New("no terminal"), "starting the editor vi: no terminal; set EDITOR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := editorFailed(tt.editor, tt.err).Error(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
