package demo

import (
	"bytes"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// send writes the response to a request, or with nil a message that belongs to
// none.
func (s *server) send(of *request, body []byte) { s.sendFor(of, of, body) }

// sendFor writes one message, changed by the behaviour's fault. about is the
// request that it belongs to, and of the one that it answers; nil for none.
func (s *server) sendFor(about, of *request, body []byte) {
	if s.fault.out != nil && s.fault.out(s, of, body) {
		return
	}
	switch {
	case about != nil && about.via != nil:
		about.via.put(body, of != nil)
	case s.standing != nil:
		s.standing.put(body, false)
	default:
		s.write(append(body, '\n'))
	}
}

// write writes bytes to stdout in one piece. Errors are ignored: the end of
// stdin ends the server.
func (s *server) write(b []byte) {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	_, _ = s.out.Write(b)
}

// notify sends a notification that belongs to a request, or with nil to none.
// params is an object's text.
func (s *server) notify(about *request, method, params string) {
	s.sendFor(about, nil, notification(method, params))
}

func notification(method, params string) []byte {
	return jsonrpc.AppendRequest(nil, "", method, []byte(params))
}

// reply answers a request with a result, given as the text of its members. The
// members that the modern era requires in each result are added.
func (s *server) reply(r *request, members string) {
	s.result(r, r.complete(members, ""))
}

// replyCacheable is reply for results that modern clients may cache ([V5]
// server/utilities/caching).
func (s *server) replyCacheable(r *request, members string) {
	s.result(r, r.complete(members, `"ttlMs":60000,"cacheScope":"public"`))
}

func (s *server) result(r *request, members string) {
	s.send(r, jsonrpc.AppendAnswer(nil, string(r.ID), false, []byte("{"+members+"}")))
}

func (r *request) complete(members, cache string) string {
	if !r.modern() {
		return members
	}
	return join(members, `"resultType":"complete"`, cache, `"_meta":{"io.modelcontextprotocol/serverInfo":`+serverInfo+`}`)
}

// join joins the texts of members that are not empty with commas.
func join(members ...string) string {
	var b bytes.Buffer
	for _, m := range members {
		if m == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m)
	}
	return b.String()
}

// fail answers a request with an error. data is a JSON text or empty.
func (s *server) fail(r *request, code int64, message, data string) {
	if r.modern() && r.status == 0 {
		r.status = modernStatus.Get()[code]
	}
	s.send(r, errorMessage(r.ID, code, message, data))
}

// errorMessage returns an error response. Without an id, it is nobody's. data is a
// JSON text or empty.
func errorMessage(id []byte, code int64, message, data string) []byte {
	return jsonrpc.AppendError(nil, string(id), code, message, []byte(data))
}

// since returns text if the request's version is at least v, else nothing.
func (r *request) since(v mcp.Version, text string) string {
	if r.version < v {
		return ""
	}
	return text
}
