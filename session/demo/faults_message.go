package demo

import (
	"bytes"
	"encoding/json"
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

// hugeSize is more than the 10 MiB at which clients built on TypeScript SDK 2
// close the connection.
const hugeSize = 12_000_000

// framingFaults are the behaviours with framing faults.
func framingFaults() []Behaviour {
	return []Behaviour{
		behaviour("log-line", "prints a log line to stdout", "stdout-not-json",
			extra("[INFO] echo: handling tools/call"), echoHi),
		behaviour("log-object", "prints JSON log objects to stdout", "json-not-message",
			extra(`{"level":30,"time":1795168800000,"pid":4711,"name":"demo","msg":"handling tools/call"}`), echoHi),
		behaviour("pretty", "prints its responses over many lines", "embedded-newline",
			answers(mcp.ToolsCall, writePretty), echoHi),
		behaviour("content-length", "frames messages like the Language Server Protocol", "content-length-framing",
			contentLengthFault()),
		behaviour("two-on-a-line", "omits the line feed between two messages", "multiple-messages-per-line",
			answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) {
				s.write(bytes.Join([][]byte{info("echo called"), body, {'\n'}}, nil))
			}), echoHi),
		behaviour("interleaved", "interleaves two messages", "interleaved-write",
			before(writeInterleaved), echoHi),
		behaviour("no-newline", "sends the line feed of a response a second late", "missing-newline",
			answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) {
				s.write(body)
				s.sleep(time.Second)
				s.write([]byte{'\n'})
			}), echoHi),
		behaviour("no-last-newline", "ends its last message without a line feed", "unterminated-final-message",
			fault{legacy: true, eof: func(s *server) { s.write(info("good bye")) }}),
		behaviour("blank-lines", "prints empty lines between messages", "blank-line",
			extra(""), echoHi),
		behaviour("crlf", "ends its lines with CR LF", "crlf-line-ending",
			fault{legacy: true, out: func(s *server, _ *request, body []byte) bool {
				s.write(append(body, "\r\n"...))
				return true
			}}),
		behaviour("bom", "writes a byte order mark before a response", "utf8-bom",
			answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) {
				s.write(append(append([]byte("\xef\xbb\xbf"), body...), '\n'))
			}), echoHi),
		behaviour("latin1", "responds in Latin-1", "invalid-utf8",
			altered("Echo:", "Caf\xe9:"), echoHi),
		behaviour("half-emoji", "cuts an emoji in half", "lone-surrogate",
			altered("Echo:", `Echo \ud83d:`), echoHi),
		behaviour("duplicate-key", "writes a key of the result twice", "duplicate-json-key",
			altered(`"content":`, `"isError":false,"isError":false,"content":`), echoHi),
		behaviour("huge-line", "responds with one line of 12 MB", "line-too-long",
			answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) {
				s.write(bytes.Replace(append(body, '\n'), []byte("Echo:"), []byte("Echo:"+strings.Repeat(" more tea", hugeSize/9)), 1))
			}), echoHi),
		behaviour("protocol-on-stderr", "sends a response to stderr instead of stdout", "stderr-has-protocol",
			answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) { s.log("%s", body) }), echoHi),
		behaviour("latin1-stderr", "writes Latin-1 to stderr", "stderr-not-utf8",
			before(func(s *server, _ *request) { s.log("caf\xe9 ouvert") }), echoHi),
		{
			Name: "chatty", Title: "writes a lot to stderr, which is allowed", Calls: []string{echoHi},
			fault: before(func(s *server, r *request) {
				for i := range 40 {
					s.log("DEBUG demo.handler: step %d of request %s", i+1, r.ID)
				}
			}),
		},
	}
}

func writePretty(s *server, _ *request, body []byte) {
	var b bytes.Buffer
	// The server's own messages are valid JSON.
	_ = json.Indent(&b, body, "", "  ")
	b.WriteByte('\n')
	s.write(b.Bytes())
}

// contentLengthFault reads lines and header blocks, so that a client that
// follows the protocol is still understood.
func contentLengthFault() fault {
	return fault{legacy: true, contentLength: true, out: func(s *server, _ *request, body []byte) bool {
		s.write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body))
		return true
	}}
}

// writeInterleaved writes a message into the middle of another one, like two
// threads that share a stream.
func writeInterleaved(s *server, _ *request) {
	outer, inner := info("first writer: a long report on what was done"), info("second writer")
	half := len(outer) / 2
	s.write(outer[:half])
	s.write(append(inner, '\n'))
	s.write(append(outer[half:], '\n'))
}
