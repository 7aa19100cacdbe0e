package content

import (
	"bytes"
	"cmp"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/ui/format"
)

// A value is a JSON value as it was written; nil for none.
type value []byte

func (v value) get(name string) value { return lex.Get(v, name) }
func (v value) present() bool         { return len(v) > 0 && !bytes.Equal(v, []byte("null")) }
func (v value) object() bool          { return len(v) > 0 && v[0] == '{' }
func (v value) array() bool           { return len(v) > 0 && v[0] == '[' }

// text is a string's text, verbatim; empty for any other value.
func (v value) text() string {
	if len(v) == 0 || v[0] != '"' {
		return ""
	}
	return lex.Unquote(v)
}

// words is a string's text, or another value as it was written, on one safe line.
func (v value) words() string {
	if len(v) > 0 && v[0] == '"' {
		return format.OneLine(v.text())
	}
	return format.Visible(lex.AppendCompact(nil, v), 400)
}

// items are the items of an array; one value that is none is its only item.
func (v value) items() []value {
	if !v.array() {
		if v.present() {
			return []value{v}
		}
		return nil
	}
	var all []value
	for _, item := range lex.Items(v) {
		all = append(all, item)
	}
	return all
}

// readers read the parameters of a request or a notification, and the result of a
// response, by method.
var readers = map[string]struct{ params, result func(value) []Block }{
	mcp.Initialize:             {peerSays, peerSays},
	mcp.ServerDiscover:         {nil, peerSays},
	mcp.ToolsList:              {nil, catalogue("tools")},
	mcp.PromptsList:            {nil, catalogue("prompts")},
	mcp.ResourcesList:          {nil, catalogue("resources")},
	mcp.ResourcesTemplatesList: {nil, catalogue("resourceTemplates")},
	mcp.RootsList:              {nil, catalogue("roots")},
	mcp.TasksList:              {nil, catalogue("tasks")},
	mcp.ToolsCall:              {arguments, toolResult},
	mcp.TasksResult:            {nil, toolResult},
	mcp.PromptsGet:             {arguments, prompt},
	mcp.ResourcesRead:          {nil, resources},
	mcp.CompletionComplete:     {nil, completion},
	mcp.SamplingCreateMessage:  {sampling, sampled},
	mcp.ElicitationCreate:      {elicitation, elicited},
	mcp.LogNotification:        {logged, nil},
}

// Has reports whether messages of a method have content to lay out, before any of them
// is read. An error response always has.
func Has(method string, isError bool) bool {
	_, known := readers[method]
	return known || isError
}

// Read reads an exchange, or a notification with no response, into its blocks. response
// is nil where there is none yet.
func Read(request, response []byte, method string) *Document {
	return &Document{Blocks: read(request, response, method)}
}

func read(request, response []byte, method string) []Block {
	r := readers[method]
	var blocks []Block
	if params := value(request).get("params"); r.params != nil && params.present() {
		blocks = append(blocks, r.params(params)...)
	}
	if fault := value(response).get("error"); fault.present() {
		return append(blocks, errorBlock(fault))
	}
	if result := value(response).get("result"); r.result != nil && result.present() {
		blocks = append(blocks, r.result(result)...)
	}
	return blocks
}

// arguments are the arguments of a call.
func arguments(params value) []Block {
	args := params.get("arguments")
	title := strings.TrimSpace("arguments of " + params.get("name").words())
	if !args.object() || !hasMembers(args) {
		return []Block{{Title: "no " + title}}
	}
	return []Block{{Title: title, draw: func(l *layout) { l.members("  ", args, 0) }}}
}

func hasMembers(v value) bool {
	for range lex.Members(v) {
		return true
	}
	return false
}

// toolResult is the result of a tool: its content, then the structured one.
func toolResult(result value) []Block {
	var blocks []Block
	failed := string(result.get("isError")) == "true"
	for _, item := range result.get("content").items() {
		b := contentBlock(item)
		b.Bad = failed
		blocks = append(blocks, b)
	}
	if failed {
		notes := "the model is told that the tool failed"
		if len(blocks) == 0 {
			blocks = append(blocks, Block{Title: "tool error without content", Bad: true})
		}
		blocks[0].Title = "tool error · " + blocks[0].Title
		blocks[0].Notes = strings.TrimPrefix(blocks[0].Notes+" · "+notes, " · ")
	}
	if s := result.get("structuredContent"); s.present() {
		blocks = append(blocks, structured(s, result.get("content")))
	}
	if len(blocks) == 0 {
		blocks = append(blocks, Block{Title: "no content", draw: func(l *layout) { l.members("  ", withoutMeta(result), 0) }})
	}
	return blocks
}

// prompt is the result of prompts/get: a conversation.
func prompt(result value) []Block {
	var blocks []Block
	if d := result.get("description"); d.present() {
		blocks = append(blocks, Block{Title: d.words()})
	}
	return append(blocks, messages(result.get("messages"))...)
}

// messages are the messages of a conversation, with their roles.
func messages(list value) []Block {
	var blocks []Block
	for _, m := range list.items() {
		role := m.get("role").words()
		for _, item := range m.get("content").items() {
			b := contentBlock(item)
			b.Title = strings.TrimSuffix(role+" · "+b.Title, " · ")
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// resources is the result of resources/read.
func resources(result value) []Block {
	var blocks []Block
	for _, item := range result.get("contents").items() {
		blocks = append(blocks, resourceBlock(item, ""))
	}
	if len(blocks) == 0 {
		return []Block{{Title: "no contents"}}
	}
	return blocks
}

// completion is the result of completion/complete.
func completion(result value) []Block {
	c := result.get("completion")
	var values []string
	for _, v := range c.get("values").items() {
		values = append(values, v.words())
	}
	notes := c.get("total").words()
	if notes != "" {
		notes = "of " + notes
	}
	if string(c.get("hasMore")) == "true" {
		notes = strings.TrimSpace(notes + " · there are more")
	}
	return []Block{{Title: format.Plural(int64(len(values)), "completion"), Notes: notes, draw: func(l *layout) {
		for _, v := range values {
			l.wrap(nil, "  ", Part{Text: v})
		}
	}}}
}

// sampling is the request for a message of the client's model.
func sampling(params value) []Block {
	var blocks []Block
	if system := params.get("systemPrompt").text(); system != "" {
		blocks = append(blocks, textBlock("system prompt", system, "", ""))
	}
	blocks = append(blocks, messages(params.get("messages"))...)
	blocks = append(blocks, Block{Title: "what the model is asked for", draw: func(l *layout) {
		for key, v := range lex.Members(params) {
			switch name := lex.Unquote(key); name {
			case "messages", "systemPrompt", "_meta", "task":
			case "tools":
				l.fact("  ", "tools", Plain, names(v))
			default:
				l.fact("  ", format.OneLine(name), Plain, value(v).words())
			}
		}
	}})
	return blocks
}

// names are the names of a list's items.
func names(list value) string {
	var all []string
	for _, item := range list.items() {
		all = append(all, item.get("name").words())
	}
	return strings.Join(all, ", ")
}

// sampled is the message of the client's model.
func sampled(result value) []Block {
	blocks := messages(value(lex.AppendObject(nil, lex.Member{Name: "role", Value: orNull(result.get("role"))}, lex.Member{Name: "content", Value: orNull(result.get("content"))})))
	if len(blocks) == 0 {
		return []Block{{Title: "no message"}}
	}
	blocks[0].Notes = strings.Trim(blocks[0].Notes+" · "+result.get("model").words()+" · "+result.get("stopReason").words(), " ·")
	return blocks
}

func orNull(v value) []byte {
	if v == nil {
		return []byte("null")
	}
	return v
}

// elicitation is a question to the person at the client, as the form they see.
func elicitation(params value) []Block {
	notes := "form"
	if url := params.get("url").text(); url != "" {
		notes = "opens a URL"
	}
	return []Block{{Title: "the person is asked", Notes: notes, draw: func(l *layout) {
		l.plain("  ", Strong, params.get("message").text())
		if url := params.get("url").text(); url != "" {
			l.wrap(nil, "  ", Part{Ink: Link, Text: visible(url)})
		}
		l.schema("  ", params.get("requestedSchema"))
	}}}
}

// elicited is the answer of the person.
func elicited(result value) []Block {
	b := Block{Title: "the person chose: " + cmp.Or(result.get("action").words(), "nothing")}
	if c := result.get("content"); c.object() {
		b.draw = func(l *layout) { l.members("  ", c, 0) }
	}
	return []Block{b}
}

// logged is a log message.
func logged(params value) []Block {
	level, data := params.get("level").words(), params.get("data")
	b := Block{Title: strings.TrimSpace(level + " " + params.get("logger").words())}
	switch level {
	case "error", "critical", "alert", "emergency":
		b.Bad = true
	}
	if text := data.text(); text != "" {
		b.draw = func(l *layout) { l.text("  ", text, "") }
	} else {
		b.draw = func(l *layout) { l.json("  ", data) }
	}
	return []Block{b}
}

// errorBlock is an error response: its code in words, its message and its data.
func errorBlock(fault value) Block {
	code := string(bytes.TrimSpace(fault.get("code")))
	return Block{Title: strings.TrimSpace("error " + format.Visible([]byte(code), 20)), Notes: codeWords(code), Bad: true, draw: func(l *layout) {
		l.plain("  ", Strong, fault.get("message").text())
		switch data := fault.get("data"); {
		case data.text() != "":
			l.text("  ", data.text(), languageOf("", "", data.text()))
		case data.present():
			l.json("  ", data)
		}
	}}
}

// codeWords is what JSON-RPC and MCP say of an error's code; empty for a code of the
// server's own.
func codeWords(code string) string {
	switch code {
	case "-32700":
		return "parse error: the message was not JSON"
	case "-32600":
		return "invalid request: the JSON was not a JSON-RPC request"
	case "-32601":
		return "method not found"
	case "-32602":
		return "invalid params"
	case "-32603":
		return "internal error"
	case "-32002":
		return "resource not found"
	case "-32042":
		return "a URL must be visited first"
	}
	if len(code) == 6 && strings.HasPrefix(code, "-320") {
		return "a server error of its own"
	}
	return ""
}

// withoutMeta is an object without _meta.
func withoutMeta(v value) value {
	var members []lex.Member
	for key, m := range lex.Members(v) {
		if name := lex.Unquote(key); name != "_meta" {
			members = append(members, lex.Member{Name: name, Value: m})
		}
	}
	return lex.AppendObject(nil, members...)
}
