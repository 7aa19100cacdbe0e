//go:build unix

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// await waits for a condition that nobody announces.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick, deadline := time.NewTicker(5*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waiting for %s", what)
		}
	}
}

func awaitFile(t *testing.T, file string) {
	t.Helper()
	await(t, file, func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() > 0
	})
}

// awaitOne waits until one file has a name of that pattern: a server may answer
// before its tee has begun to record.
func awaitOne(t *testing.T, pattern string) string {
	t.Helper()
	var list []string
	await(t, pattern, func() bool {
		var err error
		if list, err = filepath.Glob(pattern); err != nil {
			t.Fatal(err)
		}
		return len(list) > 0
	})
	if len(list) > 1 {
		t.Fatalf("there are several: %q", list)
	}
	return list[0]
}

// awaitLive waits until one session file has a name of that pattern and an answer of
// the server in it, behind which the record may lag.
func awaitLive(t *testing.T, pattern string) string {
	t.Helper()
	file := awaitOne(t, pattern)
	awaitRecord(t, file, func(r *session.Record) bool { return r.Kind == session.RecFrame && r.Stream == session.S2C })
	return file
}

// keepUp waits where the record is so far behind what passed that some of it would
// be lost soon: that is right on a machine that has no time for it, and not what is
// tested.
func (p *peered) keepUp(passed int64) {
	p.t.Helper()
	await(p.t, "the record", func() bool {
		info, err := os.Stat(p.file)
		return err == nil && info.Size() >= passed-32<<20
	})
}

// awaitRecord waits until a record is in the file.
func awaitRecord(t *testing.T, file string, want func(*session.Record) bool) session.Record {
	t.Helper()
	awaitFile(t, file)
	f, err := recorder.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := recorder.NewReader(f, 0)
	var rec session.Record
	for {
		size := f.Size()
		err := r.Next(&rec)
		switch {
		case err == nil && want(&rec):
			return rec
		case err == nil:
			continue
		case !errors.Is(err, io.EOF):
			t.Fatal(err)
		}
		if err := f.Wait(ctx, size); err != nil {
			t.Fatalf("waiting for a record: %v", err)
		}
	}
}

// recorded is one stream of a recording.
func recorded(t *testing.T, file, stream string) string {
	t.Helper()
	got := inProcess(t.Context(), "export", "--with-secrets", "--dir", stream, file)
	if got.code != term.ExitFine {
		t.Errorf("export: %v", got)
	}
	return got.out
}

// recordedSum is the sum of one stream of a recording, which may be long.
func recordedSum(t *testing.T, file, stream string) (sum [sha256.Size]byte) {
	t.Helper()
	hash, errw := sha256.New(), new(bytes.Buffer)
	if code := runMain(t.Context(), []string{"export", "--with-secrets", "--dir", stream, file}, nil, hash, errw); code != term.ExitFine {
		t.Errorf("export: exit code %d: %s", code, errw)
	}
	hash.Sum(sum[:0])
	return sum
}

// wantSmall wants the tee, which runs still, to have kept to its memory.
func wantSmall(t *testing.T, p *peered) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Skip("the system does not tell how much memory a process takes")
	}
	_, peak, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		t.Fatal("the tee has ended")
	}
	if kib, err := strconv.Atoi(strings.Fields(peak)[0]); err != nil || kib > 48<<10 && !raceEnabled {
		t.Errorf("the tee took %d KiB of memory, %v", kib, err)
	}
}
