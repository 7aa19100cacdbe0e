package wire

import (
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// A param is a required parameter of a method.
type param struct {
	path  string        // path is the names that lead to it, joined by dots.
	field jsonrpc.Field // field is the decoder's field for it, NumFields = none.
	want  jsonrpc.Type  // want is its type; Absent = any.
}

// required are the required parameters of methods (mcp-protocol §4) that have
// no rule of their own.
var required = lazy.Value[map[string][]param]{New: func() map[string][]param {
	return map[string][]param{
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
	}
}}

// The parameters of an elicitation, by mode.
var (
	formParams = []param{{"requestedSchema", jsonrpc.NumFields, jsonrpc.Object}}
	urlParams  = []param{{"url", jsonrpc.NumFields, jsonrpc.String}}
)

// paramFault says which parameter of a message is missing or has the wrong
// type, empty if none.
func paramFault(ev *session.Event) string {
	if fault := lacks(ev, required.Get()[ev.Method.Name]); fault != "" || ev.Method.Name != mcp.ElicitationCreate {
		return fault
	}
	switch mode := lex.Get(rule.SpanText(ev, ev.Message.Params), "mode"); {
	case lex.IsText(mode, "url"):
		return lacks(ev, urlParams)
	case mode == nil, lex.IsText(mode, "form"):
		return lacks(ev, formParams)
	}
	return "" // invalid-member
}

// lacks says which of the parameters is missing or has the wrong type.
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
				return "" // It is unknown.
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
