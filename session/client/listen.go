package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// AckTimeout is how long Listen waits for a modern server to acknowledge.
const AckTimeout = 10 * time.Second

// A Filter says what a subscription is to.
type Filter struct {
	Tools, Prompts, Resources bool     // Tools, Prompts and Resources are changes of those lists.
	URIs                      []string // URIs are resources.
	Tasks                     []string // Tasks are ids of tasks, of the modern era's extension.
}

// A Subscription is the notifications that the server was asked for. Nothing in
// it times out.
type Subscription struct {
	// ID is the raw text of the id of the subscriptions/listen that is open;
	// empty in the legacy era, where there is none.
	ID string

	// Granted is what the server acknowledged, verbatim; nil = nothing yet, or
	// legacy.
	Granted json.RawMessage

	client *Client
	filter Filter
	feed   *Feed
	box    *inbox[Notification]
	ended  chan struct{} // ended is closed when it is over for a reason of its own.
	err    error         // err goes with ended.
	closed atomic.Bool   // closed: Close was called.
}

// ErrUnsubscribed is returned by Next when the subscription was closed, by us or
// by the server in order.
var ErrUnsubscribed = errors.New("the subscription has ended")

// Listen subscribes, and returns when the server has acknowledged it. In the
// modern era that is one request, subscriptions/listen, that stays open; in the
// legacy era resources/subscribe for each URI, and changes of lists come
// unasked. A modern server that sends no acknowledgement within AckTimeout is
// listened to anyway, with Granted nil.
//
// Errors are those of Call. The subscription must be closed.
func (c *Client) Listen(ctx context.Context, f Filter) (*Subscription, error) {
	if c.Server().Era == mcp.Modern {
		return c.listen(ctx, f)
	}
	s := &Subscription{client: c, filter: f, ended: make(chan struct{}), feed: c.Watch(f.methods()...)}
	s.box = s.feed.box
	for i, uri := range f.URIs {
		if _, err := c.Call(ctx, mcp.ResourcesSubscribe, uriParams(uri)); err != nil {
			s.filter.URIs = f.URIs[:i]
			_ = s.Close(ctx)
			return nil, fmt.Errorf("subscribing to %s: %w", uri, err)
		}
	}
	return s, nil
}

func uriParams(uri string) json.RawMessage { return fmt.Appendf(nil, `{"uri":%s}`, lex.Quote(uri)) }

// A filterMember is one member of a filter.
type filterMember struct {
	is     bool
	key    string          // key and value are how the modern era writes it.
	value  json.RawMessage //
	legacy string          // legacy is the notification that a legacy server has for it.
}

func (f *Filter) members() []filterMember {
	yes := json.RawMessage("true")
	return []filterMember{
		{f.Tools, "toolsListChanged", yes, mcp.ToolsListChangedNotification},
		{f.Prompts, "promptsListChanged", yes, mcp.PromptsListChangedNotification},
		{f.Resources, "resourcesListChanged", yes, mcp.ResourcesListChangedNotification},
		{len(f.URIs) > 0, "resourceSubscriptions", quoteAll(f.URIs), mcp.ResourcesUpdatedNotification},
		{len(f.Tasks) > 0, "taskIds", quoteAll(f.Tasks), mcp.TaskStatusNotification},
	}
}

// methods are the notifications that a legacy server has for the filter.
func (f *Filter) methods() []string {
	var list []string
	for _, w := range f.members() {
		if w.is {
			list = append(list, w.legacy)
		}
	}
	if list == nil {
		return []string{mcp.AcknowledgedNotification} // which no legacy server sends: a feed of nothing
	}
	return list
}

// json is the filter as the modern era writes it.
func (f *Filter) json() json.RawMessage {
	var list []lex.Member
	for _, w := range f.members() {
		if w.is {
			list = append(list, lex.Member{Name: w.key, Value: w.value})
		}
	}
	return lex.AppendObject(nil, list...)
}

// quoteAll returns an array of strings.
func quoteAll(of []string) json.RawMessage {
	b := []byte{'['}
	for i, s := range of {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, lex.Quote(s)...)
	}
	return append(b, ']')
}

// listen opens a subscription of the modern era: [V5] basic/patterns/subscriptions.
func (c *Client) listen(ctx context.Context, f Filter) (*Subscription, error) {
	const method = mcp.SubscriptionsListen
	s := &Subscription{client: c, filter: f, ended: make(chan struct{}), box: newInbox[Notification]()}
	params := stamp(fmt.Appendf(nil, `{"notifications":%s}`, f.json()), c.meta(c.Server().Version, len(f.Tasks) > 0))
	c.mu.Lock()
	s.ID = c.nextIDLocked()
	p, err := c.registerLocked(&operation{}, s.ID, method)
	if err == nil {
		p.done = nil
		p.settle = s.answered
		c.subs[s.ID] = s
	}
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := c.Send(ctx, c.out.frame(jsonrpc.AppendRequest(nil, s.ID, method, params))); err != nil {
		s.forget()
		return nil, err
	}
	if err := s.awaitAck(ctx); err != nil {
		if ctx.Err() != nil {
			_ = s.Close(ctx)
		}
		s.forget()
		return nil, err
	}
	return s, nil
}

// awaitAck waits for the acknowledgement, which comes before everything else.
func (s *Subscription) awaitAck(ctx context.Context) error {
	select {
	case <-s.box.ready:
		s.box.signal() // for Next, where it is something else
		s.takeAck()
		return nil
	case <-time.After(AckTimeout):
		return nil
	case <-s.ended:
		// It may have been acknowledged just before.
		if s.takeAck() || errors.Is(s.err, ErrUnsubscribed) {
			return nil
		}
		return s.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// takeAck takes the acknowledgement if it is what came first. It reports whether
// anything came.
func (s *Subscription) takeAck() bool {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	if len(s.box.items) == 0 {
		return false
	}
	if s.box.items[0].Method == mcp.AcknowledgedNotification {
		var p struct {
			Granted json.RawMessage `json:"notifications"`
		}
		_ = json.Unmarshal(s.box.first().Params, &p) // anything but an object grants nothing
		s.Granted = p.Granted
	}
	return true
}

// Next waits for the next notification. Its error is ErrUnsubscribed when the
// subscription has ended in order, an *RPCError when the server refused it, a
// *ClosedError, or the cause of ctx. What came before the end is given out first.
func (s *Subscription) Next(ctx context.Context) (Notification, error) {
	for {
		if n, ok := s.box.take(); ok {
			if n.Method == mcp.ResourcesUpdatedNotification && s.feed != nil && !s.filter.covers(n) {
				continue
			}
			return n, nil
		}
		select {
		case <-s.box.ready:
			continue
		default:
		}
		select {
		case <-s.box.ready:
		case <-s.ended:
			if len(s.box.ready) == 0 {
				return Notification{}, s.err
			}
		case <-s.client.live.Done():
			if len(s.box.ready) == 0 {
				return Notification{}, context.Cause(s.client.live)
			}
		case <-ctx.Done():
			return Notification{}, context.Cause(ctx)
		}
	}
}

// Next waits for the next notification. Its error is a *ClosedError or the cause
// of ctx.
func (f *Feed) Next(ctx context.Context) (Notification, error) {
	s := Subscription{client: f.client, box: f.box}
	return s.Next(ctx)
}

// covers reports whether an update is of a resource that was subscribed to, or
// of a part of one.
func (f *Filter) covers(n Notification) bool {
	var p struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(n.Params, &p) != nil {
		return true // it is for the user to see
	}
	return slices.ContainsFunc(f.URIs, func(uri string) bool { return strings.HasPrefix(p.URI, uri) })
}

// Dropped returns how many notifications were dropped: the oldest of more than 1024
// that were not read.
func (s *Subscription) Dropped() int { return s.box.lost() }

// Close ends the subscription: by notifications/cancelled in the modern era, by
// resources/unsubscribe in the legacy one, whose answers it waits for. It may be
// called more than once.
func (s *Subscription) Close(ctx context.Context) error {
	select {
	case <-s.ended:
		return nil
	default:
	}
	if s.closed.Swap(true) {
		return nil
	}
	if s.ID != "" {
		s.forget()
		s.client.sendCancelled(s.ID, mcp.SubscriptionsListen, nil)
		s.end(ErrUnsubscribed) // a call that waits in Next may end the connection now
		return nil
	}
	s.end(ErrUnsubscribed)
	s.feed.Close()
	var errs []error
	for _, uri := range s.filter.URIs {
		if _, err := s.client.Call(ctx, mcp.ResourcesUnsubscribe, uriParams(uri)); err != nil {
			errs = append(errs, fmt.Errorf("unsubscribing from %s: %w", uri, err))
		}
	}
	return errors.Join(errs...)
}

// end says why the subscription is over; the first reason counts.
func (s *Subscription) end(err error) {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.ended)
	}
}

// forget takes the subscription out of the client's tables.
func (s *Subscription) forget() {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.subs, s.ID)
	if p := c.pending[s.ID]; p != nil && p.settle != nil {
		delete(c.pending, s.ID)
	}
}

// answered takes the response to the listen request, which is its end. The
// client's lock is held.
func (s *Subscription) answered(a answer) {
	delete(s.client.subs, s.ID)
	switch {
	case a.err != nil:
		s.end(a.err)
	case a.error != nil:
		s.end(ParseError(a.error))
	default:
		s.end(ErrUnsubscribed)
	}
}

// closedByServer ends the subscription that a server's cancellation names.
func (c *Client) closedByServer(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := byID(c.subs, id)
	if s == nil {
		return
	}
	delete(c.subs, s.ID)
	delete(c.pending, s.ID)
	s.end(ErrUnsubscribed)
}

// onSubscription gives a notification to the subscription that it names.
func (c *Client) onSubscription(id string, params func() Notification) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := byID(c.subs, id); s != nil {
		s.box.add(params())
	}
}
