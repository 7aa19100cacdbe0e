package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestCall(t *testing.T) {
	script := lines(
		`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`wait 1500ms`,
		`< {"jsonrpc":"2.0","id":2,"result":{"tools":[],"x": 1.0}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{ "name" : "a", "n":1.0}}`,
		`< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no <such> tool","data":{"a":1}}}`,
		`> {"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}`,
	)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		begin := time.Now()
		reply, err := c.Call(ctx, "tools/list", nil)
		if err != nil || string(reply.Result) != `{"tools":[],"x": 1.0}` || reply.Error != nil {
			t.Errorf("got %+v, %v", reply, err)
		}
		if !slices.Equal(ids(reply), []string{"2"}) || !reply.Sent.Equal(begin) || reply.Received.Sub(begin) != 1500*time.Millisecond {
			t.Errorf("ids %q, sent %v, received %v", ids(reply), reply.Sent.Sub(begin), reply.Received.Sub(begin))
		}
		reply, err = c.Call(ctx, "tools/call", json.RawMessage("\n{ \"name\" : \"a\",\n\"n\":1.0} "))
		_ = reply
		var rpc *RPCError
		if !errors.As(err, &rpc) || rpc.Code != -32602 || rpc.Message != "no <such> tool" || string(rpc.Data) != `{"a":1}` {
			t.Errorf("got %v", err)
		}
		if err := c.Notify(ctx, "notifications/x", json.RawMessage(`{"a":1}`)); err != nil {
			t.Error(err)
		}
		if _, err := c.Call(ctx, "tools/call", json.RawMessage(`{"name":`)); err == nil || !strings.Contains(err.Error(), "byte 8") {
			t.Errorf("bad parameters: %v", err)
		}
	})
}

// TestCancelledByHand holds that nobody waits for an answer that the user no
// longer wants, and that other requests are not touched by it.
func TestCancelledByHand(t *testing.T) {
	script := lines(
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"2"}}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"ping"}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"late":true}}`,
		`< {"jsonrpc":"2.0","id":3,"result":{}}`,
	)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		sent, failed := make(chan struct{}), make(chan error)
		go func() {
			_, err := c.Call(WithSent(ctx, func() { close(sent) }), "tools/call", nil)
			failed <- err
		}()
		<-sent
		for _, id := range []string{`"2"`, `2`} {
			if err := c.Notify(ctx, "notifications/cancelled", json.RawMessage(`{"requestId":`+id+`}`)); err != nil {
				t.Error(err)
			}
		}
		if err := <-failed; !errors.Is(err, ErrCancelled) {
			t.Errorf("got %v", err)
		}
		if reply, err := c.Call(ctx, "ping", nil); err != nil || string(reply.Result) != "{}" {
			t.Errorf("the next request: %+v, %v", reply, err)
		}
	})
}

func TestTimeout(t *testing.T) {
	script := lines(
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"no answer within 5s"}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"late":true}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"ping"}`,
		`< {"jsonrpc":"2.0","id":3,"result":{}}`,
	)
	cfg := Config{Era: Legacy, Timeout: func(method string) time.Duration {
		if method == "tools/call" {
			return 5 * time.Second
		}
		return 0
	}}
	connected(t, cfg, script, func(ctx context.Context, c *Client) {
		begin := time.Now()
		_, err := c.Call(ctx, "tools/call", nil)
		var late *TimeoutError
		if !errors.Is(err, ErrTimeout) || !errors.As(err, &late) || late.ID != "2" || late.Method != "tools/call" {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("took %v", took)
		}
		if reply, err := c.Call(ctx, "ping", nil); err != nil || string(reply.Result) != "{}" {
			t.Errorf("after a late answer: %v, %v", reply, err)
		}
	})
}

// TestDefaultTimeouts holds which requests end on their own.
func TestDefaultTimeouts(t *testing.T) {
	never := func(string) time.Duration { return NoTimeout }
	for _, c := range []struct {
		cfg    Config
		method string
		want   time.Duration
	}{
		{Config{}, "tools/call", time.Minute},
		{Config{}, "no/such", time.Minute},
		{Config{}, "subscriptions/listen", 0},
		{Config{Timeout: never}, "tools/call", 0},
	} {
		if got := c.cfg.timeout(c.method); got != c.want {
			t.Errorf("%s: %v, want %v", c.method, got, c.want)
		}
	}
}

func TestCancel(t *testing.T) {
	script := lines(
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"cancelled by the user"}}`,
	)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := c.Call(ctx, "tools/call", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// TestConcurrentCalls holds that answers in any order find their calls.
func TestConcurrentCalls(t *testing.T) {
	const n = 50
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		c, err := New(Config{}, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			dec := json.NewDecoder(stdinR)
			var asked []string
			for range n {
				var m struct {
					ID     json.RawMessage
					Params json.RawMessage
				}
				if err := dec.Decode(&m); err != nil {
					t.Error(err)
					break
				}
				asked = append(asked, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, m.Params))
			}
			slices.Reverse(asked)
			_, _ = io.WriteString(stdoutW, strings.Join(asked, "\n")+"\n")
			_, _ = io.Copy(io.Discard, stdinR)
			stdoutW.Close()
		}()
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				params := fmt.Sprintf(`{"i":%d}`, i)
				reply, err := c.Call(t.Context(), "echo", json.RawMessage(params))
				if err != nil || string(reply.Result) != params {
					t.Errorf("call %d: %v, %v", i, reply, err)
				}
			})
		}
		wg.Wait()
		c.Close()
		<-c.Drained()
	})
}

// TestServerGone holds what is said when the server goes in the middle.
func TestServerGone(t *testing.T) {
	script := lines(
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
		`wait 1s`,
		`eof`,
	)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		_, err := c.Call(ctx, "tools/call", nil)
		var gone *ClosedError
		if !errors.Is(err, ErrClosed) || !errors.As(err, &gone) || !slices.Equal(gone.Outstanding, []string{"tools/call (id 2)"}) {
			t.Errorf("got %v", err)
		}
		if want := "connection closed; not answered: tools/call (id 2)"; err.Error() != want {
			t.Errorf("says %q, want %q", err, want)
		}
		<-c.Done()
		if _, err := c.Call(ctx, "ping", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("later: %v", err)
		}
	})
}

// TestStdinBroken holds that answers are still taken for a moment after the
// server stopped reading, and that calls end then.
func TestStdinBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		c, err := New(Config{}, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		stdinR.Close()
		begin := time.Now()
		go func() {
			time.Sleep(closingGrace / 2)
			_, _ = io.WriteString(stdoutW, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")
		}()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.Call(t.Context(), "first", nil); err != nil {
				t.Errorf("first: %v", err)
			}
		})
		synctest.Wait()
		if _, err := c.Call(t.Context(), "second", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("second: %v", err)
		}
		wg.Wait()
		<-c.Done()
		if took := time.Since(begin); took != closingGrace {
			t.Errorf("ended after %v", took)
		}
		c.Close()
		stdoutW.Close()
		<-c.Drained()
	})
}

// TestServerDoesNotRead holds that neither calls nor Close hang then.
func TestServerDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		c, err := New(Config{Timeout: func(string) time.Duration { return time.Second }}, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 2 * queueLen {
			wg.Go(func() {
				if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, ErrTimeout) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		begin := time.Now()
		c.Close()
		if took := time.Since(begin); took != flushGrace {
			t.Errorf("Close took %v", took)
		}
		if err := c.Send(t.Context(), []byte("x\n")); !errors.Is(err, ErrClosed) {
			t.Errorf("Send after Close: %v", err)
		}
		stdoutW.Close()
		<-c.Drained()
	})
}

func TestRaw(t *testing.T) {
	script := lines(
		`> {"id":7,"jsonrpc":"2.0","method":"ping"}`,
		`< {"jsonrpc":"2.0","id":7,"result":{"n":7}}`,
		`> {"jsonrpc":"2.0","id":"a","method":"ping" }`,
		`< {"jsonrpc":"2.0","id":"a","result":{"n":"a"}}`,
		`> this is no JSON`,
		`> {"jsonrpc":"2.0","method":"notifications/x"}`,
		`> {"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`> [{"jsonrpc":"2.0","id":20,"method":"ping"}]`,
		`> half a line, the other half`,
		`> {"jsonrpc":"2.0","id":21,"method":"ping"}`,
		`< {"jsonrpc":"2.0","id":21,"result":{}}`,
	)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		for _, raw := range []struct{ text, result string }{
			{`{"id":7,"jsonrpc":"2.0","method":"ping"}`, `{"n":7}`},
			{`{"jsonrpc":"2.0","id":"a","method":"ping" }`, `{"n":"a"}`},
			{`this is no JSON`, ""},
			{`{"jsonrpc":"2.0","method":"notifications/x"}`, ""},
			{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, ""},
			{`[{"jsonrpc":"2.0","id":20,"method":"ping"}]`, ""},
		} {
			reply, err := c.CallRaw(ctx, []byte(raw.text))
			if err != nil {
				t.Errorf("%s: %v", raw.text, err)
			} else if got := reply != nil; got != (raw.result != "") || got && string(reply.Result) != raw.result {
				t.Errorf("%s: got %+v", raw.text, reply)
			}
		}
		for _, part := range []string{"half a line,", " the other half\n"} {
			if err := c.Send(ctx, []byte(part)); err != nil {
				t.Error(err)
			}
		}
		// Our own ids keep clear of those that the user took.
		if _, err := c.Call(ctx, "ping", nil); err != nil {
			t.Error(err)
		}
	})
}

func TestContentLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		c, err := New(Config{Framing: ContentLength}, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		want := "Content-Length: 40\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		go func() {
			got := make([]byte, len(want))
			if _, err := io.ReadFull(stdinR, got); err != nil || string(got) != want {
				t.Errorf("client wrote %q, %v", got, err)
			}
			_, _ = io.WriteString(stdoutW, "Content-Length: 36\r\n\r\n"+`{"jsonrpc":"2.0","id":1,"result":{}}`)
			_, _ = io.Copy(io.Discard, stdinR)
			stdoutW.Close()
		}()
		if _, err := c.Call(t.Context(), "ping", nil); err != nil {
			t.Error(err)
		}
		c.Close()
		<-c.Drained()
	})
}

func TestServerRequests(t *testing.T) {
	script := lines(
		`< {"jsonrpc":"2.0","id":"p","method":"ping"}`,
		`> {"jsonrpc":"2.0","id":"p","result":{}}`,
		`< {"method":"roots/list","jsonrpc":"2.0","id":1}`,
		`> {"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///srv/tea%20house","name":"tea house"},{"uri":"file:///a","name":"a"}]}}`,
		`< {"jsonrpc":"2.0","id":9007199254740993,"method":"sampling/createMessage","params":{}}`,
		`> {"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32601,"message":"sampling/createMessage refused: this client declared no such capability"}}`,
		// None of these wants an answer.
		`< {"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`< {"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`< {"jsonrpc":"2.0","id":4,"method":"notifications/message"}`,
		`< {"jsonrpc":"2.0","method":"ping"}`,
		`wait 1s`,
	)
	up := strings.Replace(legacyUp, `"capabilities":{},"clientInfo"`, `"capabilities":{"roots":{}},"clientInfo"`, 1)
	cfg := Config{Era: Legacy, Roots: []string{"/srv/tea house", "file:///a"}}
	scripted(t, cfg, lines(up, script), func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Second)
	})
}

func TestServerRequestsRefused(t *testing.T) {
	script := lines(
		`< {"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
		`> {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"roots/list refused: this client declared no such capability"}}`,
	)
	connected(t, Config{Era: Legacy}, script, func(context.Context, *Client) { time.Sleep(2 * time.Second) })
}

// TestServerRequestsIgnored holds that nothing is answered in the modern era,
// where clients send no responses, and that the request that fails for it says
// so.
func TestServerRequestsIgnored(t *testing.T) {
	script := lines(
		`< {"jsonrpc":"2.0","id":9,"method":"ping"}`,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{`+meta+`}}`,
		`< {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?"}}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"no answer within 1m0s"}}`,
	)
	connected(t, Config{Form: Decliner, Capabilities: json.RawMessage(`{}`)}, script, func(ctx context.Context, c *Client) {
		synctest.Wait()
		_, err := c.Call(ctx, "tools/call", nil)
		var late *TimeoutError
		if !errors.As(err, &late) || !slices.Equal(late.Ignored, []string{"elicitation/create"}) || !strings.Contains(err.Error(), "elicitation/create") {
			t.Errorf("got %v", err)
		}
	})
}

func TestBadConfig(t *testing.T) {
	for _, cfg := range []Config{
		{Roots: []string{"https://example.org/"}},
		{Roots: []string{"file://%zz"}},
		{Capabilities: json.RawMessage(`[]`)},
		{Capabilities: json.RawMessage(`{`)},
		{ClientInfo: json.RawMessage(`"me"`)},
	} {
		if _, err := New(cfg, nil, nil); err == nil {
			t.Errorf("%+v was taken", cfg)
		}
	}
}
