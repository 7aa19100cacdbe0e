//go:build unix

package transport

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandsThatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "hello", 0o600)
	lost := write("lost", "#!/nonexistent/interpreter\n", 0o700)
	t.Chdir(dir)
	t.Setenv("PATH", "/usr/bin:/bin") // no folder that we may not read
	binary := write("binary", "\x7fELFnot really", 0o700)

	for name, tt := range map[string]struct {
		cmd  Command
		code int
		says string
	}{
		"nothing":             {Command{}, 127, "no command given"},
		"not in PATH":         {Command{Argv: []string{"no-such-server"}}, 127, "command not found in PATH (check the spelling, or give the full path of the program)"},
		"here, not in PATH":   {Command{Argv: []string{"plain"}}, 127, "write ./plain"},
		"no such file":        {Command{Argv: []string{"./no-such-server"}}, 127, "no such file"},
		"not executable":      {Command{Argv: []string{plain}}, 126, "chmod +x"},
		"in PATH, not so":     {Command{Argv: []string{"plain"}, Env: []string{"PATH=/nonexistent:" + dir}}, 126, "is not executable"},
		"folder":              {Command{Argv: []string{dir}}, 126, "is a folder"},
		"interpreter missing": {Command{Argv: []string{lost}}, 127, `its #! line names "/nonexistent/interpreter"`},
		"in its own folder":   {Command{Argv: []string{"./lost"}, Dir: dir}, 127, `names "/nonexistent/interpreter"`},
		"Windows line end":    {Command{Argv: []string{write("crlf", "#!/bin/sh\r\n", 0o700)}}, 127, "(save the script with Unix line ends)"},
		"empty":               {Command{Argv: []string{write("empty", "", 0o700)}}, 126, "the file is empty"},
		"of an unknown kind":  {Command{Argv: []string{write("s390", "\x7fELF\x02\x01"+strings.Repeat("\x00", 12)+"\x16", 0o700)}}, 126, "not a program"},
		"for macOS":           {Command{Argv: []string{write("mach", "\xcf\xfa\xed\xfe", 0o700)}}, 126, "it is built for macOS, this machine is "},
		"for RISC-V":          {Command{Argv: []string{write("riscv", "\x7fELF\x02\x01"+strings.Repeat("\x00", 12)+"\xf3", 0o700)}}, 126, "it is built for riscv64"},
		"one word":            {Command{Argv: []string{"node server.js"}}, 127, "are one word: write each as a word of its own"},
		"one word, a path":    {Command{Argv: []string{"/opt/node/bin/node server.js"}}, 127, "are one word"},
		"a name with a blank": {Command{Argv: []string{"my server"}}, 127, "check the spelling"},
		"home":                {Command{Argv: []string{"~/mcp/index.js"}}, 127, "only a shell replaces ~"},
		"for Windows":         {Command{Argv: []string{"cmd", "/c", "npx"}}, 127, "a command for Windows"},
		"a path of Windows":   {Command{Argv: []string{`C:\Program Files\nodejs\npx.cmd`}}, 127, "a command for Windows"},
		"no program":          {Command{Argv: []string{binary}}, 126, "not a program"},
		"no such folder":      {Command{Argv: []string{"cat"}, Dir: dir + "/none"}, 126, "working directory: no such file"},
		"file as folder":      {Command{Argv: []string{"cat"}, Dir: plain}, 126, "is not a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWitness(t)
			_, err := (&Stdio{Command: tt.cmd, Tap: w.tap}).Start()
			var failed *StartError
			if !errors.As(err, &failed) || failed.Code != tt.code || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
			w.close()
			if !w.tells("failed") || w.tells("start pipe pipe pipe") {
				t.Errorf("story %q", w.story())
			}
		})
	}
}

// TestSearched checks that a program that is not found comes with the PATH in which it was
// looked for, which the error, and so the recording, does not have.
func TestSearched(t *testing.T) {
	for name, tt := range map[string]struct{ env, want string }{
		"a PATH":      {"PATH=/a (b)\n:/c", "PATH is /a (b)␊:/c"},
		"no PATH":     {"A=b", "PATH is not set"},
		"a long PATH": {"PATH=" + strings.Repeat("/é", 500), "PATH is " + strings.Repeat("/é", longPath/3) + "/…"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&Command{Argv: []string{"no-such-server"}, Env: []string{tt.env}}).resolve()
			var failed *StartError
			if !errors.As(err, &failed) || failed.Searched != tt.want || strings.Contains(err.Error(), "PATH is") {
				t.Errorf("%v: %q", err, failed.Searched)
			}
		})
	}
}

func TestCommandGetsItsFolderEnvironmentAndArguments(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "server")
	if err := os.WriteFile(script, []byte("#!/bin/sh\npwd; echo \"$MARK $1 $#\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, cmd := range map[string]Command{
		"relative to its folder": {Argv: []string{"./server", "a b"}, Dir: dir, Env: []string{"MARK=m"}},
		"in its own PATH":        {Argv: []string{"server", "a b"}, Dir: dir, Env: []string{"MARK=first", "PATH=/nonexistent:" + dir, "MARK=m"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWitness(t)
			c := begin(t, &Stdio{Command: cmd, Tap: w.tap, Grace: patient})
			if exit, err := wait(t, c); err != nil || exit != (Exit{}) {
				t.Errorf("exit %v, %v", exit, err)
			}
			w.close()
			if got, want := w.head(1), dir+"\nm a b 1\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
