package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session/mcp"
)

const (
	listen2 = `> {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:<b>"]},` + meta + `}}`
	onTwo   = `"_meta":{"io.modelcontextprotocol/subscriptionId":2}`
	ack2    = `< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged": true},` + onTwo + `}}`
	tools2  = `< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + onTwo + `}}`
)

var wanted = Filter{Tools: true, URIs: []string{"a:<b>"}}

// TestListen holds the life of a modern subscription, which nothing times out.
func TestListen(t *testing.T) {
	end := `< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + onTwo + `}}`
	cfg := Config{Timeout: func(string) time.Duration { return time.Second }}
	script := lines(listen2, `wait 5s`, ack2, `wait 24h`, tools2,
		`< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9}}}`,
		tools2, end)
	connected(t, cfg, script, func(ctx context.Context, c *Client) {
		s, err := c.Listen(ctx, wanted)
		if err != nil || s.ID != "2" || string(s.Granted) != `{"toolsListChanged": true}` {
			t.Fatalf("got %+v, %v", s, err)
		}
		for range 2 {
			if n, err := s.Next(ctx); err != nil || n.Method != mcp.ToolsListChangedNotification || !strings.Contains(string(n.Params), onTwo) {
				t.Errorf("got %+v, %v", n, err)
			}
		}
		if _, err := s.Next(ctx); !errors.Is(err, ErrUnsubscribed) {
			t.Errorf("got %v", err)
		}
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
}

// TestListenEnds holds how a modern subscription can end.
func TestListenEnds(t *testing.T) {
	cancelled := `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"cancelled by the user"}}`
	refused := `< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`
	open := func(ctx context.Context, t *testing.T, c *Client) *Subscription {
		s, err := c.Listen(ctx, wanted)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name, script string
		do           func(context.Context, *testing.T, *Client)
	}{
		{"closed by us", lines(listen2, ack2, tools2, cancelled), func(ctx context.Context, t *testing.T, c *Client) {
			s := open(ctx, t, c)
			time.AfterFunc(time.Minute, func() { _ = s.Close(ctx) })
			if _, err := s.Next(ctx); err != nil {
				t.Error(err)
			}
			if _, err := s.Next(ctx); !errors.Is(err, ErrUnsubscribed) {
				t.Errorf("got %v", err)
			}
			_ = s.Close(ctx)
		}},
		{"cancelled by its id", lines(listen2, ack2, cancelled), func(ctx context.Context, t *testing.T, c *Client) {
			s := open(ctx, t, c)
			if !slices.Equal(c.Outstanding(), []string{"2"}) {
				t.Errorf("outstanding %q", c.Outstanding())
			}
			if err := c.Cancel("2"); err != nil {
				t.Error(err)
			}
			if _, err := s.Next(ctx); !errors.Is(err, ErrUnsubscribed) {
				t.Errorf("got %v", err)
			}
		}},
		{"cancelled by the server", lines(listen2, ack2, `< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`),
			func(ctx context.Context, t *testing.T, c *Client) {
				s := open(ctx, t, c)
				if _, err := s.Next(ctx); !errors.Is(err, ErrUnsubscribed) {
					t.Errorf("got %v", err)
				}
				if len(c.Outstanding()) > 0 {
					t.Errorf("outstanding %q", c.Outstanding())
				}
			}},
		{"refused", lines(listen2, refused), func(ctx context.Context, t *testing.T, c *Client) {
			var rpc *RPCError
			if _, err := c.Listen(ctx, wanted); !errors.As(err, &rpc) {
				t.Errorf("got %v", err)
			}
		}},
		{"ctx", lines(listen2, cancelled), func(ctx context.Context, t *testing.T, c *Client) {
			ctx, stop := context.WithTimeout(ctx, time.Second)
			defer stop()
			if _, err := c.Listen(ctx, wanted); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		}},
		{"connection", lines(listen2, ack2, "eof"), func(ctx context.Context, t *testing.T, c *Client) {
			s := open(ctx, t, c)
			var closed *ClosedError
			if _, err := s.Next(ctx); !errors.As(err, &closed) {
				t.Errorf("got %v", err)
			}
		}},
		{"never acknowledged", lines(listen2, "wait 1m", tools2), func(ctx context.Context, t *testing.T, c *Client) {
			began := time.Now()
			s := open(ctx, t, c)
			if s.Granted != nil || time.Since(began) != AckTimeout {
				t.Errorf("after %v: %+v", time.Since(began), s)
			}
			if n, err := s.Next(ctx); err != nil || n.Method != mcp.ToolsListChangedNotification {
				t.Errorf("got %+v, %v", n, err)
			}
		}},
		{"something before the acknowledgement", lines(listen2, tools2), func(ctx context.Context, t *testing.T, c *Client) {
			s := open(ctx, t, c)
			if n, err := s.Next(ctx); err != nil || n.Method != mcp.ToolsListChangedNotification || s.Granted != nil {
				t.Errorf("got %+v, %v", n, err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			connected(t, Config{}, c.script, func(ctx context.Context, cl *Client) { c.do(ctx, t, cl) })
		})
	}
}

// TestListenLegacy holds the same in the legacy era: a request for each
// resource, and lists unasked.
func TestListenLegacy(t *testing.T) {
	sub := func(id int, method, uri string) string {
		return lines(fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"resources/%s","params":{"uri":%q}}`, id, method, uri),
			fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{}}`, id))
	}
	updated := func(uri string) string {
		return `< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + uri + `"}}`
	}
	script := lines(sub(2, "subscribe", "a:1"), sub(3, "subscribe", "b:1"),
		updated("a:1/part"), updated("c:1"), `< {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`,
		`< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, updated("b:1"),
		sub(4, "unsubscribe", "a:1"), sub(5, "unsubscribe", "b:1"), updated("a:1"),
		// A refusal takes back what was done.
		sub(6, "subscribe", "a:1"),
		`> {"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"x:1"}}`,
		`< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}`,
		sub(8, "unsubscribe", "a:1"))
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		s, err := c.Listen(ctx, Filter{Tools: true, URIs: []string{"a:1", "b:1"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 3 {
			n, err := s.Next(ctx)
			if err != nil {
				t.Error(err)
			}
			got = append(got, n.Method)
		}
		if !slices.Equal(got, []string{mcp.ResourcesUpdatedNotification, mcp.ToolsListChangedNotification, mcp.ResourcesUpdatedNotification}) {
			t.Errorf("got %q", got)
		}
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
		if _, err := s.Next(ctx); !errors.Is(err, ErrUnsubscribed) {
			t.Errorf("got %v", err)
		}
		var rpc *RPCError
		if _, err := c.Listen(ctx, Filter{URIs: []string{"a:1", "x:1"}}); !errors.As(err, &rpc) {
			t.Errorf("got %v", err)
		}
	})
}

// TestInboxSize holds that what nobody reads is bounded in bytes, and that one
// message that is longer is kept.
func TestInboxSize(t *testing.T) {
	long := make([]byte, inboxSize/4)
	box := newInbox[Notification]()
	for range 10 {
		box.add(Notification{Raw: long})
	}
	if len(box.items) != 4 || box.lost() != 6 {
		t.Errorf("%d wait and %d were dropped", len(box.items), box.lost())
	}
	if _, ok := box.take(); !ok || box.bytes != 3*len(long) {
		t.Errorf("%d bytes wait", box.bytes)
	}
	box.add(Notification{Raw: make([]byte, inboxSize+1), Params: long})
	n, ok := box.take()
	if _, more := box.take(); !ok || len(n.Params) != len(long) || more || box.bytes != 0 || box.lost() != 9 {
		t.Errorf("%d bytes came, %d are left, and %d were dropped", len(n.Raw), box.bytes, box.lost())
	}
}

// TestWatch holds what a feed gives, and what it drops.
func TestWatch(t *testing.T) {
	var flood []string
	for i := range inboxLen + 5 {
		flood = append(flood, fmt.Sprintf(`< {"jsonrpc":"2.0","method":"notifications/x","params":{"i":%d}}`, i))
	}
	script := lines(`> {"jsonrpc":"2.0","method":"notifications/go"}`, lines(flood...), `< {"jsonrpc":"2.0","method":"notifications/y"}`, `eof`)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		x, all, none := c.Watch("notifications/x"), c.Watch(), c.Watch()
		none.Close()
		if err := c.Notify(ctx, "notifications/go", nil); err != nil {
			t.Error(err)
		}
		<-c.Done()
		synctest.Wait()
		if n, err := x.Next(ctx); err != nil || string(n.Params) != `{"i":5}` || x.Dropped() != 5 || all.Dropped() != 6 || none.Dropped() != 0 {
			t.Errorf("got %+v, %v; dropped %d and %d", n, err, x.Dropped(), all.Dropped())
		}
		for range inboxLen - 1 {
			if _, err := x.Next(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := x.Next(ctx); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
		if _, err := none.Next(ctx); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}
