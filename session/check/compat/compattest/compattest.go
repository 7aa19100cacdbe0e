package compattest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"wiretea/session/check/compat"
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

// Example returns an example of a fault, terminators included: a response to
// a request of f.In() with that id, which is a number; else a line between
// messages. It is nil if the fault is that nothing is written.
func Example(f compat.Fault, id string) []byte {
	if line, ok := between[f]; ok {
		return []byte(line + "\n")
	}
	if f >= compat.ProbeExit {
		return nil
	}
	text := string(Healthy(f.In(), id))
	with := func(old, replacement string) []byte { return []byte(strings.Replace(text, old, replacement, 1) + "\n") }
	if change, ok := changes[f]; ok {
		return with(change[0], change[1])
	}
	switch f {
	case compat.CRLF:
		return []byte(text + "\r\n")
	case compat.NoNewline:
		return []byte(text)
	case compat.ContentLength:
		return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(text), text)
	case compat.Batch:
		return []byte("[" + text + "]\n")
	case compat.ByteOrderMark:
		return []byte("\xEF\xBB\xBF" + text + "\n")
	case compat.TrailingBytes:
		return []byte(text + " done\n")
	case compat.IDType:
		return with(`"id":`+id, `"id":"`+id+`"`)
	case compat.NullID:
		return with(`"id":`+id, `"id":null`)
	case compat.LongLine:
		return with(`"name"`, `"description":"`+strings.Repeat("tea ", (compat.LongLineBytes+1<<20)/4)+`","name"`)
	case compat.OtherNumber:
		return with(`"id":`+id, `"id":`+id+`.0`)
	case compat.FinalLine:
		return []byte(text)
	case compat.TwoMessages:
		return []byte(text + changed + "\n")
	case compat.UTF16:
		var wide []byte
		for _, c := range []byte(text + "\n") {
			wide = append(wide, c, 0)
		}
		return wide
	case compat.Deep:
		return with(`"name"`, `"_meta":{"tea":`+strings.Repeat("[", compat.DeepLevels)+strings.Repeat("]", compat.DeepLevels)+`},"name"`)
	case compat.ManyLines:
		var out bytes.Buffer
		if json.Indent(&out, []byte(text), "", "  ") != nil {
			return nil
		}
		return append(out.Bytes(), '\n')
	}
	return nil
}

// between are examples of lines between messages.
var between = map[compat.Fault]string{
	compat.NotJSON:             "listening on stdio",
	compat.BlankLine:           "",
	compat.Scalar:              `"ready"`,
	compat.NotMessage:          `{"level":30,"time":1795168800000,"msg":"ready"}`,
	compat.ErrorNullID:         `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`,
	compat.ErrorNoID:           `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}`,
	compat.UnknownNotification: `{"jsonrpc":"2.0","method":"notifications/tea","params":{}}`,
	compat.UnknownToken:        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tea","progress":1}}`,
	compat.UnknownID:           `{"jsonrpc":"2.0","id":4711,"result":{}}`,
}

// changed is a healthy notification.
const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// changes are examples that differ from the healthy response in one place.
var changes = map[compat.Fault][2]string{
	compat.InvalidUTF8:      {`"echo"`, "\"ech\xff\""},
	compat.NotANumber:       {`"name"`, `"_meta":{"tea":NaN},"name"`},
	compat.BrokenAnswer:     {`"tools":[`, `"tools":[,`},
	compat.Interleaved:      {`"tools"`, `"to` + changed + `ols"`},
	compat.HalfPair:         {`"name"`, `"description":"tea \ud83c","name"`},
	compat.NoOutcome:        {`,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`, ``},
	compat.ErrorNull:        {`"result":`, `"error":null,"result":`},
	compat.ResultAndError:   {`"result":`, `"error":{"code":-32603,"message":"no tea"},"result":`},
	compat.UnknownKey:       {`"result":`, `"duration":3,"result":`},
	compat.NoVersion:        {`"jsonrpc":"2.0",`, ``},
	compat.OtherVersion:     {`"2.0"`, `"1.0"`},
	compat.RevisionUnknown:  {`2025-11-25`, `2025-09-31`},
	compat.NoServerInfo:     {`,"serverInfo":{"name":"tea","version":"1"}`, ``},
	compat.NoCapabilities:   {`"capabilities":{"tools":{}},`, ``},
	compat.NullCursor:       {`"tools":`, `"nextCursor":null,"tools":`},
	compat.NoInputSchema:    {`,"inputSchema":{"type":"object"}`, ``},
	compat.NullInputSchema:  {`{"type":"object"}`, `null`},
	compat.EmptyInputSchema: {`{"type":"object"}`, `{}`},
	compat.NoContent:        {`"content":[{"type":"text","text":"tea"}]`, ``},
	compat.UnknownContent:   {`"type":"text"`, `"type":"tea"`},
}
