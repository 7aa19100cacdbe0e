package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session/mcp"
)

// TestCatalogue holds that one list that fails does not hide the others.
func TestCatalogue(t *testing.T) {
	up := strings.Replace(legacyUp, `"capabilities":{"tools":{}}`, `"capabilities":{"tools":{},"resources":{}}`, 1)
	script := lines(up,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"tools":[1],"nextCursor":"x"}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}`,
		`< {"jsonrpc":"2.0","id":3,"result":{"tools":[2],"nextCursor":"x"}}`,
		`> {"jsonrpc":"2.0","id":4,"method":"resources/list"}`,
		`< {"jsonrpc":"2.0","id":4,"result":{"resources":[{"uri": "a:1"}]}}`,
		`> {"jsonrpc":"2.0","id":5,"method":"resources/templates/list"}`,
		`< {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"no"}}`,
	)
	scripted(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		all := c.Catalogue(ctx)
		if s := all.Tools; !s.Declared || len(s.Items) != 2 || !errors.Is(s.Err, ErrCursorLoop) || s.At.IsZero() {
			t.Errorf("tools %+v", s)
		}
		if s := all.Resources; len(s.Items) != 1 || string(s.Items[0]) != `{"uri": "a:1"}` || s.Err != nil {
			t.Errorf("resources %+v", s)
		}
		var rpc *RPCError
		if s := all.Templates; !s.Declared || !errors.As(s.Err, &rpc) || rpc.Code != mcp.MethodNotFound {
			t.Errorf("templates %+v", s)
		}
		if s := all.Prompts; s.Declared || s.Err != nil || !s.At.IsZero() {
			t.Errorf("prompts %+v", s)
		}
	})
}

// listServer answers each tools/list with the number of lists so far, and then
// does what changed says.
func listServer(t *testing.T, cfg Config, changed func(n int, write func(string)), do func(ctx context.Context, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		write := func(line string) { _, _ = io.WriteString(stdoutW, line+"\n") }
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer stdoutW.Close()
			dec := json.NewDecoder(stdinR)
			for n := 0; ; {
				var m struct {
					ID     json.RawMessage
					Method string
				}
				if dec.Decode(&m) != nil {
					return
				}
				switch m.Method {
				case "initialize":
					write(strings.Replace(initResult(string(m.ID), "2025-11-25")[2:], `"tools":{}`, `"tools":{"listChanged":true}`, 1))
				case "server/discover":
					write(strings.Replace(discovered[2:], `"tools":{}`, `"tools":{"listChanged":true}`, 1))
				case "subscriptions/listen":
					write(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},` + onTwo + `}}`)
				case "tools/list":
					n++
					write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","tools":[%d]}}`, m.ID, n))
					changed(n, write)
				}
			}
		}()
		c, err := Connect(t.Context(), cfg, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		do(t.Context(), c)
		c.Close()
		<-c.Drained()
		<-done
	})
}

// TestFollowCatalogue holds that changes are seen, taken together, and that a
// server that cannot stop changing is listed ever more seldom.
func TestFollowCatalogue(t *testing.T) {
	for _, era := range []EraChoice{Legacy, Modern} {
		change := func(write func(string)) {
			write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + onTwo + `}}`)
		}
		t.Run("changes "+era.String(), func(t *testing.T) {
			changed := func(n int, write func(string)) {
				if n == 1 {
					go func() {
						time.Sleep(time.Minute)
						for range 50 {
							change(write)
						}
						time.Sleep(time.Minute)
						change(write)
					}()
				}
			}
			listServer(t, Config{Era: era}, changed, func(ctx context.Context, c *Client) {
				ctx, stop := context.WithTimeout(ctx, time.Hour)
				defer stop()
				began := time.Now()
				var got []string
				err := c.FollowCatalogue(ctx, func(all Catalogue) {
					got = append(got, fmt.Sprintf("%s at %v", all.Tools.Items[0], time.Since(began)))
				})
				if want := "1 at 0s, 2 at 1m0.1s, 3 at 2m0.1s"; strings.Join(got, ", ") != want || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %q, %v", got, err)
				}
			})
		})
		t.Run("loops "+era.String(), func(t *testing.T) {
			listServer(t, Config{Era: era}, func(_ int, write func(string)) { change(write) }, func(ctx context.Context, c *Client) {
				ctx, stop := context.WithTimeout(ctx, 24*time.Hour)
				defer stop()
				lists := 0
				_ = c.FollowCatalogue(ctx, func(Catalogue) { lists++ })
				// Ten while it slows down, and one a minute from then on.
				if lists < 24*60-5 || lists > 24*60+15 {
					t.Errorf("listed %d times in a day", lists)
				}
			})
		})
		t.Run("closed "+era.String(), func(t *testing.T) {
			listServer(t, Config{Era: era}, func(int, func(string)) {}, func(ctx context.Context, c *Client) {
				err := c.FollowCatalogue(ctx, func(Catalogue) { c.Close() })
				if !errors.Is(err, ErrClosed) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// TestFollowChanges holds that what was listed before is not listed again, and
// that what changes is.
func TestFollowChanges(t *testing.T) {
	var lists atomic.Int64
	changed := func(n int, write func(string)) {
		if lists.Store(int64(n)); n == 1 {
			go func() {
				time.Sleep(time.Minute)
				write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}()
		}
	}
	listServer(t, Config{Era: Legacy}, changed, func(ctx context.Context, c *Client) {
		ctx, stop := context.WithTimeout(ctx, time.Hour)
		defer stop()
		c.Catalogue(ctx)
		began := time.Now()
		var got []string
		err := c.FollowChanges(ctx, func(all Catalogue) {
			got = append(got, fmt.Sprintf("%d at %v", len(all.Tools.Items), time.Since(began)))
		})
		if want := "0 at 0s, 1 at 1m0.1s"; strings.Join(got, ", ") != want || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %q, %v", got, err)
		}
		if n := lists.Load(); n != 2 {
			t.Errorf("listed %d times", n)
		}
	})
}

// TestComplete holds what is asked and what is read of the answer.
func TestComplete(t *testing.T) {
	script := lines(
		`> {"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p<"},"argument":{"name":"a","value":"x"},"context":{"arguments":{"b":"2","c":"\""}}}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"completion":{"values":["xa","xb"],"total":9,"hasMore":true}}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"a:{v}"},"argument":{"name":"v","value":""}}}`,
		`< {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}}`,
		`> {"jsonrpc":"2.0","id":4,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"a:{v}"},"argument":{"name":"v","value":""}}}`,
		`< {"jsonrpc":"2.0","id":4,"result":{"completion":{"values":"x"}}}`,
	)
	connected(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		got, err := c.Complete(ctx, Ref{Prompt: "p<"}, "a", "x", map[string]string{"c": `"`, "b": "2"})
		if err != nil || strings.Join(got.Values, " ") != "xa xb" || got.Total != 9 || !got.More {
			t.Errorf("got %+v, %v", got, err)
		}
		var rpc *RPCError
		if _, err := c.Complete(ctx, Ref{Resource: "a:{v}"}, "v", "", nil); !errors.As(err, &rpc) {
			t.Errorf("got %v", err)
		}
		if _, err := c.Complete(ctx, Ref{Resource: "a:{v}"}, "v", "", nil); !errors.Is(err, ErrNoResult) {
			t.Errorf("got %v", err)
		}
	})
	old := lines(initialize("1", "2025-03-26"), initResult("1", "2025-03-26"), inited,
		`> {"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"x"}}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"completion":{"values":[]}}}`)
	scripted(t, Config{ProtocolVersion: "2025-03-26"}, old, func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		if _, err := c.Complete(ctx, Ref{Prompt: "p"}, "a", "x", map[string]string{"b": "2"}); err != nil {
			t.Error(err)
		}
	})
}
