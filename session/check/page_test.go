package check

import (
	"strings"
	"testing"
)

// TestPageHint holds what mends a page in the place of a response: where the server speaks
// HTTP+SSE at that path, it is not the path.
func TestPageHint(t *testing.T) {
	const stream = `10ms trip 1@1 GET /sse Accept: text/event-stream
20ms trip 1 200 @sse
21ms trip 1 s2c! "event: endpoint\ndata: /message?sessionId=abc\n\n"
`
	const post = `2s trip 2@2 POST /sse @post {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
2100ms trip 2 res 404 Content-Type: text/html
2101ms trip 2 s2c <!DOCTYPE html><html><body><pre>Cannot POST /sse</pre></body></html>
2102ms trip 2 end eof
20s end
`
	for text, want := range map[string]string{
		post:          "the server has no handler for POST at /sse: ",
		stream + post: "the server speaks HTTP+SSE of 2024-11-05 at this path: ",
	} {
		found := analyze(parseConversation(t, text).raw()).Findings()
		if len(found) != 1 || !strings.HasPrefix(found[0].Hint, want) {
			t.Errorf("found %+v, want the hint %q", found, want)
		}
	}
}

// TestHTTPWords holds what is said of a body that was cut off, and what mends a GET that
// failed.
func TestHTTPWords(t *testing.T) {
	const begin = `10ms trip 1 POST /mcp @post {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
20ms trip 1 200 @json {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
`
	const ping = "30ms trip 2 POST /mcp @post | MCP-Protocol-Version: 2025-11-25 | Host: a.example {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
	answer := func(fields, body string) string {
		return ping + "40ms trip 2 res 200 " + fields + "\n41ms trip 2 s2c! \"" + body + "\"\n"
	}
	head := answer("@json", `{\"jsonrpc\":`)
	for text, want := range map[string]string{
		head + "42ms trip 2 end server\n":                                                                                                                        `the body of the response to ping #8 was cut off: "{"jsonrpc":" → find out what cut it off`,
		answer("@json | Content-Length: 11", `{\"jsonrpc\":`) + "42ms trip 2 end eof\n":                                                                          `the body of the response to ping #8 ends within the message: "{"jsonrpc":" → write the whole object, and count its bytes`,
		answer("@json", `{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}`) + "42ms trip 2 end server\n":                                                             `the body of the response to ping #8 was cut off after the message → end the body`,
		answer("@json", `event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n`) + "42ms trip 2 end eof\n":                                      `ping #8 was answered with an event stream and the type application/json → answer with Content-Type: text/event-stream`,
		ping + "32ms trip 2 err EOF\n33ms trip 2 end server\n":                                                                                                   `ping #8 got no response: EOF → the connection was closed: look at the server`,
		ping + "32ms trip 2 err dial tcp 127.0.0.1:9: socket: too many open files\n33ms trip 2 end server\n":                                                     `ping #8 got no response: socket: too many open files at 127.0.0.1:9 → the limit of open files of wiretea is too low`,
		ping + "31ms trip 2 conn\n32ms trip 2 err stream error: stream ID 11; INTERNAL_ERROR\n33ms trip 2 end server\n":                                          `ping #8 got no response: stream error: stream ID 11; INTERNAL_ERROR → read the log of the server, or of a proxy in front of it: `,
		ping + "40ms trip 2 301 Location: https://b.example/mcp\n":                                                                                               `POST /mcp was redirected by 301 to https://b.example/mcp → give the client the final URL; if`,
		ping + "40ms trip 2 308 Location: https://a.example/mcp\n":                                                                                               `POST /mcp was redirected by 308 to https://a.example/mcp → give the client the final URL; if`,
		ping + "40ms trip 2 308 Location: https://a.example/mcp/\n":                                                                                              `POST /mcp was redirected by 308 to https://a.example/mcp/ → give the client the URL with the path /mcp/`,
		"30ms trip 2 GET /mcp MCP-Protocol-Version: 2025-11-25\n40ms trip 2 405\n":                                                                               `GET /mcp: the client's Accept lacks text/event-stream → send Accept: text/event-stream`,
		strings.Replace(ping, "| Host", "| MCP-Protocol-Version: 2025-06-18 | Host", 1) + "40ms trip 2 200 @json {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n": `ping #8 has MCP-Protocol-Version "2025-11-25, 2025-06-18", although`,
		head + "42ms trip 2 end eof\n": `ping #8 was answered with a body that is not valid JSON: "{"jsonrpc":" → write exactly one JSON-RPC object`,
		"30ms trip 2 GET /mcp Accept: text/event-stream | MCP-Protocol-Version: 2025-11-25\n40ms trip 2 500\n": "GET /mcp was answered 500 after 10 ms → read the server's log at that time; answer GET with 405",
	} {
		found := analyze(parseConversation(t, begin+text+"20s end\n").raw()).Findings()
		if len(found) != 1 || !strings.HasPrefix(found[0].Message+" → "+found[0].Hint, want) {
			t.Errorf("found %+v, want %s", found, want)
		}
	}
}

// TestBodyMark holds that no client is named as one that a byte order mark in a body breaks:
// those that use fetch do not see it.
func TestBodyMark(t *testing.T) {
	const text = `10ms trip 1 POST /mcp @post {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
20ms trip 1 res 200 @json
21ms trip 1 s2c! "\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}"
22ms trip 1 end eof
20s end
`
	found := analyze(parseConversation(t, text).raw()).Findings()
	if len(found) != 1 || found[0].Rule != "utf8-bom" || len(found[0].Breaks) > 0 {
		t.Errorf("found %+v", found)
	}
}
