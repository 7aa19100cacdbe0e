//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"wiretea/session"
	"wiretea/session/path"
)

// TestActUnderLoad has eight viewers act at once while both sides talk without a
// pause, the client in chunks that end anywhere.
func TestActUnderLoad(t *testing.T) {
	t.Parallel()
	a := startActed(t)
	a.say(`{"jsonrpc":"2.0","method":"notifications/stream"}`)
	var viewers sync.WaitGroup
	for range 8 {
		viewers.Go(func() {
			for _, method := range []string{"echo", "progress", "refuse", "big", "echo"} {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				out, err := a.send(ctx, method)
				for errors.Is(err, session.ErrBusy) { // where the client is in mid-message for long
					out, err = a.send(ctx, method)
				}
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
	a := startActed(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := a.control.Send(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"big","params":{"size":20}}`))
	if !errors.Is(err, path.ErrForwarded) {
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
	s := judged(a.t, a.file)
	if !slices.ContainsFunc(s.Findings(), func(f session.Finding) bool { return f.Rule == "held-line-released" }) {
		t.Errorf("findings %v", s.Findings())
	}
}
