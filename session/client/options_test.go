package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// metaWith is meta with capabilities declared, and more at its end.
func metaWith(caps, more string) string {
	m := strings.Replace(meta, `clientCapabilities":{}`, `clientCapabilities":`+caps, 1)
	return m[:len(m)-1] + more + "}"
}

// modernWith is modernUp with capabilities declared.
func modernWith(caps string) string {
	return strings.Replace(modernUp, `clientCapabilities":{}`, `clientCapabilities":`+caps, 1)
}

// TestProgress holds that progress reaches the operation that asked for it,
// before Do returns, and that params stay as they are.
func TestProgress(t *testing.T) {
	script := lines(
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"a": 1.0,"_meta":{"x": 1.0,"progressToken":"wiretea-1"}}}`,
		`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"wiretea-1","progress":1,"total":4,"message":"m"}}`,
		`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"other","progress":2}}`,
		`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":3}}`,
		`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"wiretea-1","progress":2.5,"total":"x"}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{}}`,
		// A token of the user's is kept, and listened to.
		`> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{"progressToken":7}}}`,
		`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":5}}`,
		`< {"jsonrpc":"2.0","id":3,"result":{}}`,
	)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		var got []string
		opts := Options{Progress: func(p Progress) { got = append(got, fmt.Sprintf("%v %v %s", p.Progress, p.Total, p.Message)) }}
		for _, params := range []string{`{"a": 1.0,"_meta":{"x": 1.0}}`, `{"_meta":{"progressToken":7}}`} {
			if _, err := c.Do(ctx, "tools/call", json.RawMessage(params), opts); err != nil {
				t.Error(err)
			}
		}
		if want := []string{"1 4 m", "2.5 0 ", "5 0 "}; !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	})
}

// TestProgressFlood holds that a callback that takes its time holds up nobody,
// and what is dropped then.
func TestProgressFlood(t *testing.T) {
	const flood = inboxLen + 100
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		c, err := New(Config{}, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = stdinR.Read(make([]byte, 1<<16)) // the first request
			for i := range flood {
				fmt.Fprintf(stdoutW, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"wiretea-1","progress":%d}}`+"\n", i+1)
			}
			_, _ = stdinR.Read(make([]byte, 1<<16)) // the second
			_, _ = io.WriteString(stdoutW, `{"jsonrpc":"2.0","id":2,"result":{}}`+"\n"+`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")
			_, _ = io.Copy(io.Discard, stdinR)
			stdoutW.Close()
		}()
		seen, last := 0, 0.0
		_, err = c.Do(t.Context(), "tools/call", nil, Options{Progress: func(p Progress) {
			if seen == 0 {
				// Another call goes on while this one is stuck here.
				synctest.Wait()
				if _, err := c.Call(t.Context(), "ping", nil); err != nil {
					t.Error(err)
				}
			}
			seen, last = seen+1, p.Progress
		}})
		if err != nil || seen < inboxLen || seen >= flood || last != flood {
			t.Errorf("%v: %d notifications, the last %v", err, seen, last)
		}
		c.Close()
		<-c.Drained()
	})
}

// TestLogs holds which operations a log message is given to.
func TestLogs(t *testing.T) {
	const say = `< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"l","data": 1.0}}`
	t.Run("legacy", func(t *testing.T) {
		script := lines(
			`> {"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"debug"}}`,
			`< {"jsonrpc":"2.0","id":2,"result":{}}`,
			say,
			`> {"jsonrpc":"2.0","id":3,"method":"tools/call"}`,
			say,
			`< {"jsonrpc":"2.0","id":3,"result":{}}`,
		)
		connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
			if err := c.SetLogLevel(ctx, "loud"); err == nil {
				t.Error("a level that is none was taken")
			}
			if err := c.SetLogLevel(ctx, "debug"); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			var got []LogMessage
			if _, err := c.Do(ctx, "tools/call", nil, Options{Log: func(l LogMessage) { got = append(got, l) }}); err != nil {
				t.Error(err)
			}
			if len(got) != 1 || got[0].Level != "info" || got[0].Logger != "l" || string(got[0].Data) != "1.0" || !got[0].Alone {
				t.Errorf("got %+v", got)
			}
		})
	})
	t.Run("modern", func(t *testing.T) {
		level := func(l string) string {
			return `"params":{` + metaWith("{}", `,"io.modelcontextprotocol/logLevel":"`+l+`"`) + `}}`
		}
		script := lines(
			`> {"jsonrpc":"2.0","id":2,"method":"tools/call",`+level("debug"),
			say,
			`< {"jsonrpc":"2.0","id":2,"result":{}}`,
			`> {"jsonrpc":"2.0","id":3,"method":"tools/call",`+level("error"),
			`< {"jsonrpc":"2.0","id":3,"result":{}}`,
			`> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{`+meta+`}}`,
			say, // which nobody has asked for
			`< {"jsonrpc":"2.0","id":4,"result":{}}`,
		)
		connected(t, Config{}, script, func(ctx context.Context, c *Client) {
			logs := 0
			opts := Options{Log: func(LogMessage) { logs++ }, LogLevel: "debug"}
			step := func(opts Options) {
				if _, err := c.Do(ctx, "tools/call", nil, opts); err != nil {
					t.Error(err)
				}
			}
			step(opts)
			if err := c.SetLogLevel(ctx, "error"); err != nil {
				t.Error(err)
			}
			step(Options{})
			if err := c.SetLogLevel(ctx, ""); err != nil {
				t.Error(err)
			}
			step(Options{Log: opts.Log})
			if logs != 1 {
				t.Errorf("%d log messages", logs)
			}
		})
	})
}

// TestOptionsTimeout holds that it takes the place of the configuration's.
func TestOptionsTimeout(t *testing.T) {
	script := lines(
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"no answer within 3s"}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"tools/call"}`,
		`wait 2h`,
		`< {"jsonrpc":"2.0","id":3,"result":{}}`,
	)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		if _, err := c.Do(ctx, "tools/call", nil, Options{Timeout: 3 * time.Second}); !errors.Is(err, ErrTimeout) {
			t.Errorf("got %v", err)
		}
		if _, err := c.Do(ctx, "tools/call", nil, Options{Timeout: NoTimeout}); err != nil {
			t.Error(err)
		}
	})
}

// TestCancelByID holds that Cancel ends the call at both ends.
func TestCancelByID(t *testing.T) {
	script := lines(
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"cancelled by the user"}}`,
		`> {"jsonrpc":"2.0","id":"x","method":"tools/call"}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x","reason":"cancelled by the user"}}`,
	)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		if err := c.Cancel("2"); !errors.Is(err, ErrNotOutstanding) {
			t.Errorf("got %v", err)
		}
		calls := []struct {
			id   string
			call func(ctx context.Context) error
		}{
			{`2`, func(ctx context.Context) error { _, err := c.Call(ctx, "tools/call", nil); return err }},
			{`"x"`, func(ctx context.Context) error {
				_, err := c.CallRaw(ctx, []byte(`{"jsonrpc":"2.0","id":"x","method":"tools/call"}`))
				return err
			}},
		}
		for _, one := range calls {
			sent, failed := make(chan struct{}), make(chan error, 1)
			go func() { failed <- one.call(WithSent(ctx, func() { close(sent) })) }()
			<-sent
			if got := c.Outstanding(); !slices.Equal(got, []string{one.id}) {
				t.Errorf("outstanding %q", got)
			}
			if err := c.Cancel(one.id); err != nil {
				t.Error(err)
			}
			if err := <-failed; !errors.Is(err, ErrCancelled) {
				t.Errorf("got %v", err)
			}
		}
	})
}

// TestAnsweredLegs holds how questions inside a result are answered: the next
// leg has the answers and the state, byte for byte.
func TestAnsweredLegs(t *testing.T) {
	const caps = `{"sampling":{},"elicitation":{"form":{},"url":{}}}`
	cfg := Config{
		Sampling: after(2*time.Second, Sampled("Sunny.", "m", "")),
		Form:     after(time.Hour, Accept(json.RawMessage(`{"a": 1.0}`))), URL: Agreeable,
	}
	params := `"params":{"name":"n"`
	script := lines(modernWith(caps),
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call",`+params+`,`+metaWith(caps, "")+`}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"s\u0041/","inputRequests":{`+
			`"z":{"method":"elicitation/create","params":{"message":"?"}},"a":{"method":"sampling/createMessage"},"u":{"method":"elicitation/create","params":{"mode":"url"}}}}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"tools/call",`+params+`,"inputResponses":{"z":{"action":"accept","content":{"a": 1.0}},`+
			`"a":{"role":"assistant","content":{"type":"text","text":"Sunny."},"model":"m","stopReason":"endTurn"},"u":{"action":"accept"}},"requestState":"s\u0041/",`+metaWith(caps, "")+`}}`,
		`wait 1s`,
		`< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete"}}`,
	)
	scripted(t, cfg, script, func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		reply, err := c.Call(ctx, "tools/call", json.RawMessage(`{"name":"n"}`))
		if err != nil || len(reply.Legs) != 2 || !slices.Equal(ids(reply), []string{"2", "3"}) {
			t.Fatalf("got %+v, %v", reply, err)
		}
		first, second := reply.Legs[0], reply.Legs[1]
		if first.Asked != time.Hour || second.Asked != 0 || second.Received.Sub(second.Sent) != time.Second || second.Sent.Sub(first.Received) != time.Hour {
			t.Errorf("legs %+v", reply.Legs)
		}
		if !reply.Sent.Equal(first.Sent) || !reply.Received.Equal(second.Received) {
			t.Errorf("sent %v, received %v", reply.Sent, reply.Received)
		}
	})
}

// TestRefusedLegs holds what becomes of a call whose question gets an error for
// an answer, or none before the call is cancelled.
func TestRefusedLegs(t *testing.T) {
	const caps = `{"sampling":{}}`
	script := func(n int) string {
		return lines(
			fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s}}`, n, metaWith(caps, "")),
			fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage"}}}}`, n))
	}
	var asked Question
	answer := Decliner
	cfg := Config{Sampling: AskerFunc(func(ctx context.Context, q Question) Answer {
		asked = q
		return answer.Ask(ctx, q)
	})}
	scripted(t, cfg, lines(modernWith(caps), script(2), script(3)), func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		reply, err := c.Call(ctx, "tools/call", nil)
		var stuck *InputRequiredError
		if !errors.As(err, &stuck) || stuck.Refusal == nil || stuck.Refusal.Code != -1 || stuck.Legs != 1 || reply == nil {
			t.Errorf("got %+v, %v", reply, err)
		}
		if asked.Key != "a" || asked.For != "2" || asked.ID != "" {
			t.Errorf("asked %+v", asked)
		}
		answer = AskerFunc(func(ctx context.Context, _ Question) Answer {
			_ = c.Cancel("3")
			<-ctx.Done()
			return Sampled("too late", "", "")
		})
		if _, err := c.Call(ctx, "tools/call", nil); !errors.Is(err, ErrCancelled) {
			t.Errorf("got %v", err)
		}
	})
}
