package http

import (
	"net/http"
	"sync"
)

// firstModern is the first protocol version without sessions.
const firstModern = "2026-07-28"

// maxKnown is how many sessions, callers and endpoints are remembered, each.
const maxKnown = 4096

// conns assigns round trips to connections, which are MCP sessions, by what the heads
// tell and whether the request is an initialize. Numbers begin with 1 and are not reused.
type conns struct {
	mu       sync.Mutex
	last     int
	sessions recent[sessionKey]
	modern   recent[modernKey]
	open     recent[caller] // open is the latest connection of a caller that has no session id.
}

// A caller is who sends a request, as far as heads tell: one program, host and credential.
type caller struct {
	server string // server is the origin that it talks to.
	host   string // host is its address without the port.
	agent  string
	auth   string // auth is the hash of its credential.
}

type sessionKey struct{ server, id string }

type modernKey struct {
	caller
	version string
}

// A request is what decides the connection of a round trip.
type request struct {
	caller     caller
	session    string // session is the Mcp-Session-Id, empty for none.
	version    string // version is the MCP-Protocol-Version, empty for none.
	modern     bool   // modern: the head is one of a version without sessions.
	initialize bool   // initialize: the body is an initialize request.
	stream     bool   // stream: it asks for an event stream with GET, or is a GET of the server's endpoint.
	conn       int    // conn is the connection whose stream gave out the path; 0 for none.
}

// requestOf reads the head of a request; conn and initialize are not in it.
func requestOf(method string, h http.Header) request {
	version := h.Get("Mcp-Protocol-Version")
	return request{
		session: h.Get("Mcp-Session-Id"),
		version: version,
		modern:  version >= firstModern && len(version) == len(firstModern) || h.Get("Mcp-Method") != "",
		stream:  method == http.MethodGet && acceptsEvents(h),
	}
}

// byHead reports whether the head alone decides.
func (q *request) byHead() bool { return q.conn != 0 || q.session != "" || q.modern }

// assign returns the connection of a request.
func (c *conns) assign(q request) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case q.conn != 0:
		return q.conn
	case q.session != "":
		return c.known(c.sessions.get(sessionKey{q.caller.server, q.session}))
	case q.modern:
		return c.known(c.modern.get(modernKey{q.caller, q.version}))
	case q.initialize:
		e := c.open.get(q.caller)
		e.conn, e.initialized = 0, true
		return c.known(e)
	case q.stream && !c.open.has(q.caller, true):
		// The old HTTP+SSE transport begins a session with GET. What else begins with it
		// has no session id, and cannot be told apart.
		c.last++
		return c.last
	default:
		return c.known(c.open.get(q.caller))
	}
}

// known is the connection of an entry, which may be new.
func (c *conns) known(e *known) int {
	if e.conn == 0 {
		c.last++
		e.conn = c.last
	}
	return e.conn
}

// answered takes the head of the response to a request of that connection: session is
// the Mcp-Session-Id that it brings, empty for none.
func (c *conns) answered(q request, conn, status int, session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if session != "" && session != q.session {
		c.sessions.get(sessionKey{q.caller.server, session}).conn = conn
	}
	if session != "" || q.initialize && status >= 400 {
		c.open.drop(q.caller, conn)
	}
}

// recent is a map of at most maxKnown entries; the one that was not used for longest
// makes room. Its zero value is empty.
type recent[K comparable] struct {
	entries map[K]*known
	clock   uint64
}

// known is what is known of a key.
type known struct {
	conn        int    // conn is 0 if there is none yet.
	initialized bool   // initialized: it began with initialize.
	used        uint64 // used is when it was used.
}

// get returns the entry of a key, a new one if there is none.
func (r *recent[K]) get(k K) *known {
	e := r.entries[k]
	if e == nil {
		if r.entries == nil {
			r.entries = map[K]*known{}
		}
		if len(r.entries) >= maxKnown {
			r.forget()
		}
		e = &known{}
		r.entries[k] = e
	}
	r.clock++
	e.used = r.clock
	return e
}

// has reports whether there is an entry of that kind.
func (r *recent[K]) has(k K, initialized bool) bool {
	e := r.entries[k]
	return e != nil && e.initialized == initialized
}

// drop removes an entry if it is of that connection.
func (r *recent[K]) drop(k K, conn int) {
	if e := r.entries[k]; e != nil && e.conn == conn {
		delete(r.entries, k)
	}
}

// forget removes the entry that was not used for longest.
func (r *recent[K]) forget() {
	var oldest K
	first := ^uint64(0)
	for k, e := range r.entries {
		if e.used < first {
			oldest, first = k, e.used
		}
	}
	delete(r.entries, oldest)
}
