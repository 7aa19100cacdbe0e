package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/mcp"
)

var (
	// ErrClosed is returned when the server's output ended, its input could not
	// be written, or Close was called. The error is a *ClosedError.
	ErrClosed = errors.New("connection closed")

	// ErrTimeout is returned when a request was not answered in time and was
	// cancelled. The error is a *TimeoutError.
	ErrTimeout = errors.New("timed out")

	// ErrUnusable is returned when an answer came that no client can use. The error
	// is an *UnusableError.
	ErrUnusable = errors.New("unusable answer")

	// ErrCancelled is returned when the user cancelled a request by Cancel, or
	// sent notifications/cancelled for it by Notify.
	ErrCancelled = errors.New("cancelled")

	// ErrNotOutstanding is returned by Cancel when no call waits for that id.
	ErrNotOutstanding = errors.New("no such request is outstanding")

	// ErrTask is returned by Do when a task ended without a result: cancelled, or
	// failed in the tasks extension. The error is a *TaskError.
	ErrTask = errors.New("task without a result")

	// ErrExitedOnProbe is returned when the server's output ended before it
	// answered server/discover. A fresh process can be spoken to with Legacy.
	ErrExitedOnProbe = errors.New("server exited on the probe server/discover")

	// ErrCursorLoop is returned by List when a server returns the same cursor twice.
	ErrCursorLoop = errors.New("nextCursor repeats")

	// ErrPageLoop is returned by List when the items of a page are those of an earlier
	// one, as the rule cursor-loop has it: a page of one item must come three times.
	ErrPageLoop = errors.New("a page repeats")

	// ErrTooManyPages is returned by List after MaxPages pages, and after 64 MiB of
	// them.
	ErrTooManyPages = errors.New("too many pages")

	// ErrTooLong is returned when a request was answered by a message of more than
	// 32 MiB, which is not kept in memory.
	ErrTooLong = errors.New("the answer is longer than 32 MiB")

	// ErrInputRequired is returned when a server asks for input that this client
	// does not give. The error is an *InputRequiredError.
	ErrInputRequired = errors.New("server asks for input")

	// ErrVersion is returned when there is no protocol version that both sides
	// speak. The error is a *VersionError.
	ErrVersion = errors.New("no common protocol version")
)

// An RPCError is an error response.
type RPCError struct {
	Code    int64
	Message string
	Data    json.RawMessage // Data is nil where there is none.
}

func (e *RPCError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("error %d", e.Code)
	}
	return fmt.Sprintf("error %d: %s", e.Code, e.Message)
}

// A ClosedError says that the connection is over.
type ClosedError struct {
	// Outstanding are the requests that waited for an answer, oldest first, as
	// "tools/call (id 3)".
	Outstanding []string

	Cause error // Cause is what reading or writing returned; nil at a plain end.
}

func (e *ClosedError) Error() string {
	var b strings.Builder
	b.WriteString(ErrClosed.Error())
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if len(e.Outstanding) > 0 {
		fmt.Fprintf(&b, "; not answered: %s", strings.Join(e.Outstanding, ", "))
	}
	return b.String()
}

// Is makes errors.Is(err, ErrClosed) hold.
func (e *ClosedError) Is(target error) bool { return target == ErrClosed }

// Unwrap returns the cause.
func (e *ClosedError) Unwrap() error { return e.Cause }

// A TimeoutError says which request was not answered.
type TimeoutError struct {
	Method string
	Target string // Target is what the request acts on, such as the tool's name; empty = nothing.
	ID     string // ID is the id's raw text.
	After  time.Duration

	// Ignored are the methods of the requests that a modern server sent
	// meanwhile, and that got no answer because servers may not send any.
	Ignored []string
}

func (e *TimeoutError) Error() string {
	s := fmt.Sprintf("%s (id %s) timed out: no response within %v", e.What(), e.ID, e.After.Round(time.Millisecond))
	if len(e.Ignored) > 0 {
		s += fmt.Sprintf("; the server asked by a request, which protocol %s and later forbid: %s", mcp.LatestModern, strings.Join(e.Ignored, ", "))
	}
	return s
}

// What is the method, and the target if there is one.
func (e *TimeoutError) What() string { return strings.TrimSpace(e.Method + " " + e.Target) }

// Is makes errors.Is(err, ErrTimeout) hold.
func (e *TimeoutError) Is(target error) bool { return target == ErrTimeout }

// An UnusableError says which request has no answer but one that no client can use.
type UnusableError struct {
	Method string
	ID     string          // ID is the id's raw text.
	Cause  session.Finding // Cause is what is wrong with the answer. Its Rule is empty where no rule judged it.
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("%s (id %s) has no usable answer: %s", e.Method, e.ID, e.Cause.Message)
}

// Is makes errors.Is(err, ErrUnusable) hold.
func (e *UnusableError) Is(target error) bool { return target == ErrUnusable }

// A TaskError says how a task ended that has no result.
type TaskError struct{ Task Task }

func (e *TaskError) Error() string {
	s := fmt.Sprintf("task %s ended as %s", e.Task.ID, e.Task.Status)
	if e.Task.Message != "" {
		s += ": " + e.Task.Message
	}
	return s
}

// Is makes errors.Is(err, ErrTask) hold.
func (e *TaskError) Is(target error) bool { return target == ErrTask }

// An InputRequiredError says what a server wants before it goes on.
type InputRequiredError struct {
	Method string   // Method is the request that was made.
	Asks   []string // Asks are the methods of the input requests, sorted; empty where the server only handed out a state.
	Legs   int      // Legs counts the requests made.

	// Refusal is an answer that is an error: the modern era has no way to send it.
	// nil = there is a question without an Asker.
	Refusal *RPCError
}

func (e *InputRequiredError) Error() string {
	switch {
	case e.Legs >= maxLegs:
		return fmt.Sprintf("%s: server asks for more, and was asked %d times already", e.Method, e.Legs)
	case e.Refusal != nil:
		return fmt.Sprintf("%s: the server's %s request was refused: %v", e.Method, strings.Join(e.Asks, ", "), e.Refusal)
	case len(e.Asks) == 0:
		return fmt.Sprintf("%s: server asks for another round, with a state to be sent back", e.Method)
	}
	return fmt.Sprintf("%s: server asks for %s, which this client does not answer", e.Method, strings.Join(e.Asks, ", "))
}

// Is makes errors.Is(err, ErrInputRequired) hold.
func (e *InputRequiredError) Is(target error) bool { return target == ErrInputRequired }

// A VersionError says which versions were on offer.
type VersionError struct {
	Asked   string
	Offered []string
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("no common protocol version: asked for %s, server offers %s", e.Asked, strings.Join(e.Offered, ", "))
}

// Is makes errors.Is(err, ErrVersion) hold.
func (e *VersionError) Is(target error) bool { return target == ErrVersion }
