package demo

import (
	"fmt"
	"strings"
	"time"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// envelopeFaults are the behaviours with faulty messages.
func envelopeFaults() []Behaviour {
	return []Behaviour{
		behaviour("no-jsonrpc", `omits "jsonrpc":"2.0"`, "missing-jsonrpc",
			altered(`"jsonrpc":"2.0",`, ``), echoHi),
		behaviour("extra-key", "adds an unknown key to a message", "unknown-top-level-key",
			altered(`"jsonrpc":"2.0",`, `"jsonrpc":"2.0","type":"response",`), echoHi),
		behaviour("result-and-error", `sends "error":null beside the result`, "result-and-error",
			altered(`"jsonrpc":"2.0",`, `"jsonrpc":"2.0","error":null,`), echoHi),
		behaviour("empty-answer", "responds without result and error, then completely", "response-empty",
			before(func(s *server, r *request) { s.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s}`+"\n", r.ID)) }), echoHi),
		behaviour("result-list", "responds with an array instead of an object", "result-not-object",
			instead(`{"jsonrpc":"2.0","id":%s,"result":["Echo: hi"]}`), echoHi),
		behaviour("error-without-code", "sends an error without a code", "error-shape",
			instead(`{"jsonrpc":"2.0","id":%s,"error":{"message":"echo is broken"}}`), echoHi),
		behaviour("error-code-zero", "sends an error with code 0", "error-code-zero",
			instead(`{"jsonrpc":"2.0","id":%s,"error":{"code":0,"message":"echo is broken"}}`), echoHi),
		behaviour("null-id", `responds with "id":null, then correctly`, "null-response-id",
			extra(`{"jsonrpc":"2.0","id":null,"result":{"content":[]}}`), echoHi),
		behaviour("null-request-id", `pings with "id":null`, "null-request-id",
			extra(`{"jsonrpc":"2.0","id":null,"method":"ping"}`), echoHi),
		behaviour("float-id", `pings with "id":1.5`, "invalid-id-type",
			extra(`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`), echoHi),
		behaviour("big-id", "pings with an id beyond 2^53", "id-precision-loss",
			extra(`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`), echoHi),
		behaviour("params-list", "pings with an array as params", "params-not-object",
			extra(`{"jsonrpc":"2.0","id":"demo-ping","method":"ping","params":[]}`), echoHi),
		behaviour("notification-id", "sends a notification with an id", "notification-with-id",
			extra(`{"jsonrpc":"2.0","id":"demo-1","method":"notifications/message","params":{"level":"info","data":"echo called"}}`), echoHi),
		behaviour("ping-without-id", "pings without an id", "request-without-id",
			extra(`{"jsonrpc":"2.0","method":"ping"}`), echoHi),
		behaviour("batch", "wraps a response in an array", "batch-not-supported",
			answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) {
				s.write(fmt.Appendf(nil, "[%s]\n", body))
			}), echoHi),
	}
}

// correlationFaults are the behaviours with faulty pairs of requests and
// responses.
func correlationFaults() []Behaviour {
	return []Behaviour{
		behaviour("answers-twice", "answers a request twice", "duplicate-response",
			answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) {
				s.write(fmt.Appendf(nil, "%s\n%s\n", body, body))
			}), echoHi),
		behaviour("orphan", "sends a response without a request", "orphan-response",
			extra(`{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}`), echoHi),
		behaviour("string-id", `answers id 3 as id "3"`, "id-type-mismatch",
			answers(mcp.ToolsCall, func(s *server, of *request, body []byte) {
				id := `"id":` + string(of.ID)
				s.write([]byte(strings.Replace(string(body), id, `"id":`+lex.Quote(string(of.ID)), 1) + "\n"))
			}), echoHi),
		behaviour("answers-notification", "answers a notification", "response-to-notification",
			fault{legacy: true, request: func(s *server, r *request) bool {
				if r.Method == mcp.InitializedNotification {
					s.write([]byte(`{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found: notifications/initialized"}}` + "\n"))
				}
				return false
			}}),
		behaviour("slow", "takes six seconds to list its tools", "slow-response",
			fault{legacy: true, request: func(s *server, r *request) bool {
				if r.Method == mcp.ToolsList {
					s.sleep(6 * time.Second)
				}
				return false
			}}, mcp.ToolsList),
		behaviour("no-answer", "never answers a tool call", "unanswered-request",
			fault{legacy: true, request: func(_ *server, r *request) bool { return r.Method == mcp.ToolsCall }},
			echoHi).patient(5*time.Second, 0),
		behaviour("after-cancel", "answers long after the request was cancelled", "response-after-cancel",
			before(func(s *server, _ *request) { s.sleep(4 * time.Second) }), echoHi).patient(2500*time.Millisecond, 3*time.Second),
		behaviour("reused-id", "pings twice with the same id", "duplicate-request-id",
			before(func(s *server, _ *request) {
				ping := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
				s.write(ping)
				s.sleep(200 * time.Millisecond)
				s.write(ping)
			}), echoHi),
		behaviour("cursor-loop", "returns the same cursor on each page", "cursor-loop",
			answers(mcp.ToolsList, func(s *server, of *request, body []byte) {
				s.write(append(body[:len(body)-2], `,"nextCursor":"again"}}`+"\n"...))
			}), mcp.ToolsList, `tools/list {"cursor":"again"}`, `tools/list {"cursor":"again"}`),
		behaviour("null-cursor", `ends its lists with "nextCursor":null`, "null-next-cursor",
			answers(mcp.ToolsList, func(s *server, of *request, body []byte) {
				s.write(append(body[:len(body)-2], `,"nextCursor":null}}`+"\n"...))
			}), mcp.ToolsList),
	}
}
