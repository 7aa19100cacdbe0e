package wire

import (
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A param is a parameter that a method must have.
type param struct {
	path  string        // path is where it stands in params, its names joined by dots.
	field jsonrpc.Field // field is where the decoder has it, NumFields = nowhere.
	want  jsonrpc.Type  // want is its type; Absent = any.
}

// required are the parameters of the methods (mcp-protocol §4) that have no rule
// of their own.
var required = map[string][]param{
	mcp.ToolsCall:              {{"name", jsonrpc.ParamName, jsonrpc.String}},
	mcp.PromptsGet:             {{"name", jsonrpc.ParamName, jsonrpc.String}},
	mcp.ResourcesRead:          {{"uri", jsonrpc.ParamURI, jsonrpc.String}},
	mcp.ResourcesSubscribe:     {{"uri", jsonrpc.ParamURI, jsonrpc.String}},
	mcp.ResourcesUnsubscribe:   {{"uri", jsonrpc.ParamURI, jsonrpc.String}},
	mcp.ResourcesDirectoryRead: {{"uri", jsonrpc.ParamURI, jsonrpc.String}},
	mcp.SubscriptionsListen:    {{"notifications", jsonrpc.ParamNotifications, jsonrpc.Object}},
	mcp.LoggingSetLevel:        {{"level", jsonrpc.ParamLevel, jsonrpc.String}},
	mcp.TasksGet:               {{"taskId", jsonrpc.ParamTaskID, jsonrpc.String}},
	mcp.TasksResult:            {{"taskId", jsonrpc.ParamTaskID, jsonrpc.String}},
	mcp.TasksCancel:            {{"taskId", jsonrpc.ParamTaskID, jsonrpc.String}},
	mcp.TasksUpdate:            {{"taskId", jsonrpc.ParamTaskID, jsonrpc.String}, {"inputResponses", jsonrpc.ParamInputResponses, jsonrpc.Object}},
	mcp.CompletionComplete: {
		{"ref", jsonrpc.NumFields, jsonrpc.Object}, {"ref.type", jsonrpc.NumFields, jsonrpc.String},
		{"argument", jsonrpc.NumFields, jsonrpc.Object}, {"argument.name", jsonrpc.NumFields, jsonrpc.String}, {"argument.value", jsonrpc.NumFields, jsonrpc.String},
	},
	mcp.ElicitationCreate: {{"message", jsonrpc.NumFields, jsonrpc.String}},

	mcp.ProgressNotification:            {{"progressToken", jsonrpc.ParamProgressToken, jsonrpc.Absent}, {"progress", jsonrpc.ParamProgress, jsonrpc.Number}},
	mcp.ResourcesUpdatedNotification:    {{"uri", jsonrpc.ParamURI, jsonrpc.String}},
	mcp.ElicitationCompleteNotification: {{"elicitationId", jsonrpc.NumFields, jsonrpc.String}},
	mcp.AcknowledgedNotification:        {{"notifications", jsonrpc.ParamNotifications, jsonrpc.Object}},
	mcp.TaskStatusNotification:          {{"taskId", jsonrpc.ParamTaskID, jsonrpc.String}},
	mcp.TasksNotification:               {{"taskId", jsonrpc.ParamTaskID, jsonrpc.String}},
}

// What an elicitation asks with, by its mode.
var (
	formParams = []param{{"requestedSchema", jsonrpc.NumFields, jsonrpc.Object}}
	urlParams  = []param{{"url", jsonrpc.NumFields, jsonrpc.String}}
)

// paramFault says which parameter of a message is missing or of the wrong type,
// empty where none is.
func paramFault(ev *session.Event) string {
	if fault := lacks(ev, required[ev.Method.Name]); fault != "" || ev.Method.Name != mcp.ElicitationCreate {
		return fault
	}
	if lex.IsText(lex.Get(rule.SpanText(ev, ev.Message.Params), "mode"), "url") {
		return lacks(ev, urlParams)
	}
	return lacks(ev, formParams)
}

// lacks says which of some parameters is missing or of the wrong type.
func lacks(ev *session.Event, params []param) string {
	m := ev.Message
	for i := range params {
		p := &params[i]
		var t jsonrpc.Type
		if p.field != jsonrpc.NumFields {
			t = m.Field(p.field).Type
		} else {
			text := rule.SpanText(ev, m.Params)
			if text == nil && m.Params.Type == jsonrpc.Object {
				return "" // It is not known.
			}
			for name := range strings.SplitSeq(p.path, ".") {
				text = lex.Get(text, name)
			}
			t = jsonrpc.TypeOf(text)
		}
		switch {
		case t == jsonrpc.Absent:
			return "params." + p.path + " is absent"
		case p.want != jsonrpc.Absent && t != p.want:
			return "params." + p.path + " is " + rule.TypeName(t) + ", must be " + rule.TypeName(p.want)
		}
	}
	return ""
}
