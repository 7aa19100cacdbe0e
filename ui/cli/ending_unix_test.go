//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// A program is a wiretea process that is watched while it runs.
type program struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string // lines of stdout, closed at its end.
	out   strings.Builder
	errw  bytes.Buffer
	temp  string // temp is its temporary folder.
}

// startProgram runs wiretea with an open stdin until it ends or the test does.
func startProgram(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	p := &program{t: t, cmd: exec.CommandContext(ctx, "wiretea", args...), lines: make(chan string), temp: t.TempDir()}
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), "TMPDIR="+p.temp), &p.errw
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		for scan := bufio.NewScanner(stdout); scan.Scan(); {
			select {
			case p.lines <- scan.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return p
}

// await returns the submatches of the next line of stdout that matches.
func (p *program) await(pattern string) []string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	for line := range p.lines {
		p.out.WriteString(line + "\n")
		if m := re.FindStringSubmatch(line); m != nil {
			return m
		}
	}
	p.t.Fatalf("no line like %q in\n%s\n%v", pattern, p.out.String(), p.cmd.Wait())
	return nil
}

// awaitServer returns the server's pid.
func (p *program) awaitServer() int {
	p.t.Helper()
	pid, err := strconv.Atoi(p.await(`server started, pid (\d+)`)[1])
	if err != nil {
		p.t.Fatal(err)
	}
	return pid
}

// wait waits for the end, after which nothing is left in the temporary folder.
func (p *program) wait() outcome {
	p.t.Helper()
	for line := range p.lines {
		p.out.WriteString(line + "\n")
	}
	err := p.cmd.Wait()
	o := outcome{p.cmd.ProcessState.ExitCode(), p.out.String(), p.errw.String()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || strings.Contains(o.err, "goroutine ") {
		p.t.Fatalf("%v\n%v", err, o)
	}
	if left, err := os.ReadDir(p.temp); err != nil || len(left) > 0 {
		p.t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
	return o
}

// recording reads a whole session file.
func recording(t *testing.T, file string) (records []session.Record) {
	t.Helper()
	eachRecord(t, file, func(r *session.Record) { records = append(records, *r) })
	return records
}

// eachRecord calls f with the records of a session file, which must be whole.
func eachRecord(t *testing.T, file string, each func(*session.Record)) {
	t.Helper()
	f, err := recorder.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := recorder.NewReader(f, 0)
	for {
		var rec session.Record
		err := r.Next(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		each(&rec)
	}
	if d := r.Damage(); d.Lines > 0 || r.Torn() > 0 {
		t.Fatalf("damage %+v, torn %d", d, r.Torn())
	}
}

// wantGone wants no process of that pid. A zombie is gone: whoever inherited it
// has yet to notice.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	if gone, stat := isGone(pid); !gone {
		t.Errorf("process %d is still there: %s", pid, stat)
	}
}

// isGone reports whether a process has ended, and what the system says of it where it has not.
func isGone(pid int) (gone bool, stat string) {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return true, ""
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	zombie := err == nil && strings.HasPrefix(string(text[bytes.LastIndexByte(text, ')')+1:]), " Z")
	return zombie, string(text)
}

// TestSignalEnds ends a session with a signal at various moments: the server is
// gone, the record has its end, and the exit code is that of a proper end.
func TestSignalEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server string
		send   string // send is typed first.
		await  string // await is the line after which the signal is sent.
		sig    syscall.Signal
		code   int
	}{
		"idle": {"exec wiretea demo --server healthy", "", "← res  server/discover", syscall.SIGINT, term.ExitFine},
		"in a call": {"exec wiretea demo --server healthy", `tools/call {"name":"slow","arguments":{"seconds":60,"steps":2}}`,
			"→ req  tools/call", syscall.SIGTERM, term.ExitFine},
		"hangup":          {"exec wiretea demo --server healthy", "tools/list", "← res  tools/list", syscall.SIGHUP, term.ExitFine},
		"in the probe":    {"exec sleep 60", "", "→ req  server/discover", syscall.SIGTERM, term.ExitFine},
		"stubborn server": {"exec wiretea demo --server ignores-sigterm", "ping", "← res  ping", syscall.SIGINT, term.ExitFine},
		"chattering":      {"yes noise | head -n 2000; exec sleep 60", "", "noise", syscall.SIGTERM, term.ExitFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
			// Who says stop gets no grace: with it, the test would run out of patience.
			p := startProgram(t, "run", "--plain", "--shutdown-grace", (10 * patience).String(), "--record", file, "--", "sh", "-c", tt.server)
			pid := p.awaitServer()
			if _, err := io.WriteString(p.stdin, tt.send+"\n"); err != nil {
				t.Fatal(err)
			}
			p.await(tt.await)
			if err := p.cmd.Process.Signal(tt.sig); err != nil {
				t.Fatal(err)
			}
			got := p.wait()
			wantGone(t, pid)
			if got.code != tt.code {
				t.Errorf("exit code %d, want %d\n%v", got.code, tt.code, got)
			}
			records := recording(t, file)
			if last := records[len(records)-1]; last.Kind != session.RecEnd || last.End.Why != "quit" {
				t.Errorf("the last record is %+v", last)
			}
		})
	}
}

// TestOpenFollows opens a recording that is being written: it prints what comes,
// and ends with the session. check judges what is there, and nobody may remove
// it.
func TestOpenFollows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	live := startProgram(t, "run", "--plain", "--era", "legacy", "--record", file, "--", "wiretea", "demo", "--server", "healthy")
	live.await("→ ntf  notifications/initialized")
	viewer := startProgram(t, "open", "--plain", file)
	viewer.await("→ ntf  notifications/initialized")
	if _, err := io.WriteString(live.stdin, "tools/list\n"); err != nil {
		t.Fatal(err)
	}
	viewer.await("← res  tools/list")
	if got := inProcess(t.Context(), "check", file); got.code != term.ExitFine || !strings.Contains(got.out, "0 unanswered") || got.err != "" {
		t.Errorf("check of a live session: %v", got)
	}
	if got := inProcess(t.Context(), "sessions", "rm", file); got.code != term.ExitUsage || !strings.Contains(got.err, "being written") {
		t.Errorf("rm of a live session: %v", got)
	}
	live.stdin.Close()
	if a, b := live.wait(), viewer.wait(); a.code != term.ExitFine || b.code != term.ExitFine || a.out != b.out {
		t.Errorf("live: %v\nfollowed: %v", a, b)
	}
}

// TestReaderLeaves closes the pipe that we print into: the session ends as it
// should, with the server gone and an end record.
func TestReaderLeaves(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "wiretea", "run", "--plain", "--record", file, "--shutdown-grace", "200ms", "--",
		"wiretea", "demo", "--server", "ignores-sigterm")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errw bytes.Buffer
	cmd.Stderr = &errw
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	stdout.Close()
	_, _ = io.WriteString(stdin, "tools/list\nping\n") // it may have noticed and ended before
	_ = cmd.Wait()                                     // the exit code tells
	if code := cmd.ProcessState.ExitCode(); code != term.ExitPipe || errw.Len() > 0 && !strings.Contains(errw.String(), "recorded") || strings.Contains(errw.String(), "broken pipe") {
		t.Errorf("exit code %d: %s", code, &errw)
	}
	m := regexp.MustCompile(`pid (\d+)`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("the first line is %q", line)
	}
	pid, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	wantGone(t, pid)
	records := recording(t, file)
	if last := records[len(records)-1]; last.Kind != session.RecEnd || last.End.Why != "quit" {
		t.Errorf("the last record is %+v", last)
	}
}

// TestKilled kills wiretea itself: the server sees the end of its input, and the
// file has every record that was printed.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	file, fifo := filepath.Join(dir, "session.mcpcap.jsonl"), filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	p := startProgram(t, "run", "--plain", "--record", file, "--era", "legacy", "--",
		"sh", "-c", `exec 9>"$0"; exec wiretea demo --server healthy`, fifo)
	alive := make(chan *os.File, 1)
	go func() {
		f, err := os.Open(fifo) // returns when the server has opened it too
		if err != nil {
			t.Error(err)
		}
		alive <- f
	}()
	if _, err := io.WriteString(p.stdin, "tools/list\n"); err != nil {
		t.Fatal(err)
	}
	p.await("← res  tools/list")
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait()
	server := <-alive
	defer server.Close()
	if err := server.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, server); err != nil {
		t.Errorf("the server outlives us: %v", err)
	}
	records := recording(t, file)
	for _, r := range records {
		if r.Kind == session.RecEnd {
			t.Error("a killed session has an end record")
		}
	}
	for _, args := range [][]string{{"open", "--plain", file}, {"check", file}} {
		got := inProcess(t.Context(), args...)
		if got.code != term.ExitFine || !strings.Contains(got.out, "✔") && !strings.Contains(got.out, "the server was still running") {
			t.Errorf("%q: %v", args, got)
		}
		if args[0] == "open" && !strings.Contains(got.err, "incomplete: "+session.NoEnd) {
			t.Errorf("nothing, or something else, is said of the end:\n%v", got)
		}
		if args[0] == "open" && !strings.Contains(got.out, "← res  tools/list") {
			t.Errorf("a printed record is lost:\n%v", got)
		}
	}
	if got := inProcess(t.Context(), "sessions", "ls", "--sessions", dir); !strings.Contains(got.out, "ended abnormally") {
		t.Errorf("sessions ls: %v", got)
	}
}

// TestStubbornServers ends servers that do not want to go, and what they leave
// behind.
func TestStubbornServers(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"exec wiretea demo --server ignores-eof":                                              "SIGTERM sent by wiretea",
		"exec wiretea demo --server ignores-sigterm":                                          "server ended by SIGKILL",
		"exec wiretea demo --server orphan-process":                                           "processes left running: ",
		"sleep 60 & exec wiretea demo --server healthy":                                       "processes left running: ", // it holds stdout
		"trap '' TERM; sleep 60 & sleep 60 & trap - TERM; exec wiretea demo --server healthy": "SIGKILL sent by wiretea",
		// A process in a session of its own is none of ours: it is not waited for.
		"exec wiretea demo --server holds-stdout": "stdout: closed (server)",
	} {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
			got := wiretea(t, "ping\n", "run", "--plain", "--shutdown-grace", "200ms", "--record", file, "--", "sh", "-c", server)
			if !strings.Contains(got.out, want) || got.code > term.ExitFound {
				t.Errorf("want %q in %v", want, got)
			}
			for _, r := range recording(t, file) {
				if r.Kind == session.RecProc {
					for _, pid := range append(r.Proc.PIDs, r.Proc.PID) {
						if pid > 0 {
							wantGone(t, pid)
						}
					}
				}
			}
		})
	}
}

// TestGarbageOnStdout runs a server that writes a mebibyte of anything before
// it gets to work. Nothing of it reaches the terminal as it is.
func TestGarbageOnStdout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	noise, file := filepath.Join(dir, "noise"), filepath.Join(dir, "session.mcpcap.jsonl")
	writeFile(t, noise, string(garbage(1<<20)))
	got := wiretea(t, "", "run", "--plain", "--record", file, "--era", "legacy", "--send", "tools/list", "--",
		"sh", "-c", `cat "$0"; echo; cat "$0" >&2; exec wiretea demo --server legacy`, noise)
	if got.code != term.ExitFound || !strings.Contains(got.out, "← res  tools/list") || !strings.Contains(got.out, "✖ stdout-not-json") {
		t.Errorf("exit code %d\n%.2000s\n%.2000s", got.code, got.out, got.err)
	}
	for i, line := range strings.Split(got.out, "\n") {
		if !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl) {
			t.Fatalf("line %d: %q", i, line)
		}
	}
	if bytes := inProcess(t.Context(), "export", "--with-secrets", "--dir", "s2c", file).out; !strings.HasPrefix(bytes, string(garbage(1<<20))+"\n{") {
		t.Error("the recording has not the bytes that were written")
	}
}

// TestDiskFull records where no file may grow beyond a few kilobytes. The
// session goes on, and what is missing is said: at once, in the file, and by
// whoever reads it.
func TestDiskFull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	script := `ulimit -f 16; exec wiretea run --plain --record "$0" "$@" -- wiretea demo --server legacy`
	args := []string{"-c", script, file}
	for range 20 {
		args = append(args, "--send", "tools/list")
	}
	var out, errw bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "sh", args...)
	cmd.Stdout, cmd.Stderr = &out, &errw
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, &out, &errw)
	}
	if n := strings.Count(out.String(), "← res  tools/list"); n != 20 {
		t.Errorf("%d of 20 answers are printed\n%s", n, &out)
	}
	if !strings.Contains(errw.String(), "recording goes on outside the session file") {
		t.Errorf("stderr: %s", &errw)
	}
	recording(t, file)
	got := inProcess(t.Context(), "check", file)
	if got.code != term.ExitFound || !strings.Contains(got.out, "recording-incomplete") || strings.Count(got.out, "✖") != 3 {
		t.Errorf("check: %v", got)
	}
}
