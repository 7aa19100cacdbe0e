package offers

import (
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// invalidQuestion says what is wrong with a value of inputRequests, "" if a
// client can answer it.
func invalidQuestion(text []byte) string {
	q, ok := rule.ParseObject(text)
	if !ok {
		return "it is " + rule.TypeName(jsonrpc.TypeOf(text))
	}
	method, ok := q.Text("method")
	if !ok {
		return "method is " + rule.MemberType(q, "method")
	}
	params, ok := q.Object("params")
	if q.Has("params") && !ok {
		return "params is " + rule.MemberType(q, "params")
	}
	needs, ok := inputNeeds.Get()[method]
	if mode, _ := params.Text("mode"); method == mcp.ElicitationCreate && mode == "url" {
		needs = urlNeeds
	} else if method == mcp.ElicitationCreate && params.Has("mode") && mode != "form" {
		needs = needs[:1] // invalid-member reports the mode, which says what else is needed.
	}
	if !ok {
		return "it asks for " + rule.Short([]byte(method)) + "; only elicitation/create, sampling/createMessage and roots/list are allowed"
	}
	return rule.Lack(text, needs)
}

// inputNeeds are the methods of input requests, with what each must have.
var inputNeeds = lazy.Value[map[string][]rule.Need]{New: func() map[string][]rule.Need {
	return map[string][]rule.Need{
		mcp.RootsList:             nil,
		mcp.SamplingCreateMessage: {{Path: "params.messages", Type: jsonrpc.Array}, {Path: "params.maxTokens", Type: jsonrpc.Number}},
		mcp.ElicitationCreate:     {{Path: "params.message", Type: jsonrpc.String}, {Path: "params.requestedSchema", Type: jsonrpc.Object}},
	}
}}

// urlNeeds is what an elicitation by URL must have.
var urlNeeds = []rule.Need{{Path: "params.message", Type: jsonrpc.String}, {Path: "params.url", Type: jsonrpc.String}}

// undeclaredQuestion returns the capability that a question needs and the
// request does not declare, "" if it declares it.
func undeclaredQuestion(text, capabilities []byte) string {
	q, _ := rule.ParseObject(text)
	caps, ok := rule.ParseObject(capabilities)
	if !ok {
		return ""
	}
	method, _ := q.Text("method")
	params, _ := q.Object("params")
	switch method {
	case mcp.RootsList:
		if !caps.Has("roots") {
			return "roots"
		}
	case mcp.SamplingCreateMessage:
		sampling, _ := caps.Object("sampling")
		switch {
		case !caps.Has("sampling"):
			return "sampling"
		case params.Has("tools") && !sampling.Has("tools"):
			return "sampling.tools"
		}
	case mcp.ElicitationCreate:
		elicitation, _ := caps.Object("elicitation")
		mode, _ := params.Text("mode")
		switch {
		case !caps.Has("elicitation"):
			return "elicitation"
		case mode == "url" && !elicitation.Has("url"):
			return "elicitation.url"
		case mode != "url" && elicitation.Has("url") && !elicitation.Has("form"):
			return "elicitation.form"
		}
	}
	return ""
}
