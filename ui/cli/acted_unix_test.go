//go:build unix

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client/http"
	"wiretea/ui/cli/term"
)

// An acted is a client and its server with a tee between them, on whose session
// the test acts.
type acted struct {
	*peered
	control session.Control
	server  string // server is the stem of the files that the server keeps.

	mu   sync.Mutex // mu is held over a write.
	sent []byte     // sent is all the client wrote.
	got  []byte     // got is all it read; it is whole once read is closed.
	read chan struct{}
}

// startActed starts the server "acted" behind a tee, shakes hands, and connects to
// the tee's socket.
func startActed(t *testing.T, flags ...string) *acted {
	t.Helper()
	a := connectActed(t, flags...)
	a.shakeHands()
	return a
}

func connectActed(t *testing.T, flags ...string) *acted {
	t.Helper()
	a := &acted{server: filepath.Join(t.TempDir(), "server"), read: make(chan struct{})}
	a.peered = startTee(t, peerOptions{flags: flags}, "teepeer", "acted", "0", a.server)
	awaitFile(t, a.file)
	f, err := recorder.Open(a.file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a.control, _ = capture.Dial(f.Header(), http.Options{})
	return a
}

func (a *acted) shakeHands() {
	a.t.Helper()
	a.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{},"experimental":{"echo":{}}},"clientInfo":{"name":"t","version":"1"}}}`)
	a.got = []byte(a.line() + "\n")
	go func() {
		defer close(a.read)
		buf := make([]byte, 64<<10)
		for {
			n, err := a.out.Read(buf)
			a.mu.Lock()
			a.got = append(a.got, buf[:n]...)
			a.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	a.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	awaitRecord(a.t, a.file, func(r *session.Record) bool {
		return r.Kind == session.RecFrame && bytes.Contains(r.Body, []byte("notifications/initialized"))
	})
}

// say has the client write a line.
func (a *acted) say(line string) { a.write([]byte(line + "\n")) }

func (a *acted) write(p []byte) {
	a.sent = append(a.sent, p...)
	if _, err := a.in.Write(p); err != nil {
		a.t.Errorf("the client writes: %v", err)
	}
}

// received waits until the client has read a text.
func (a *acted) received(text string) {
	a.t.Helper()
	looked := 0 // looked is where the text may still begin.
	await(a.t, text, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		from := looked
		looked = max(0, len(a.got)-len(text))
		return bytes.Contains(a.got[from:], []byte(text))
	})
}

// send sends a request of the method.
func (a *acted) send(ctx context.Context, method string) (session.Outcome, error) {
	return a.control.Send(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{"size":2,"_meta":{"progressToken":9}}}`, method))
}

func (a *acted) answered(method string) session.Outcome {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	out, err := a.send(ctx, method)
	if err != nil || !bytes.Contains(out.Answer, []byte(out.ID)) {
		a.t.Fatalf("%s: %v, %.200s", method, err, out.Answer)
	}
	return out
}

// finish ends the client, and holds all that was promised of the bytes: each end
// has what it would have had, and the recording has both.
func (a *acted) finish() *session.Snapshot {
	a.t.Helper()
	a.in.Close()
	<-a.read
	if e := a.wait(); e.code != 0 {
		a.t.Errorf("ended %+v", e)
	}
	took, err1 := os.ReadFile(a.server + ".in")
	wrote, err2 := os.ReadFile(a.server + ".out")
	if err := errors.Join(err1, err2); err != nil {
		a.t.Fatal(err)
	}
	a.same("what the server read, without ours", withoutOurs(took), a.sent)
	a.same("what the client read", a.got, withoutOurs(wrote))
	a.same("c2s at the client", a.recordedAt("c2s", "client"), a.sent)
	a.same("c2s at the server", a.recordedAt("c2s", "server"), took)
	a.same("s2c at the server", a.recordedAt("s2c", "server"), wrote)
	a.same("s2c at the client", a.recordedAt("s2c", "client"), a.got)
	s := judged(a.t, a.file)
	if n := s.Outstanding(); n != 0 {
		a.t.Errorf("%d are outstanding after the end", n)
	}
	for _, f := range s.Findings() {
		// The actor's progress comes after the end: a moment later, or on a busy machine longer.
		if f.Severity > session.Info && f.Rule != "progress-after-completion" {
			a.t.Errorf("accused of %s: %s", f.Rule, f.Message)
		}
	}
	return s
}

func (a *acted) same(what string, got, want []byte) {
	a.t.Helper()
	if sha256.Sum256(got) != sha256.Sum256(want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		a.t.Errorf("%s: %d bytes, want %d; they part at %d: %.100q, want %.100q", what, len(got), len(want), at, got[at:], want[at:])
	}
}

func (a *acted) recordedAt(stream, end string) []byte {
	a.t.Helper()
	o := inProcess(a.t.Context(), "export", "--with-secrets", "--dir", stream, "--end", end, a.file)
	if o.code != term.ExitFine {
		a.t.Errorf("export: %v", o)
	}
	return []byte(o.out)
}

// withoutOurs leaves out the lines that name a request of ours.
func withoutOurs(p []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(p) {
		if !bytes.Contains(line, []byte(`"wiretea-`)) {
			kept = append(kept, line...)
		}
	}
	return kept
}
