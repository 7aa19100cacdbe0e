package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"wiretea/recorder/capture"
	"wiretea/session/client"
	"wiretea/ui/cli/term"
)

// A conversation sends what the user wants sent.
type conversation struct {
	client *client.Client
	errw   io.Writer // errw takes what could not be sent, and why.

	mu    sync.Mutex // mu guards worst and errw.
	worst int        // worst is the exit code so far.
}

// each sends the lines one after the other, each when the one before it has been
// answered.
func (c *conversation) each(ctx context.Context, lines []string) {
	for _, line := range lines {
		if ctx.Err() != nil {
			return
		}
		c.send(ctx, line)
	}
}

// typed sends lines as they are typed, in their order and without waiting for
// answers, until in ends or the connection does; then it waits for the answers.
func (c *conversation) typed(ctx context.Context, in io.Reader) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	stream(ctx, typedLines(ctx, in, func(err error) { c.complain("", err) }), c.client.Done(), c.send)
}

// paced sends lines that far apart, without waiting for answers in between.
func (c *conversation) paced(ctx context.Context, lines []string, pace time.Duration) {
	feed := make(chan string)
	go func() {
		defer close(feed)
		for i, line := range lines {
			if i > 0 {
				c.idle(ctx, pace)
			}
			select {
			case feed <- line:
			case <-c.client.Done():
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	stream(ctx, feed, c.client.Done(), c.send)
}

// stream sends what comes, each line once the one before it is on its way, until lines
// is closed, done is, or ctx ends; then it waits for the answers.
func stream(ctx context.Context, lines <-chan string, done <-chan struct{}, send func(context.Context, string)) {
	var flight sync.WaitGroup
	defer flight.Wait()
	for {
		select {
		case line, more := <-lines:
			if !more {
				return
			}
			onItsWay := make(chan struct{})
			arrive := sync.OnceFunc(func() { close(onItsWay) })
			flight.Go(func() {
				defer arrive()
				send(client.WithSent(ctx, arrive), line)
			})
			<-onItsWay
		case <-done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// send sends one line and waits for its answer, if it has one.
func (c *conversation) send(ctx context.Context, line string) {
	method, params, err := client.ParseLine(line)
	switch {
	case errors.Is(err, client.ErrNothing):
		return
	case err != nil:
		c.complain(line, err)
		c.raise(term.ExitUsage)
		return
	}
	err = capture.Deliver(ctx, c.client, method, params, nil, false)
	if err != nil && ctx.Err() == nil {
		c.failed(method, err)
	}
}

// failed sorts what became of a request. The printed traffic shows an error
// answer already; everything else is said.
func (c *conversation) failed(method string, err error) {
	var answer *client.RPCError
	switch {
	case errors.As(err, &answer):
		c.raise(term.ExitFound)
		return
	case errors.Is(err, client.ErrTooLong), errors.Is(err, client.ErrCancelled):
		// An answer has come, and whether it is too long is for the findings to
		// say; or none is wanted any more.
		return
	case errors.Is(err, client.ErrTimeout):
		c.raise(term.ExitTimeout)
	case errors.Is(err, client.ErrClosed):
		c.raise(term.ExitServer)
	default:
		c.raise(term.ExitFound)
	}
	if late := (*client.TimeoutError)(nil); errors.As(err, &late) {
		method, err = "", late // it names the method
	}
	c.complain(method, err)
}

func (c *conversation) complain(what string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if what != "" && !strings.HasPrefix(err.Error(), what) {
		fmt.Fprintf(c.errw, "wiretea: %.60s: %v\n", what, err)
		return
	}
	fmt.Fprintf(c.errw, "wiretea: %v\n", err)
}

// raise makes the exit code at least as bad.
func (c *conversation) raise(code int) {
	c.mu.Lock()
	c.worst = max(c.worst, code)
	c.mu.Unlock()
}

// idle waits for a while, or until the connection or ctx ends.
func (c *conversation) idle(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-c.client.Done():
	case <-ctx.Done():
	}
}

// typedLines returns the lines of in, until in or ctx ends. failed is told of an error
// of reading. A reader that
// blocks cannot be interrupted: its goroutine ends with its next line.
func typedLines(ctx context.Context, in io.Reader, failed func(error)) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scan := bufio.NewScanner(in)
		scan.Buffer(make([]byte, 0, 64<<10), term.LongestLine)
		for scan.Scan() {
			select {
			case lines <- scan.Text():
			case <-ctx.Done():
				return
			}
		}
		if err := scan.Err(); err != nil {
			failed(fmt.Errorf("reading standard input: %w", err))
		}
	}()
	return lines
}
