package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"wiretea/session/mcp"
)

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
		{
			Name: "protocol-on-stderr", Title: "sends a response to stderr instead of stdout", Patience: 3 * time.Second,
			Shows: []string{"stderr-has-protocol", "unanswered-request"}, Calls: []string{echoHi},
			fault: answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) { s.log("%s", body) }),
		},
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
