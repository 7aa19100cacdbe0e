package client

import (
	"bufio"
	"context"
	"io"
	"sync"
	"time"
)

// A Conversation sends lines that a user wants sent, in their order.
type Conversation struct {
	// Send sends one line and returns when it has been answered. It may be called again
	// once the line is on its way: see WithSent.
	Send func(ctx context.Context, line string)

	Done <-chan struct{} // Done is closed when the connection ends; nil = it is not waited for.
}

// Each sends lines one after the other, each when the one before it has been answered,
// until ctx ends.
func (c *Conversation) Each(ctx context.Context, lines []string) {
	for _, line := range lines {
		if ctx.Err() != nil {
			return
		}
		c.Send(ctx, line)
	}
}

// Paced sends lines that far apart, without waiting for answers in between; then it waits
// for them.
func (c *Conversation) Paced(ctx context.Context, lines []string, pace time.Duration) {
	feed := make(chan string)
	go func() {
		defer close(feed)
		for i, line := range lines {
			if i > 0 {
				c.Idle(ctx, pace)
			}
			select {
			case feed <- line:
			case <-c.Done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	c.Stream(ctx, feed)
}

// Stream sends lines as they come, each once the one before it is on its way, until lines
// is closed, the connection or ctx ends; then it waits for the answers.
func (c *Conversation) Stream(ctx context.Context, lines <-chan string) {
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
				c.Send(WithSent(ctx, arrive), line)
			})
			<-onItsWay
		case <-c.Done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Idle waits for d, or until the connection or ctx ends.
func (c *Conversation) Idle(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-c.Done:
	case <-ctx.Done():
	}
}

// LongestLine is the longest line that is read from a user, in bytes.
const LongestLine = 64 << 20

// ReadLines returns the lines of in, until in or ctx ends. failed is told of an error of
// reading, such as a line longer than LongestLine; nil is not told. A read that blocks
// cannot be interrupted: its goroutine ends with its next line.
func ReadLines(ctx context.Context, in io.Reader, failed func(error)) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scan := bufio.NewScanner(in)
		scan.Buffer(make([]byte, 0, 64<<10), LongestLine)
		for scan.Scan() {
			select {
			case lines <- scan.Text():
			case <-ctx.Done():
				return
			}
		}
		if err := scan.Err(); err != nil && failed != nil {
			failed(err)
		}
	}()
	return lines
}
