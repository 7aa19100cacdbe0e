package demo

import (
	"fmt"
	"strings"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// A fault is the difference between a behaviour and the healthy server. Hooks
// that are nil change nothing.
type fault struct {
	legacy        bool // legacy: the server does not support the modern era, like most.
	paged         bool // paged: the tools are listed in pages.
	contentLength bool // contentLength: header blocks on stdin are understood.

	// start runs before anything is read.
	start func(s *server)

	// request handles a request or notification, and reports whether it is
	// done.
	request func(s *server, r *request) bool

	// out handles a message that is about to be written, with the request that
	// it answers or nil, and reports whether it is done. body has no terminator
	// and may be changed.
	out func(s *server, of *request, body []byte) bool

	// eof runs at the end of stdin, before the server exits.
	eof func(s *server)
}

// answers returns a fault that writes the responses to a method itself.
func answers(method string, write func(s *server, of *request, body []byte)) fault {
	return fault{legacy: true, out: func(s *server, of *request, body []byte) bool {
		if of == nil || of.Method != method {
			return false
		}
		write(s, of, body)
		return true
	}}
}

// before returns a fault that does something and then answers tool calls as
// usual.
func before(do func(s *server, r *request)) fault {
	return fault{legacy: true, request: func(s *server, r *request) bool {
		if r.Method == mcp.ToolsCall {
			do(s, r)
		}
		return false
	}}
}

// altered returns a fault that replaces a part of the responses to tool calls.
func altered(old, with string) fault {
	return answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) {
		s.write([]byte(strings.Replace(string(body), old, with, 1) + "\n"))
	})
}

// instead returns a fault that answers tool calls with its own line. %s in it
// is the id.
func instead(line string) fault {
	return answers(mcp.ToolsCall, func(s *server, of *request, _ []byte) {
		s.write([]byte(strings.Replace(line, "%s", string(of.ID), 1) + "\n"))
	})
}

// extra returns a fault that writes a line before it answers a tool call.
func extra(line string) fault {
	return before(func(s *server, _ *request) { s.write([]byte(line + "\n")) })
}

// info returns a log message, which is allowed at any time in the legacy era.
func info(text string) []byte {
	return notification(mcp.LogNotification, fmt.Sprintf(`{"level":"info","logger":"demo","data":%s}`, lex.Quote(text)))
}

// Lines as a user types them.
const (
	echoHi   = `tools/call {"name":"echo","arguments":{"message":"hi"}}`
	addOne   = `tools/call {"name":"add","arguments":{"a":1,"b":2}}`
	slowCall = `tools/call {"name":"slow","arguments":{"seconds":0.5,"steps":5},"_meta":{"progressToken":"demo"}}`
)

// behaviour returns an entry of the catalogue: one fault, triggered by calls.
func behaviour(name, title, rule string, f fault, calls ...string) Behaviour {
	return Behaviour{Name: name, Title: title, Shows: []string{rule}, Calls: calls, fault: f}
}

// patient returns the behaviour with a Patience and a Linger.
func (b Behaviour) patient(patience, linger time.Duration) Behaviour {
	b.Patience, b.Linger = patience, linger
	return b
}

// paced returns the behaviour with a Pace.
func (b Behaviour) paced(pace time.Duration) Behaviour {
	b.Pace = pace
	return b
}

// also returns the behaviour with more rules that it violates.
func (b Behaviour) also(rules ...string) Behaviour {
	b.Shows = append(b.Shows, rules...)
	return b
}
