//go:build unix

package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"wiretea/session"
)

// TestTeeBackpressure stops a client, and a server, from reading. The writer
// blocks, the file says so, memory stays bounded, and nothing is lost.
func TestTeeBackpressure(t *testing.T) {
	t.Parallel()
	blocked := func(stream session.Stream, event string) func(*session.Record) bool {
		return func(r *session.Record) bool {
			return r.Kind == session.RecIO && r.Stream == stream && r.IO.Event == event
		}
	}
	t.Run("client", func(t *testing.T) {
		t.Parallel()
		sum := filepath.Join(t.TempDir(), "sum")
		p := startTee(t, peerOptions{}, "teepeer", "flood", "100000", sum)
		first := p.line() + "\n"
		awaitRecord(t, p.file, blocked(session.S2C, "blocked"))
		if _, err := os.Stat(sum); err == nil {
			t.Error("the server wrote everything, though nobody reads")
		}
		wantSmall(t, p)
		got := p.talk([]byte{})
		want, err := os.ReadFile(sum)
		if err != nil {
			t.Fatal(err)
		}
		if have := sha256.Sum256([]byte(first + got.out)); got.code != 0 || !bytes.Equal(have[:], want) {
			t.Errorf("exit code %d, %d bytes: %s", got.code, len(got.out), got.err)
		}
		awaitRecord(t, p.file, blocked(session.S2C, "unblocked"))
	})
	t.Run("client, which ends the server", func(t *testing.T) {
		t.Parallel()
		p := startTee(t, peerOptions{}, "teepeer", "flood", "100000", filepath.Join(t.TempDir(), "sum"))
		p.line()
		awaitRecord(t, p.file, blocked(session.S2C, "blocked"))
		p.cmd.Process.Signal(syscall.SIGTERM)
		if got := p.wait(); got.signal != syscall.SIGTERM {
			t.Errorf("%+v", got)
		}
		awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecEnd })
	})
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		p := startTee(t, peerOptions{}, "teepeer", "deaf")
		p.line()
		pid := awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecProc && r.Proc.Event == "start" }).Proc.PID
		input := bytes.Repeat([]byte("0123456789abcdef\n"), 100_000)
		done := make(chan ended, 1)
		go func() { done <- p.talk(input) }()
		awaitRecord(t, p.file, blocked(session.C2S, "blocked"))
		if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		if got, want := (<-done).out, fmt.Sprintf("%d %x\n", len(input), sha256.Sum256(input)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestTeeBurst sends a burst of frames through, as fast as they come.
func TestTeeBurst(t *testing.T) {
	frames := 1_000_000
	if testing.Short() || raceEnabled {
		frames = 50_000
	}
	sum := filepath.Join(t.TempDir(), "sum")
	p := startTee(t, peerOptions{}, "teepeer", "flood", strconv.Itoa(frames), sum)
	p.in.Close()
	hash := sha256.New()
	const step = 1 << 20
	for passed := int64(step); passed < int64(frames)*70; passed += step {
		if _, err := io.CopyN(hash, p.out, step); err != nil {
			t.Fatal(err)
		}
		p.keepUp(passed)
	}
	wantSmall(t, p)
	if _, err := io.Copy(hash, p.out); err != nil {
		t.Fatal(err)
	}
	if got := p.wait(); got.code != 0 {
		t.Errorf("%+v", got)
	}
	want, err := os.ReadFile(sum)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(hash.Sum(nil), want) {
		t.Error("the client got something else than the server sent")
	}
	if have := recordedSum(t, p.file, "s2c"); !bytes.Equal(have[:], want) {
		t.Error("the recording has something else than the server sent")
	}
}

// TestTeeLongLine sends a line that never seems to end: what there is of it
// arrives, and the server waits for that.
func TestTeeLongLine(t *testing.T) {
	mebibytes := 100
	if testing.Short() || raceEnabled {
		mebibytes = 10
	}
	p := startTee(t, peerOptions{}, "teepeer", "line", strconv.Itoa(mebibytes))
	chunk, hash := make([]byte, 1<<20), sha256.New()
	for i := range mebibytes {
		if _, err := io.ReadFull(p.out, chunk); err != nil {
			t.Fatal(err)
		}
		p.keepUp(int64(i+1) << 20)
		hash.Write(chunk)
		if _, err := p.in.WriteString("."); err != nil {
			t.Fatal(err)
		}
	}
	wantSmall(t, p)
	got := p.talk([]byte{})
	if got.code != 0 || got.out != "\n" {
		t.Errorf("%+v", got)
	}
	hash.Write([]byte("\n"))
	if have := recordedSum(t, p.file, "s2c"); !bytes.Equal(have[:], hash.Sum(nil)) {
		t.Error("the recording has something else than the client got")
	}
}

// TestTeeChatter lets a server write a lot to stderr.
func TestTeeChatter(t *testing.T) {
	size := 50 << 20
	if testing.Short() || raceEnabled {
		size = 5 << 20
	}
	p := startTee(t, peerOptions{}, "teepeer", "chatter", strconv.Itoa(size))
	done := make(chan ended, 1)
	go func() { done <- p.talk(nil) }()
	awaitFile(t, p.file)
	awaitRecord(t, p.file, func(r *session.Record) bool { return r.Kind == session.RecFrame && r.Stream == session.S2C })
	wantSmall(t, p)
	p.in.Close()
	got := <-done
	if got.code != 0 || got.out != "done\n" || len(got.err) != size {
		t.Errorf("code %d, %q, %d bytes of stderr", got.code, got.out, len(got.err))
	}
	if recordedSum(t, p.file, "stderr") != sha256.Sum256([]byte(got.err)) {
		t.Error("the recording has something else than the client got")
	}
}
