package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

var (
	// ErrClosed is returned when the server's output ended, its input could not
	// be written, or Close was called. The error is a *ClosedError.
	ErrClosed = errors.New("connection closed")

	// ErrTimeout is returned when a request was not answered in time and was
	// cancelled. The error is a *TimeoutError.
	ErrTimeout = errors.New("timed out")

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

	// ErrNoResult is returned when a result has not the form that its method gives it.
	ErrNoResult = errors.New("result cannot be read")

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

	// Malformed says what is wrong with an error that has no integer as its code; empty =
	// nothing is.
	Malformed string
}

func (e *RPCError) Error() string {
	s := cmp.Or(e.Malformed, fmt.Sprintf("error %d", e.Code))
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
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
		return fmt.Sprintf("%s: the server returned input_required %d times for one call and never completed it", e.Method, e.Legs)
	case e.Refusal != nil:
		return fmt.Sprintf("%s: the server's %s request was refused: %v", e.Method, strings.Join(e.Asks, ", "), e.Refusal)
	case len(e.Asks) == 0:
		return fmt.Sprintf("%s: the server asks for another round", e.Method)
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
	offered := strings.Join(e.Offered, ", ")
	if offered == "" {
		return "the server names no protocol version"
	}
	return fmt.Sprintf("no common protocol version: asked for %s, server offers %s", e.Asked, offered)
}

// Is makes errors.Is(err, ErrVersion) hold.
func (e *VersionError) Is(target error) bool { return target == ErrVersion }

// A Carrier is a server's output that has more to tell than bytes: over HTTP a request
// can be refused where no line says so. New has it call the client.
type Carrier interface {
	// OnRefused has refused called for each request, named by the raw text of its id,
	// whose round trip is over without its answer, with the reason. It is called within
	// Read, after all bytes that came before were returned.
	OnRefused(refused func(id string, err error))
}

// refused ends the call of a request that will not be answered, if it still waits.
func (c *Client) refused(id string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.pending[id]; p != nil {
		delete(c.pending, id)
		p.give(answer{err: err})
	}
}

// An HTTPError says that a request got no answer because its round trip failed: there
// was not a response, or one without the answer.
type HTTPError struct {
	Status int       // Status is the response's status code; 0 = no response came.
	Phrase string    // Phrase is the standard's reason phrase of Status; empty = there is none.
	Type   string    // Type is the response's media type.
	Text   string    // Text is the beginning of its body, verbatim; empty where that is not text.
	Means  string    // Means is what happened, in one line.
	Hint   string    // Hint is what may help; empty = nothing known.
	RPC    *RPCError // RPC is the error in its body that names another request, or none; nil = there is none.
	Err    error     // Err is the cause where no response, or only a part of one, came.
	Ours   bool      // Ours: a fault or a decision of wiretea's caused it.
}

func (e *HTTPError) Error() string {
	var b strings.Builder
	if e.Status != 0 {
		b.WriteString("HTTP " + strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, e.Phrase)))
	}
	if e.Means != "" {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(e.Means)
	}
	switch {
	case e.RPC != nil:
		fmt.Fprintf(&b, "; the body says: %v", e.RPC)
	case e.Err != nil:
		b.WriteString(": " + session.Refusal(e.Err.Error()))
	}
	return b.String()
}

// Fault is who is at fault, as far as the response tells: the server where it failed, or
// accepted the request without an answer. Any other refusal, that of a gateway (502 to 504), a
// web page and a broken connection may be due to the URL, the request or the network.
func (e *HTTPError) Fault() session.Fault {
	switch {
	case e.Ours, e.Status >= 502 && e.Status <= 504:
	case e.Status/100 == 5, e.Status/100 == 2 && e.Err == nil && e.Type != "text/html":
		return session.Server
	}
	return session.Nobody
}

// Unwrap returns the error in the body, and the cause.
func (e *HTTPError) Unwrap() []error {
	var all []error
	if e.RPC != nil {
		all = append(all, e.RPC)
	}
	if e.Err != nil {
		all = append(all, e.Err)
	}
	return all
}

// relisted lists the tools where a server refuses a call because of the header fields
// that mirror its arguments, and has it made once more: [V5] basic/transports/
// streamable-http §Client Behavior. The transport learns from the list which they are.
func (c *Client) relisted(ctx context.Context, whole *Reply, failed error) (bool, error) {
	var rpc *RPCError
	if len(whole.Legs) > 1 || !errors.As(failed, &rpc) || rpc.Code != codeHeaderMismatch {
		return false, failed
	}
	if _, err := c.List(ctx, mcp.ToolsList); err != nil {
		return false, failed
	}
	return true, nil
}

// oldServer reports whether the response to a modern request may be that of a server
// that does not know the modern era: [V5] basic/transports/streamable-http §Backward
// Compatibility names 400, 404 and 405; servers that fail on what they do not know are
// taken for old ones too.
func (e *HTTPError) oldServer() bool {
	if e.RPC != nil && e.RPC.Code <= codeHeaderMismatch && e.RPC.Code >= codeUnsupportedVersion {
		return false
	}
	switch e.Status {
	case 401, 403, 407, 408, 429: // They say nothing about the message.
		return false
	case 202, 500, 501:
		return true
	}
	return e.Status >= 400 && e.Status < 500
}

// urlsRequired reads the error by which a legacy server wants the user to visit URLs
// before it does what was asked: [V4] client/elicitation §URL Elicitation Required
// Error. It returns the elicitations, as input requests are written, and their ids. It
// reports false for another error, or where one of them has no URL.
func urlsRequired(err error) (asks []lex.Member, ids map[string]bool, ok bool) {
	rpc, ok := errors.AsType[*RPCError](err)
	if !ok || rpc.Code != mcp.URLElicitation {
		return nil, nil, false
	}
	var data struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	_ = json.Unmarshal(rpc.Data, &data) // data of another form has none
	ids = make(map[string]bool)
	for i, params := range data.Elicitations {
		q := Question{Params: params}
		ask := q.Elicitation()
		if ask.Mode != urlMode || ask.ID == "" {
			return nil, nil, false
		}
		ids[ask.ID] = true
		asks = append(asks, lex.Member{Name: fmt.Sprint(i), Value: fmt.Appendf(nil, `{"method":%q,"params":%s}`, mcp.ElicitationCreate, params)})
	}
	return asks, ids, len(asks) > 0
}

// visit puts the URLs that an error requires to the user, once, and waits until the
// server says that all were dealt with, for as long as a request may take: servers need
// not say so. It reports whether the request is to be made again, or returns the error
// where the user does not want to.
func (op *operation) visit(ctx context.Context, visited *Feed, whole *Reply, failed error, limit time.Duration) (bool, error) {
	asks, ids, ok := urlsRequired(failed)
	if !ok || len(whole.Legs) > 1 {
		return false, failed
	}
	began := time.Now()
	defer func() { whole.addAsked(began) }()
	answers, err := op.answer(ctx, asks, Question{Era: mcp.Legacy, For: whole.Legs[0].ID, At: began})
	if errors.Is(err, ErrInputRequired) {
		return false, failed
	}
	if err != nil {
		return false, err
	}
	given, _ := lex.List(answers)
	for _, a := range given {
		var said struct {
			Action string `json:"action"`
		}
		if json.Unmarshal(a.Value, &said) != nil || said.Action != "accept" {
			return false, failed
		}
	}
	waiting, _, stop := op.client.timers.within(ctx, limit, ErrTimeout)
	defer stop()
	for len(ids) > 0 {
		n, err := visited.Next(waiting)
		if err != nil {
			if ctx.Err() == nil && errors.Is(err, ErrTimeout) {
				return true, nil
			}
			return false, err
		}
		var done struct {
			ID string `json:"elicitationId"`
		}
		if json.Unmarshal(n.Params, &done) == nil {
			delete(ids, done.ID)
		}
	}
	return true, nil
}
