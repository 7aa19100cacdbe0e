package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// Paths of the server.
const (
	Endpoint     = "/mcp"      // Endpoint is that of Streamable HTTP, in both eras.
	SSEEndpoint  = "/sse"      // SSEEndpoint is that of the transport of 2024-11-05.
	messagesPath = "/messages" // messagesPath is where that transport takes the client's messages.
)

// maxSessions is how many sessions are kept; the one that was idle for longest is
// dropped first.
const maxSessions = 1000

// modernStatus are the HTTP statuses of errors in the modern era: [V5]
// basic/transports/streamable-http. Others are 200.
var modernStatus = lazy.Value[map[int64]int]{New: func() map[int64]int {
	return map[int64]int{
		mcp.MethodNotFound:     http.StatusNotFound,
		mcp.HeaderMismatch:     http.StatusBadRequest,
		mcp.MissingCapability:  http.StatusBadRequest,
		mcp.UnsupportedVersion: http.StatusBadRequest,
	}
}}

// HTTP is the demo server over HTTP: the healthy server behind what a behaviour
// puts in front of it. It serves Streamable HTTP of all revisions at Endpoint and
// the transport of 2024-11-05 at SSEEndpoint. Close ends it.
type HTTP struct {
	// AnyHost allows every Host, for a server that does not listen on loopback.
	AnyHost bool

	legacy  bool // legacy: the modern era is not supported.
	handler http.Handler
	errw    io.Writer
	ctx     context.Context
	stop    context.CancelFunc
	modern  *httpSession // modern takes the requests of the modern era.

	mu       sync.Mutex
	sessions map[string]*httpSession
}

// NewHTTP returns the behaviour of that name over HTTP. What it logs goes to errw.
// It fails for an unknown name, and for a behaviour of stdio.
func NewHTTP(name string, errw io.Writer) (*HTTP, error) {
	b, ok := Lookup(name)
	if !ok || !b.OverHTTP() {
		return nil, fmt.Errorf("no behaviour over HTTP named %q", name)
	}
	ctx, stop := context.WithCancel(context.Background())
	h := &HTTP{legacy: b.fault.legacy, errw: &lockedWriter{w: errw}, ctx: ctx, stop: stop, sessions: make(map[string]*httpSession)}
	h.modern = h.newSession("", &fault{})
	h.modern.stateless = true
	h.handler = http.HandlerFunc(h.serve)
	if b.front != nil {
		h.handler = b.front(h.handler)
	}
	return h, nil
}

// A lockedWriter takes one Write at a time.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// Close ends all sessions and their streams: open requests are answered before.
func (h *HTTP) Close() {
	h.mu.Lock()
	all := h.sessions
	h.sessions = nil // none begins from now on
	h.mu.Unlock()
	for _, s := range all {
		s.close()
	}
	h.modern.close()
	h.stop()
}

// ServeHTTP implements http.Handler.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.handler.ServeHTTP(w, r) }

// serve is the healthy server.
func (h *HTTP) serve(w http.ResponseWriter, r *http.Request) {
	if !h.allowed(w, r) {
		return
	}
	switch path := strings.TrimSuffix(r.URL.Path, "/"); {
	case r.Method == http.MethodOptions:
		preflight(w, r)
	case path == Endpoint:
		h.endpoint(w, r)
	case path == SSEEndpoint && r.Method == http.MethodGet:
		h.oldStream(w, r)
	case path == messagesPath && r.Method == http.MethodPost:
		h.oldPost(w, r)
	case path == SSEEndpoint:
		// Clients try a POST first, and fall back on 405.
		methodNotAllowed(w, http.MethodGet)
	case path == messagesPath:
		methodNotAllowed(w, http.MethodPost)
	default:
		http.Error(w, "Nothing is here. The endpoint is "+Endpoint+".", http.StatusNotFound)
	}
}

func (h *HTTP) endpoint(w http.ResponseWriter, r *http.Request) {
	v, _ := mcp.ParseVersion(r.Header.Get(mcp.VersionHeader))
	switch {
	case r.Method == http.MethodPost:
		h.post(w, r)
	case v.Era() == mcp.Modern:
		// [V5] basic/transports/streamable-http §Earlier Streamable HTTP Revisions
		methodNotAllowed(w, http.MethodPost)
	case r.Method == http.MethodGet:
		h.get(w, r)
	case r.Method == http.MethodDelete:
		h.remove(w, r)
	default:
		methodNotAllowed(w, "GET, POST, DELETE")
	}
}

func methodNotAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	w.WriteHeader(http.StatusMethodNotAllowed)
}

// allowed refuses requests that a page of a foreign site may have sent, by DNS
// rebinding or directly: [V4] basic/transports §Security Warning.
func (h *HTTP) allowed(w http.ResponseWriter, r *http.Request) bool {
	if !h.AnyHost && !loopback(r.Host) {
		refuse(w, http.StatusForbidden, nil, mcp.InvalidRequest, "Forbidden: the Host is not this server")
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || !loopback(u.Host) && (!h.AnyHost || u.Host != r.Host) {
		refuse(w, http.StatusForbidden, nil, mcp.InvalidRequest, "Forbidden: foreign Origin")
		return false
	}
	w.Header().Set("Access-Control-Allow-Origin", origins[0])
	w.Header().Set("Vary", "Origin")
	w.Header().Set("Access-Control-Expose-Headers", mcp.SessionHeader+", WWW-Authenticate")
	return true
}

// loopback reports whether a host, with or without its port, is this machine.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// preflight answers the question of a browser whether a page may send a request.
func preflight(w http.ResponseWriter, r *http.Request) {
	fields := strings.Join(r.Header.Values("Access-Control-Request-Headers"), ", ")
	if fields == "" {
		fields = strings.Join([]string{"Content-Type", "Accept", "Authorization", mcp.VersionHeader, mcp.SessionHeader, mcp.LastEventIDHeader, mcp.MethodHeader, mcp.NameHeader}, ", ")
	}
	w.Header().Set("Allow", "GET, POST, DELETE, OPTIONS")
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	w.Header().Set("Access-Control-Allow-Headers", fields)
	w.WriteHeader(http.StatusNoContent)
}

// post takes a POST at the endpoint, in either era.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, nil, mcp.InvalidRequest, "Not acceptable: Accept must list application/json and text/event-stream")
		return
	}
	messages, batch, ok := readMessages(w, r)
	if !ok {
		return
	}
	switch m := messages[0]; {
	case batch || !asksModern(r, m):
		h.legacyPost(w, r, messages, batch)
	case h.legacy:
		refuse(w, http.StatusBadRequest, m.ID, mcp.InvalidRequest, "Bad request: unsupported protocol version")
	default:
		h.modernPost(w, r, m)
	}
}

// asksModern reports whether a message is of the modern era: by its metadata, or
// by its header if that is not overruled by a handshake or a session.
func asksModern(r *http.Request, m *message) bool {
	if m.asksModern() {
		return true
	}
	named := r.Header.Get(mcp.VersionHeader)
	v, known := mcp.ParseVersion(named)
	switch {
	case m.Method == mcp.Initialize || named == "":
		return false
	case known:
		return v.Era() == mcp.Modern
	}
	return r.Header.Get(mcp.SessionHeader) == ""
}

// readMessages reads the body: one message, or a batch. If it is neither, the
// request is answered.
func readMessages(w http.ResponseWriter, r *http.Request) (messages []*message, batch, ok bool) {
	if t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(t), "application/json") {
		refuse(w, http.StatusUnsupportedMediaType, nil, mcp.InvalidRequest, "Unsupported media type: Content-Type must be application/json")
		return nil, false, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		if tooLong := new(http.MaxBytesError); errors.As(err, &tooLong) {
			status = http.StatusRequestEntityTooLarge
		}
		refuse(w, status, nil, mcp.InvalidRequest, "Reading the body failed: "+err.Error())
		return nil, false, false
	}
	if batch = bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")); batch {
		err = json.Unmarshal(body, &messages)
	} else {
		messages = []*message{{}}
		err = json.Unmarshal(body, messages[0])
	}
	switch {
	case !json.Valid(body):
		refuse(w, http.StatusBadRequest, nil, mcp.ParseError, "Parse error")
	case err != nil || len(messages) == 0 || slices.ContainsFunc(messages, (*message).broken):
		refuse(w, http.StatusBadRequest, nil, mcp.InvalidRequest, "Invalid request: not a message")
	default:
		for _, m := range messages {
			m.readMeta()
		}
		return messages, batch, true
	}
	return nil, false, false
}

// broken reports whether it is not a message: null, an id of a wrong type, or nothing
// to do.
func (m *message) broken() bool {
	return m == nil || m.ID == nil && m.Method == "" || m.ID != nil && !m.hasID()
}

// accepts reports whether the Accept fields have a media type, or a range with it.
func accepts(r *http.Request, mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, "/")
	for _, field := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(field, ",") {
			name, _, _ := strings.Cut(one, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case mediaType, kind + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

// streamHeader sets the fields of a stream.
func streamHeader(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	// [V5] basic/transports/streamable-http §Receiving Messages
	w.Header().Set("X-Accel-Buffering", "no")
}

// refuse answers a request with an error. id is nil where it is not known.
func refuse(w http.ResponseWriter, status int, id []byte, code int64, what string) {
	writeJSON(w, status, errorMessage(id, code, what, ""))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that has gone needs no answer.
	_, _ = w.Write(body)
}

// ServeHTTP serves the behaviour of that name on a listener until ctx ends: the
// named one at Endpoint, and each of the others below its own name. What it logs goes
// to errw, which takes several Writes at a time. It fails for an unknown name or if the
// listener does.
func ServeHTTP(ctx context.Context, name string, l net.Listener, errw io.Writer) error {
	mux := http.NewServeMux()
	anyHost := !loopback(l.Addr().String())
	var all []*HTTP
	add := func(path, name string) error {
		h, err := NewHTTP(name, errw)
		if err != nil {
			return err
		}
		h.AnyHost = anyHost
		all = append(all, h)
		mux.Handle(path+"/", http.StripPrefix(path, h))
		return nil
	}
	if err := add("", name); err != nil {
		return err
	}
	for _, b := range catalogue() {
		if !b.OverHTTP() {
			continue
		}
		if err := add("/"+b.Name, b.Name); err != nil {
			return err
		}
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(errw, "", 0)}
	stopped := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		defer close(stopped)
		for _, h := range all {
			h.Close()
		}
		shutDown(srv)
	})
	err := srv.Serve(l)
	if !unhook() {
		<-stopped
		return nil
	}
	for _, h := range all {
		h.Close()
	}
	return err
}

// A Server serves behaviours over HTTP on this machine, one at a time.
type Server struct {
	URL string // URL is the endpoint of Streamable HTTP.

	server http.Server
	served chan struct{} // served is closed when the listener is.

	mu  sync.Mutex
	now *HTTP // now is nil before the first behaviour.
}

// Listen returns a Server on a free port of loopback.
func Listen() (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String() + Endpoint, served: make(chan struct{})}
	s.server = http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		_ = s.server.Serve(l) // it ends with Close
	}()
	return s, nil
}

// Serve serves the behaviour of that name from now on, and ends the sessions of the
// one before. It fails for an unknown name.
func (s *Server) Serve(name string) error {
	h, err := NewHTTP(name, io.Discard)
	if err != nil {
		return err
	}
	s.change(h)
	return nil
}

func (s *Server) change(to *HTTP) {
	s.mu.Lock()
	before := s.now
	s.now = to
	s.mu.Unlock()
	if before != nil {
		before.Close()
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	h := s.now
	s.mu.Unlock()
	if h == nil {
		http.Error(w, "No behaviour is served", http.StatusServiceUnavailable)
		return
	}
	h.ServeHTTP(w, r)
}

// Close ends all sessions and the Server.
func (s *Server) Close() {
	s.change(nil)
	shutDown(&s.server)
	<-s.served
}

// shutDown ends a server whose streams have ended with their sessions; what still
// waits after a second is cut.
func shutDown(srv *http.Server) {
	late, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if srv.Shutdown(late) != nil {
		_ = srv.Close()
	}
}
