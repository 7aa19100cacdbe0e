package features

import (
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/mcp/shape"
)

// owner returns the rule that a fault belongs to, nil if the checker of another rule
// reports it.
func owner(ev *session.Event, v mcp.Version, f *shape.Fault) *rule.Rule {
	place, _, _ := strings.Cut(strings.TrimRight(f.Place, "[]{}"), "[")
	of, member, _ := strings.Cut(place, ".")
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
		"ListToolsResult": ListInvalid, "Tool": ListInvalid,
		"ListPromptsResult": ListInvalid, "Prompt": ListInvalid, "PromptArgument": ListInvalid,
		"ListResourcesResult": ListInvalid, "Resource": ListInvalid,
		"ListResourceTemplatesResult": ListInvalid, "ResourceTemplate": ListInvalid,
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
