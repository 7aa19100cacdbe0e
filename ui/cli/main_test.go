package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"wiretea/recorder/recordertest"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// TestMain puts the programs under test into PATH, for tests and for the shell
// scripts that tests run: wiretea as it is built for users, and this binary
// under the names of servers.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") && programs[filepath.Base(os.Args[0])] == nil {
		os.Exit(Main(os.Args[1:])) // A drill, called in process, starts this binary as a tee.
	}
	testscript.Main(suite{m}, programs)
}

// programs are what this binary is under other names. Files with a build tag add
// theirs.
var programs = map[string]func(){
	"sdkserver": func() { os.Exit(sdkServer(os.Args[1:])) },
	"teepeer":   func() { os.Exit(teePeer(os.Args[1:])) },
	"browser":   func() { os.Exit(browser(os.Args[1])) },

	"tellingstart": tellingStart,
}

// suite runs the tests with a wiretea and a home folder of their own.
type suite struct{ m *testing.M }

func (s suite) Run() int {
	if fuzzing() {
		// Workers have no time to build, and fuzz targets run no program.
		return s.m.Run()
	}
	debug.SetGCPercent(800)         // The tests make much garbage and keep little,
	debug.SetMemoryLimit(512 << 20) // all but a few.
	heedSignals()
	if err := recordertest.WaitingTests(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "wiretea-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "bin", "wiretea"), "wiretea").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building wiretea: %v\n%s", err, out)
		return 1
	}
	// Some tests run it as somebody who may do nothing else.
	for name, mode := range map[string]os.FileMode{".": 0o711, "bin": 0o755, "bin/wiretea": 0o755} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	for name, value := range map[string]string{
		"HOME": dir,
		"TERM": "xterm-256color",
		"PATH": filepath.Join(dir, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		// Programs built with -race would each take a second to exit.
		"GORACE": strings.TrimSpace(os.Getenv("GORACE") + " atexit_sleep_ms=0"),
	} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := s.m.Run()
	if left := leftBehind(dir, patience/3); left != "" && code == 0 {
		fmt.Fprintf(os.Stderr, "the tests left processes behind:\n%s", left)
		return 1
	}
	return code
}

// leftBehind waits until no process runs that was started with the tests' folder in its
// environment, and returns what runs after that time, a line each. Where there is no
// /proc it finds nothing.
func leftBehind(dir string, within time.Duration) (left string) {
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		var all strings.Builder
		environs, _ := filepath.Glob("/proc/[0-9]*/environ") // fails for a bad pattern only
		for _, path := range environs {
			// Processes of others, and those that have ended, cannot be read.
			if environ, err := os.ReadFile(path); err == nil && bytes.Contains(environ, []byte(dir)) {
				words, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
				fmt.Fprintf(&all, "%s %q\n", filepath.Base(filepath.Dir(path)), words)
			}
		}
		if left = all.String(); left == "" || time.Now().After(deadline) {
			return left
		}
	}
}

func fuzzing() bool {
	return slices.ContainsFunc(os.Args[1:], func(arg string) bool { return strings.HasPrefix(arg, "-test.fuzz=") || arg == "-test.fuzzworker" })
}

// patience is how long a test waits for what must come: a machine may be slow,
// but a hang is an error.
const patience = 3 * time.Minute

// outcome is what one run of a program came to.
type outcome struct {
	code     int
	out, err string
}

func (o outcome) String() string {
	return fmt.Sprintf("exit code %d\nstdout:\n%s\nstderr:\n%s", o.code, o.out, o.err)
}

// judged reads a recording to its end.
func judged(t testing.TB, path string) *session.Snapshot {
	t.Helper()
	f, s, err := term.Judged(t.Context(), path, session.Limits{}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	return s
}

// wiretea runs the program as a process of its own, to its end.
func wiretea(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	o, err := execute(t.Context(), stdin, args...)
	if err != nil {
		t.Fatalf("wiretea %q: %v\n%v", args, err, o)
	}
	return o
}

// execute is wiretea for goroutines: its error is one of the test, a hang or a
// crash.
func execute(ctx context.Context, stdin string, args ...string) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "wiretea", args...)
	var out, errw bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errw
	err := cmd.Run()
	o := outcome{cmd.ProcessState.ExitCode(), out.String(), errw.String()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return o, ctx.Err()
	case err != nil && !errors.As(err, &exit):
		return o, err
	case strings.Contains(o.err, "goroutine ") || strings.Contains(o.err, "DATA RACE"):
		return o, errors.New("it crashed")
	}
	return o, nil
}
