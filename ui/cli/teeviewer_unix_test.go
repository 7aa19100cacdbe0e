//go:build unix

package cli

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"wiretea/session"
	"wiretea/ui/cli/term"
)

// TestTeeViewerStopped stops a viewer while a lot passes, and lets it go on. The
// traffic and the record do not care, and the viewer misses nothing.
func TestTeeViewerStopped(t *testing.T) {
	t.Parallel()
	b := startBulk(t, 128)
	viewer := startProgram(t, "attach", "--plain", b.file)
	viewer.await("ready")
	if err := viewer.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	b.pass(b.mebibytes)
	wantSmall(t, b.peered)
	b.wantAll()
	if err := viewer.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if got := viewer.wait(); got.code != term.ExitFine || strings.Count(got.out, "notifications/message") != 16*b.mebibytes || !strings.Contains(got.out, "server exited with code 0") {
		t.Errorf("exit code %d, %d lines: %.2000s\n%.2000s", got.code, strings.Count(got.out, "\n"), got.out, got.err)
	}
}

// TestTeeViewerKilled kills a viewer while a lot passes.
func TestTeeViewerKilled(t *testing.T) {
	t.Parallel()
	b := startBulk(t, 64)
	viewer := startProgram(t, "attach", "--plain", b.file)
	viewer.await("ready")
	b.pass(b.mebibytes / 4)
	if err := viewer.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	b.pass(b.mebibytes - b.mebibytes/4)
	b.wantAll()
}

// A bulk is a tee through which a lot of frames are about to pass.
type bulk struct {
	*peered
	mebibytes int
	sum       string // sum is the file where the server keeps the sum of what it wrote.
	hash      hash.Hash
}

func startBulk(t *testing.T, mebibytes int) *bulk {
	t.Helper()
	b := &bulk{mebibytes: mebibytes, sum: filepath.Join(t.TempDir(), "sum"), hash: sha256.New()}
	if testing.Short() || raceEnabled {
		b.mebibytes = 32
	}
	b.peered = startTee(t, peerOptions{}, "sh", "-c", `echo ready; read go; teepeer bulk "$0" "$1"; read end; exit 0`, strconv.Itoa(b.mebibytes), b.sum)
	b.line()
	awaitRecord(t, b.file, func(r *session.Record) bool { return r.Kind == session.RecFrame })
	if _, err := b.in.WriteString("go\n"); err != nil {
		t.Fatal(err)
	}
	return b
}

// pass reads mebibytes, no faster than they are recorded: a slow disk is not what is
// tested.
func (b *bulk) pass(mebibytes int) {
	b.t.Helper()
	info, err := os.Stat(b.file)
	if err != nil {
		b.t.Fatal(err)
	}
	size := info.Size()
	for range mebibytes / 8 {
		if _, err := io.CopyN(b.hash, b.out, 8<<20); err != nil {
			b.t.Fatal(err)
		}
		size += 8 << 20
		await(b.t, "the record", func() bool {
			info, err := os.Stat(b.file)
			return err == nil && info.Size() >= size-512<<10 // the rest is on its way, or waited in a pipe when this began
		})
	}
}

// wantAll ends the server, and wants the client and the record to have all it wrote.
func (b *bulk) wantAll() {
	b.t.Helper()
	if got := b.talk([]byte{}); got.code != 0 || got.out != "" || got.err != "" {
		b.t.Errorf("%+v", got)
	}
	want, err := os.ReadFile(b.sum)
	if err != nil {
		b.t.Fatal(err)
	}
	if !bytes.Equal(b.hash.Sum(nil), want) {
		b.t.Error("the client got something else than the server sent")
	}
	b.hash.Reset()
	skip := &skipping{n: len("ready\n"), w: b.hash}
	var errw bytes.Buffer
	if code := runMain(b.t.Context(), []string{"export", "--with-secrets", "--dir", "s2c", b.file}, nil, skip, &errw); code != term.ExitFine || !bytes.Equal(b.hash.Sum(nil), want) {
		b.t.Errorf("the recording has something else than the server sent: exit code %d, %s", code, &errw)
	}
}

// skipping passes on all but the first n bytes.
type skipping struct {
	n int
	w io.Writer
}

func (s *skipping) Write(p []byte) (int, error) {
	skip := min(s.n, len(p))
	s.n -= skip
	_, err := s.w.Write(p[skip:])
	return len(p), err
}
