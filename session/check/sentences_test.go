package check

import (
	"fmt"
	"strings"
	"testing"
)

// after is a handshake, with roots declared, and the steps that follow it.
func after(capabilities string, steps ...string) string {
	lines := []string{
		"1ms proc start",
		`10ms c2s {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`,
		`20ms s2c {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"serverInfo":{"name":"s","version":"1"}}}`,
		`30ms c2s {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	for i, step := range steps {
		lines = append(lines, fmt.Sprintf("%dms %s", 40+10*i, step))
	}
	return strings.Join(lines, "\n") + "\n"
}

const (
	askTools = `c2s {"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	callTool = `c2s {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`
)

func listed(tools string) string {
	return `s2c {"jsonrpc":"2.0","id":1,"result":{"tools":` + tools + `}}`
}

func called(result string) string { return `s2c {"jsonrpc":"2.0","id":2,"result":` + result + `}` }

// TestSentences holds what findings say and advise where that depends on the case.
func TestSentences(t *testing.T) {
	for name, tt := range map[string]struct {
		story string
		want  string // want is "message → hint" of a finding; empty = there is none.
	}{
		"input_schema": {
			after(`{"tools":{}}`, askTools, listed(`[{"name":"echo","input_schema":{"type":"object"}}]`)),
			`tool "echo": inputSchema is absent, must be an object with "type":"object" (there is input_schema) → write inputSchema, not input_schema`,
		},
		"parameters": {
			after(`{"tools":{}}`, askTools, listed(`[{"name":"echo","parameters":{"type":"object"}}]`)),
			`tool "echo": inputSchema is absent, must be an object with "type":"object" (there is parameters) → write inputSchema, not parameters`,
		},
		"the format of OpenAI": {
			after(`{"tools":{}}`, askTools, listed(`[{"type":"function","function":{"name":"echo","parameters":{"type":"object"}}}]`)),
			`tools/list: tools[0].name is absent (there is function) → this is OpenAI's format: send name, description and inputSchema at the top of the tool`,
		},
		"is_error": {
			after(`{"tools":{}}`, callTool, called(`{"content":[],"is_error":true}`)),
			`tools/call "echo": isError is absent (there is is_error) → write isError, not is_error`,
		},
		"is_error beside isError": {story: after(`{"tools":{}}`, callTool, called(`{"content":[],"is_error":true,"isError":true}`))},
		"next_cursor": {
			after(`{"tools":{}}`, askTools, `s2c {"jsonrpc":"2.0","id":1,"result":{"tools":[],"next_cursor":"a"}}`),
			`tools/list: nextCursor is absent (there is next_cursor) → write nextCursor, not next_cursor`,
		},
		"members of its own": {story: after(`{"tools":{}}`, askTools, listed(`[{"name":"echo","inputSchema":{"type":"object","additional_properties":false},"icon":"a","category":"b","input":1}]`))},
		"contents of a tool": {
			after(`{"tools":{}}`, callTool, called(`{"contents":[]}`)),
			`tools/call "echo": content is absent (there is contents) → write content, not contents`,
		},
		"Capabilities": {
			strings.Replace(after(`{}`), `"capabilities":{},"serverInfo"`, `"Capabilities":{},"server_info"`, 1),
			`in the result of initialize capabilities is absent (there is Capabilities), serverInfo is absent (there is server_info) → write capabilities, not Capabilities; write serverInfo, not server_info`,
		},
		"a bare array": {
			after(`{"tools":{}}`, askTools, `s2c {"jsonrpc":"2.0","id":1,"result":[{"name":"echo"}]}`),
			`the result of the response to tools/list (id 1) is the array [{"name":"echo"}] → send {"tools":[…]} instead of the bare array`,
		},
		"items": {
			after(`{"tools":{}}`, askTools, `s2c {"jsonrpc":"2.0","id":1,"result":{"items":[]}}`),
			`tools/list: tools is absent (there is items) → write tools, not items`,
		},
		"an error in the result": {
			after(`{"tools":{}}`, callTool, called(`{"error":{"code":-32000,"message":"database is locked"}}`)),
			`tools/call "echo": content is absent, must be an array; it has error: "{"code":-32000,"message":"database is locked"}" → return the error instead of a result, at the top of the response, or "isError":true with a text in content`,
		},
		"a cursor that is not used": {
			after(`{"prompts":{}}`, `c2s {"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, `s2c {"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"a"},{"name":"b"}],"nextCursor":"c"}}`,
				`c2s {"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{"cursor":"c"}}`, `s2c {"jsonrpc":"2.0","id":2,"result":{"prompts":[{"name":"a"},{"name":"b"}]}}`),
			`prompts/list returns an earlier page again: the cursor was not used → read params.cursor, and return the page that it stands for`,
		},
		"NaN": {
			after(`{"tools":{}}`, askTools, `s2c {"jsonrpc":"2.0","id":1,"result":{"tools":[],"n":NaN}}`) + "2s tick\n",
			`server wrote a message that is not valid JSON: NaN in "…":"2.0","id":1,"result":{"tools":[],"n":NaN}}" → JSON has no NaN: write null, or leave the member out; json.dumps(allow_nan=False) finds it`,
		},
		"a NUL byte behind": {
			after(`{"tools":{}}`, askTools, `s2c! "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\x00\n"`),
			`server wrote text after a message on the same line: a NUL byte in "\x00" → write no NUL byte: it is padding, or the end of a C string`,
		},
		"colours": {
			after(`{"tools":{}}`, askTools, `s2c! "\x1b[32m{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\n"`),
			`server wrote text and a message on one line: an escape sequence (ESC) in "\x1b[32m{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}" → write colours only to a terminal, or turn them off (NO_COLOR=1)`,
		},
		"carriage returns": {
			after(`{"tools":{}}`, askTools, `s2c! "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\r{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n"`),
			`server wrote 2 messages on one line, with a carriage return between them → end every message with a line feed, "\n", instead of a carriage return`,
		},
		"stdin that the server closed": {
			"limits timeout=1s\n" + after(`{"tools":{}}`, "io closed c2s server", askTools) + "3s tick\n",
			`tools/list #6 unanswered for 1 s → the server has closed its stdin, and reads no more requests: let it read until EOF`,
		},
		"an answer behind the limit": {
			"limits timeout=1s\n" + after(`{"tools":{}}`, askTools) + `1100ms c2s {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n" +
				`2200ms ` + listed(`[]`) + "\n",
			`tools/list #5 was answered 1.1 s after it was cancelled: it took 2.2 s, the limit was 1 s → answer within the limit, or send progress; a client that may wait longer needs a longer timeout (--timeout here)`,
		},
		"an error at the start": {
			"1ms proc start\n2ms s2c {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"API_KEY is missing\"}}\n3ms proc exit 1\n",
			`server sent an error with the id null: "API_KEY is missing" → echo the id of the request; what is wrong at the start, before any request, goes to stderr`,
		},
		"a result for initialized": {
			after(`{"tools":{}}`, askTools, `s2c {"jsonrpc":"2.0","id":null,"result":{}}`),
			`server sent a result with the id null → echo the id of the request, and do not answer notifications`,
		},
		"an error that is a string": {
			after(`{"tools":{}}`, askTools, `s2c {"jsonrpc":"2.0","id":1,"error":"boom"}`),
			`the error of the response to tools/list (id 1) is the string "boom", must be an object → send "error":{"code":-32603,"message":"…"}, with details in data`,
		},
		"an error without a code": {
			after(`{"tools":{}}`, askTools, `s2c {"jsonrpc":"2.0","id":1,"error":{"message":"token expired %d"}}`),
			`the error of the response to tools/list (id 1) has no code: "token expired %d" → send "error":{"code":-32603,"message":"…"}, with details in data`,
		},
		"structured_content": {
			after(`{"tools":{}}`, askTools, listed(`[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}]`), callTool, called(`{"content":[],"structured_content":{}}`)),
			`"echo": the tool has an outputSchema, but its result has no structuredContent (there is structured_content) → return structuredContent, or remove outputSchema from the tool`,
		},
		"tool/list": {
			after(`{"tools":{}}`, `c2s {"jsonrpc":"2.0","id":1,"method":"tool/list"}`),
			`client sent tool/list, which no revision defines → did you mean tools/list?`,
		},
		"Echo": {
			after(`{"tools":{}}`, askTools, listed(`[{"name":"echo","inputSchema":{"type":"object"}}]`),
				`c2s {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"Echo"}}`, `s2c {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown tool"}}`),
			`"Echo" is not in the last tools/list, which was complete → did you mean echo?`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range analyze(number(parseConversation(t, tt.story).raw())).Findings() {
				if got = append(got, f.Message+" → "+f.Hint); got[len(got)-1] == tt.want {
					return
				}
			}
			if tt.want != "" || len(got) > 0 {
				t.Errorf("it says\n\t%s\nnot\n\t%s", strings.Join(got, "\n\t"), tt.want)
			}
		})
	}
}
