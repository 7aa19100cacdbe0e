package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"wiretea/session/mcp"
)

// Healthy returns a response without faults and without a terminator. id is the
// request's, as on the wire; for a method that is not in the table the result
// is empty.
func Healthy(method, id string) []byte {
	result := `{}`
	switch method {
	case mcp.Initialize:
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tea","version":"1"}}`
	case mcp.ToolsList:
		result = `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
	case mcp.ToolsCall:
		result = `{"content":[{"type":"text","text":"tea"}]}`
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// Example returns an example of the fault, terminators included: a response to
// a request of Fault.In with that id, which is a number; else a line between
// messages. It is nil if the fault is that nothing is written.
func (f Fault) Example(id string) []byte {
	if line, ok := between[f]; ok {
		return []byte(line + "\n")
	}
	if f >= ProbeExit {
		return nil
	}
	text := string(Healthy(f.In(), id))
	with := func(old, replacement string) []byte { return []byte(strings.Replace(text, old, replacement, 1) + "\n") }
	if change, ok := changes[f]; ok {
		return with(change[0], change[1])
	}
	switch f {
	case CRLF:
		return []byte(text + "\r\n")
	case NoNewline:
		return []byte(text)
	case ContentLength:
		return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(text), text)
	case Batch:
		return []byte("[" + text + "]\n")
	case ByteOrderMark:
		return []byte("\xEF\xBB\xBF" + text + "\n")
	case TrailingBytes:
		return []byte(text + " done\n")
	case IDType:
		return with(`"id":`+id, `"id":"`+id+`"`)
	case NullID:
		return with(`"id":`+id, `"id":null`)
	case LongLine:
		return with(`"name"`, `"description":"`+strings.Repeat("tea ", (LongLineBytes+1<<20)/4)+`","name"`)
	case ManyLines:
		var out bytes.Buffer
		if json.Indent(&out, []byte(text), "", "  ") != nil {
			return nil
		}
		return append(out.Bytes(), '\n')
	}
	return nil
}

// between are examples of lines between messages.
var between = map[Fault]string{
	NotJSON:             "listening on stdio",
	BlankLine:           "",
	Scalar:              `"ready"`,
	NotMessage:          `{"level":30,"time":1795168800000,"msg":"ready"}`,
	ErrorNullID:         `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`,
	ErrorNoID:           `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}`,
	UnknownNotification: `{"jsonrpc":"2.0","method":"notifications/tea","params":{}}`,
	UnknownToken:        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tea","progress":1}}`,
	UnknownID:           `{"jsonrpc":"2.0","id":4711,"result":{}}`,
}

// changes are examples that differ from the healthy response in one place.
var changes = map[Fault][2]string{
	InvalidUTF8:      {`"echo"`, "\"ech\xff\""},
	ErrorNull:        {`"result":`, `"error":null,"result":`},
	ResultAndError:   {`"result":`, `"error":{"code":-32603,"message":"no tea"},"result":`},
	UnknownKey:       {`"result":`, `"duration":3,"result":`},
	NoVersion:        {`"jsonrpc":"2.0",`, ``},
	OtherVersion:     {`"2.0"`, `"1.0"`},
	RevisionUnknown:  {`2025-11-25`, `2025-09-31`},
	NoServerInfo:     {`,"serverInfo":{"name":"tea","version":"1"}`, ``},
	NoCapabilities:   {`"capabilities":{"tools":{}},`, ``},
	NullCursor:       {`"tools":`, `"nextCursor":null,"tools":`},
	NoInputSchema:    {`,"inputSchema":{"type":"object"}`, ``},
	NullInputSchema:  {`{"type":"object"}`, `null`},
	EmptyInputSchema: {`{"type":"object"}`, `{}`},
	NoContent:        {`"content":[{"type":"text","text":"tea"}]`, ``},
	UnknownContent:   {`"type":"text"`, `"type":"tea"`},
}
