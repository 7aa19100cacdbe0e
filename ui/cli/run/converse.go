package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"wiretea/recorder/capture"
	"wiretea/session/client"
	"wiretea/ui/cli/term"
)

// A talk sends what the user wants sent, and keeps the exit code.
type talk struct {
	client.Conversation
	client *client.Client
	errw   io.Writer // errw takes what could not be sent, and why.

	mu    sync.Mutex // mu guards worst and errw.
	worst int        // worst is the exit code so far.
}

func newTalk(c *client.Client, errw io.Writer) *talk {
	t := &talk{client: c, errw: errw}
	t.Conversation = client.Conversation{Send: t.send, Done: c.Done()}
	return t
}

// typed sends lines as they are typed.
func (t *talk) typed(ctx context.Context, in io.Reader) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t.Stream(ctx, typedLines(ctx, in, func(err error) { t.complain("", err) }))
}

// typedLines are the lines of standard input.
func typedLines(ctx context.Context, in io.Reader, failed func(error)) <-chan string {
	return client.ReadLines(ctx, in, func(err error) { failed(fmt.Errorf("reading standard input: %w", err)) })
}

// send sends one line and waits for its answer, if it has one.
func (t *talk) send(ctx context.Context, line string) {
	method, params, err := client.ParseLine(line)
	switch {
	case errors.Is(err, client.ErrNothing):
		return
	case err != nil:
		t.complain(line, err)
		t.raise(term.ExitUsage)
		return
	}
	err = capture.Deliver(ctx, t.client, method, params, nil, false)
	if err != nil && ctx.Err() == nil {
		t.failed(method, err)
	}
}

// failed sorts what became of a request. The printed traffic shows an error
// answer already; everything else is said.
func (t *talk) failed(method string, err error) {
	var answer *client.RPCError
	switch {
	case errors.As(err, &answer):
		t.raise(term.ExitFound)
		return
	case errors.Is(err, client.ErrTooLong), errors.Is(err, client.ErrCancelled):
		// An answer has come, and whether it is too long is for the findings to
		// say; or none is wanted any more.
		return
	case errors.Is(err, client.ErrTimeout):
		t.raise(term.ExitTimeout)
	case errors.Is(err, client.ErrClosed):
		t.raise(term.ExitServer)
	default:
		t.raise(term.ExitFound)
	}
	if late := (*client.TimeoutError)(nil); errors.As(err, &late) {
		method, err = "", late // it names the method
	}
	t.complain(method, err)
}

func (t *talk) complain(what string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if what != "" && !strings.HasPrefix(err.Error(), what) {
		fmt.Fprintf(t.errw, "wiretea: %.60s: %v\n", what, err)
		return
	}
	fmt.Fprintf(t.errw, "wiretea: %v\n", err)
}

// raise makes the exit code at least as bad.
func (t *talk) raise(code int) {
	t.mu.Lock()
	t.worst = max(t.worst, code)
	t.mu.Unlock()
}
