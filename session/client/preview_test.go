package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// heard runs do with a client whose server answers everything, in either era,
// and tells the bytes of each message that it read since the handshake.
func heard(t *testing.T, cfg Config, do func(ctx context.Context, c *Client, next func() string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		wire := make(chan string, 100)
		go func() {
			defer stdoutW.Close()
			in := bufio.NewReader(stdinR)
			for {
				text, body, err := readFrame(in)
				if err != nil {
					return
				}
				wire <- text
				var m struct{ ID json.RawMessage }
				if json.Unmarshal(body, &m) != nil || m.ID == nil {
					continue
				}
				fmt.Fprintf(stdoutW, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"protocolVersion":"2025-11-25","capabilities":{}}}`+"\n", m.ID)
			}
		}()
		c, err := Connect(t.Context(), cfg, stdinW, stdoutR)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			c.Close()
			<-c.Drained()
		}()
		next := func() string {
			synctest.Wait()
			return <-wire
		}
		for synctest.Wait(); len(wire) > 0; {
			<-wire
		}
		do(t.Context(), c, next)
	})
}

// readFrame reads one message, in either framing.
func readFrame(in *bufio.Reader) (text string, body []byte, err error) {
	line, err := in.ReadString('\n')
	var n int
	if _, no := fmt.Sscanf(line, "Content-Length: %d", &n); no != nil {
		return line, []byte(line), err
	}
	blank, err := in.ReadString('\n')
	if err != nil {
		return line, nil, err
	}
	body = make([]byte, n)
	_, err = io.ReadFull(in, body)
	return line + blank + string(body), body, err
}

// TestPreview holds that what is shown before sending is what is sent, to the
// byte, and that looking takes nothing.
func TestPreview(t *testing.T) {
	progress := func(Progress) {}
	for _, cfg := range []Config{
		{Era: Legacy}, {Era: Modern}, {Era: Legacy, Framing: ContentLength},
		{Era: Modern, ClientInfo: json.RawMessage(`{"name":"another","version":"7"}`), Capabilities: json.RawMessage(`{"roots":{}}`)},
	} {
		heard(t, cfg, func(ctx context.Context, c *Client, next func() string) {
			for _, m := range []struct {
				method, params string
				opts           Options
			}{
				{method: "ping"},
				{method: "tools/list", params: `{}`},
				{method: "tools/call", params: "{\"name\": \"echo\",\n\"arguments\":{\"n\":1.0}}", opts: Options{Progress: progress}},
				{method: "tools/call", params: `{"_meta":{"progressToken":7,"x":"y"}}`, opts: Options{Progress: progress, LogLevel: "debug"}},
				{method: "tools/call", params: `{}`, opts: Options{Task: &TaskOptions{}}},
				{method: "tasks/get", params: `{"taskId":"t"}`},
				{method: "what/ever", params: `[1]`},
				{method: "notifications/cancelled", params: `{"requestId":1}`},
			} {
				want, err := c.Preview(m.method, json.RawMessage(m.params), m.opts)
				if again, _ := c.Preview(m.method, json.RawMessage(m.params), m.opts); string(again) != string(want) || err != nil {
					t.Errorf("%s: looking twice shows\n%s(%v)\n%s", m.method, want, err, again)
				}
				if IsNotification(m.method) {
					err = c.Notify(ctx, m.method, json.RawMessage(m.params))
				} else {
					id := c.NextID()
					_, err = c.Do(ctx, m.method, json.RawMessage(m.params), m.opts)
					if !strings.Contains(string(want), `"id":`+id+`,`) || c.NextID() == id {
						t.Errorf("%s: the next id is %s, shown is %s", m.method, id, want)
					}
				}
				if got := next(); err != nil || got != string(want) {
					t.Errorf("%s: sent  %q (%v)\nshown %q", m.method, got, err, want)
				}
			}
			if _, err := c.Preview("ping", json.RawMessage(`{`), Options{}); err == nil {
				t.Error("no JSON can be shown")
			}
		})
	}
}

// TestPreviewSent holds that what was shown and then sent as bytes has taken its
// id and its progress token, be it whole or a little broken.
func TestPreviewSent(t *testing.T) {
	heard(t, Config{Era: Modern}, func(ctx context.Context, c *Client, next func() string) {
		opts := Options{Progress: func(Progress) {}}
		for i, change := range []*strings.Replacer{
			strings.NewReplacer(),
			strings.NewReplacer(`"jsonrpc":"2.0",`, ``),
			strings.NewReplacer(`"method"`, `"methud"`),
		} {
			shown, err := c.Preview("tools/call", json.RawMessage(`{}`), opts)
			id := c.NextID()
			if want := fmt.Sprintf(`"progressToken":"wiretea-%d"`, 2*i+1); err != nil || !strings.Contains(string(shown), want) {
				t.Errorf("shown %s (%v), want %s in it", shown, err, want)
			}
			if err := c.Send(ctx, []byte(change.Replace(string(shown)))); err != nil {
				t.Fatal(err)
			}
			next()
			if c.NextID() == id {
				t.Errorf("after %s the next id is %s", shown, id)
			}
			if _, err := c.Do(ctx, "tools/call", nil, opts); err != nil {
				t.Error(err)
			}
			if got, want := next(), fmt.Sprintf(`"progressToken":"wiretea-%d"`, 2*i+2); !strings.Contains(got, want) {
				t.Errorf("sent %s, want %s in it", got, want)
			}
		}
	})
}
