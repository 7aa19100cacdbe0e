//go:build unix

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/control"
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
	a.control, _ = dialControl(f.Header())
	return a
}

func (a *acted) shakeHands() {
	a.t.Helper()
	a.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
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
	await(a.t, text, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return bytes.Contains(a.got, []byte(text))
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
	s, err := judge(a.t.Context(), a.file, io.Discard)
	if err != nil {
		a.t.Fatal(err)
	}
	if n := s.Outstanding(); n != 0 {
		a.t.Errorf("%d are outstanding after the end", n)
	}
	for _, f := range s.Findings() {
		if f.Severity > session.Info {
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
	o := inProcess(a.t.Context(), "export", "--dir", stream, "--end", end, a.file)
	if o.code != exitFine {
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

// TestActUnderLoad has eight viewers act at once while both sides talk without a
// pause, the client in chunks that end anywhere.
func TestActUnderLoad(t *testing.T) {
	a := startActed(t)
	a.say(`{"jsonrpc":"2.0","method":"notifications/stream"}`)
	var viewers sync.WaitGroup
	for range 8 {
		viewers.Go(func() {
			for _, method := range []string{"echo", "progress", "refuse", "big", "echo"} {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				out, err := a.send(ctx, method)
				cancel()
				if err != nil || !bytes.Contains(out.Answer, []byte(out.ID)) {
					t.Errorf("%s: %v, %.200s", method, err, out.Answer)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		viewers.Wait()
		close(done)
	}()
	rnd := rand.New(rand.NewPCG(1, 2))
	var waiting []byte
	for i := 1; ; i++ {
		waiting = fmt.Appendf(waiting, `{"jsonrpc":"2.0","id":%d,"method":"echo","params":{"pad":"%s"}}`+"\n", i, strings.Repeat("y", rnd.IntN(300)))
		n := rnd.IntN(len(waiting) + 1)
		a.write(waiting[:n])
		waiting = slices.Clone(waiting[n:])
		select {
		case <-done:
			a.write(waiting)
			a.received(fmt.Sprintf(`"jsonrpc":"2.0","id":%d}`, i))
			a.finish()
			return
		default:
		}
	}
}

func TestActAnswers(t *testing.T) {
	a := startActed(t)
	a.answered("echo")
	if out := a.answered("refuse"); !bytes.Contains(out.Answer, []byte(`"error"`)) {
		t.Errorf("%s", out.Answer)
	}
	a.answered("progress")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// The line is longer than what a pipe or a read holds, and short enough for clients.
	if out, err := a.control.Send(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"big","params":{"size":9}}`)); err != nil || len(out.Answer) < 9<<20 {
		t.Errorf("%d bytes of 9 MiB, %v", len(out.Answer), err)
	}
	a.answered("asks")
	a.received(`{"jsonrpc":"2.0","id":77,"method":"roots/list"}`) // is the client's to answer
	a.say(`{"jsonrpc":"2.0","id":77,"result":{"roots":[]}}`)
	a.finish()
}

// TestActLate holds that an answer is taken out after it was given up.
func TestActLate(t *testing.T) {
	a := startActed(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	given := make(chan error, 1)
	go func() {
		_, err := a.send(ctx, "late")
		given <- err
	}()
	awaitRecord(t, a.file, func(r *session.Record) bool { return r.Way == session.WayOut })
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	awaitRecord(t, a.file, func(r *session.Record) bool {
		return r.Way == session.WayOut && bytes.Contains(r.Body, []byte("notifications/cancelled"))
	})
	a.say(`{"jsonrpc":"2.0","method":"notifications/release"}`)
	a.say(`{"jsonrpc":"2.0","id":5,"method":"echo"}`)
	a.received(`"id":5}`)
	if s := a.finish(); !bytes.Contains(a.recordedAt("s2c", "server"), []byte(`"late":true`)) || s.Totals().Exchanges != 3 {
		t.Errorf("no late answer, or not paired: %+v", s.Totals())
	}
}

// TestActGone holds that who waits is told when the server ends.
func TestActGone(t *testing.T) {
	a := startActed(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if out, err := a.send(ctx, "die"); !errors.Is(err, session.ErrGone) {
		t.Errorf("%v, %v", out, err)
	}
	<-a.read
	a.wait()
	if _, err := a.send(ctx, "echo"); !errors.Is(err, session.ErrGone) {
		t.Errorf("afterwards: %v", err)
	}
}

// TestActBusy holds that nothing goes into the client's message, nor before a
// server that does not read.
func TestActBusy(t *testing.T) {
	t.Parallel()
	a := startActed(t)
	a.write([]byte(`{"jsonrpc":"2.0","id":1,`))
	awaitRecord(t, a.file, func(r *session.Record) bool { return r.Kind == session.RecRaw })
	if _, err := a.send(t.Context(), "echo"); !errors.Is(err, session.ErrBusy) {
		t.Errorf("in a message: %v", err)
	}
	a.say(`"method":"deaf"}`)
	a.received(`"id":1}`)
	filled := make(chan struct{})
	go func() {
		defer close(filled)
		line := []byte(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"pad":"` + strings.Repeat("z", 1<<19) + `"}}` + "\n")
		a.write(line)
	}()
	awaitRecord(t, a.file, func(r *session.Record) bool { return r.Kind == session.RecIO && r.IO.Event == "blocked" })
	if _, err := a.send(t.Context(), "echo"); !errors.Is(err, session.ErrBusy) {
		t.Errorf("before a server that does not read: %v", err)
	}
	if err := os.WriteFile(a.server+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-filled
	a.answered("echo")
	a.in.Close()
	<-a.read
	a.wait()
	took, err := os.ReadFile(a.server + ".in")
	if err != nil {
		t.Fatal(err)
	}
	a.same("what the server read, without ours", withoutOurs(took), a.sent)
	a.same("c2s at the server", a.recordedAt("c2s", "server"), took)
}

// TestActSlips holds that an answer too long to be held is forwarded, and that the
// recording says so.
func TestActSlips(t *testing.T) {
	a := startActed(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := a.control.Send(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"big","params":{"size":20}}`))
	if !errors.Is(err, control.ErrSlipped) {
		t.Errorf("%v", err)
	}
	a.in.Close()
	<-a.read
	a.wait()
	wrote, err := os.ReadFile(a.server + ".out")
	if err != nil {
		t.Fatal(err)
	}
	a.same("what the client read", a.got, wrote)
	s, err := judge(t.Context(), a.file, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(s.Findings(), func(f session.Finding) bool { return f.Rule == "held-line-released" }) {
		t.Errorf("findings %v", s.Findings())
	}
}

// TestActCancel holds that a client's request can be withdrawn behind its back.
func TestActCancel(t *testing.T) {
	a := startActed(t)
	a.say(`{"jsonrpc":"2.0","id":"c","method":"late"}`)
	awaitRecord(t, a.file, func(r *session.Record) bool { return bytes.Contains(r.Body, []byte(`"late"`)) })
	if err := a.control.Cancel(t.Context(), `"c"`, "by hand"); err != nil {
		t.Fatal(err)
	}
	rec := awaitRecord(t, a.file, func(r *session.Record) bool { return r.Way == session.WayOut })
	if got, want := string(rec.Body), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c","reason":"by hand"}}`; got != want {
		t.Errorf("%s", got)
	}
	if err := a.control.Cancel(t.Context(), "{}", ""); !errors.Is(err, session.ErrRefused) {
		t.Errorf("no id: %v", err)
	}
	a.in.Close()
	<-a.read
	a.wait()
}

func TestActEnds(t *testing.T) {
	a := startActed(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := a.control.End(ctx); err != nil {
		t.Error(err)
	}
	<-a.read
	if e := a.wait(); e.signal.String() != "terminated" {
		t.Errorf("ended %+v", e)
	}
	awaitRecord(t, a.file, func(r *session.Record) bool {
		return r.Kind == session.RecProc && r.Proc.Event == "signal" && r.Proc.By == "us" && r.Proc.Signal == "SIGTERM"
	})
}

func TestActRefused(t *testing.T) {
	early := connectActed(t)
	if _, err := early.send(t.Context(), "echo"); !errors.Is(err, session.ErrTooEarly) {
		t.Errorf("before the handshake: %v", err)
	}
	early.shakeHands()
	early.answered("echo")
	for _, bad := range []string{`{}`, `[]`, `x`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
		if _, err := early.control.Send(t.Context(), []byte(bad)); !errors.Is(err, session.ErrRefused) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	early.finish()

	none := connectActed(t, "--no-control")
	if none.control != nil {
		t.Error("--no-control has a socket")
	}
	none.shakeHands()
	o := wiretea(t, "", "attach", "--send", "echo", "--yes", none.file)
	if o.code != exitUsage || !strings.Contains(o.err, "--no-control") {
		t.Errorf("%v", o)
	}
	none.finish()

	headers := connectActed(t)
	headers.write([]byte("Content-Length: 20\r\n\r\n{\"jsonrpc\":\"2.0\"    }"))
	awaitRecord(t, headers.file, func(r *session.Record) bool { return bytes.Contains(r.Body, []byte("Content-Length")) })
	if _, err := headers.send(t.Context(), "echo"); !errors.Is(err, session.ErrRefused) {
		t.Errorf("with Content-Length: %v", err)
	}
}

func TestActHeadless(t *testing.T) {
	a := startActed(t)
	o := wiretea(t, "", "attach", "--yes", "--send", "echo", "--send", `progress {"_meta":{"progressToken":1}}`, "--send", "notifications/x", a.file)
	if o.code != exitFine || strings.Count(o.out, `"result":{`) != 2 || strings.Count(o.out, "\n") != 2 {
		t.Errorf("%v", o)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--yes", "--send", "refuse"}, exitFound, "answered with an error"},
		{[]string{"--yes", "--send", "late", "--timeout", "100ms"}, exitTimeout, "not answered within 100ms"},
		{[]string{"--yes", "--send", "initialize {}"}, exitUsage, "the handshake is the client's own"},
		{[]string{"--send", "echo"}, exitUsage, "--yes"},
		{[]string{"--yes", "--send", "echo ("}, exitUsage, "parameters of echo"},
	} {
		o := wiretea(t, "", append(append([]string{"attach"}, c.args...), a.file)...)
		if o.code != c.code || !strings.Contains(o.err, c.says) {
			t.Errorf("%q: %v", c.args, o)
		}
	}
	a.say(`{"jsonrpc":"2.0","method":"notifications/release"}`)
	a.say(`{"jsonrpc":"2.0","id":1,"method":"echo"}`)
	a.received(`"id":1}`)
	a.in.Close()
	<-a.read
	a.wait()
	if bytes.Contains(a.got, []byte("wiretea-")) {
		t.Errorf("the client got %s", a.got)
	}
}

// TestRung holds that a viewer hears of growth from the tee, and of its end.
func TestRung(t *testing.T) {
	a := startActed(t)
	f, err := recorder.Open(a.file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, hush := withBell(f)
	defer hush()
	rung, ok := log.(*rungLog)
	if !ok {
		t.Fatalf("there is no bell: %T", log)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i := range 5 {
		size := log.Size()
		a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo"}`, i+1))
		if err := log.Wait(ctx, size); err != nil || log.Size() <= size {
			t.Fatalf("at %d of %d: %v", log.Size(), size, err)
		}
	}
	if rung.bell == nil {
		t.Error("the bell broke")
	}
	a.received(`"id":5}`)
	a.finish()
	for err = nil; err == nil; {
		err = log.Wait(ctx, log.Size())
	}
	if !errors.Is(err, recorder.ErrFinished) {
		t.Errorf("at the end: %v", err)
	}
}
