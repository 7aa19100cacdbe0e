//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client/http"
	"wiretea/ui/cli/term"
)

// TestActCancel holds that a client's request can be withdrawn behind its back.
func TestActCancel(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// TestActEndsAll ends a server that dies of SIGTERM, at a viewer's request: what it leaves
// in the client's group is ended too.
func TestActEndsAll(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what a server leaves is found on Linux only")
	}
	p := startTee(t, peerOptions{}, "sh", "-c", "sh -c 'trap \"\" TERM; echo ready; while :; do sleep 600; done' & wait")
	p.line()
	awaitFile(t, p.file)
	f, err := recorder.Open(p.file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	control, _ := capture.Dial(f.Header(), http.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := control.End(ctx); err != nil {
		t.Error(err)
	}
	if got := p.rest(); got.signal != syscall.SIGTERM {
		t.Errorf("%+v", got)
	}
	p.wantDead()
	if seen := processEvents(t, p.file); !strings.Contains(seen, "orphans") || !strings.Contains(seen, "SIGKILL") {
		t.Errorf("recorded:\n%s", seen)
	}
}

func TestActRefused(t *testing.T) {
	t.Parallel()
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
	if o.code != term.ExitUsage || !strings.Contains(o.err, "--no-control") {
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
	t.Parallel()
	a := startActed(t)
	o := wiretea(t, "", "attach", "--yes", "--send", "echo", "--send", `progress {"_meta":{"progressToken":1}}`, "--send", "notifications/x", a.file)
	if o.code != term.ExitFine || strings.Count(o.out, `"result":{`) != 2 || strings.Count(o.out, "\n") != 2 {
		t.Errorf("%v", o)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--yes", "--send", "refuse"}, term.ExitFound, "answered with an error"},
		{[]string{"--yes", "--send", "late", "--timeout", "100ms"}, term.ExitTimeout, "not answered within 100ms"},
		{[]string{"--yes", "--send", "initialize {}"}, term.ExitUsage, "the handshake is the client's own"},
		{[]string{"--send", "echo"}, term.ExitUsage, "--yes"},
		{[]string{"--yes", "--send", "echo ("}, term.ExitUsage, "parameters of echo"},
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

// TestNotified holds that a viewer is notified of growth by the tee, and of its end.
func TestNotified(t *testing.T) {
	t.Parallel()
	a := startActed(t)
	f, err := recorder.Open(a.file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, closeNotifier := capture.Notified(f)
	defer closeNotifier()
	notified, ok := log.(*capture.NotifiedLog)
	if !ok {
		t.Fatalf("there is no notifier: %T", log)
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
	if notified.Polling() {
		t.Error("the notifier broke")
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

// TestActHeldAtTheEnd holds that the beginning of a line that is held reaches the
// client before the tee ends, also where the stream does not end.
func TestActHeldAtTheEnd(t *testing.T) {
	t.Parallel()
	a := startActed(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if out, err := a.send(ctx, "leave"); !errors.Is(err, session.ErrGone) {
		t.Errorf("%v, %v", out, err)
	}
	<-a.read
	a.wait()
	wrote, err := os.ReadFile(a.server + ".out")
	if err != nil {
		t.Fatal(err)
	}
	a.same("what the client read", a.got, wrote)
	a.same("s2c at the client", a.recordedAt("s2c", "client"), wrote)
}

// TestActKills holds that a server which ignores SIGTERM is ended anyway.
func TestActKills(t *testing.T) {
	t.Parallel()
	p := startTee(t, peerOptions{}, "teepeer", "stubborn")
	p.line() // It is ready to ignore signals.
	awaitFile(t, p.file)
	f, err := recorder.Open(p.file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, refused := capture.Dial(f.Header(), http.Options{})
	if c == nil {
		t.Fatal(refused)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.End(ctx); err != nil {
		t.Error(err)
	}
	if e := p.rest(); e.signal != syscall.SIGKILL {
		t.Errorf("ended %+v", e)
	}
	for _, sig := range []string{"SIGTERM", "SIGKILL"} {
		awaitRecord(t, p.file, func(r *session.Record) bool {
			return r.Kind == session.RecProc && r.Proc.Event == "signal" && r.Proc.By == "us" && r.Proc.Signal == sig
		})
	}
}
