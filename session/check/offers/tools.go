package offers

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

var toolNameFormat = &rule.Rule{ID: "tool-name-format", Alone: true, Severity: session.Warning, Fault: rule.Server}
var duplicateToolName = &rule.Rule{ID: "duplicate-tool-name", Alone: true, Severity: session.Warning, Fault: rule.Server}
var invalidInputSchema = &rule.Rule{ID: "invalid-input-schema", Alone: true, Severity: session.Error, Fault: rule.Server}
var invalidOutputSchema = &rule.Rule{ID: "invalid-output-schema", Alone: true, Severity: session.Error, Fault: rule.Server, Since: mcp.V3}
var schemaDoesNotCompile = &rule.Rule{ID: "schema-does-not-compile", Alone: true, Severity: session.Error, Fault: rule.Server}
var requiredNotProperty = &rule.Rule{ID: "required-not-a-property", Alone: true, Severity: session.Warning, Fault: rule.Server}
var schemaRemoteRef = &rule.Rule{ID: "schema-remote-ref", Alone: true, Severity: session.Warning, Fault: rule.Server}
var missingStructuredContent = &rule.Rule{ID: "missing-structured-content", Severity: session.Error, Fault: rule.Server, Since: mcp.V3, NeedsAll: true}
var structuredContentMismatch = &rule.Rule{ID: "structured-content-mismatch", Severity: session.Error, Fault: rule.Server, Since: mcp.V3}
var structuredContentNotObject = &rule.Rule{ID: "structured-content-not-object", Severity: session.Error, Fault: rule.Server, Since: mcp.V3, Until: mcp.V4}
var missingTextFallback = &rule.Rule{ID: "missing-text-fallback", Severity: session.Info, Fault: rule.Server, Since: mcp.V3}
var argumentsNotObject = &rule.Rule{ID: "arguments-not-object", Alone: true, Severity: session.Error, Fault: rule.Client}
var argumentsMismatch = &rule.Rule{ID: "arguments-mismatch", Severity: session.Warning, Fault: rule.Client, NeedsAll: true}
var unlistedToolCalled = &rule.Rule{ID: "unlisted-tool-called", Severity: session.Info, Fault: rule.Client, NeedsAll: true}
var validationAsProtocolError = &rule.Rule{ID: "validation-as-protocol-error", Severity: session.Info, Fault: rule.Server, Since: mcp.V4}

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
