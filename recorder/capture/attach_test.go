package capture

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/demo"
	"wiretea/session/mcp"
	"wiretea/session/path"
	"wiretea/session/transport"
)

// A kept takes what is written and keeps it.
type kept struct {
	mu   sync.Mutex
	text strings.Builder
}

func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(p)
}

func (k *kept) Close() error { return nil }

func (k *kept) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.String()
}

// count is how many lines have all these words.
func (k *kept) count(words ...string) (n int) {
	for line := range strings.Lines(k.String()) {
		all := true
		for _, word := range words {
			all = all && strings.Contains(line, word)
		}
		if all {
			n++
		}
	}
	return n
}

// A brewery is a client and the demo's server with a tee's gate between them, and
// viewers that act through it, in this process.
type brewery struct {
	t      *testing.T
	era    mcp.Era
	keeper *path.Injector
	snap   *session.Snapshot // snap is what viewers take for the session.
	client *io.PipeWriter    // client is what the client writes,
	got    kept              // and got what it reads.
	asked  kept              // asked is what the server reads,
	said   kept              // and said what it writes.
	over   chan struct{}     // over is closed when the server has ended: the viewers' file is at its end then.
}

// metaOfReal is what the client says of itself in the modern era.
const metaOfReal = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"real","version":"1"}}`

// handshakes are what the client writes at first, by era.
var handshakes = map[mcp.Era]string{
	mcp.Legacy: `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"real","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n",
	mcp.Modern: `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{` + metaOfReal + `}}` + "\n",
}

// atBrewery runs act with a brewery whose time is the test's own, in either era.
func atBrewery(t *testing.T, act func(b *brewery)) {
	for _, era := range []mcp.Era{mcp.Legacy, mcp.Modern} {
		t.Run(era.String(), func(t *testing.T) {
			snap := emptySnapshot()
			synctest.Test(t, func(t *testing.T) {
				b := &brewery{t: t, era: era, snap: snap, keeper: path.NewInjector(path.Config{}), over: make(chan struct{})}
				b.run(act)
			})
		})
	}
}

func (b *brewery) run(act func(b *brewery)) {
	tap := transport.NewTap(time.Now(), transport.TapConfig{})
	in, client := io.Pipe()
	stdin, toServer := io.Pipe()
	out, fromServer := io.Pipe()
	b.client = client
	c2s := &transport.Relay{Tap: tap, Conn: 1, Stream: session.C2S, Src: in, Dst: toServer, Gate: b.keeper.Gate()}
	s2c := &transport.Relay{Tap: tap, Conn: 1, Stream: session.S2C, Src: out, Dst: &b.got, Gate: b.keeper.Gate()}
	go func() {
		defer close(b.over)
		defer fromServer.Close()
		demo.Serve(context.Background(), "healthy", io.TeeReader(stdin, &b.asked), io.MultiWriter(&b.said, fromServer), io.Discard)
	}()
	c2s.Start()
	s2c.Start()
	b.write(handshakes[b.era])
	act(b)
	b.write(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"echo","arguments":{"message":"still here"},` + metaOfReal + "}}\n")
	client.Close()
	<-b.over
	<-c2s.Done()
	<-s2c.Done()
	time.Sleep(time.Hour) // what lingers has ended
	if got := b.got.String(); strings.Contains(got, `"id":"wiretea-`) || strings.Contains(got, "brew-") {
		b.t.Errorf("the client got\n%s", got)
	}
}

// write has the client write.
func (b *brewery) write(text string) {
	_, _ = io.WriteString(b.client, text) // one that has ended reads nothing
	synctest.Wait()
}

// viewer is one more who watches the session.
func (b *brewery) viewer() *Attach {
	v := newAttach(&Recording{known: b.snap, done: b.over, wake: NewWake()}, LiveSession{}, b.keeper, "", AttachConfig{})
	v.guest.Speaks = func() (mcp.Era, json.RawMessage) { return b.era, []byte(handshakes[b.era]) }
	return v
}

// TestAttachCancelled holds that who waits for an answer waits no longer when the request
// was cancelled, by themselves or by another viewer, and that the server is told once.
func TestAttachCancelled(t *testing.T) {
	atBrewery(t, func(b *brewery) {
		v, other := b.viewer(), b.viewer()
		defer v.leave()
		defer other.leave()
		done := make(chan error, 1)
		go func() {
			done <- v.Send(context.Background(), `tools/call {"name":"brew","arguments":{"seconds":600}}`)
		}()
		time.Sleep(time.Second)
		_, id, _ := strings.Cut(b.asked.String(), `"id":"wiretea-`)
		id, _, _ = strings.Cut(id, `"`)
		if err := other.Cancel(context.Background(), `"wiretea-`+id+`"`); err != nil {
			b.t.Error(err)
		}
		began := time.Now()
		if err := <-done; err != nil || time.Since(began) > 2*time.Second {
			b.t.Errorf("%v after %v", err, time.Since(began))
		}
		time.Sleep(time.Hour)
		if n := b.asked.count("notifications/cancelled"); n != 1 {
			b.t.Errorf("%d cancellations:\n%s", n, b.asked.String())
		}
	})
}

// A noting control notes what it is to send, and answers with nothing in it.
type noting struct {
	session.Control
	sent []string
}

func (n *noting) Send(_ context.Context, message []byte) (session.Outcome, error) {
	n.sent = append(n.sent, string(message))
	return session.Outcome{ID: `"w-1"`, Answer: []byte(`{"jsonrpc":"2.0","id":"w-1","result":{}}`)}, nil
}

// TestAttachResend holds that a request that is sent again has the parameters that it had,
// whatever it says of its client.
func TestAttachResend(t *testing.T) {
	extended := strings.Replace(metaOfReal, `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{"extensions":{"`+mcp.TasksExtension+`":{}}}`, 1)
	for _, c := range []struct {
		era            mcp.Era
		method, params string
	}{
		{mcp.Legacy, "tools/call", `{"name":"echo", "n":1.0}`},
		{mcp.Legacy, "tools/call", `{"name":"brew","task":{"ttl":5}}`},
		{mcp.Legacy, "tools/list", ``},
		{mcp.Modern, "tools/call", `{"name":"echo",` + metaOfReal + `}`},
		{mcp.Modern, "tools/call", `{"name":"brew",` + extended + `}`},
		{mcp.Modern, "tools/call", `{"name":"says nothing of its client"}`},
	} {
		n := &noting{}
		v := newAttach(&Recording{known: emptySnapshot(), done: make(chan struct{}), wake: NewWake()}, LiveSession{}, n, "", AttachConfig{})
		v.guest.Speaks = func() (mcp.Era, json.RawMessage) { return c.era, []byte(handshakes[c.era]) }
		if err := v.Resend(t.Context(), recorder.Request{Method: c.method, Params: []byte(c.params)}); err != nil {
			t.Error(err)
		}
		v.leave()
		want := `{"jsonrpc":"2.0","id":0,"method":"` + c.method + `"}`
		if c.params != "" {
			want = strings.TrimSuffix(want, "}") + `,"params":` + c.params + `}`
		}
		if len(n.sent) != 1 || n.sent[0] != want {
			t.Errorf("sent %q\nwant %q", n.sent, want)
		}
	}
	n := &noting{}
	v := newAttach(&Recording{known: emptySnapshot(), done: make(chan struct{}), wake: NewWake()}, LiveSession{}, n, "", AttachConfig{})
	defer v.leave()
	v.guest.Speaks = func() (mcp.Era, json.RawMessage) { return mcp.Modern, []byte(handshakes[mcp.Modern]) }
	for _, line := range []string{`tools/call {"name":"echo"}`, `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`} {
		if err := v.Send(t.Context(), line); err != nil {
			t.Error(err)
		}
	}
	if want := []string{`{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"echo",` + metaOfReal + `}}`, `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`}; !slices.Equal(n.sent, want) {
		t.Errorf("sent %q\nwant %q", n.sent, want)
	}
}

// emptySnapshot is that of a session in which nothing has happened.
func emptySnapshot() *session.Snapshot { return session.NewAnalyzer(session.Config{}).Snapshot() }
