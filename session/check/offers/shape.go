package offers

import (
	"fmt"
	"strings"

	"wiretea/session"
	"wiretea/session/check/compat"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/mcp/shape"
)

// shapesConn compares messages with the table of the protocol's types. What another
// rule reports is not reported again.
type shapesConn struct {
	rule.KeySet
	judge shape.Judge
}

// Check implements session.Checker.
func (c *shapesConn) Check(ev *session.Event, r session.Reporter) {
	if ev.Kind != session.MessageSeen || ev.Method == nil || ev.Frame.Stream == session.Stderr || ev.Frame.Stream == session.C2S && !rule.ByClient(ev) {
		return
	}
	is, text, v := rule.Shape(ev)
	if is == nil || !rule.Unambiguous(ev.Message) {
		return
	}
	for _, f := range c.judge.Faults(is, text) {
		c.report(ev, v, &f, r)
	}
}

// report reports a fault unless another rule does, with the clients that were measured
// to refuse the message. Of a member that the revision does not have nothing is
// reported if no client refuses it.
func (c *shapesConn) report(ev *session.Event, v mcp.Version, f *shape.Fault, r session.Reporter) {
	broken := owner(ev, v, f)
	var clients []string
	if ev.Frame.Stream == session.S2C {
		clients = compat.Refuse(v.Era(), ev.Method.Name, f)
	}
	if broken == nil || f.Foreign && len(clients) == 0 {
		return
	}
	what, key := ev.Method.Name, ev.Method.Name+" "+f.Any
	if x := ev.Exchange; x != nil && ev.Message.Kind == jsonrpc.Result && x.Target != "" {
		what += " " + rule.Excerpt([]byte(x.Target))
		if x.Method == mcp.ToolsCall || x.Method == mcp.PromptsGet {
			key += " " + c.Key(x.Target)
		}
	}
	found := broken.At(ev, "%s: %s", what, faultText(v, f)).Keyed(key)
	found.Breaks = clients
	if _, hint := rule.Renamed(f.Any[strings.LastIndexByte(f.Any, '.')+1:], f.Near); hint != "" {
		found.Hint = hint
	}
	if f.Place == "Tool.name" && f.Near == "function" {
		found.Hint = "this is OpenAI's format: send name, description and inputSchema at the top of the tool"
	}
	if inside := lex.Get(rule.SpanText(ev, ev.Message.Result), "error"); broken == missingContent && inside != nil {
		found.Message += "; it has error: " + rule.Excerpt(inside)
		found.Hint = `return the error instead of a result, at the top of the response, or "isError":true with a text in content`
	}
	switch {
	case f.Foreign, f.Class == shape.Misnamed, broken == nullMember && len(clients) == 0, broken == badBase64 && unpadded(f),
		broken == invalidMember && len(clients) == 0 && found.Fault == session.Server:
		found.Severity = session.Warning
	}
	r.Report(found)
}

func unpadded(f *shape.Fault) bool {
	_, padding := shape.Base64Fault(f.Raw)
	return padding
}

// faultText says what is wrong with a member.
func faultText(v mcp.Version, f *shape.Fault) string {
	path, got := rule.Printable(f.Path), rule.TypeName(f.Got)
	var text string
	switch {
	case f.Since != mcp.NoVersion:
		return fmt.Sprintf("%s is %s, which was added in %s; the session uses %s", path, rule.Short(f.Raw), f.Since, v)
	case f.Class == shape.Missing && f.Near != "", f.Class == shape.Misnamed:
		there, _ := rule.Renamed("", f.Near)
		text = path + " is absent" + there
	case f.Class == shape.BadFormat && f.Want == "base64":
		text = base64Text(path, f.Raw)
	case f.Class == shape.Neither:
		text = fmt.Sprintf("%s is not %s as a string", path, f.Want)
	case f.Class == shape.OutsideEnum || f.Class == shape.OutOfRange || f.Class == shape.NotInteger || f.Class == shape.BadFormat:
		text = fmt.Sprintf("%s is %s, must be %s", path, rule.Short(f.Raw), f.Want)
	default:
		text = fmt.Sprintf("%s is %s, must be %s", path, got, f.Want)
	}
	if f.Foreign {
		text += fmt.Sprintf("; %s has no such member, but clients read it", v)
	}
	if f.Count > 1 {
		text += fmt.Sprintf(" (%d times)", f.Count)
	}
	return text
}

// base64Text says where a string is not base64.
func base64Text(path string, raw []byte) string {
	at, padding := shape.Base64Fault(raw)
	if padding {
		return path + " lacks padding at its end"
	}
	from := max(0, at-12)
	return fmt.Sprintf("%s is not base64 at byte %d: %s", path, at, rule.Excerpt(raw[1+from:len(raw)-1]))
}

var nullMember = &rule.Rule{ID: "null-member", Alone: true, Severity: session.Error, NeedsAll: true}
var invalidMember = &rule.Rule{ID: "invalid-member", Alone: true, Severity: session.Error, NeedsAll: true}

// owner returns the rule that a fault belongs to, nil if the checker of another rule
// reports it.
func owner(ev *session.Event, v mcp.Version, f *shape.Fault) *rule.Rule {
	place, _, _ := strings.Cut(strings.TrimRight(f.Place, "[]{}"), "[")
	of, member, _ := strings.Cut(place, ".")
	if f.Class == shape.Misnamed {
		return invalidMember
	}
	if elsewhere.Get()[f.Place] && f.Class != shape.NotInteger && f.Class != shape.BadFormat || reportedElsewhere(ev, v, f, of, member) {
		return nil
	}
	if f.Class == shape.BadFormat && f.Want == "base64" {
		return badBase64
	}
	if ev.Message.Kind == jsonrpc.Result && ev.Frame.Stream == session.S2C && f.Required && !strings.HasPrefix(f.Any, "inputRequests") {
		switch r := owners.Get()[of]; {
		case f.Place == "CallToolResult.content[]", of == "ResourceContents" && ev.Method.Name != mcp.ResourcesRead:
			return contentBlockInvalid
		case r != nil:
			return r
		}
	}
	if f.Class == shape.Null && !f.Required {
		return nullMember
	}
	return invalidMember
}

// owners are the rules for required members of results, by type.
var owners = lazy.Value[map[string]*rule.Rule]{New: func() map[string]*rule.Rule {
	return map[string]*rule.Rule{
		"ListToolsResult": listInvalid, "Tool": listInvalid,
		"ListPromptsResult": listInvalid, "Prompt": listInvalid, "PromptArgument": listInvalid,
		"ListResourcesResult": listInvalid, "Resource": listInvalid,
		"ListResourceTemplatesResult": listInvalid, "ResourceTemplate": listInvalid,
		"CallToolResult": missingContent,
		"ContentBlock":   contentBlockInvalid, "TextContent": contentBlockInvalid, "ImageContent": contentBlockInvalid,
		"AudioContent": contentBlockInvalid, "ResourceLink": contentBlockInvalid, "EmbeddedResource": contentBlockInvalid,
		"ReadResourceResult": resourceContentsInvalid, "ResourceContents": resourceContentsInvalid,
		"GetPromptResult": promptResultInvalid, "PromptMessage": promptResultInvalid,
		"CompleteResult": completionResultInvalid, "Completion": completionResultInvalid,
	}
}}

// elsewhere are the places that other rules judge in every message.
var elsewhere = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{
		// initialize-missing-field
		"InitializeResult.protocolVersion": true, "InitializeResult.capabilities": true, "InitializeResult.serverInfo": true,
		// discover-shape
		"DiscoverResult.supportedVersions": true, "DiscoverResult.capabilities": true,
		// input-request-invalid
		"InputRequiredResult.inputRequests": true, "InputRequiredResult.inputRequests{}": true, "InputRequiredResult.requestState": true,
		"InputRequest.method": true, "CreateMessageRequest.params": true, "ElicitRequest.params": true, "ListRootsRequest.params": true,
		// sampling-shape
		"CreateMessageRequestParams.messages": true, "CreateMessageRequestParams.messages[]": true, "CreateMessageRequestParams.maxTokens": true,
		"SamplingMessage.role": true, "SamplingMessage.content": true,
		// missing-required-param, elicitation-url
		"ElicitRequestFormParams.message": true, "ElicitRequestFormParams.requestedSchema": true,
		"ElicitRequestURLParams.message": true, "ElicitRequestURLParams.url": true, "ElicitRequestURLParams.elicitationId": true,
		"ProgressParams.progress": true, "ResourceUpdatedParams.uri": true,
		"ElicitationCompleteParams.elicitationId": true, "AcknowledgedParams.notifications": true,
		// log-shape, invalid-log-level
		"LoggingParams.level": true, "LoggingParams.data": true,
		// root-not-file-uri, elicitation-result
		"ListRootsResult.roots": true, "ListRootsResult.roots[]": true, "Root.uri": true, "ElicitResult.action": true,
		// task-shape
		"CreateTaskResult.task": true,
		// elicitation-schema-complex
		"RequestedSchema.type": true, "RequestedSchema.properties{}": true,
	}
}}

// requested are the notifications that belong to a subscription.
var requested = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{
		mcp.ToolsListChangedNotification: true, mcp.PromptsListChangedNotification: true, mcp.ResourcesListChangedNotification: true,
		mcp.ResourcesUpdatedNotification: true, mcp.AcknowledgedNotification: true,
	}
}}

// reportedElsewhere reports whether another rule reports a fault that not every
// message can have.
func reportedElsewhere(ev *session.Event, v mcp.Version, f *shape.Fault, of, member string) bool {
	switch member {
	case "nextCursor":
		return f.Class == shape.Null // null-next-cursor
	case "resultType", "ttlMs", "cacheScope":
		return rule.IsModern(ev) && ev.Exchange.Era == mcp.Modern // missing-result-type, unknown-result-type, missing-cache-hints, bad-cache-hint
	case "progressToken", "requestId":
		return true // progress-token-type, cancel-id-missing
	case mcp.MetaSubscriptionID:
		return ev.Message.Kind == jsonrpc.Notification && requested.Get()[ev.Method.Name] // subscription-id-unknown
	}
	switch of {
	case "Implementation":
		return strings.HasPrefix(f.Any, "serverInfo.") && f.Required // initialize-missing-field
	case "Tool", "InputSchema", "OutputSchema":
		return ev.Method.Name == mcp.ToolsList && schemaReported(v, f, of+"."+member)
	case "CallToolResult":
		return member == "structuredContent" && structuredContentNotObject.In(v)
	case "Task":
		if member == "_meta" && f.Any != "_meta" {
			return true // The schema of a task inside a result has no _meta.
		}
		return ev.Method.Name != mcp.TasksList && f.Required && f.Class != shape.NotInteger && f.Class != shape.BadFormat // task-shape
	}
	return false
}

// schemaReported reports whether invalid-input-schema, invalid-output-schema or
// schema-does-not-compile reports a fault in a schema of a listed tool. JSON Schema
// allows a schema that is a boolean, and the table does not.
func schemaReported(v mcp.Version, f *shape.Fault, place string) bool {
	switch place {
	case "Tool.inputSchema", "InputSchema.type":
		return true
	case "Tool.outputSchema", "OutputSchema.type":
		return invalidOutputSchema.In(v)
	case "InputSchema.properties", "InputSchema.required", "OutputSchema.properties", "OutputSchema.required":
		return !(f.Got == jsonrpc.Bool && strings.HasSuffix(f.Place, "{}"))
	}
	return false
}
