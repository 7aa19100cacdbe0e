package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"wiretea/session/client"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/ui/cli/term"
)

// serverEnds is said where it was the server that ended the subscription: by its
// answer, or by a cancellation.
const serverEnds = "the server has ended the subscription"

// A listening is a subscription that call has made: it prints the server's
// notifications as they come, until the user, the server or the time ends it.
//
//	asking ─► open (acknowledged, or answered in the legacy era) ─► over
type listening struct {
	c     *caller
	peer  *client.Client
	feed  *client.Feed
	limit time.Duration // limit is for how long it listens; 0 = until it is ended.

	mu   sync.Mutex // mu guards what follows.
	open bool       // open: the subscription is acknowledged.
}

// about is the request's method, also of a whole message.
func (r *callRequest) about() string {
	method := r.method
	if r.kind == callMessage {
		jsonrpc.Scan(r.params, func(m *jsonrpc.Message) { method, _ = m.Method.Unquoted() })
	}
	return method
}

// listens reports whether a request is a subscription, of either era.
func (r *callRequest) listens() bool {
	return slices.Contains([]string{mcp.SubscriptionsListen, mcp.ResourcesSubscribe}, r.about())
}

// listen makes a subscription and prints what comes of it. It returns why that is
// nothing.
func (c *caller) listen(ctx context.Context, peer *client.Client) error {
	l := &listening{c: c, peer: peer, feed: peer.Watch(), limit: c.o.listenFor}
	c.listening = l
	over := ctx
	if l.limit > 0 {
		var cancel context.CancelFunc
		over, cancel = context.WithTimeout(ctx, l.limit)
		defer cancel()
	}
	err := l.run(over)
	c.req.open = l.isOpen()
	var late *client.TimeoutError
	switch {
	case l.isOpen() && over.Err() != nil && (errors.Is(err, context.Cause(over)) || errors.As(err, &late)):
		return nil // the end that was asked for
	case ctx.Err() == nil && over.Err() != nil && errors.Is(err, context.Cause(over)):
		return &client.TimeoutError{Method: c.req.title(), After: l.limit}
	}
	return err
}

// run asks, and prints until ctx, the server or the output ends it.
func (l *listening) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	answered := make(chan error, 1)
	go func() { answered <- l.ask(ctx) }()
	printed := make(chan error, 1)
	go func() { printed <- l.print(ctx) }()
	late := time.NewTimer(client.AckTimeout)
	defer late.Stop()
	for {
		select {
		case err := <-answered:
			if l.granted(err) {
				answered = nil // and its notifications follow
				continue
			}
			stop()
			<-printed // all that came before the answer
			if err == nil {
				l.say(serverEnds)
			}
			return err
		case err := <-printed:
			stop()
			if answered != nil {
				l.granted(<-answered) // else it has been withdrawn
			}
			return err
		case <-late.C:
			if answered != nil && !l.isOpen() {
				l.say(fmt.Sprintf("no acknowledgement within %v; still listening", client.AckTimeout))
			}
		}
	}
}

// granted reports whether the answer to the request is the beginning of the
// subscription, as it is in the legacy era.
func (l *listening) granted(err error) bool {
	if err != nil || l.peer.Server().Era == mcp.Modern {
		return false
	}
	l.begun()
	return true
}

// ask sends the request and waits for its answer, in the modern era the end of the
// subscription.
func (l *listening) ask(ctx context.Context) error {
	var err error
	if r := l.c.req; r.kind == callMessage {
		_, err = l.peer.CallRaw(ctx, r.params)
	} else {
		opts := l.c.options()
		if opts.Log = nil; l.peer.Server().Era == mcp.Modern {
			opts.Timeout = client.NoTimeout
		}
		_, err = l.peer.Do(ctx, r.method, r.params, opts)
	}
	return err
}

// print prints the notifications as they come, what came before ctx ended all the
// same.
func (l *listening) print(ctx context.Context) error {
	for {
		n, err := l.feed.Next(ctx)
		if err != nil {
			return err
		}
		if err := l.write(n); err != nil {
			return err
		}
		if n.Method == mcp.CancelledNotification && l.names(n) {
			l.say(serverEnds)
			return nil
		}
	}
}

// write prints one notification.
func (l *listening) write(n client.Notification) error {
	if n.Method == mcp.AcknowledgedNotification {
		l.begun()
	}
	l.c.wait.Pause()
	defer l.c.wait.Resume()
	switch {
	case l.c.o.text:
		return l.c.printLine([]byte(notificationText(n)))
	case l.c.o.raw:
		return l.c.printLine(n.Raw)
	}
	line := []byte(n.Raw)
	if bytes.ContainsAny(line, "\r\n") {
		var b bytes.Buffer
		if json.Compact(&b, line) == nil {
			line = b.Bytes()
		}
	}
	return l.c.printJSON(line)
}

// notificationText is a notification in a few words: its method, and what it is
// about.
func notificationText(n client.Notification) string {
	if n.Method == "notifications/message" {
		return logLine(client.ParseLog(n))
	}
	var p struct {
		URI    string `json:"uri"`
		TaskID string `json:"taskId"`
		Status string `json:"status"`
	}
	_ = json.Unmarshal(n.Params, &p) // members of a wrong type stay empty
	return strings.Join(slices.DeleteFunc([]string{n.Method, p.URI, p.TaskID, p.Status}, func(w string) bool { return w == "" }), " ")
}

// names reports whether a cancellation is of the request that is open.
func (l *listening) names(n client.Notification) bool {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	return json.Unmarshal(n.Params, &p) == nil && slices.Contains(l.peer.Outstanding(), string(p.ID))
}

// begun says that the subscription is acknowledged.
func (l *listening) begun() {
	l.mu.Lock()
	l.open = true
	l.mu.Unlock()
	l.c.wait.Begin("listening; ctrl-c ends it")
}

func (l *listening) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

func (l *listening) say(text string) {
	l.c.wait.Say(l.c.errw, "wiretea: "+text)
}

// drainLimit is how long the rest of what the server says is waited for.
const drainLimit = time.Second

// rest prints what still came while the server was being ended, and says what
// could not be printed.
func (l *listening) rest(ctx context.Context) error {
	if l == nil {
		return nil
	}
	select {
	case <-l.peer.Drained():
	case <-time.After(drainLimit): // a child of the server's holds its stdout open
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	err := l.print(gone)
	if n := l.feed.Dropped(); n > 0 {
		l.c.complain(term.ExitFound, fmt.Sprintf("%d notifications are not printed: they came faster than they were read", n), "the recording has them")
	}
	l.feed.Close()
	if errors.Is(err, context.Canceled) || errors.Is(err, client.ErrClosed) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// listenLimit is for how long a subscription is listened to: what --timeout says;
// 0 = for ever.
func listenLimit(cmd *cobra.Command, method string) time.Duration {
	f := cmd.Flags().Lookup("timeout")
	limits, ok := f.Value.(*term.TimeoutFlag)
	if !ok || !f.Changed {
		return 0
	}
	if d, set := limits.Limits.Timeouts[method]; set {
		return d
	}
	if limits.Plain {
		return limits.Limits.Timeout
	}
	return 0
}
