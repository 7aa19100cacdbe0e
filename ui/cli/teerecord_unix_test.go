//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/inventory"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// TestTeeTwice runs two tees of one command that want the same file, as a client
// does that first starts a disposable process.
func TestTeeTwice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	first := startTee(t, peerOptions{file: file}, "cat")
	first.in.WriteString("first\n")
	first.line()
	awaitFile(t, file)
	second := startTee(t, peerOptions{file: file}, "cat")
	second.in.WriteString("second\n")
	second.line()
	first.cmd.Process.Signal(syscall.SIGTERM)
	if got := first.talk(nil); got.signal != syscall.SIGTERM {
		t.Errorf("%+v", got)
	}
	if got := second.talk([]byte("more\n")); got.code != 0 || got.out != "more\n" {
		t.Errorf("%+v", got)
	}
	for name, want := range map[string]string{"session": "first\n", "session-2": "second\nmore\n"} {
		if got := recorded(t, filepath.Join(filepath.Dir(file), name+recorder.Suffix), "s2c"); got != want {
			t.Errorf("%s has %q", name, got)
		}
	}
}

// TestTeeCannotRecord has no place where a tee can record. The traffic does not
// care. Who named the place is told so in a line, and lists tell the others.
func TestTeeCannotRecord(t *testing.T) {
	input := bytes.Repeat([]byte(oddBytes+"\n"), 1000)
	for name, flags := range map[string][]string{
		"no folder": {"--sessions", "/dev/null/sessions"},
		"no file":   {"--record", "/dev/null"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			argv := append(append([]string{"wiretea", "tee", "--name", "files"}, flags...), "--", "cat")
			got := startPeer(t, peerOptions{}, argv...).talk(input)
			if got.code != 0 || got.out != string(input) || !strings.HasPrefix(got.err, "wiretea: this session is not recorded: ") || strings.Count(got.err, "\n") != 1 {
				t.Errorf("code %d, %d bytes of %d, stderr %q", got.code, len(got.out), len(input), got.err)
			}
			list := inProcess(t.Context(), "sessions", "ls")
			if !strings.Contains(list.out, "✖ not recorded: files, ") || !strings.Contains(list.out, "/dev/null") {
				t.Errorf("the list does not tell of it: %v", list)
			}
			if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(home, ".cursor", "mcp.json"), `{"mcpServers":{"files":{"command":"wiretea","args":["tee","--","cat"]}}}`)
			if list := inProcess(t.Context(), "clients"); !strings.Contains(list.out, "⚠ not recorded: files, ") {
				t.Errorf("clients does not tell of it: %v", list)
			}
		})
	}
}

// TestTeeFallback records where the home folder cannot be written: among the temporary
// files, where the recordings are found.
func TestTeeFallback(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	input := []byte(oddBytes + "\n")
	t.Setenv("HOME", "/dev/null")
	if got := startPeer(t, peerOptions{}, "wiretea", "tee", "--name", "files", "--", "cat").talk(input); got.code != 0 || got.out != string(input) || got.err != "" {
		t.Errorf("%+v", got)
	}
	files, err := filepath.Glob(filepath.Join(recorder.FallbackFolder(), "*-files-*"+recorder.Suffix))
	if err != nil || len(files) != 1 || recorded(t, files[0], "c2s") != string(input) {
		t.Fatalf("recorded in %q, %v", files, err)
	}
	name := recorder.SessionName(files[0])
	if list := inProcess(t.Context(), "sessions", "ls"); !strings.Contains(list.out, name) || !strings.Contains(list.out, " and "+recorder.FallbackFolder()+" (kept: ") || strings.Contains(list.out, "not recorded") {
		t.Errorf("%v", list)
	}
	if got := inProcess(t.Context(), "sessions", "show", name); got.code != term.ExitFine {
		t.Errorf("%v", got)
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(files[0], old, old); err != nil {
		t.Fatal(err)
	}
	if got := inProcess(t.Context(), "sessions", "prune", "--older-than", "1d", "--keep", "0", "--dry-run"); got.code != term.ExitFine || got.out != "would remove "+name+"\n" {
		t.Errorf("%v", got)
	}
	// A folder that others can open is not used.
	chmod(t, recorder.FallbackFolder(), 0o755)
	for _, line := range [][]string{{"sessions", "ls"}, {"sessions", "prune", "--older-than", "1d", "--keep", "0", "--dry-run"}} {
		if list := inProcess(t.Context(), line...); strings.Contains(list.out, name) {
			t.Errorf("%v", list)
		}
	}
	if got := inProcess(t.Context(), "sessions", "show", name); got.code != term.ExitUsage {
		t.Errorf("%v", got)
	}
	chmod(t, recorder.FallbackFolder(), 0o700)
	if got := inProcess(t.Context(), "sessions", "rm", "--yes", name); got.code != term.ExitFine {
		t.Errorf("%v", got)
	}
	// Where neither can be used and nothing can be noted, the client's log says so.
	chmod(t, filepath.Dir(recorder.FallbackFolder()), 0o755)
	if got := startPeer(t, peerOptions{}, "wiretea", "tee", "--", "cat").talk(input); got.code != 0 || got.out != string(input) || !strings.HasPrefix(got.err, "wiretea: this session is not recorded: ") {
		t.Errorf("%+v", got)
	}
}

// TestTeeFileDeleted deletes the file of a live session.
func TestTeeFileDeleted(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	p := startTee(t, peerOptions{}, "cat")
	p.in.WriteString("first\n")
	p.line()
	awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecFrame })
	if err := os.Remove(p.file); err != nil {
		t.Fatal(err)
	}
	if got := p.talk([]byte("last\n")); got.code != 0 || got.out != "last\n" {
		t.Errorf("%+v", got)
	}
	if list := inProcess(t.Context(), "sessions", "ls"); !strings.Contains(list.out, "not recorded: cat, ") {
		t.Errorf("%v", list)
	}
}

// TestTeeFolder records into a folder, under the name it is given, and removes
// what is too much there.
func TestTeeFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := filepath.Join(dir, "20200101-000000-old-1.mcpcap.jsonl")
	var files []string
	for i := range recorder.DefaultPolicy.Keep + 1 {
		files = append(files, fmt.Sprintf("%s/20200102-0000%02d-kept-1.mcpcap.jsonl", dir, i))
	}
	for _, file := range append(files, old) {
		writeFile(t, file, `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","t0":"2020-01-01T00:00:00Z"}`+"\n")
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour*24*40)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour*24*50)); err != nil {
		t.Fatal(err)
	}
	p := startPeer(t, peerOptions{}, "wiretea", "tee", "--sessions", dir, "--name", "My files", "--", "cat")
	p.in.WriteString("hi\n")
	p.line()
	awaitOne(t, filepath.Join(dir, "*-my-files-"+strconv.Itoa(p.cmd.Process.Pid)+recorder.Suffix))
	await(t, "the old session to go", func() bool {
		_, err := os.Stat(old)
		return errors.Is(err, os.ErrNotExist)
	})
	if got := p.talk([]byte{}); got.code != 0 {
		t.Errorf("%+v", got)
	}
}

// TestTeeReadOnlyFolder records into a folder that nobody may write, and into one
// that becomes so.
func TestTeeReadOnlyFolder(t *testing.T) {
	dir := publicFolder(t)
	for name, late := range map[string]bool{"from the start": false, "in mid-session": true} {
		t.Run(name, func(t *testing.T) {
			sessions := filepath.Join(dir, name)
			if err := os.Mkdir(sessions, 0o700); err != nil {
				t.Fatal(err)
			}
			chmod(t, sessions, map[bool]os.FileMode{false: 0o555, true: 0o777}[late])
			p := startPeer(t, peerOptions{nobody: true}, "wiretea", "tee", "--sessions", sessions, "--name", "cat", "--", "cat")
			p.in.WriteString("first\n")
			p.line()
			if late {
				awaitOne(t, filepath.Join(sessions, "*"+recorder.Suffix))
			}
			chmod(t, sessions, 0o555)
			got := p.talk([]byte(oddBytes))
			if got.code != 0 || got.out != oddBytes || late == strings.HasPrefix(got.err, "wiretea: this session is not recorded: ") {
				t.Errorf("%+v", got)
			}
			chmod(t, sessions, 0o700)
			list, err := filepath.Glob(filepath.Join(sessions, "*"+recorder.Suffix))
			switch {
			case err != nil || !late && len(list) > 0 || late && len(list) != 1:
				t.Errorf("the folder has %q, %v", list, err)
			case late && recorded(t, list[0], "s2c") != "first\n"+oddBytes:
				t.Errorf("recorded: %q", recorded(t, list[0], "s2c"))
			}
		})
	}
}

// publicFolder is a folder that nobody can reach, and from where they can run
// wiretea.
func publicFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(os.Getenv("HOME"), "public")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	chmod(t, dir, 0o755)
	cmd := exec.Command("wiretea", "version")
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if err := cmd.Run(); err != nil {
		t.Skipf("nobody cannot run wiretea here: %v", err)
	}
	return dir
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// TestTeeFullDisk runs out of space in mid-session. The file has whole records, and
// the traffic does not care. Who named the place is told so while stderr is open.
func TestTeeFullDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "full"+recorder.Suffix)
	p := startPeer(t, peerOptions{}, "sh", "-c", `ulimit -f 64; exec wiretea tee --record "$0" -- cat`, file)
	p.ping(1)
	awaitRecord(t, file, func(r *session.Record) bool { return r.Kind == session.RecFrame })
	input := bytes.Repeat([]byte(oddBytes+"\n"), 5000)
	if got := p.talk(input); got.code != 0 || got.out != string(input) || got.err != "" && (!strings.HasPrefix(got.err, "wiretea: a part of this session is not recorded: the rest is not kept: ") || strings.Count(got.err, "\n") != 1) {
		t.Errorf("code %d, %d bytes of %d, stderr %q", got.code, len(got.out), len(input), got.err)
	}
	records := recording(t, file)
	if last := records[len(records)-1]; last.Kind == session.RecEnd && last.End.Lost == 0 {
		t.Errorf("%d records, and the last says that nothing is missing: %+v", len(records), last)
	}
	if got := inProcess(t.Context(), "open", "--plain", file); got.code != term.ExitFine || !strings.Contains(got.out, "notifications/n1") {
		t.Errorf("%v", got)
	}
	// What the disk did not take is not said of the server.
	if got := inProcess(t.Context(), "check", file); strings.Contains(got.out, "unterminated-final-message") || strings.Contains(got.out, "missing-newline") {
		t.Errorf("%v", got)
	}
}

// TestTeeFullFromTheStart records on a disk that takes nothing: the traffic passes, the
// client's log has the reason in one line, and no empty file stays behind. An empty file
// that was there stays.
func TestTeeFullFromTheStart(t *testing.T) {
	for _, there := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "full"+recorder.Suffix)
		if there {
			writeFile(t, file, "")
		}
		p := startPeer(t, peerOptions{}, "sh", "-c", `ulimit -f 0; exec wiretea tee --record "$0" -- cat`, file)
		got := p.talk([]byte(oddBytes + "\n"))
		if got.code != 0 || got.out != oddBytes+"\n" || got.err != "" && (!strings.HasPrefix(got.err, "wiretea: this session is not recorded: ") || strings.Count(got.err, "\n") != 1) {
			t.Errorf("code %d, %q, stderr %q", got.code, got.out, got.err)
		}
		info, err := os.Stat(file)
		if there != (err == nil) || there && info.Size() != 0 {
			t.Errorf("there before: %t; in the end %v, %v", there, info, err)
		}
		if read := inProcess(t.Context(), "check", file); read.code != term.ExitUsage || strings.Count(read.err, "\n") > 2 || there && !strings.Contains(read.err, "not a session file: it is empty") {
			t.Errorf("there before: %t; check: %v", there, read)
		}
	}
}

// TestTeeStalledDisk records into a pipe whose reader stops: each write then takes
// for ever, as on a disk that hangs. The traffic does not care, memory stays
// bounded, and what is missing in the end is said.
func TestTeeStalledDisk(t *testing.T) {
	t.Parallel()
	for name, forEver := range map[string]bool{"for ever": true, "for a while": false} {
		t.Run(name, func(t *testing.T) {
			mebibytes := 96
			dir := t.TempDir()
			fifo, sum := filepath.Join(dir, "disk"), filepath.Join(dir, "sum")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			disk := make(chan *os.File, 1)
			go func() {
				f, err := os.Open(fifo) // returns when the tee has opened it
				if err != nil {
					t.Error(err)
				}
				disk <- f
			}()
			p := startTee(t, peerOptions{file: fifo}, "sh", "-c", `echo ready; read go; teepeer bulk "$0" "$1"; read end; exit 0`, strconv.Itoa(mebibytes), sum)
			p.line()
			d := <-disk
			defer d.Close()
			if err := d.SetReadDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			p.in.WriteString("go\n")
			hash := sha256.New()
			if _, err := io.CopyN(hash, p.out, int64(mebibytes)<<20); err != nil {
				t.Fatal(err)
			}
			awaitFile(t, sum)
			if want, err := os.ReadFile(sum); err != nil || !bytes.Equal(hash.Sum(nil), want) {
				t.Errorf("the client got something else than the server sent, %v", err)
			}
			wantSmall(t, p)
			if !forEver {
				wantAccounted(t, d, int64(mebibytes)<<20+int64(len("ready\n")))
			}
			if got := p.talk([]byte{}); got != (ended{}) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// wantAccounted reads a record until all bytes that the server sent are in it, or
// said to be missing, which some must be.
func wantAccounted(t *testing.T, record io.Reader, want int64) {
	t.Helper()
	var there, missing int64
	for lines := bufio.NewReaderSize(record, 1<<20); there+missing < want; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%d bytes are recorded, %d are said to be missing, of %d: %v", there, missing, want, err)
		}
		var r struct {
			K, D  string
			Len   int64
			Bytes int64
			S     string
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%.100q: %v", line, err)
		}
		switch {
		case r.D != "s2c":
		case r.K == "f":
			there += r.Len + 1
		case r.K == "raw":
			there += int64(len(r.S))
		case r.K == "gap":
			missing += r.Bytes
		}
	}
	if there == 0 || missing == 0 || there+missing != want {
		t.Errorf("%d bytes are recorded, %d are said to be missing, of %d", there, missing, want)
	}
}

// TestTeeProbe starts a server as clients do that first start one to see whether it
// is there: they ask, end it, and start another. Each has a record of its own.
func TestTeeProbe(t *testing.T) {
	dir := t.TempDir()
	start := func() *peered {
		return startPeer(t, peerOptions{}, "wiretea", "tee", "--sessions", dir, "--name", "probed", "--", "cat")
	}
	probe := start()
	probe.ping(1)
	probe.in.Close() // it is not waited for
	used := start()
	used.ping(2)
	if got := probe.rest(); got != (ended{}) {
		t.Errorf("the probe: %+v", got)
	}
	used.ping(3)
	for p, want := range map[*peered]string{probe: "n1 ", used: "n2 n3 "} {
		file := awaitOne(t, filepath.Join(dir, fmt.Sprintf("*-probed-%d%s", p.cmd.Process.Pid, recorder.Suffix)))
		last := "notifications/" + want[len(want)-3:len(want)-1]
		awaitRecord(t, file, func(r *session.Record) bool { return r.Stream == session.S2C && bytes.Contains(r.Body, []byte(last)) })
		got := ""
		for _, r := range recording(t, file) {
			if r.Kind == session.RecFrame && r.Stream == session.S2C {
				got += strings.TrimSuffix(strings.TrimPrefix(string(r.Body), `{"jsonrpc":"2.0","method":"notifications/`), `"}`) + " "
			}
		}
		if got != want {
			t.Errorf("recorded %q, want %q", got, want)
		}
	}
	live := inProcess(t.Context(), "attach", "--list", "--json", "--sessions", dir)
	var list []inventory.Live
	if err := json.Unmarshal([]byte(live.out), &list); err != nil || len(list) != 1 || list[0].Tee != used.cmd.Process.Pid {
		t.Errorf("live: %v, %v", live, err)
	}
	if got := used.talk([]byte{}); got != (ended{}) {
		t.Errorf("%+v", got)
	}
}
