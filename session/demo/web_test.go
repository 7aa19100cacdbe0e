package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wiretea/session/mcp"
)

// A web is a client that sends what it is told.
type web struct {
	*testing.T
	url     string
	client  *http.Client
	session string
	version string
}

func newWeb(t *testing.T, srv *httptest.Server) *web {
	return &web{T: t, url: srv.URL + Endpoint, client: srv.Client()}
}

// do sends a request with the usual fields, changed by "Name: value"; an empty
// value takes a field out. The body is closed at the end of the test.
func (c *web) do(method, body string, fields ...string) *http.Response {
	c.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.session != "" {
		req.Header.Set(mcp.SessionHeader, c.session)
		req.Header.Set(mcp.VersionHeader, c.version)
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Del(name)
		for one := range strings.SplitSeq(value, "|") {
			if one != "" {
				req.Header.Add(name, one)
			}
		}
	}
	res, err := c.client.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { res.Body.Close() })
	// The events of a stream are read in several turns.
	res.Body = buffered{bufio.NewReader(res.Body), res.Body}
	return res
}

type buffered struct {
	*bufio.Reader
	io.Closer
}

// start does the handshake of a revision.
func (c *web) start(version string) {
	c.Helper()
	res := c.do("POST", initialize(version, `{"elicitation":{}}`))
	wantJSON(c.T, res, 200, 1, 0)
	c.session, c.version = res.Header.Get(mcp.SessionHeader), version
	if len(c.session) < 16 {
		c.Fatalf("the session id is %q", c.session)
	}
	wantEmpty(c.T, c.do("POST", initialized), 202)
}

// modernPost sends a request of the modern era with its header fields.
func (c *web) modernPost(body string, fields ...string) *http.Response {
	c.Helper()
	var m struct {
		Method string
		Params struct{ Name, URI string }
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		c.Fatal(err)
	}
	all := []string{mcp.VersionHeader + ": 2026-07-28", mcp.MethodHeader + ": " + m.Method, mcp.NameHeader + ": " + m.Params.Name + m.Params.URI}
	return c.do("POST", body, append(all, fields...)...)
}

func wantEmpty(t *testing.T, res *http.Response, status int) {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status || len(body) > 0 {
		t.Errorf("status %d with body %q (%v), want %d without one", res.StatusCode, body, err, status)
	}
}

// wantJSON wants one JSON-RPC response with an id, -1 for none, and an error code,
// 0 for a result.
func wantJSON(t *testing.T, res *http.Response, status, id int, code int64) {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		ID     *int
		Result json.RawMessage
		Error  *struct{ Code int64 }
	}
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("status %d, body %q: %v", res.StatusCode, body, err)
	}
	got := struct {
		status, id int
		code       int64
		mime       string
	}{res.StatusCode, -1, 0, res.Header.Get("Content-Type")}
	want := got
	want.status, want.id, want.code, want.mime = status, id, code, "application/json"
	if m.ID != nil {
		got.id = *m.ID
	}
	if m.Error != nil {
		got.code = m.Error.Code
	}
	if got != want || (m.Result == nil) != (code != 0) {
		t.Errorf("got %+v with %s, want %+v", got, body, want)
	}
}

// An event of a stream.
type sseEvent struct{ id, name, data string }

// events reads events of a stream, at most n, or with 0 all until its end.
func events(t *testing.T, res *http.Response, n int) (all []sseEvent) {
	t.Helper()
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("X-Accel-Buffering") != "no" {
		text, _ := io.ReadAll(res.Body)
		t.Fatalf("no stream: %s %v %s", res.Status, res.Header, text)
	}
	in := res.Body.(buffered)
	var e sseEvent
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF && line == "" && n == 0 {
			return all
		}
		if err != nil {
			t.Fatalf("the stream ends after %d events: %v", len(all), err)
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		default:
			if e != (sseEvent{}) {
				all = append(all, e)
			}
			if e = (sseEvent{}); len(all) == n && n > 0 {
				return all
			}
		}
	}
}

func texts(all []sseEvent) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.data + "\n")
	}
	return b.String()
}

func slowRequest(id int) string {
	return legacy(id, "tools/call", `{"name":"slow","arguments":{"seconds":0.05,"steps":3},"_meta":{"progressToken":"p"}}`)
}
