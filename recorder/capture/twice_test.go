package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/path"
	"wiretea/session/transport"
	"wiretea/session/transport/http"
)

// ways are how a conversation is played.
var ways = map[path.Where]func(*testing.T, [][]string, path.Faults) played{path.Stdio: playTee, path.HTTP: playProxy}

// TestTwiceTheSame holds for every kind of fault, and for all of them at once, that the same
// conversation with the same seed is broken in the same way again: each side of a tee and of a
// proxy receives the same bytes, in the same pieces, at the same times, and the recordings are the
// same, their times included.
func TestTwiceTheSame(t *testing.T) {
	for over, play := range ways {
		var all []string
		for i, k := range path.FaultKinds() {
			if k.Where != path.Everywhere && k.Where != over {
				continue
			}
			all = append(all, fmt.Sprintf("m:tools/: %s p=0.1 n=2 seed=%d", brief(k), i))
			t.Run(fmt.Sprintf("%v %s", over, k.Name), func(t *testing.T) {
				twice(t, play, "by\":\"fault: "+k.Name, "m:tools/: "+brief(k)+" p=0.3 seed=9")
			})
		}
		t.Run(fmt.Sprintf("%v, all", over), func(t *testing.T) { twice(t, play, "", all...) })
	}
}

// twice plays a conversation twice. The record has a word.
func twice(t *testing.T, play func(*testing.T, [][]string, path.Faults) played, word string, specs ...string) {
	var runs [2]played
	for i := range runs {
		faults := parsed(t, specs)
		synctest.Test(t, func(t *testing.T) { runs[i] = play(t, said(1, 60), faults) })
	}
	if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
		t.Errorf("%v: the second run differs (-first +second)\n%s", specs, diff)
	}
	if !strings.Contains(strings.Join(runs[0].Record, ""), word) || len(runs[0].Client) == 0 || len(runs[0].Server) == 0 {
		t.Errorf("%v: nothing happened:\n%+v", specs, runs[0])
	}
}

// parsed are faults that have met nothing yet.
func parsed(t *testing.T, specs []string) (faults path.Faults) {
	for _, spec := range specs {
		f, err := path.ParseFault(spec)
		if err != nil {
			t.Fatal(err)
		}
		faults = append(faults, f)
	}
	return faults
}

// A played is what came of a conversation.
type played struct {
	Server, Client []string // Server and Client are what each side received, piece by piece, with the times.
	Record         []string // Record are the lines of the recording.
}

// A received keeps what is written to it.
type received struct {
	mu     sync.Mutex
	begun  time.Time
	pieces []string
	text   bytes.Buffer // text is what was not taken.
	broken bool         // broken: nobody reads any more.
}

// Write implements io.Writer.
func (r *received) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken {
		return 0, io.ErrClosedPipe
	}
	r.noteLocked("%q", p)
	return r.text.Write(p)
}

// note notes what was received.
func (r *received) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noteLocked(format, args...)
}

// noteLocked is note; mu is held.
func (r *received) noteLocked(format string, args ...any) {
	r.pieces = append(r.pieces, time.Since(r.begun).String()+" "+fmt.Sprintf(format, args...))
}

// Close implements io.Closer.
func (r *received) Close() error {
	r.note("closed")
	return nil
}

// lines takes the lines that came.
func (r *received) lines() (lines [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for end := 0; ; {
		if end = bytes.IndexByte(r.text.Bytes(), '\n') + 1; end == 0 {
			return lines
		}
		lines = append(lines, bytes.Clone(r.text.Next(end)))
	}
}

// recordOf begins a record, and returns what ends it and returns its lines.
func recordOf(tap *transport.Tap, hdr session.Header) func() []string {
	sink := recorder.NewMemory(0)
	record := recordBeside(tap, func(error) {}, func() *recorder.Writer {
		return recorder.NewWriter(sink, hdr, besideOptions(tap, func(error) {}))
	})
	return func() []string {
		record.end("eof")
		<-record.done
		text := make([]byte, sink.Size())
		_, _ = sink.ReadAt(text, 0)
		return inOrder(slices.Collect(strings.Lines(string(text))))
	}
}

// numberAndTime finds the number and the time of a line of a recording.
var numberAndTime = regexp.MustCompile(`^({"k":"[a-z]+",)"n":\d+,("t":\d+)?`)

// inOrder leaves out the numbers of the lines and puts the ends of streams, sorted, behind the
// other lines of their time: a reset ends both streams at once, each in a goroutine of its own,
// and neither waits for the frames that are on their way.
func inOrder(lines []string) (ordered []string) {
	var ends []string
	at := ""
	flush := func() {
		slices.Sort(ends)
		ordered, ends = append(ordered, ends...), nil
	}
	for _, line := range lines {
		m := numberAndTime.FindStringSubmatch(line)
		if m == nil || m[2] != at {
			flush()
		}
		if m == nil {
			ordered = append(ordered, line)
			continue
		}
		at = m[2]
		if line = m[1] + line[len(m[0])-len(m[2]):]; strings.HasPrefix(line, `{"k":"io"`) {
			ends = append(ends, line)
		} else {
			ordered = append(ordered, line)
		}
	}
	flush()
	return ordered
}

// said are the messages of the client in their turns, with ids from one to another: those of a
// turn are sent together.
func said(from, to int) (turns [][]string) {
	turns = [][]string{
		{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`},
	}
	for id := from; id < to; {
		var turn []string
		for range 1 + id%3 {
			turn = append(turn, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"a":"cup %d","n":[%d,true]}}}`, id, id, id))
			id++
		}
		turns = append(turns, append(turn, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id)))
		id++
	}
	return turns
}

// answer is what the server says to a text; nil for nothing.
func answer(text []byte) []byte {
	var request struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if json.Unmarshal(text, &request) != nil || request.ID == nil {
		return nil
	}
	result := `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"brew","inputSchema":{"type":"object"}}]}`
	switch request.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
	case "tools/call":
		result = fmt.Sprintf(`{"content":[{"type":"text","text":"ran"}],"structuredContent":%s}`, request.Params)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, result)
}

// think is how long the server takes to answer: no two things are due at the same moment, which
// would leave their order to chance.
const think = 7654321 * time.Nanosecond

// playTee plays it through what a tee has between the two.
func playTee(t *testing.T, turns [][]string, faults path.Faults) (p played) {
	begun := time.Now()
	hdr := session.Header{Tool: recorder.ToolName, SID: "twice", T0: begun, Mode: "tee", Trans: "stdio", Limits: InPath{}.limits()}
	tap := transport.NewTap(begun, transport.TapConfig{Limit: teeMemory, Lasting: true, BatchDelay: teeNap, Patience: teePatience})
	hold := InPath{Faults: faults}.intercept(tap, &hdr, nil)
	gate := transport.NewGate(nil, 0)
	hold.Guard(gate)
	record := recordOf(tap, hdr)
	var relays [2]*transport.Relay
	var ends [2]*io.PipeWriter
	got := [2]*received{{begun: begun}, {begun: begun}}
	for s := range relays {
		var src *io.PipeReader
		src, ends[s] = io.Pipe()
		relays[s] = &transport.Relay{Tap: tap, Conn: 1, Stream: session.Stream(s), Src: src, Dst: got[s], Gate: gate}
		relays[s].Start()
	}
	server := &heldServer{in: got[session.C2S], out: ends[session.S2C]}
	gate.Serves(server)
	for i, turn := range turns {
		if server.dead() {
			break // The client sees that the stream has ended.
		}
		_, _ = io.WriteString(ends[session.C2S], strings.Join(turn, "\n")+"\n")
		synctest.Wait()
		time.Sleep(think)
		var answers []byte
		for _, line := range server.read() {
			if text := answer(line); text != nil {
				answers = append(append(answers, text...), '\n')
			}
		}
		if len(answers) > 0 {
			_, _ = ends[session.S2C].Write(answers)
		}
		time.Sleep(time.Duration(1+i%4) * 333 * time.Millisecond)
		synctest.Wait()
	}
	for s, end := range ends {
		end.Close()
		<-relays[s].Done()
		synctest.Wait()
	}
	p.Record = record()
	hold.Close()
	p.Server, p.Client = got[session.C2S].pieces, got[session.S2C].pieces
	return p
}

// A pipes is a network within the process, and a server's listener in it: real connections have
// no place in a test whose time is faked.
type pipes struct {
	conns chan net.Conn
	over  chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

// dial makes a connection.
func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.over:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	close(p.over)
	return nil
}

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }

// serve serves in a network of its own. It is to be closed.
func serve(h nethttp.Handler) (network *pipes, server *nethttp.Server) {
	network, server = newPipes(), &nethttp.Server{Handler: h}
	go func() { _ = server.Serve(network) }()
	return network, server
}

// playProxy plays it through a proxy. Every other answer is an event stream.
func playProxy(t *testing.T, turns [][]string, faults path.Faults) (p played) {
	begun := time.Now()
	seen := received{begun: begun}
	behind, server := serve(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) { serveNoted(w, r, &seen) }))
	to := &url.URL{Scheme: "http", Host: "server.test", Path: "/mcp"}
	proxy := &Proxy{cfg: ProxyConfig{InPath: InPath{Faults: faults}}}
	up, _ := proxy.upstream(ProxyServer{URL: to})
	outward := &nethttp.Transport{DialContext: behind.dial, DisableCompression: true}
	var err error
	proxy.proxy, err = http.Listen(http.ProxyConfig{Upstreams: []http.Upstream{up}, Log: up.Log, Initialize: isInitialize, Transport: outward})
	if err != nil {
		t.Fatal(err)
	}
	record := recordOf(up.Log.Tap, session.Header{Tool: recorder.ToolName, SID: "twice", T0: begun, Mode: "proxy", Trans: "http", URL: to.String(), Limits: InPath{}.limits()})
	before, front := serve(proxy.proxy)
	inward := &nethttp.Transport{DialContext: before.dial, DisableCompression: true}
	var got []*received
	var posts sync.WaitGroup
	for i, turn := range turns {
		for _, text := range turn {
			r := &received{begun: begun}
			got = append(got, r)
			posts.Go(func() { post(inward, text, r) })
			time.Sleep(1234567 * time.Nanosecond)
		}
		time.Sleep(time.Duration(1+i%4) * 333 * time.Millisecond)
		synctest.Wait()
	}
	posts.Wait()
	inward.CloseIdleConnections()
	synctest.Wait()
	if err := errors.Join(front.Close(), proxy.Close("quit"), server.Close()); err != nil {
		t.Error(err)
	}
	p.Record = record()
	for _, r := range got {
		p.Client = append(p.Client, r.pieces...)
	}
	p.Server = slices.Sorted(slices.Values(seen.pieces))
	return p
}

// serveNoted notes a request, and answers it.
func serveNoted(w nethttp.ResponseWriter, r *nethttp.Request, seen *received) {
	var head strings.Builder
	_ = r.Header.Write(&head)
	body, err := io.ReadAll(r.Body)
	seen.note("%s %s %q %q %v", r.Method, r.URL, head.String(), body, err)
	w.Header()["Date"] = nil
	text := answer(body)
	switch {
	case text == nil:
		w.WriteHeader(nethttp.StatusAccepted)
	case len(body)%2 == 0:
		w.Header().Set("Mcp-Session-Id", "cups")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"boils"}}`, string(text)} {
			fmt.Fprintf(w, "data: %s\n\n", event)
			_ = nethttp.NewResponseController(w).Flush()
			time.Sleep(think)
		}
	}
}

// post posts a message as a client that waits for three seconds, and notes what comes back.
func post(by nethttp.RoundTripper, text string, got *received) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	req, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(text))
	if err != nil {
		got.note("%v", err)
		return
	}
	req.Header = nethttp.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {"cups"}}
	res, err := by.RoundTrip(req)
	if err != nil {
		got.note("%v", err)
		return
	}
	defer res.Body.Close()
	var head strings.Builder
	_ = res.Header.Write(&head)
	got.note("%d %q", res.StatusCode, head.String())
	_, err = io.Copy(got, res.Body)
	got.note("%v", err)
}
