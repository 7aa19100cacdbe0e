package demo

import (
	"bytes"
	"fmt"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// send writes one message, as the behaviour's fault has it. of is the request
// that it answers, nil for none.
func (s *server) send(of *request, body []byte) {
	if s.fault.out != nil && s.fault.out(s, of, body) {
		return
	}
	s.write(append(body, '\n'))
}

// write puts bytes on stdout in one piece. A client that has gone is no reason
// to stop: stdin will say so.
func (s *server) write(b []byte) {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	_, _ = s.out.Write(b)
}

// notify sends a notification. params is an object's text.
func (s *server) notify(method, params string) {
	s.send(nil, notification(method, params))
}

func notification(method, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s,"params":%s}`, lex.Quote(method), params)
}

// reply answers a request with a result, given as the text of its members. What
// the modern era wants in each result is added.
func (s *server) reply(r *request, members string) {
	s.send(r, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s}}`, r.ID, r.complete(members, "")))
}

// replyCacheable is reply for the results that clients of the modern era may
// keep for a while ([V5] server/utilities/caching).
func (s *server) replyCacheable(r *request, members string) {
	s.send(r, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s}}`, r.ID, r.complete(members, `"ttlMs":60000,"cacheScope":"public"`)))
}

func (r *request) complete(members, cache string) string {
	if !r.modern() {
		return members
	}
	return join(members, `"resultType":"complete"`, cache, `"_meta":{"io.modelcontextprotocol/serverInfo":`+serverInfo+`}`)
}

// join puts commas between the texts of members that are not empty.
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
func (s *server) fail(r *request, code int, message, data string) {
	if data != "" {
		data = `,"data":` + data
	}
	s.send(r, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s%s}}`, r.ID, code, lex.Quote(message), data))
}

// Error codes of JSON-RPC and of the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeNoResource     = -32002 // before 2026-07-28
	codeNoCapability   = -32021 // since 2026-07-28: the client lacks one
	codeVersion        = -32022
)

// since returns text if version v of the protocol knows it, else nothing.
func (r *request) since(v mcp.Version, text string) string {
	if r.version < v {
		return ""
	}
	return text
}
