//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A peered is a server, or a tee before it, as its client sees it: the other ends
// of its three descriptors.
type peered struct {
	t       *testing.T
	cmd     *exec.Cmd
	in, out *os.File
	errw    *os.File
	alive   *os.File    // alive is a pipe that the server and all it leaves behind hold.
	theirs  [3]*os.File // theirs are kept open only where that was asked for.
	file    string      // file is the recording.
}

// pair returns two ends that are connected, by sockets or by a pipe; theirs reads
// where read is set.
func pair(t *testing.T, sockets, read bool) (ours, theirs *os.File) {
	t.Helper()
	if sockets {
		// No process that another test starts may inherit them.
		syscall.ForkLock.RLock()
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err == nil {
			syscall.CloseOnExec(fds[0])
			syscall.CloseOnExec(fds[1])
		}
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
		// Ours can then be read with a deadline.
		if err := syscall.SetNonblock(fds[0], true); err != nil {
			t.Fatal(err)
		}
		return os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if read {
		return w, r
	}
	return r, w
}

// options of startPeer.
type peerOptions struct {
	sockets bool
	group   bool     // group starts it in a process group of its own.
	keep    bool     // keep keeps their ends open here too.
	nobody  bool     // nobody takes root's rights away from it.
	flags   []string // flags of tee.
	file    string   // file is where tee records; empty = a file of the test's own.
}

// nobody is the user and the group that may do nothing.
const nobody = 65534

// startTee starts a server behind a tee.
func startTee(t *testing.T, o peerOptions, server ...string) *peered {
	t.Helper()
	if o.file == "" {
		o.file = filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	}
	args := append([]string{"wiretea", "tee", "--record", o.file}, o.flags...)
	p := startPeer(t, o, append(append(args, "--"), server...)...)
	p.file = o.file
	return p
}

func startPeer(t *testing.T, o peerOptions, argv ...string) *peered {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	p := &peered{t: t, cmd: exec.CommandContext(ctx, argv[0], argv[1:]...)}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: o.group}
	if o.nobody && os.Geteuid() == 0 {
		p.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	p.in, p.theirs[0] = pair(t, o.sockets, true)
	p.out, p.theirs[1] = pair(t, o.sockets, false)
	p.errw, p.theirs[2] = pair(t, o.sockets, false)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = p.theirs[0], p.theirs[1], p.theirs[2]
	alive, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.alive, p.cmd.ExtraFiles = alive, []*os.File{theirs}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	deadline := time.Now().Add(patience)
	for i, ours := range []*os.File{p.in, p.out, p.errw, p.alive} {
		if i < 3 && !o.keep {
			p.theirs[i].Close()
		}
		if err := ours.SetDeadline(deadline); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ours.Close() })
	}
	return p
}

// ended is how a process ended.
type ended struct {
	code     int
	signal   syscall.Signal
	out, err string
}

// talk gives the server all of the input, or leaves it open where that is nil, and
// returns what came back.
func (p *peered) talk(input []byte) ended {
	p.t.Helper()
	go func() {
		if input != nil {
			p.in.Write(input)
			p.in.Close()
		}
	}()
	return p.rest()
}

// rest reads both streams to their end and waits for the process.
func (p *peered) rest() ended {
	p.t.Helper()
	errs := make(chan []byte, 1)
	go func() {
		b, err := io.ReadAll(p.errw)
		if err != nil {
			p.t.Errorf("reading stderr: %v", err)
		}
		errs <- b
	}()
	out, err := io.ReadAll(p.out)
	if err != nil {
		p.t.Errorf("reading stdout: %v", err)
	}
	e := p.wait()
	e.out, e.err = string(out), string(<-errs)
	return e
}

func (p *peered) wait() ended {
	p.t.Helper()
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return ended{code: -1, signal: status.Signal()}
	}
	return ended{code: status.ExitStatus()}
}

// line reads the next line of stdout, byte by byte: nothing behind it is taken.
func (p *peered) line() string {
	p.t.Helper()
	var line []byte
	for b := make([]byte, 1); ; line = append(line, b[0]) {
		if _, err := p.out.Read(b); err != nil {
			p.t.Fatalf("reading a line after %q: %v", line, err)
		}
		if b[0] == '\n' {
			return string(line)
		}
	}
}

// wantDead wants the server, and all it left behind, to end.
func (p *peered) wantDead() {
	p.t.Helper()
	if _, err := io.Copy(io.Discard, p.alive); err != nil {
		p.t.Errorf("the server lives on: %v", err)
	}
}
