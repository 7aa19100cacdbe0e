package demo

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"wiretea/session/mcp"
)

// maxStreams is how many streams of a session are kept to be resumed.
const maxStreams = 32

// A httpSession is a server with its streams. The requests of the modern era have
// one in common, without streams that can be resumed.
type httpSession struct {
	*server
	id   string
	used time.Time // used is guarded by HTTP.mu.

	turn    sync.Mutex // turn is held by whoever is the server's main loop.
	streams []*stream  // streams are the latest ones, the oldest first.
	streamN int
	closed  bool
}

func (h *HTTP) newSession(id string, f *fault) *httpSession {
	s := &httpSession{server: newServer(h.ctx, f, h.errw), id: id, used: time.Now()}
	s.standing = s.newStream(1)
	s.keep(s.standing)
	return s
}

// newStream returns a stream for that many responses. The caller holds turn, or is
// the only one that knows the session.
func (s *httpSession) newStream(due int) *stream {
	st := newStream(0, due)
	if s.id == "" || s.fault.legacy {
		return st // it cannot be resumed
	}
	s.streamN++
	st.number = s.streamN
	// Before this revision an event without data breaks clients.
	st.primed = s.version >= mcp.V4
	return st
}

// keep keeps a stream to be resumed, and to be ended with the session.
func (s *httpSession) keep(st *stream) {
	if len(s.streams) == maxStreams {
		s.streams = s.streams[1:]
	}
	s.streams = append(s.streams, st)
}

// do handles messages that came together, and returns the stream for their
// responses. It reports false if the session has ended.
func (s *httpSession) do(messages []*message) (*stream, bool) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.closed {
		return nil, false
	}
	due := 0
	for _, m := range messages {
		if m.Method != "" && m.ID != nil {
			due++
		}
	}
	st := s.newStream(max(due, 1))
	for _, m := range messages {
		m.via = st
		s.handle(m)
	}
	switch {
	case due == 0:
		st.end()
	case s.id != "" && !st.ended():
		s.keep(st)
	}
	return st, true
}

// close answers what is open and ends the session.
func (s *httpSession) close() {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	s.ended()
	s.standing.end()
	for _, st := range s.streams {
		st.end()
	}
}

// open adds a session, and drops the one that was idle for longest where there
// are too many. It reports false if the server is being closed.
func (h *HTTP) open(s *httpSession) bool {
	h.mu.Lock()
	if h.sessions == nil {
		h.mu.Unlock()
		return false
	}
	var oldest *httpSession
	if len(h.sessions) >= maxSessions {
		for _, other := range h.sessions {
			if oldest == nil || other.used.Before(oldest.used) {
				oldest = other
			}
		}
		delete(h.sessions, oldest.id)
	}
	h.sessions[s.id] = s
	h.mu.Unlock()
	if oldest != nil {
		oldest.close()
	}
	return true
}

// find returns a session, nil for none.
func (h *HTTP) find(id string) *httpSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s != nil {
		s.used = time.Now()
	}
	return s
}

// drop takes a session out and ends it.
func (h *HTTP) drop(s *httpSession) {
	h.mu.Lock()
	if h.sessions[s.id] == s {
		delete(h.sessions, s.id)
	}
	h.mu.Unlock()
	s.close()
}

// named returns the session that a request names. If there is none, or the
// request's version is not supported, it is answered and the result is nil. id is
// that of the message, nil for none.
func (h *HTTP) named(w http.ResponseWriter, r *http.Request, id []byte) *httpSession {
	name := r.Header.Get(mcp.SessionHeader)
	if name == "" {
		// [V4] basic/transports §Session Management: SHOULD 400
		refuse(w, http.StatusBadRequest, id, mcp.InvalidRequest, "Bad request: "+mcp.SessionHeader+" is missing; send initialize first")
		return nil
	}
	s := h.find(name)
	if s == nil {
		notFound(w, id)
		return nil
	}
	version := r.Header.Get(mcp.VersionHeader)
	if v, ok := mcp.ParseVersion(version); version != "" && (!ok || v < mcp.V1 || v.Era() != mcp.Legacy) {
		refuse(w, http.StatusBadRequest, id, mcp.InvalidRequest, "Bad request: unsupported "+mcp.VersionHeader)
		return nil
	}
	return s
}

func notFound(w http.ResponseWriter, id []byte) {
	refuse(w, http.StatusNotFound, id, mcp.InvalidRequest, "Session not found: send initialize again")
}

func (h *HTTP) legacyPost(w http.ResponseWriter, r *http.Request, messages []*message, batch bool) {
	first := messages[0]
	id := first.ID
	if batch {
		id = nil
	}
	if !batch && first.Method == mcp.Initialize && id != nil {
		h.initialize(w, r, first)
		return
	}
	s := h.named(w, r, id)
	if s == nil {
		return
	}
	if batch && s.version != mcp.V2 {
		refuse(w, http.StatusBadRequest, nil, mcp.InvalidRequest, "Invalid request: batches exist only in "+mcp.V2.String())
		return
	}
	if st, ok := s.do(messages); ok {
		s.respond(w, r, st)
	} else {
		notFound(w, id)
	}
}

// initialize begins a session: [V4] basic/transports §Session Management.
func (h *HTTP) initialize(w http.ResponseWriter, r *http.Request, m *message) {
	s := h.newSession(rand.Text(), &fault{})
	st, _ := s.do([]*message{m})
	if s.version != mcp.NoVersion {
		s.standing.primed = s.version >= mcp.V4
		if !h.open(s) {
			http.Error(w, "The server is closed", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set(mcp.SessionHeader, s.id)
	}
	s.respond(w, r, st)
}

// respond sends what is on a stream: nothing, the response alone as JSON, or the
// messages as events.
func (s *httpSession) respond(w http.ResponseWriter, r *http.Request, st *stream) {
	body, ok := st.only()
	switch {
	case ok:
		writeJSON(w, http.StatusOK, body)
	case st.empty():
		w.WriteHeader(http.StatusAccepted)
	default:
		st.carry(r.Context(), w, 0)
	}
}

// get opens the session's stream for messages that belong to no request, or
// resumes a stream.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, nil, mcp.InvalidRequest, "Not acceptable: Accept must list text/event-stream")
		return
	}
	s := h.named(w, r, nil)
	if s == nil {
		return
	}
	if st, after := s.standingOr(r.Header.Get(mcp.LastEventIDHeader)); st != nil {
		st.carry(r.Context(), w, after)
		return
	}
	notFound(w, nil)
}

// standingOr returns the stream of an event's id, and how many of its events the
// client has. Without a stream of that id it is the standing stream, or a new one
// where a connection carries that. It is nil if the session has ended.
func (s *httpSession) standingOr(lastEvent string) (*stream, int) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.closed {
		return nil, 0
	}
	var number, after int
	if _, err := fmt.Sscanf(lastEvent, "%d-%d", &number, &after); err == nil {
		for _, st := range s.streams {
			if st.number == number {
				return st, max(after, 0)
			}
		}
	}
	if s.standing.carried() {
		s.standing = s.newStream(1)
		s.keep(s.standing)
	}
	return s.standing, -1
}

// remove ends a session on the client's request.
func (h *HTTP) remove(w http.ResponseWriter, r *http.Request) {
	if s := h.named(w, r, nil); s != nil {
		h.drop(s)
		w.WriteHeader(http.StatusNoContent)
	}
}

// oldStream begins a session of the transport of 2024-11-05, and ends it with its
// stream: [V1] basic/transports §HTTP with SSE.
func (h *HTTP) oldStream(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, nil, mcp.InvalidRequest, "Not acceptable: Accept must list text/event-stream")
		return
	}
	s := h.newSession(rand.Text(), &fault{legacy: true})
	s.standing.named = true
	if !h.open(s) {
		http.Error(w, "The server is closed", http.StatusServiceUnavailable)
		return
	}
	defer h.drop(s)
	streamHeader(w)
	// The path is the client's, also where something in front has removed a part of it.
	path, _, _ := strings.Cut(r.RequestURI, "?")
	path = strings.TrimSuffix(strings.TrimSuffix(path, "/"), SSEEndpoint)
	fmt.Fprintf(w, "event: endpoint\ndata: %s%s?sessionId=%s\n\n", path, messagesPath, s.id)
	s.standing.carry(r.Context(), w, 0)
}

// oldPost takes a message of such a session. The response goes to its stream.
func (h *HTTP) oldPost(w http.ResponseWriter, r *http.Request) {
	s := h.find(r.URL.Query().Get("sessionId"))
	if s == nil || !s.fault.legacy {
		refuse(w, http.StatusNotFound, nil, mcp.InvalidRequest, "Session not found")
		return
	}
	messages, batch, ok := readMessages(w, r)
	if !ok {
		return
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.closed || batch && s.version != mcp.V2 {
		refuse(w, http.StatusBadRequest, nil, mcp.InvalidRequest, "Not accepted: the session has ended, or it has no batches")
		return
	}
	for _, m := range messages {
		s.handle(m)
	}
	w.WriteHeader(http.StatusAccepted)
}
