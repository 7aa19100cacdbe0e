package features

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/text"
)

var Tools = rule.Family{
	Name:  "tools",
	Title: "Tools",
	Rules: []*rule.Rule{
		toolNameFormat, duplicateToolName, invalidInputSchema, invalidOutputSchema, schemaDoesNotCompile, requiredNotProperty, schemaRemoteRef,
		missingStructuredContent, structuredContentMismatch, structuredContentNotObject, missingTextFallback,
		argumentsNotObject, argumentsMismatch, unlistedToolCalled, validationAsProtocolError,
	},
	New: func() session.Checker { return &toolsConn{} },
}

var (
	toolNameRefs = []rule.Ref{{Until: mcp.V3, Page: "server/tools", Anchor: "tool"}, {Since: mcp.V4, Page: "server/tools", Anchor: "tool-names"}}
	toolRefs     = []rule.Ref{{Page: "server/tools", Anchor: "tool"}}
	outputRefs   = []rule.Ref{{Since: mcp.V3, Page: "server/tools", Anchor: "output-schema"}}
	fallbackRefs = []rule.Ref{{Since: mcp.V3, Page: "server/tools", Anchor: "structured-content"}}
	callRefs     = []rule.Ref{{Page: "server/tools", Anchor: "calling-tools"}}
	dialectRefs  = []rule.Ref{{Until: mcp.V3, Page: "server/tools", Anchor: "tool"}, {Since: mcp.V4, Page: "basic", Anchor: "json-schema-usage"}}
)

var toolNameFormat = &rule.Rule{
	ID:       "tool-name-format",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "tool name with invalid characters or length",
	Explain: "From 2025-11-25 on, names should have 1 to 128 characters: A–Z, a–z, 0–9, underscore, hyphen and dot. Earlier revisions set no limit, so the " +
		"severity is info. Hosts pass the names to model APIs, which reject other names, usually together with all other tools.",
	Hint: "use only letters, digits, _, - and ., at most 128 of them; put the display name into title",
	Refs: toolNameRefs,
}

var duplicateToolName = &rule.Rule{
	ID:       "duplicate-tool-name",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "duplicate name in a listing",
	Explain: "A tool is called by its name, so of two tools with one name one can never be called. The same holds for two prompts of one name, and for two " +
		"resources of one URI on a page. From 2025-11-25 on, the specification says that names " +
		"should be unique within a server. All pages of a listing count. A tool that an earlier page had unchanged is item-on-two-pages.",
	Hint: "make names unique, for example with a prefix for each module",
	Refs: toolNameRefs,
}

var invalidInputSchema = &rule.Rule{
	ID:       "invalid-input-schema",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "inputSchema must be a schema of type object",
	Explain: `Every tool has an inputSchema, a JSON object with "type":"object", in every revision, even if the tool takes no arguments. Clients validate ` +
		"the whole list at once: most official SDKs reject all tools because of one schema that is missing, null or of another type.",
	Hint: `use {"type":"object"} at the root; move a union or a reference into a property`,
	Refs: toolRefs,
}

var invalidOutputSchema = &rule.Rule{
	ID:       "invalid-output-schema",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V3,
	Title:    "outputSchema must be a schema of type object",
	Explain: `An outputSchema is a JSON object; up to 2025-11-25 with "type":"object", because structuredContent is an object there. It may be absent but ` +
		"not null. Clients validate the whole list at once and reject all tools because of one schema.",
	Hint: `use "type":"object" at the root, or omit outputSchema; configure the serializer to omit unset fields`,
	Refs: outputRefs,
}

var schemaDoesNotCompile = &rule.Rule{
	ID:       "schema-does-not-compile",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "invalid JSON Schema",
	Explain: "From 2025-11-25 on, schemas must be valid in the dialect that they name, or in 2020-12 if they name none; earlier revisions leave the dialect " +
		"open. Only constructs that no dialect from draft-06 on " +
		"allows are reported: unknown types, a required that is not an array, references that cannot be resolved. Clients that compile the schema " +
		"fail, some of them for the whole list.",
	Hint: "compile every schema in a test, with a validator for its dialect",
	Refs: dialectRefs,
}

var requiredNotProperty = &rule.Rule{
	ID:       "required-not-a-property",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "required argument of a tool is not among its properties",
	Explain: "The root of an inputSchema requires an argument that its properties do not have. Nothing says what the argument is, so models and forms leave " +
		"it out, and servers that validate then reject every call. The API of Gemini rejects the schema, and with it the request with all tools. A schema that " +
		"can have further properties on purpose, through additionalProperties, patternProperties, references or combinations, is not reported.",
	Hint: "add the argument to properties, or remove its name from required",
	Refs: toolRefs,
}

var schemaRemoteRef = &rule.Rule{
	ID:       "schema-remote-ref",
	Alone:    true,
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "tool schema refers to a remote URL",
	Explain: "Clients must not fetch the target of a $ref on their own, so the reference is not resolved: arguments cannot be validated, or the tool is " +
		"rejected. Before 2026-07-28 the specification does not say so, and the severity is info. wiretea does not fetch anything either.",
	Hint: "move the schema into $defs and refer to it there",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic", Anchor: "json-schema-usage"}},
}

var missingStructuredContent = &rule.Rule{
	ID: "missing-structured-content", Severity: session.Error, Fault: rule.Server, Since: mcp.V3,
	Title: "tool with an outputSchema returns no structuredContent",
	Explain: "A tool that lists an outputSchema must return structuredContent in every complete result that is not an error. Clients of the TypeScript " +
		"and Python SDKs report an error instead of the result. Requests for input and tasks are exempt.",
	Hint: "return structuredContent, or remove outputSchema from the tool",
	Refs: outputRefs,
}

var structuredContentMismatch = &rule.Rule{
	ID: "structured-content-mismatch", Severity: session.Error, Fault: rule.Server, Since: mcp.V3,
	Title: "structuredContent does not match the tool's outputSchema",
	Explain: "structuredContent must conform to the schema that was listed most recently before the call. Clients validate it and report an error instead " +
		"of the result. In a result with isError it is a warning, because the specification leaves it open and clients differ. Formats are not " +
		"checked, nor anything that the schema's dialect leaves undefined. When calls come in large numbers, only samples are checked.",
	Hint: "fix the handler or the schema; omit structuredContent in results with isError",
	Refs: outputRefs,
}

var structuredContentNotObject = &rule.Rule{
	ID: "structured-content-not-object", Severity: session.Error, Fault: rule.Server, Since: mcp.V3, Until: mcp.V4,
	Title: "structuredContent must be an object",
	Explain: "Up to 2025-11-25, structuredContent is a JSON object, or absent. Clients that validate it reject the result if it is an array, a string or " +
		"null. From 2026-07-28 on, any value is allowed.",
	Hint: `wrap the value: {"items":[…]}; configure the serializer to omit unset fields`,
	Refs: fallbackRefs,
}

var missingTextFallback = &rule.Rule{
	ID: "missing-text-fallback", Severity: session.Info, Fault: rule.Server, Since: mcp.V3,
	Title: "structuredContent without text content",
	Explain: "For clients that do not support structuredContent, a tool should also return its JSON as a text block. Many hosts pass only the content to " +
		"the model, which then sees an empty result.",
	Hint: "return the same JSON as a text block in content",
	Refs: fallbackRefs,
}

var argumentsNotObject = &rule.Rule{
	ID:       "arguments-not-object",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Client,
	Title:    "arguments must be an object",
	Explain: "The arguments of a tool call or a prompt are a JSON object, or absent. Servers reject null, an array or a string; a string is usually JSON " +
		"that was encoded twice.",
	Hint: "send {} or omit arguments; decode a model's output before sending it",
	Refs: callRefs,
}

var argumentsMismatch = &rule.Rule{
	ID: "arguments-mismatch", Severity: session.Warning, Fault: rule.Client,
	Title: "arguments do not match the tool's inputSchema",
	Explain: "The arguments are validated with the most recently listed schema, unless the list has changed since. Servers that validate reject the call; " +
		"others fail in their own way. Formats are not checked, nor anything that the schema's dialect leaves undefined. Calls composed by a user are " +
		"not reported. When calls come in large numbers, only samples are checked.",
	Hint: "validate a model's output before calling; list the tools again after list_changed",
	Refs: callRefs,
}

var unlistedToolCalled = &rule.Rule{
	ID: "unlisted-tool-called", Severity: session.Info, Fault: rule.Client,
	Title: "call of an unlisted tool failed",
	Explain: "The whole list was read and has not changed since, and the tool is not in it. The client has the name from elsewhere: an older list, another " +
		"server, or a model's invention. An unlisted tool that returns a result is not reported.",
	Hint: "call only tools from the last tools/list; list again after list_changed and after a restart",
}

var validationAsProtocolError = &rule.Rule{
	ID: "validation-as-protocol-error", Severity: session.Info, Fault: rule.Server, Since: mcp.V4,
	Title: "invalid arguments were answered with a protocol error",
	Explain: "From 2025-11-25 on, arguments that do not match the schema are answered with an isError result: the model sees it and can retry, while hosts " +
		"usually do not show it a protocol error.",
	Hint: `return {"isError":true} with a text that explains what is wrong with the arguments`,
	Refs: []rule.Ref{{Since: mcp.V4, Page: "server/tools", Anchor: "error-handling"}},
}

// maxRefusals is how many calls with invalid arguments are stored until they
// are answered.
const maxRefusals = 64

// A refusal is an unanswered call with invalid arguments.
type refusal struct {
	row uint32
	id  string
}

// Check implements session.Checker.
func (c *toolsConn) Check(ev *session.Event, r session.Reporter) {
	if ev.Kind != session.MessageSeen || ev.Method == nil {
		return
	}
	fromClient := ev.Exchange != nil && ev.Exchange.Sender == session.C2S
	switch name := ev.Method.Name; {
	case name == mcp.ToolsList && fromClient:
		c.list(ev, r)
	case name == mcp.ToolsCall && fromClient:
		c.call(ev, r)
	case name == mcp.PromptsGet && ev.Message.Kind == jsonrpc.Request:
		objectArguments(ev, r)
	case name == mcp.ToolsListChangedNotification && ev.Frame.Stream == session.S2C:
		c.change(ev.T)
	}
}

func (c *toolsConn) list(ev *session.Event, r session.Reporter) {
	switch ev.Message.Kind {
	case jsonrpc.Request:
		c.asked.request(ev, false)
	case jsonrpc.Result:
		if rule.IsAnswer(ev) {
			c.page(ev, r)
		}
	case jsonrpc.Error:
		c.asked.take(ev)
	}
}

func (c *toolsConn) call(ev *session.Event, r session.Reporter) {
	c.Call()
	switch kind := ev.Message.Kind; {
	case kind == jsonrpc.Request:
		if objectArguments(ev, r) {
			c.arguments(ev, r)
		}
	case kind == jsonrpc.Result && rule.IsAnswer(ev):
		c.result(ev, r)
	case kind == jsonrpc.Error && rule.IsAnswer(ev):
		c.refusedCall(ev, r)
	}
}

// objectArguments reports whether the arguments of a request are an object, or
// absent.
func objectArguments(ev *session.Event, r session.Reporter) bool {
	arguments := ev.Message.Field(jsonrpc.ParamArguments)
	if arguments.Type == jsonrpc.Object || arguments.Type == jsonrpc.Absent {
		return true
	}
	if !rule.ByHand(ev) {
		r.Report(argumentsNotObject.At(ev, "the arguments of %s are %s, must be an object", ev.Method.Name, rule.TypeName(arguments.Type)).Keyed(ev.Method.Name))
	}
	return false
}

// arguments validates the arguments of a call.
func (c *toolsConn) arguments(ev *session.Event, r session.Reporter) {
	t := c.current(ev)
	if t == nil || t.patient > ev.T || !rule.Unambiguous(ev.Message) {
		return
	}
	text := []byte("{}")
	if v := ev.Message.Field(jsonrpc.ParamArguments); v.Present() {
		text = rule.FieldText(ev, v)
	}
	wrong := c.Validate(&t.in, t.input, text)
	if wrong == nil {
		return
	}
	rule.Push(&c.refused, refusal{ev.Exchange.Req, ev.Exchange.ID}, maxRefusals)
	if rule.ByHand(ev) {
		return
	}
	f := argumentsMismatch.At(ev, "calling %s: %s %s", rule.Excerpt([]byte(t.name)), rule.PathText("arguments", wrong.Path), rule.Printable(wrong.Text))
	r.Report(f.Keyed(c.Key(t.name)))
}

// result judges the structuredContent of a result.
func (c *toolsConn) result(ev *session.Event, r session.Reporter) {
	c.answered(ev)
	v := rule.Version(ev)
	if !missingStructuredContent.In(v) {
		return
	}
	result := rule.ResultOf(ev)
	t := c.current(ev)
	if result == nil || (t == nil || t.output == nil) && !bytes.Contains(result, []byte("structuredContent")) {
		return
	}
	structured := lex.Get(result, "structuredContent")
	isError := string(lex.Get(result, "isError")) == "true"
	key := c.Key(ev.Exchange.Target)
	say := func(broken *rule.Rule, format string, args ...any) {
		f := broken.At(ev, "%s: %s", rule.Excerpt([]byte(ev.Exchange.Target)), fmt.Sprintf(format, args...)).Keyed(key)
		if broken == structuredContentMismatch && isError {
			f.Severity = session.Warning
		}
		r.Report(f)
	}
	switch {
	case structured == nil:
		if t != nil && t.output != nil && jsonrpc.TypeOf(t.output) == jsonrpc.Object && !isError {
			there, _ := rule.Instead(result, "structuredContent")
			say(missingStructuredContent, "the tool has an outputSchema, but its result has no structuredContent%s", there)
		}
		return
	case structuredContentNotObject.In(v) && jsonrpc.TypeOf(structured) != jsonrpc.Object:
		r.Report(structuredContentNotObject.AtMember(ev, []string{"CallToolResult.structuredContent"}, "%s: structuredContent is %s, must be an object",
			rule.Excerpt([]byte(ev.Exchange.Target)), rule.TypeName(jsonrpc.TypeOf(structured))).Keyed(key))
		return
	}
	if !isError && !hasText(lex.Get(result, "content")) {
		say(missingTextFallback, "the result has structuredContent but no text block")
	}
	if t == nil || jsonrpc.TypeOf(t.output) != jsonrpc.Object {
		return
	}
	if wrong := c.Validate(&t.out, t.output, structured); wrong != nil {
		say(structuredContentMismatch, "%s %s", rule.PathText("structuredContent", wrong.Path), rule.Printable(wrong.Text))
	}
}

// hasText reports whether content has a text block, or something whose type cannot be
// read, which other rules report.
func hasText(content []byte) bool {
	if jsonrpc.TypeOf(content) != jsonrpc.Array {
		return true
	}
	for _, block := range lex.Items(content) {
		switch kind := lex.Unquote(lex.Get(block, "type")); kind {
		case "image", "audio", "resource", "resource_link":
		default:
			return true
		}
	}
	return false
}

// answered removes a call with invalid arguments, and reports whether it was
// one.
func (c *toolsConn) answered(ev *session.Event) bool {
	n := len(c.refused)
	c.refused = slices.DeleteFunc(c.refused, func(w refusal) bool { return w.row == ev.Exchange.Req && w.id == ev.Exchange.ID })
	return len(c.refused) < n
}

// refusedCall judges a call that was answered with an error.
func (c *toolsConn) refusedCall(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	misfit := c.answered(ev)
	code := string(ev.Message.Field(jsonrpc.ErrorCode).Raw)
	switch {
	case misfit && code == "-32602" && c.current(ev) != nil && validationAsProtocolError.In(rule.Version(ev)) && !unknownTool(ev):
		f := validationAsProtocolError.At(ev, "%s: arguments that do not match inputSchema were answered with the error -32602", rule.Excerpt([]byte(x.Target)))
		r.Report(f.Keyed(c.Key(x.Target)))
	case c.whole != nil && len(c.lists) == 0 && !ev.Conn.Gaps[session.S2C] && c.whole.began < x.ReqT && c.whole.names[x.Target].page == 0 && !rule.ByHand(ev) && (code == "-32602" || code == "-32601") && rule.WholeName(x.Target):
		f := unlistedToolCalled.At(ev, "%s is not in the last tools/list, which was complete", rule.Excerpt([]byte(x.Target)))
		if like := text.Near(x.Target, slices.Sorted(maps.Keys(c.whole.names))); like != "" {
			f.Hint = "did you mean " + rule.Printable(like) + "?"
		}
		r.Report(f.Keyed(c.Key(x.Target)).AtRow(x.Req))
	}
}

// unknownTool reports whether an error says that the tool does not exist.
func unknownTool(ev *session.Event) bool {
	said := strings.ToLower(string(ev.Message.Field(jsonrpc.ErrorMessage).Raw))
	return strings.Contains(said, "unknown tool") || strings.Contains(said, "not found") || strings.Contains(said, "no such")
}

// nameFault says why a tool name is invalid.
func nameFault(name string) string {
	switch {
	case name == "":
		return "the name is empty"
	case len(name) > 128:
		return fmt.Sprintf("the name has %d bytes, the maximum is 128", len(name))
	}
	for _, c := range name {
		if c >= 0x80 || !rule.IsNameByte(byte(c)) {
			return "the name contains " + strings.Trim(rule.Excerpt([]byte(strconv.QuoteRune(c))), `"`)
		}
	}
	return ""
}
