package content

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/text"
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
		return text.OneLine(v.text())
	}
	return text.Visible(lex.AppendCompact(nil, v), 400)
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

// all stands for all members of a value.
const all = "*"

// readers read the parameters of a request or a notification, and the result of a
// response, by method.
var readers = lazy.Value[map[string]struct {
	params, result func(value) []Block
	asks, says     string // asks and says are the members that they show.
	structured     bool   // structured: results have structured content.
}]{New: func() map[string]struct {
	params, result func(value) []Block
	asks, says     string // asks and says are the members that they show.
	structured     bool   // structured: results have structured content.
} {
	return map[string]struct {
		params, result func(value) []Block
		asks, says     string // asks and says are the members that they show.
		structured     bool   // structured: results have structured content.
	}{
		mcp.Initialize:             {params: peerSays, result: peerSays, asks: "protocolVersion clientInfo capabilities", says: "protocolVersion serverInfo capabilities instructions"},
		mcp.ServerDiscover:         {result: peerSays, says: "protocolVersion supportedVersions serverInfo capabilities instructions"},
		mcp.ToolsList:              {result: catalogue("tools"), says: "tools"},
		mcp.PromptsList:            {result: catalogue("prompts"), says: "prompts"},
		mcp.ResourcesList:          {result: catalogue("resources"), says: "resources"},
		mcp.ResourcesTemplatesList: {result: catalogue("resourceTemplates"), says: "resourceTemplates"},
		mcp.RootsList:              {result: catalogue("roots"), says: "roots"},
		mcp.TasksList:              {result: catalogue("tasks"), says: "tasks"},
		mcp.ToolsCall:              {params: arguments, result: toolResult, asks: "name arguments", says: "content structuredContent isError", structured: true},
		mcp.TasksGet:               {result: taskState, says: all},
		mcp.TasksResult:            {result: toolResult, says: "content structuredContent isError", structured: true},
		mcp.PromptsGet:             {params: arguments, result: prompt, asks: "name arguments", says: "description messages"},
		mcp.ResourcesRead:          {result: resources, says: "contents"},
		mcp.CompletionComplete:     {result: completion, says: "completion"},
		mcp.SamplingCreateMessage:  {params: sampling, result: sampled, asks: all, says: "role content model stopReason"},
		mcp.ElicitationCreate:      {params: elicitation, result: elicited, asks: "message url requestedSchema", says: "action content"},
		mcp.LogNotification:        {params: logged, asks: "level logger data"},
		mcp.ProgressNotification:   {params: progress, asks: "progressToken progress total message"},
	}
}}

// Has reports whether messages of a method have content to lay out, before any of them
// is read. An error response always has.
func Has(method string, isError bool) bool {
	_, known := readers.Get()[method]
	return known || isError
}

// A Message is what Read reads: an exchange, or a notification.
type Message struct {
	Method   string
	Request  []byte // Request is the request or the notification; nil where it is not known.
	Response []byte // Response is nil where there is none yet.

	// Schema is the outputSchema of the tool that was called, nil where none is known.
	Schema []byte

	// Log is the log around a log message, in the order of time, that one too; nil for other
	// messages.
	Log []LogEntry
}

// Structured reports whether a response has structured content, for which Read can use the
// tool's schema.
func Structured(response []byte) bool {
	return value(response).get("result").get("structuredContent").present()
}

// Read reads a message into its blocks. Members that no block shows are named at the end, folded.
func Read(m Message) *Document {
	r := readers.Get()[m.Method]
	var blocks []Block
	params := value(m.Request).get("params")
	if r.params != nil && params.present() {
		blocks = append(blocks, r.params(params)...)
	}
	rest := append(unshown("request", params, r.asks), others("also in the request", value(m.Request).without("", "jsonrpc id method params"))...)
	if fault := value(m.Response).get("error"); fault.present() {
		rest = append(rest, others("also in the response", value(m.Response).without("", "jsonrpc id error"))...)
		return &Document{Blocks: append(append(blocks, errorBlock(fault)), rest...)}
	}
	if result := value(m.Response).get("result"); r.result != nil && result.present() {
		says := r.says
		switch {
		case !result.object():
			blocks = append(blocks, Block{Title: "a result that is no object", draw: func(l *layout) { l.json("  ", result) }})
		case m.Method == mcp.Initialize:
			blocks = []Block{handshake(params, result)}
		case result.get("resultType").text() == "input_required":
			blocks, says = append(blocks, inputRequired(result)...), "inputRequests resultType"
		default:
			if r.structured && result.only("_meta resultType task") {
				says = all // They are shown in place of the content.
			}
			blocks = append(blocks, r.result(result)...)
		}
		if result.get("resultType").text() == "complete" {
			says += " resultType"
		}
		if s := result.get("structuredContent"); s.present() && r.structured {
			blocks = append(blocks, structured(s, result.get("content"), m.Schema))
		}
		rest = append(append(rest, unshown("response", result, says)...), others("also in the response", value(m.Response).without("", "jsonrpc id result"))...)
	}
	if len(m.Log) > 1 {
		rest = append(rest, logAround(m.Log))
	}
	return &Document{Blocks: append(blocks, rest...)}
}

// unshown are _meta and the members of parameters or a result that their blocks do not show.
func unshown(of string, v value, shown string) []Block {
	meta := others("_meta of the "+of, v.get("_meta"))
	if shown == all {
		return meta
	}
	return append(others("also in the "+of, v.without("", "_meta "+shown)), meta...)
}

// others is a block of an object that is folded at first.
func others(title string, v value) []Block {
	if !hasMembers(v) {
		return nil
	}
	return []Block{{draw: func(l *layout) { l.others("", title, v) }}}
}

// others adds an object that is folded at first. Its names stay in sight.
func (l *layout) others(indent, title string, v value) {
	var names []string
	for key := range lex.Members(v) {
		names = append(names, strings.TrimPrefix(text.OneLine(lex.Unquote(key)), "io.modelcontextprotocol/"))
	}
	if len(names) == 0 {
		return
	}
	l.folded++
	name := strconv.Itoa(l.folded) + title
	open := l.folding(name, false, func(open bool) {
		words := sign(open) + title
		if !open {
			words += ": " + strings.Join(names, ", ")
		}
		l.wrap(nil, indent, Part{Ink: Dim, Text: words})
	})
	if open {
		l.inside(name, func() { l.members(indent+"  ", v, 0) })
	}
}

// also has a block say, folded, which members of the value that it is about it does not show.
// texts are the names of members that it shows if they are strings, whole those of members that
// it shows whatever they are.
func (b Block) also(v value, texts, whole string) Block {
	draw := b.draw
	if rest := v.without(texts, whole); hasMembers(rest) {
		b.draw = func(l *layout) {
			if draw != nil {
				draw(l)
			}
			l.others("  ", "also", rest)
		}
	}
	return b
}

// without is an object without the members of also.
func (v value) without(texts, whole string) value {
	var members []lex.Member
	for key, m := range lex.Members(v) {
		name := lex.Unquote(key)
		if slices.Contains(strings.Fields(whole), name) || m[0] == '"' && slices.Contains(strings.Fields(texts), name) {
			continue
		}
		members = append(members, lex.Member{Name: name, Value: m})
	}
	return lex.AppendObject(nil, members...)
}

// only reports whether a value is absent, or an object without other members.
func (v value) only(names string) bool {
	return v == nil || v.object() && !hasMembers(v.without("", names))
}

// arguments are the arguments of a call.
func arguments(params value) []Block {
	args := params.get("arguments")
	title := "arguments"
	if name := params.get("name").words(); name != "" {
		title += " of " + name
	}
	if !args.object() || !hasMembers(args) {
		return []Block{{Title: title + ": none"}}
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
	if len(blocks) == 0 && !result.get("structuredContent").present() {
		blocks = append(blocks, Block{Title: "no content", draw: func(l *layout) { l.members("  ", result.without("", "_meta"), 0) }})
	}
	return blocks
}

// inputRequired is what the server asks for before it answers: InputRequiredResult in the
// schema of 2026-07-28.
func inputRequired(result value) []Block {
	blocks := []Block{{Title: "the server asks before it answers"}}
	for key, request := range lex.Members(result.get("inputRequests")) {
		method, params := value(request).get("method"), value(request).get("params")
		title := text.OneLine(lex.Unquote(key)) + " · " + method.words()
		var asked []Block
		r := readers.Get()[method.text()]
		if r.params != nil && params.present() {
			asked = r.params(params)
		}
		if len(asked) == 0 {
			asked = []Block{{}}
		}
		asked = append(append(asked, unshown("request", params, r.asks)...), others("also", value(request).without("", "method params"))...)
		asked[0].Title = strings.TrimSuffix(title+" · "+asked[0].Title, " · ")
		blocks = append(blocks, asked...)
	}
	return blocks
}

// taskState is how a task stands, with the result of its request where it has one.
func taskState(result value) []Block {
	b := Block{Title: strings.TrimSpace("task " + result.get("taskId").words()), Notes: result.get("status").words(), Bad: result.get("status").text() == "failed"}
	b.draw = func(l *layout) {
		l.plain("  ", Plain, result.get("statusMessage").text())
		for key, v := range lex.Members(result) {
			switch name := lex.Unquote(key); {
			case slices.Contains([]string{"taskId", "status", "statusMessage", "_meta", "resultType"}, name), (name == "result" || name == "error") && value(v).object():
			default:
				l.fact("  ", text.OneLine(name), Plain, value(v).words())
			}
		}
	}
	blocks := []Block{b}
	if inner := result.get("result"); inner.object() {
		blocks = append(append(blocks, toolResult(inner)...), others("also in the result", inner.without("", "content isError"))...)
	}
	if fault := result.get("error"); fault.object() {
		blocks = append(blocks, errorBlock(fault))
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
		if len(m.get("content").items()) == 0 {
			blocks = append(blocks, Block{Title: role + " · no content"})
		}
		blocks[len(blocks)-1] = blocks[len(blocks)-1].also(m, "role", "content")
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
	return []Block{Block{Title: text.Plural(int64(len(values)), "completion"), Notes: notes, draw: func(l *layout) {
		for _, v := range values {
			l.wrap(nil, "  ", Part{Text: v})
		}
	}}.also(c, "", "values total hasMore")}
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
			case "messages", "systemPrompt", "_meta":
			case "tools":
				l.fact("  ", "tools", Plain, names(v))
				l.others("  ", "all of", lex.AppendObject(nil, lex.Member{Name: name, Value: v}))
			default:
				l.fact("  ", text.OneLine(name), Plain, value(v).words())
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
		if asked := params.get("requestedSchema"); !l.schema("  ", asked) {
			l.others("  ", "the whole schema", asked)
		}
	}}}
}

// elicited is the answer of the person.
func elicited(result value) []Block {
	b := Block{Title: "the person chose: " + cmp.Or(result.get("action").words(), "nothing")}
	if c := result.get("content"); c.object() {
		b.draw = func(l *layout) { l.members("  ", c, 0) }
	} else if c.present() {
		b.draw = func(l *layout) { l.json("  ", c) }
	}
	return []Block{b}
}

// logged is a log message.
func logged(params value) []Block {
	level, data := params.get("level").words(), params.get("data")
	b := Block{Title: strings.TrimSpace(level + " " + params.get("logger").words())}
	b.Bad = levelInk(level) == Bad
	if text := data.text(); text != "" {
		b.draw = func(l *layout) { l.text("  ", text, "") }
	} else {
		b.draw = func(l *layout) { l.json("  ", data) }
	}
	return []Block{b}
}

// progress is how far a request has come.
func progress(params value) []Block {
	return []Block{{Title: "progress of " + params.get("progressToken").words(), draw: func(l *layout) {
		done, _ := strconv.ParseFloat(string(params.get("progress")), 64)
		total, _ := strconv.ParseFloat(string(params.get("total")), 64)
		l.put(Part{Text: "  "}, Part{Ink: Heading, Text: text.Progress(done, total, min(40, l.w-24))})
		l.plain("  ", Plain, params.get("message").text())
	}}}
}

// errorBlock is an error response: its code in words, its message and its data.
func errorBlock(fault value) Block {
	code := string(bytes.TrimSpace(fault.get("code")))
	return Block{Title: strings.TrimSpace("error " + text.Visible([]byte(code), 20)), Notes: codeWords(code), Bad: true, draw: func(l *layout) {
		l.plain("  ", Strong, fault.get("message").text())
		switch data := fault.get("data"); {
		case data.text() != "":
			l.text("  ", data.text(), languageOf("", "", data.text()))
		case data.present():
			l.json("  ", data)
		}
	}}.also(fault, "message", "code data")
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
		return "a code of the sender's own"
	}
	return ""
}
