//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiretea/ui/cli/term"
)

// A workshop is a folder with the sources of a server, its build, and what that
// makes. The server says hello with the word that is in the sources.
type workshop struct {
	t   *testing.T
	dir string
}

// The server is a shell script that speaks enough of the protocol, so that a change
// needs no compiler.
const (
	workshopServer = `word=$(cat "$1")
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}
  case $line in
  *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"workshop","version":"1"}}}' ;;
  *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"hello '$word'"}],"at":'$$'}}' ;;
  esac
done
`
	workshopBuild = `mkdir -p src/out
word=$(cat src/word)
case $word in
BROKEN) printf 'src/word:1: \033[31mBROKEN\033[m\n'; exit 2 ;;
slow) echo $$ >pid.part; mv pid.part pid; sleep 1000 ;;
esac
echo $word >src/out/word
`
)

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	w := &workshop{t, t.TempDir()}
	if err := os.MkdirAll(filepath.Join(w.dir, "src", "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.write("server.sh", workshopServer)
	w.write("build.sh", workshopBuild)
	w.write("src/out/word", "one\n")
	w.write("src/word", "one\n")
	return w
}

// write writes a file as editors do: another one that takes its place.
func (w *workshop) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path+".tmp", []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		w.t.Fatal(err)
	}
}

// run are the arguments of a wiretea that watches the sources.
func (w *workshop) run(flags ...string) []string {
	args := append([]string{"run", "--era", "legacy", "--no-record", "--watch", filepath.Join(w.dir, "src"), "--ignore-path", ".at",
		"--build", "cd '" + w.dir + "' && sh build.sh", "--send", `tools/call {"name":"echo","arguments":{}}`}, flags...)
	return append(args, "--", "sh", filepath.Join(w.dir, "server.sh"), filepath.Join(w.dir, "src", "out", "word"))
}

// TestWatchPlain rebuilds a server whose sources change and prints what it answers
// differently; a build that fails keeps the old one; the end takes a build along.
func TestWatchPlain(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	p := startProgram(t, w.run("--plain")...)
	p.await(`← res  tools/call  echo`)
	w.write("src/word", "two\n")
	p.await(`^— word changed$`)
	p.await(`^— build ok `)
	p.await(`^— restarted `)
	p.await(`^— tools/call echo: 1 difference$`)
	p.await(`^  \.content\[0\]\.text$`)
	p.await(`^  − "hello one"$`)
	p.await(`^  \+ "hello two"$`)
	w.write("src/word", "BROKEN\n")
	p.await(`^— build failed, exit code 2, `)
	p.await(`^ +src/word:1: BROKEN$`)
	p.await(`^— the old server keeps running$`)
	w.write("src/word", "two\n")
	p.await(`^— build ok `)
	p.await(`^— tools/call echo: the same result$`)
	w.write("src/word", "slow\n")
	pidFile := filepath.Join(w.dir, "pid")
	waitFor(t, "the build", func() bool { _, err := os.Stat(pidFile); return err == nil })
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if o := p.wait(); o.code != term.ExitFine || o.err != "" {
		t.Errorf("%v", o)
	}
	// The shell of the script is not a child of wiretea. It has closed its output, which wiretea
	// waits for, and ends some time after that.
	pid := pidIn(t, pidFile)
	waitFor(t, "the build's end", func() bool { gone, _ := isGone(pid); return gone })
}

// TestWatchScreen does the same on the screen.
func TestWatchScreen(t *testing.T) {
	t.Parallel()
	w, d := newWorkshop(t), newDwelling(t)
	p := onScreen(t, d.env(), append([]string{"wiretea"}, w.run()...)...)
	see(t, p, "hello one")
	see(t, p, "   watching   ")
	w.write("src/word", "two\n")
	see(t, p, "≠ 1 difference")
	see(t, p, "hello two")
	see(t, p, "hello one")
	see(t, p, "differs, ignored")
	w.write("src/word", "BROKEN\n")
	see(t, p, "build failed, exit code 2")
	see(t, p, "src/word:1: BROKEN")
	see(t, p, "✖ build failed")
	w.write("src/word", "three\n")
	see(t, p, "hello three")
	unseen(t, p, "BROKEN")
	pressAll(t, p, "q")
	see(t, p, "traffic")
	// What is open is not covered.
	pressAll(t, p, "?")
	see(t, p, "type to search")
	w.write("src/word", "four\n")
	see(t, p, "1 difference; d shows")
	see(t, p, "type to search")
	pressAll(t, p, "esc")
	unseen(t, p, "type to search")
	pressAll(t, p, "d")
	see(t, p, "hello four")
	typeIn(t, p, ":watch off")
	pressAll(t, p, "enter")
	see(t, p, "watch is off; the last build ok")
	typeIn(t, p, ":output")
	pressAll(t, p, "enter")
	see(t, p, "it wrote nothing")
	pressAll(t, p, "q")
	unseen(t, p, "it wrote nothing")
	pressAll(t, p, "ctrl+c")
	see(t, p, "leave?")
	pressAll(t, p, "y")
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
}

// TestWatchBuildsFirst: a server whose program is not there is built before it is started.
func TestWatchBuildsFirst(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	w.write("program", "#!/bin/sh\n"+workshopServer)
	made := filepath.Join(w.dir, "made")
	p := startProgram(t, "run", "--plain", "--era", "legacy", "--no-record", "--watch", filepath.Join(w.dir, "src"),
		"--build", "install -m 755 '"+filepath.Join(w.dir, "program")+"' '"+made+"'",
		"--send", `tools/call {"name":"echo","arguments":{}}`, "--", made, filepath.Join(w.dir, "src", "word"))
	p.await(`^— build ok `)
	p.await(`← res  tools/call  echo`)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if o := p.wait(); o.code != term.ExitFine || strings.Contains(o.out+o.err, "not started") {
		t.Errorf("%v", o)
	}
}

// TestWatchBrokenFirst: a server that cannot be started at first is, and is sent
// what was to be sent, once it can.
func TestWatchBrokenFirst(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	server := filepath.Join(w.dir, "src", "server")
	p := startProgram(t, "run", "--plain", "--era", "legacy", "--no-record", "--watch", filepath.Join(w.dir, "src"),
		"--send", `tools/call {"name":"echo","arguments":{}}`, "--", server, filepath.Join(w.dir, "src", "word"))
	p.await(`^— not started: .*no such file`)
	if err := os.WriteFile(filepath.Join(w.dir, "new"), []byte("#!/bin/sh\n"+workshopServer), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(w.dir, "new"), server); err != nil {
		t.Fatal(err)
	}
	p.await(`^— server changed$`)
	p.await(`← res  tools/call  echo`)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if o := p.wait(); o.code != term.ExitFine {
		t.Errorf("%v", o)
	}
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func pidIn(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
