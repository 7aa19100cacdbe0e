package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session/mcp"
)

// upWith is legacyUp with capabilities declared.
func upWith(caps string) string {
	return strings.Replace(legacyUp, `"capabilities":{},"clientInfo"`, `"capabilities":`+caps+`,"clientInfo"`, 1)
}

// after is a policy that takes its time.
func after(d time.Duration, a Answer) Asker {
	return AskerFunc(func(ctx context.Context, _ Question) Answer {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return a
	})
}

// TestQuestions holds what a legacy server gets for its questions.
func TestQuestions(t *testing.T) {
	const form = `"params":{"message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","default":"Ada"}}}}`
	for _, c := range []struct {
		name, caps string
		cfg        Config
		ask        string
		want       string // want follows the id in the answer.
	}{
		{
			name: "accept", caps: `{"elicitation":{"form":{}}}`,
			cfg:  Config{Form: after(0, Accept(json.RawMessage("{\"name\":\n1.0}")))},
			ask:  `"method":"elicitation/create",` + form,
			want: `"result":{"action":"accept","content":{"name": 1.0}}`,
		},
		{
			name: "defaults", caps: `{"elicitation":{"form":{},"url":{}}}`,
			cfg:  Config{Form: Agreeable, URL: Agreeable},
			ask:  `"method":"elicitation/create",` + form,
			want: `"result":{"action":"accept","content":{"name":"Ada"}}`,
		},
		{
			name: "url", caps: `{"elicitation":{"form":{},"url":{}}}`,
			cfg:  Config{Form: Decliner, URL: Agreeable},
			ask:  `"method":"elicitation/create","params":{"mode":"url","message":"Go","url":"https://example.org/","elicitationId":"1"}`,
			want: `"result":{"action":"accept"}`,
		},
		{
			name: "decline", caps: `{"elicitation":{"form":{}}}`,
			cfg:  Config{Form: Decliner},
			ask:  `"method":"elicitation/create",` + form,
			want: `"result":{"action":"decline"}`,
		},
		{
			name: "undeclared mode", caps: `{"elicitation":{"url":{}}}`,
			cfg:  Config{URL: Agreeable},
			ask:  `"method":"elicitation/create",` + form,
			want: `"error":{"code":-32602,"message":"elicitation mode \"form\" refused: this client did not declare it"}`,
		},
		{
			name: "undeclared", caps: `{}`,
			ask:  `"method":"elicitation/create",` + form,
			want: `"error":{"code":-32601,"message":"elicitation/create refused: this client declared no such capability"}`,
		},
		{
			name: "canned", caps: `{"sampling":{}}`,
			cfg:  Config{Sampling: Canned("Sunny & <warm>.")},
			ask:  `"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}`,
			want: `"result":{"role":"assistant","content":{"type":"text","text":"Sunny & <warm>."},"model":"wiretea","stopReason":"endTurn"}`,
		},
		{
			name: "refused", caps: `{"sampling":{"tools":{}}}`,
			cfg:  Config{Sampling: Decliner, SamplingTools: true},
			ask:  `"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}`,
			want: `"error":{"code":-1,"message":"User rejected sampling request"}`,
		},
		{
			name: "data", caps: `{"sampling":{}}`,
			cfg:  Config{Sampling: after(0, Answer{Error: &RPCError{Code: -5, Message: "x", Data: json.RawMessage(`{"a": 1.0}`)}})},
			ask:  `"method":"sampling/createMessage"`,
			want: `"error":{"code":-5,"message":"x","data":{"a": 1.0}}`,
		},
		{
			name: "roots", caps: `{"roots":{}}`,
			cfg:  Config{AskRoots: Decliner},
			ask:  `"method":"roots/list"`,
			want: `"result":{"roots":[]}`,
		},
		{
			name: "nothing", caps: `{"sampling":{}}`,
			cfg:  Config{Sampling: after(0, Answer{})},
			ask:  `"method":"sampling/createMessage"`,
			want: `"error":{"code":-32603,"message":"the question was not answered"}`,
		},
		{
			name: "not JSON", caps: `{"sampling":{}}`,
			cfg:  Config{Sampling: after(0, Answer{Result: json.RawMessage(`{`)})},
			ask:  `"method":"sampling/createMessage"`,
			want: `"error":{"code":-32603,"message":"the answer is not JSON"}`,
		},
		{
			name: "panic", caps: `{"sampling":{}}`,
			cfg:  Config{Sampling: AskerFunc(func(context.Context, Question) Answer { panic("oh") })},
			ask:  `"method":"sampling/createMessage"`,
			want: `"error":{"code":-32603,"message":"internal error: oh"}`,
		},
		{
			name: "of a task", caps: `{"elicitation":{"form":{}}}`,
			cfg:  Config{Form: Decliner},
			ask:  `"method":"elicitation/create","params":{"message":"?","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t<1>"}}}`,
			want: `"result":{"action":"decline","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t<1>"}}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.Era = Legacy
			script := lines(upWith(c.caps), `< {"jsonrpc":"2.0","id":"q",`+c.ask+`}`, `> {"jsonrpc":"2.0","id":"q",`+c.want+`}`)
			scripted(t, c.cfg, script, func(ctx context.Context, cl *Client) {
				if err := cl.Handshake(ctx); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second)
			})
		})
	}
}

// TestQuestionSays holds what a question tells about itself.
func TestQuestionSays(t *testing.T) {
	var got Question
	cfg := Config{Era: Legacy, Form: AskerFunc(func(_ context.Context, q Question) Answer {
		got = q
		return Dismiss()
	})}
	script := lines(upWith(`{"elicitation":{"form":{}}}`),
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
		`< {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"a","requestedSchema":{ }}}`,
		`> {"jsonrpc":"2.0","id":7,"result":{"action":"cancel"}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{}}`,
	)
	scripted(t, cfg, script, func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		if _, err := c.Call(ctx, "tools/call", nil); err != nil {
			t.Error(err)
		}
	})
	ask := got.Elicitation()
	if got.ID != "7" || got.For != "2" || got.Era != mcp.Legacy || got.Key != "" || got.Task != "" || got.At.IsZero() {
		t.Errorf("%+v", got)
	}
	if ask.Mode != "form" || ask.Message != "a" || string(ask.Schema) != `{ }` {
		t.Errorf("%+v", ask)
	}
}

// TestQuestionIsNoTimeout holds that a call does not run out of time while the
// server waits for us, and does when the server is slow itself.
func TestQuestionIsNoTimeout(t *testing.T) {
	cfg := Config{
		Era:     Legacy,
		Timeout: func(string) time.Duration { return 10 * time.Second },
	}
	script := lines(upWith(`{"elicitation":{"form":{}}}`),
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
		`wait 6s`,
		`< {"jsonrpc":"2.0","id":7,"method":"elicitation/create"}`,
		`< {"jsonrpc":"2.0","id":8,"method":"elicitation/create"}`,
		`> {"jsonrpc":"2.0","id":7,"result":{"action":"decline"}}`,
		`> {"jsonrpc":"2.0","id":8,"result":{"action":"decline"}}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"no answer within 10s"}}`,
	)
	var mu sync.Mutex
	var order []string
	cfg.Form = AskerFunc(func(_ context.Context, q Question) Answer {
		time.Sleep(time.Hour)
		if q.ID == "8" {
			time.Sleep(time.Second)
		}
		mu.Lock()
		defer mu.Unlock()
		order = append(order, q.ID)
		return Decline()
	})
	scripted(t, cfg, script, func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		began := time.Now()
		_, err := c.Call(ctx, "tools/call", nil)
		if took := time.Since(began); !errors.Is(err, ErrTimeout) || took != time.Hour+11*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		if strings.Join(order, " ") != "7 8" {
			t.Errorf("answered %v", order)
		}
	})
}

// TestQuestionWithdrawn holds that a question ends with the server's wish, and
// that nothing is sent then.
func TestQuestionWithdrawn(t *testing.T) {
	const questions = 16
	var ended chan error
	cfg := Config{Era: Legacy, Sampling: AskerFunc(func(ctx context.Context, _ Question) Answer {
		<-ctx.Done()
		ended <- ctx.Err()
		return Sampled("too late", "", "")
	})}
	script := []string{upWith(`{"sampling":{}}`)}
	for i := range questions {
		script = append(script, fmt.Sprintf(`< {"jsonrpc":"2.0","id":"%d","method":"sampling/createMessage"}`, i))
	}
	script = append(script, `wait 1m`)
	for i := range questions {
		script = append(script, fmt.Sprintf(`< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"%d"}}`, i))
	}
	scripted(t, cfg, lines(script...), func(ctx context.Context, c *Client) {
		ended = make(chan error, questions)
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		began := time.Now()
		for range questions {
			if err := <-ended; err == nil || time.Since(began) != time.Minute {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
		}
	})
}

// TestURLsRequired holds that a call is made again when the user has been where
// the server wanted.
func TestURLsRequired(t *testing.T) {
	call := func(id int) string { return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call"}`, id) }
	required := func(id int) string {
		return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"error":{"code":-32042,"message":"m","data":{"elicitations":[`+
			`{"mode":"url","message":"a","url":"https://example.org/a","elicitationId":"a"},{"mode":"url","message":"b","url":"https://example.org/b","elicitationId":"b"}]}}}`, id)
	}
	complete := func(id string) string {
		return `< {"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"` + id + `"}}`
	}
	done := `< {"jsonrpc":"2.0","id":3,"result":{}}`
	for _, c := range []struct {
		name, script string
		url          Asker
		took         time.Duration
		legs         int
		err          string
	}{
		{"visited", lines(call(2), required(2), "wait 2h", complete("b"), "wait 5s", complete("a"), call(3), done),
			after(time.Hour, Accept(nil)), 2*time.Hour + 5*time.Second, 2, ""},
		{"never said to be complete", lines(call(2), required(2), call(3), done), Agreeable, time.Minute, 2, ""},
		{"not wanted", lines(call(2), required(2)), Decliner, 0, 1, "error -32042: m"},
		{"again", lines(call(2), required(2), complete("a"), complete("b"), call(3), required(3)), Agreeable, 0, 2, "error -32042: m"},
		{"no URLs", lines(call(2), `< {"jsonrpc":"2.0","id":2,"error":{"code":-32042,"message":"m","data":{"elicitations":[{"message":"form"}]}}}`),
			Agreeable, 0, 1, "error -32042: m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Config{Era: Legacy, URL: c.url, Timeout: func(string) time.Duration { return time.Minute }}
			if c.took > time.Hour {
				cfg.Timeout = func(string) time.Duration { return 3 * time.Hour }
			}
			scripted(t, cfg, lines(upWith(`{"elicitation":{"url":{}}}`), c.script), func(ctx context.Context, cl *Client) {
				if err := cl.Handshake(ctx); err != nil {
					t.Error(err)
				}
				reply, err := cl.Call(ctx, "tools/call", nil)
				if (err != nil || c.err != "") && fmt.Sprint(err) != c.err {
					t.Errorf("got %v", err)
				}
				if reply == nil || len(reply.Legs) != c.legs || reply.Received.Sub(reply.Sent) != c.took {
					t.Errorf("got %+v", reply)
				}
			})
		})
	}
}

// TestQuestionEndsWithConnection holds that no goroutine is left behind.
func TestQuestionEndsWithConnection(t *testing.T) {
	for _, how := range []string{"eof", "close"} {
		var asked chan struct{}
		cfg := Config{Era: Legacy, Sampling: AskerFunc(func(ctx context.Context, _ Question) Answer {
			close(asked)
			<-ctx.Done()
			return Answer{}
		})}
		script := lines(upWith(`{"sampling":{}}`), `< {"jsonrpc":"2.0","id":"s","method":"sampling/createMessage"}`, `wait 1s`)
		if how == "eof" {
			script = lines(script, "eof")
		}
		scripted(t, cfg, script, func(ctx context.Context, c *Client) {
			asked = make(chan struct{})
			if err := c.Handshake(ctx); err != nil {
				t.Error(err)
			}
			<-asked
			if how == "eof" {
				<-c.Done()
			}
		})
	}
}

// TestQuestionsDoNotBlock holds that a flood of questions is bounded, and that
// nobody who does not answer keeps answers from other calls.
func TestQuestionsDoNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		cfg := Config{Sampling: AskerFunc(func(ctx context.Context, _ Question) Answer {
			<-ctx.Done()
			return Answer{}
		})}
		c, err := New(cfg, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		go func() {
			dec := json.NewDecoder(stdinR)
			for {
				var m struct {
					ID    json.RawMessage
					Error json.RawMessage
				}
				if dec.Decode(&m) != nil {
					break
				}
				if m.Error != nil {
					refused++
				} else {
					_, _ = io.WriteString(stdoutW, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{}}`+"\n")
				}
			}
			stdoutW.Close()
		}()
		for i := range maxQuestions + 10 {
			text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": mcp.SamplingCreateMessage})
			_, _ = stdoutW.Write(append(text, '\n'))
		}
		// The id of a question that is open already is left alone.
		_, _ = io.WriteString(stdoutW, `{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage"}`+"\n")
		if _, err := c.Call(t.Context(), "ping", nil); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if refused != 10 {
			t.Errorf("%d questions were refused", refused)
		}
		c.Close()
		<-c.Drained()
	})
}

// TestLongQuestions holds that questions that are open are bounded in bytes too.
func TestLongQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		defer stdoutW.Close()
		open := 0
		cfg := Config{Sampling: AskerFunc(func(ctx context.Context, _ Question) Answer {
			open++
			<-ctx.Done()
			return Answer{}
		})}
		c, err := New(cfg, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		answers := bufio.NewScanner(stdinR)
		long := append(append([]byte(`{"x":"`), bytes.Repeat([]byte("x"), maxQuestionBytes*2/3)...), `"}`...)
		for round := range 2 {
			c.handleRequest([]byte(`1`), mcp.SamplingCreateMessage, long)
			c.handleRequest([]byte(`2`), mcp.SamplingCreateMessage, long)
			if !answers.Scan() || !strings.Contains(answers.Text(), `"id":2,"error"`) || !strings.Contains(answers.Text(), "too many questions") {
				t.Errorf("the answer is %s", answers.Text())
			}
			synctest.Wait()
			if open != round+1 {
				t.Errorf("%d questions were asked", open)
			}
			c.withdrawn("1") // What is withdrawn makes room.
			synctest.Wait()
		}
	})
}

// TestCapabilities holds that what is declared is what can be answered, in the
// words of each version.
func TestCapabilities(t *testing.T) {
	all := Config{Sampling: Decliner, SamplingTools: true, Form: Decliner, URL: Decliner, Roots: []string{"/a"}}
	for _, c := range []struct {
		name    string
		cfg     Config
		version string
		tasks   bool
		want    string
	}{
		{"none", Config{}, "2025-11-25", false, `{}`},
		{"all", all, "2024-11-05", true, `{"roots":{},"sampling":{}}`},
		{"all", all, "2025-03-26", true, `{"roots":{},"sampling":{}}`},
		{"all", all, "2025-06-18", true, `{"roots":{},"sampling":{},"elicitation":{}}`},
		{"all", all, "2025-11-25", true, `{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}`},
		{"all", all, "2026-07-28", false, `{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}`},
		{"all", all, "2026-07-28", true, `{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`},
		{"url alone", Config{URL: Decliner}, "2025-06-18", false, `{}`},
		{"url alone", Config{URL: Decliner}, "2025-11-25", false, `{"elicitation":{"url":{}}}`},
		{"given", Config{Form: Decliner, Capabilities: json.RawMessage("{\"x\":\n1.0}")}, "2026-07-28", true, `{"x": 1.0}`},
	} {
		cl, err := newClient(c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(cl.capabilities(c.version, c.tasks)); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.name, c.version, got, c.want)
		}
	}
}

// TestPretend holds that a client can be somebody else.
func TestPretend(t *testing.T) {
	cfg := Config{
		Era: Legacy, ProtocolVersion: "2025-06-18",
		ClientInfo: json.RawMessage(`{"name":"Other","version":"9","x": 1.0}`), Capabilities: json.RawMessage(`{"sampling":{"a": 1.0}}`),
	}
	script := lines(
		`> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{"a": 1.0}},"clientInfo":{"name":"Other","version":"9","x": 1.0}}}`,
		initResult("1", "2025-06-18"), inited)
	scripted(t, cfg, script, func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
	})
}
