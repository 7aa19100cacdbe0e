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
