package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"wiretea/session/mcp"
)

// A layer is in front of the healthy server over HTTP. It answers a request
// or passes it on to next. m is the message of a POST; for all else it is empty.
type layer func(next http.Handler, w http.ResponseWriter, r *http.Request, m *message)

// probed returns the behaviour with a fault that check finds only by its probes: without
// them it makes no call that it is not told to make.
func (b Behaviour) probed() Behaviour {
	b.Check = []string{"--probe"}
	return b
}

// calling returns the behaviour with a fault that check finds only in a call that is named to
// it: no probe of an unknown server takes long enough.
func (b Behaviour) calling(call string) Behaviour {
	b.Check = []string{"--call", call}
	return b
}

// overHTTP returns an entry of the catalogue: the healthy server of the legacy era
// behind a layer. Its fault is triggered by calls.
func overHTTP(name, title, rule string, do layer, calls ...string) Behaviour {
	b := behaviour(name, title, rule, fault{legacy: true}, calls...)
	b.front = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { do(next, w, r, peek(r)) })
	}
	return b
}

// peek reads the message of a POST and puts the body back.
func peek(r *http.Request) *message {
	var m message
	if r.Method != http.MethodPost {
		return &m
	}
	// What breaks off, or is too long, is the server's to refuse. It is read to its end:
	// net/http does not let it be read any more once the response has begun.
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	r.Body = io.NopCloser(bytes.NewReader(body))
	if json.Unmarshal(body, &m) != nil {
		return &message{}
	}
	return &m
}

// onCall returns a layer that only tool calls go through.
func onCall(do layer) layer {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request, m *message) {
		if m.Method == mcp.ToolsCall {
			do(next, w, r, m)
		} else {
			next.ServeHTTP(w, r)
		}
	}
}

// page returns a layer that answers everything with a text of a kind.
func page(status int, contentType, text string) layer {
	return func(_ http.Handler, w http.ResponseWriter, _ *http.Request, _ *message) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

// streamed returns a layer that answers tool calls with a stream of its own: text
// is written as it is, with the response in the place of %s.
func streamed(text string) layer {
	return onCall(func(next http.Handler, w http.ResponseWriter, r *http.Request, _ *message) {
		a := answered(next, r)
		streamHeader(w)
		fmt.Fprint(w, strings.ReplaceAll(text, "%s", a.body.String()))
	})
}

// An answer is a response that a layer has taken from the server.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
func (a *answer) WriteHeader(status int)      { a.status = status }

// answered is what the server answers.
func answered(next http.Handler, r *http.Request) *answer {
	a := &answer{status: http.StatusOK, header: make(http.Header)}
	next.ServeHTTP(a, r)
	return a
}

// send sends the answer on.
func (a *answer) send(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes())
}

const loginPage = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><form method=\"post\">Please sign in to continue.</form></body></html>\n"

// httpFaults are the behaviours with faults of HTTP.
func httpFaults() []Behaviour {
	return []Behaviour{
		overHTTP("dead-session", "does not know a session after its handshake", "http-session-flap", deadSession, mcp.ToolsList, mcp.ToolsList, mcp.ToolsList),
		overHTTP("session-400", "answers 400 for an ended session, where 404 is due", "http-session-expired-code", session400, mcp.ToolsList),
		overHTTP("weak-session", "numbers its sessions", "http-session-weak", weakSession(), mcp.ToolsList),
		overHTTP("not-acceptable", "answers 406 although Accept lists both types", "http-406", notAcceptable),
		overHTTP("login-page", "answers with the page of a login", "http-html-body", page(http.StatusOK, "text/html; charset=utf-8", loginPage)),
		overHTTP("bad-gateway", "is behind a gateway that cannot reach it in a tool call", "http-server-error",
			onCall(page(http.StatusBadGateway, "text/plain", "upstream connect error or disconnect before headers\n")), echoHi).probed(),
		overHTTP("rate-limited", "answers a tool call with 429, without Retry-After", "http-rate-limited",
			onCall(page(http.StatusTooManyRequests, "text/plain", "Too many requests\n")), echoHi).probed(),
		overHTTP("redirect", "redirects /mcp to /mcp/ with 301, which makes a POST a GET", "http-redirect", redirected),
		overHTTP("wrong-content-type", "calls its JSON text/plain", "http-content-type", wrongContentType, mcp.ToolsList),
		overHTTP("accepts-request", "answers a tool call with 202 and nothing else", "http-request-202",
			onCall(func(_ http.Handler, w http.ResponseWriter, _ *http.Request, _ *message) {
				w.WriteHeader(http.StatusAccepted)
			}), echoHi).
			patient(3*time.Second, 0).probed(),
		overHTTP("notification-200", "answers a notification with 200 and a body", "http-notification-status", answersNotification),
		overHTTP("two-values", "answers with two JSON objects in one body", "http-json-body-shape",
			onCall(func(next http.Handler, w http.ResponseWriter, r *http.Request, _ *message) {
				a := answered(next, r)
				a.body.Write(info("echo called"))
				a.send(w)
			}), echoHi).probed(),
		overHTTP("wrong-exchange", "answers two calls at the same time on each other's exchange", "http-response-wrong-exchange",
			wrongExchange(), echoHi, addOne).paced(time.Millisecond).probed(),
		overHTTP("get-storm", "answers GET with 200 and JSON, which some clients repeat without end", "http-get-status", getStorm, mcp.ToolsList).
			patient(0, time.Second),
		overHTTP("buffered-stream", "is behind a proxy that holds a stream back until its end", "sse-buffered", onCall(bufferedStream),
			`tools/call {"name":"slow","arguments":{"seconds":3,"steps":6},"_meta":{"progressToken":"demo"}}`).calling(`slow={"seconds":3,"steps":6}`),
		overHTTP("cut-stream", "ends the stream of a call before its response", "sse-closed-without-response",
			streamed("data: "+string(info("echo called"))+"\n\n"), echoHi).patient(3*time.Second, 0).probed(),
		overHTTP("cut-event", "ends the stream of a call in the middle of an event", "sse-truncated-event",
			streamed("data: %s\n"), echoHi).patient(3*time.Second, 0).probed(),
		overHTTP("log-in-stream", "writes a log line into a stream", "sse-data-not-json",
			streamed("data: [INFO] echo: handling tools/call\n\ndata: %s\n\n"), echoHi).probed(),
		overHTTP("event-name", "names an event, so that clients ignore it", "sse-event-name",
			streamed("event: response\ndata: %s\n\n"), echoHi).patient(3*time.Second, 0).probed(),
		overHTTP("reused-event-id", "gives two events the same id", "sse-event-id-reused",
			streamed("id: 1\ndata: "+string(info("echo called"))+"\n\nid: 1\ndata: %s\n\n"), echoHi).probed(),
		overHTTP("open-stream", "leaves a stream open after the response", "sse-not-ended", onCall(openStream), echoHi).patient(0, 7*time.Second).probed(),
		modernHTTP(overHTTP("unknown-200", "answers an unknown method with 200, where 404 is due", "http-error-status", unknown200, "demo/unknown")).probed(),
	}
}

// modernHTTP returns the behaviour with the modern era.
func modernHTTP(b Behaviour) Behaviour {
	b.fault.legacy = false
	return b
}

// deadSession answers 404 for each session, like one of several replicas that has
// its sessions alone.
func deadSession(next http.Handler, w http.ResponseWriter, r *http.Request, m *message) {
	if r.Header.Get(mcp.SessionHeader) != "" && m.Method != mcp.InitializedNotification {
		notFound(w, m.ID)
		return
	}
	next.ServeHTTP(w, r)
}

// session400 ends each session after its handshake, and calls that a bad request.
func session400(next http.Handler, w http.ResponseWriter, r *http.Request, m *message) {
	if r.Header.Get(mcp.SessionHeader) != "" && m.Method != mcp.InitializedNotification {
		refuse(w, http.StatusBadRequest, m.ID, mcp.InvalidRequest, "Bad request: the session has expired")
		return
	}
	next.ServeHTTP(w, r)
}

// weakSession gives sessions the ids 1, 2, 3 …
func weakSession() layer {
	var mu sync.Mutex
	var real []string
	return func(next http.Handler, w http.ResponseWriter, r *http.Request, m *message) {
		mu.Lock()
		if n, err := strconv.Atoi(r.Header.Get(mcp.SessionHeader)); err == nil && n > 0 && n <= len(real) {
			r.Header.Set(mcp.SessionHeader, real[n-1])
		}
		mu.Unlock()
		if m.Method != mcp.Initialize {
			next.ServeHTTP(w, r)
			return
		}
		a := answered(next, r)
		if id := a.header.Get(mcp.SessionHeader); id != "" {
			mu.Lock()
			real = append(real, id)
			a.header.Set(mcp.SessionHeader, strconv.Itoa(len(real)))
			mu.Unlock()
		}
		a.send(w)
	}
}

func notAcceptable(_ http.Handler, w http.ResponseWriter, _ *http.Request, m *message) {
	refuse(w, http.StatusNotAcceptable, m.ID, mcp.InvalidRequest, "Not acceptable: client must accept text/event-stream")
}

func redirected(next http.Handler, w http.ResponseWriter, r *http.Request, _ *message) {
	if path, _, _ := strings.Cut(r.RequestURI, "?"); !strings.HasSuffix(path, "/") {
		http.Redirect(w, r, path+"/", http.StatusMovedPermanently)
		return
	}
	next.ServeHTTP(w, r)
}

func wrongContentType(next http.Handler, w http.ResponseWriter, r *http.Request, m *message) {
	if m.ID == nil {
		next.ServeHTTP(w, r)
		return
	}
	a := answered(next, r)
	a.header.Set("Content-Type", "text/plain; charset=utf-8")
	a.send(w)
}

func answersNotification(next http.Handler, w http.ResponseWriter, r *http.Request, m *message) {
	if m.Method == "" || m.ID != nil {
		next.ServeHTTP(w, r)
		return
	}
	if a := answered(next, r); a.status != http.StatusAccepted {
		a.send(w)
		return
	}
	writeJSON(w, http.StatusOK, []byte(`{"ok":true}`))
}

// wrongExchange answers a call with the response to another one that is open at the
// same time, like a server that has one transport for all requests.
func wrongExchange() layer {
	type offer struct {
		answer *answer
		back   chan *answer
	}
	waiting := make(chan offer)
	return onCall(func(next http.Handler, w http.ResponseWriter, r *http.Request, _ *message) {
		own := answered(next, r)
		back := make(chan *answer, 1)
		select {
		case waiting <- offer{own, back}:
			own = <-back
		case other := <-waiting:
			other.back <- own
			own = other.answer
		case <-time.After(2 * time.Second): // No other request came.
		case <-r.Context().Done():
		}
		own.send(w)
	})
}

func getStorm(next http.Handler, w http.ResponseWriter, r *http.Request, _ *message) {
	if r.Method == http.MethodGet {
		writeJSON(w, http.StatusOK, []byte(`{"status":"ok"}`))
		return
	}
	next.ServeHTTP(w, r)
}

// bufferedStream sends the header of a stream at once, and its events at its end.
func bufferedStream(next http.Handler, w http.ResponseWriter, r *http.Request, _ *message) {
	streamHeader(w)
	// If the client has gone there is nobody to send it to.
	_ = http.NewResponseController(w).Flush()
	a := answered(next, r)
	if a.header.Get("Content-Type") != "text/event-stream" {
		fmt.Fprintf(w, "data: %s\n\n", a.body.Bytes())
		return
	}
	_, _ = w.Write(a.body.Bytes())
}

// openStream leaves a stream open until the client closes it.
func openStream(next http.Handler, w http.ResponseWriter, r *http.Request, _ *message) {
	a := answered(next, r)
	streamHeader(w)
	fmt.Fprintf(w, "data: %s\n\n", a.body.Bytes())
	// If the client has gone there is nobody to send it to.
	_ = http.NewResponseController(w).Flush()
	select {
	case <-time.After(stubborn):
	case <-r.Context().Done():
	}
}

// unknown200 changes the status of errors for unknown methods.
func unknown200(next http.Handler, w http.ResponseWriter, r *http.Request, m *message) {
	if _, known := mcp.Lookup(m.Method); known || m.ID == nil {
		next.ServeHTTP(w, r)
		return
	}
	a := answered(next, r)
	a.status = http.StatusOK
	a.send(w)
}
