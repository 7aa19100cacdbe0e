package replay

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/recorder"
	"wiretea/session/mcp"
)

// recordHTTP makes a recording of lines: "1 POST /mcp BODY" begins the round trip 1, with
// "1@2 …" on connection 2; "1 200 Name: value|Name: value" is the head of its response,
// "1 < TEXT" a body, "1 data TEXT" an event, "1 sse TEXT" other text of a stream, "1 end WHY" the end. "+DURATION" is time
// that passes.
func recordHTTP(t *testing.T, lines ...string) *recorder.File {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"k":"hdr","fmt":"mcpcap","v":2,"minv":1,"sid":"00","tool":"test","t0":"2026-11-20T10:00:00Z","mode":"run","tr":"http"}` + "\n")
	n, now := 0, time.Duration(0)
	conns := map[string]string{}
	for _, line := range lines {
		now += time.Millisecond
		if rest, ok := strings.CutPrefix(line, "+"); ok {
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			now += d
			continue
		}
		trip, rest, _ := strings.Cut(line, " ")
		if number, conn, ok := strings.Cut(trip, "@"); ok {
			trip, conns[number] = number, conn
		}
		word, text, _ := strings.Cut(rest, " ")
		write := func(kind, format string, args ...any) {
			n++
			conn := conns[trip]
			if conn == "" {
				conn = "1"
			}
			fmt.Fprintf(&b, `{"k":%q,"n":%d,"t":%d,"c":%s,"trip":%s,%s}`+"\n", kind, n, int64(now), conn, trip, fmt.Sprintf(format, args...))
		}
		frame := func(stream, text, more string) {
			write("f", `"d":%q,"len":%d,"e":""%s,"x":%q`, stream, len(text), more, base64.StdEncoding.EncodeToString([]byte(text)))
		}
		switch word {
		case "<":
			frame("s2c", text, "")
		case "data":
			frame("s2c", text, `,"pre":"data: ","post":"\n\n"`)
		case "sse":
			write("http", `"ev":"sse","len":%d,"s":%q`, len(text)+2, text+"\n\n")
		case "end":
			write("http", `"ev":"end","why":%q`, text)
		case "POST", "GET", "DELETE":
			target, body, _ := strings.Cut(text, " ")
			write("http", `"ev":"req","method":%q,"url":%q`, word, target)
			if body != "" {
				frame("c2s", body, "")
			}
		default:
			fields := []map[string]any{}
			for field := range strings.SplitSeq(text, "|") {
				name, value, _ := strings.Cut(field, ": ")
				one := map[string]any{"n": name, "v": value}
				if value == "secret" {
					one["v"], one["secret"] = "", map[string]any{"len": 6, "hash": "12345678"}
				}
				fields = append(fields, one)
			}
			text, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			write("http", `"ev":"res","status":%s,"fields":%s`, word, text)
		}
	}
	path := filepath.Join(t.TempDir(), "session"+recorder.Suffix)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

const (
	helloHTTP = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	readyHTTP = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	stream    = "200 Content-Type: text/event-stream"
	jsonHead  = "200 Content-Type: application/json"
)

// begun is a session's beginning, the trips 1 and 2.
var begun = []string{
	"1 POST /mcp " + helloHTTP, jsonHeadOf(1) + "|Mcp-Session-Id: secret|X-Own: kept|Date: gone", `1 < {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`, "1 end eof",
	"2 POST /mcp " + readyHTTP, "2 202 Content-Length: 0", "2 end eof",
}

func jsonHeadOf(trip int) string { return fmt.Sprintf("%d %s", trip, jsonHead) }

// A caller is a client of a mock.
type caller struct {
	*testing.T
	srv     *httptest.Server
	session string
	mu      sync.Mutex
	notes   []string
}

func mockHTTP(t *testing.T, cfg Mock, lines ...string) *caller {
	t.Helper()
	c := &caller{T: t}
	cfg.Note = func(line string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notes = append(c.notes, line)
	}
	m, err := NewHTTPMock(cfg, recordHTTP(t, lines...))
	if err != nil {
		t.Fatal(err)
	}
	c.srv = httptest.NewServer(m)
	t.Cleanup(c.srv.Close)
	return c
}

// send sends a request; its body is read by the caller.
func (c *caller) send(method, body string) *http.Response {
	c.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, c.srv.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	if c.session != "" {
		req.Header.Set(mcp.SessionHeader, c.session)
	}
	res, err := c.srv.Client().Do(req)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { res.Body.Close() })
	return res
}

// want sends a request and wants a response's status and whole body.
func (c *caller) want(method, body string, status int, want string) {
	c.Helper()
	res := c.send(method, body)
	got, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status || string(got) != want {
		c.Errorf("%s %s: %d %q (%v), want %d %q", method, body, res.StatusCode, got, err, status, want)
	}
}

func (c *caller) begin() {
	c.Helper()
	res := c.send("POST", helloHTTP)
	c.session = res.Header.Get(mcp.SessionHeader)
	if res.StatusCode != 200 || len(c.session) < 16 || res.Header.Get("X-Own") != "kept" || res.Header.Get("Date") == "gone" {
		c.Fatalf("%s %v", res.Status, res.Header)
	}
	c.want("POST", readyHTTP, 202, "")
}

func toolCall(id int, name, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q%s}}`, id, name, meta)
}

func TestHTTPMock(t *testing.T) {
	c := mockHTTP(t, Mock{}, append(slices.Clone(begun),
		"3 POST /mcp "+toolCall(3, "echo", `,"_meta":{"progressToken":"was"}`), "3 "+stream, "3 sse : comment", `3 data {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"was","progress":1}}`,
		`3 data {"jsonrpc":"2.0","id":3,"result":{"n":1}}`, "3 end eof",
		"4 POST /mcp "+toolCall(4, "echo", ""), jsonHeadOf(4), `4 < {"jsonrpc":"2.0","id":4,"result":{"n":2}}`, "4 end eof",
		"5 POST /mcp "+toolCall(5, "gone", ""), "5 404 Content-Type: text/plain", "5 < Session not found", "5 end eof",
		"6 DELETE /mcp", "6 204 X: y", "6 end eof")...)
	c.begin()
	c.want("POST", toolCall(70, "echo", `,"_meta":{"progressToken":"now"}`), 200,
		": comment\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"now\",\"progress\":1}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":70,\"result\":{\"n\":1}}\n\n")
	c.want("POST", toolCall(71, "echo", ""), 200, `{"jsonrpc":"2.0","id":71,"result":{"n":2}}`)
	c.want("POST", toolCall(72, "echo", ""), 200, `{"jsonrpc":"2.0","id":72,"error":{"code":-32603,"message":"wiretea mock: the recorded responses to this are used up; --on-unmatched nearest repeats the last one"}}`)
	c.want("POST", toolCall(73, "gone", ""), 404, "Session not found")
	c.want("POST", `{"jsonrpc":"2.0","id":74,"method":"prompts/list"}`, 200, `{"jsonrpc":"2.0","id":74,"error":{"code":-32601,"message":"wiretea mock: the recording has no prompts/list"}}`)
	c.want("POST", `{"jsonrpc":"2.0","id":75,"method":"ping"}`, 200, `{"jsonrpc":"2.0","id":75,"result":{}}`)
	c.want("POST", `{"jsonrpc":"2.0","id":"d","method":"server/discover"}`, 400, `{"jsonrpc":"2.0","id":"d","error":{"code":-32601,"message":"wiretea mock: the recording has no server/discover"}}`)
	c.want("DELETE", "", 204, "")
	c.want("DELETE", "", 405, "")
	c.session = "unknown"
	c.want("POST", toolCall(76, "echo", ""), 404, `{"jsonrpc":"2.0","id":76,"error":{"code":-32600,"message":"wiretea mock: no such session"}}`)
	c.session = ""
	c.begin() // Each session gets the whole recording.
	c.want("POST", toolCall(80, "echo", ""), 200,
		": comment\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"was\",\"progress\":1}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":80,\"result\":{\"n\":1}}\n\n")
	c.want("POST", toolCall(81, "echo", ""), 200, `{"jsonrpc":"2.0","id":81,"result":{"n":2}}`)
	c.want("DELETE", "", 204, "")
	if len(c.notes) == 0 {
		t.Error("deviations are not noted")
	}
}

// TestHTTPMockWithoutSessions holds that clients without a session id, of which each begins as the
// recorded one did, get the whole recording too: of a modern server, and of the transport of
// 2024-11-05.
func TestHTTPMockWithoutSessions(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	c := mockHTTP(t, Mock{}, "1 POST /mcp "+list, jsonHeadOf(1), `1 < {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, "1 end eof",
		"2 POST /mcp "+toolCall(2, "echo", ""), jsonHeadOf(2), `2 < {"jsonrpc":"2.0","id":2,"result":{}}`, "2 end eof")
	for range 2 {
		c.want("POST", list, 200, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
		c.want("POST", toolCall(2, "echo", ""), 200, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	}
	c.want("POST", toolCall(2, "echo", ""), 200, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"wiretea mock: the recorded responses to this are used up; --on-unmatched nearest repeats the last one"}}`)
	c = mockHTTP(t, Mock{}, "1 POST /sse "+helloHTTP, "1 405 X: y", "1 end eof", "2 GET /sse", "2 "+stream, "2 data /messages",
		"3 POST /messages "+readyHTTP, "3 202 X: y", "3 end eof", "2 data done", "2 end eof")
	for range 2 {
		res := c.send("GET", "")
		c.want("POST", readyHTTP, 202, "")
		if got, err := io.ReadAll(res.Body); string(got) != "data: /messages\n\ndata: done\n\n" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestHTTPMockStatus holds that a status which no server may send is a 502.
func TestHTTPMockStatus(t *testing.T) {
	for _, status := range []string{"0", "1000"} {
		c := mockHTTP(t, Mock{}, "1 POST /mcp "+toolCall(1, "odd", ""), "1 "+status+" X: y", "1 < odd", "1 end eof")
		c.want("POST", toolCall(1, "odd", ""), 502, "odd")
	}
}

func TestHTTPMockPolicies(t *testing.T) {
	lines := append(slices.Clone(begun), "3 POST /mcp "+toolCall(3, "echo", ""), jsonHeadOf(3), `3 < {"jsonrpc":"2.0","id":3,"result":{"n":1}}`, "3 end eof")
	c := mockHTTP(t, Mock{Unmatched: Nearest}, lines...)
	c.begin()
	for id := range 3 {
		c.want("POST", toolCall(id, "echo", ""), 200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":1}}`, id))
	}
	c.want("POST", toolCall(9, "other", ""), 200, `{"jsonrpc":"2.0","id":9,"result":{"n":1}}`)
	c = mockHTTP(t, Mock{Unmatched: Empty}, lines...)
	c.begin()
	c.want("POST", toolCall(9, "other", ""), 200, `{"jsonrpc":"2.0","id":9,"result":{}}`)
}

// TestHTTPMockOrder: a stream goes on when the client has done what the recorded one had
// done by then.
func TestHTTPMockOrder(t *testing.T) {
	const question, answer = `{"jsonrpc":"2.0","id":"q","method":"ping"}`, `{"jsonrpc":"2.0","id":"q","result":{}}`
	c := mockHTTP(t, Mock{}, append(slices.Clone(begun),
		"3 GET /mcp", "3 "+stream,
		"4 POST /mcp "+toolCall(4, "ask", ""), "4 "+stream, "4 data "+question,
		"5 POST /mcp "+answer, "5 202 X: y", "5 end eof",
		`4 data {"jsonrpc":"2.0","id":4,"result":{}}`, "4 end eof",
		`3 data {"jsonrpc":"2.0","method":"notifications/message","params":{}}`, "3 end client")...)
	c.begin()
	standing, call := c.send("GET", ""), c.send("POST", toolCall(8, "ask", ""))
	asked := bufio.NewReader(call.Body)
	if line, err := asked.ReadString('\n'); err != nil || line != "data: "+question+"\n" {
		t.Fatalf("%q, %v", line, err)
	}
	c.want("POST", answer, 202, "")
	if rest, err := io.ReadAll(asked); err != nil || string(rest) != "\ndata: {\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n\n" {
		t.Errorf("the call ends with %q, %v", rest, err)
	}
	// The recorded stream was open until its client left.
	if line, err := bufio.NewReader(standing.Body).ReadString('\n'); err != nil || !strings.Contains(line, "notifications/message") {
		t.Errorf("the stream has %q, %v", line, err)
	}
}

// TestHTTPMockCut: what was cut is cut again.
func TestHTTPMockCut(t *testing.T) {
	c := mockHTTP(t, Mock{}, append(slices.Clone(begun), "3 POST /mcp "+toolCall(3, "cut", ""), "3 "+stream, "3 data 1", "3 end reset")...)
	c.begin()
	got, err := io.ReadAll(c.send("POST", toolCall(3, "cut", "")).Body)
	if string(got) != "data: 1\n\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestHTTPMockPace holds that pauses are as long as they were.
func TestHTTPMockPace(t *testing.T) {
	log := recordHTTP(t, "1 POST /mcp "+toolCall(1, "slow", ""), "+2s", "1 "+stream, "+3s", "1 data 1", "+1h", "1 data 2", "1 end eof")
	synctest.Test(t, func(t *testing.T) {
		m, err := NewHTTPMock(Mock{Pace: Recorded}, log)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "http://localhost/mcp", strings.NewReader(toolCall(5, "slow", ""))))
		if took := time.Since(begin).Round(time.Second); took != time.Hour+5*time.Second || w.Body.String() != "data: 1\n\ndata: 2\n\n" {
			t.Errorf("%q after %v", w.Body, took)
		}
	})
}

// TestHTTPMockPanic holds that a panic is written.
func TestHTTPMockPanic(t *testing.T) {
	m, err := NewHTTPMock(Mock{Note: func(string) { panic("of the mock") }}, recordHTTP(t, begun...))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	served := make(chan error)
	go func() { served <- m.Serve(ctx, l, w) }()
	go func() {
		defer w.Close()
		if res, err := http.Get("http://" + l.Addr().String() + "/else"); err == nil {
			res.Body.Close()
		}
	}()
	if line, err := bufio.NewReader(r).ReadString('\n'); !strings.Contains(line, "panic serving") || !strings.Contains(line, "of the mock") {
		t.Errorf("%q, %v", line, err)
	}
	r.Close()
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestHTTPMockRefuses(t *testing.T) {
	if _, err := NewHTTPMock(Mock{}, record(t, "→ x")); !errors.Is(err, ErrNoHTTP) {
		t.Errorf("a recording of stdio: %v", err)
	}
	c := mockHTTP(t, Mock{}, begun...)
	req, err := http.NewRequestWithContext(t.Context(), "POST", c.srv.URL, strings.NewReader(helloHTTP))
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []struct {
		host, origin string
		status       int
	}{{"evil.example", "", 403}, {"", "http://evil.example", 403}, {"", "null", 403}, {"", "http://localhost:6274", 200}} {
		req.Host, req.Header = from.host, http.Header{}
		if from.origin != "" {
			req.Header.Set("Origin", from.origin)
		}
		req.Body, _ = req.GetBody()
		res, err := c.srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != from.status {
			t.Errorf("%+v: %s", from, res.Status)
		}
	}
}
