package input

import (
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// invalidQuestion says what is wrong with a value of inputRequests, and "" where
// it is one that a client can answer.
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
	want := func(key string, t jsonrpc.Type) string {
		if jsonrpc.TypeOf(params[key]) == t {
			return ""
		}
		return "params." + key + " is " + rule.MemberType(params, key)
	}
	switch method {
	case mcp.RootsList:
		return ""
	case mcp.SamplingCreateMessage:
		if wrong := want("messages", jsonrpc.Array); wrong != "" {
			return wrong
		}
		return want("maxTokens", jsonrpc.Number)
	case mcp.ElicitationCreate:
		if wrong := want("message", jsonrpc.String); wrong != "" {
			return wrong
		}
		if mode, _ := params.Text("mode"); mode == "url" {
			return want("url", jsonrpc.String)
		}
		return want("requestedSchema", jsonrpc.Object)
	}
	return "the method " + rule.Short([]byte(method)) + " cannot be asked for"
}

// undeclaredQuestion returns the capability that a question needs and that the
// request does not declare, and "" where it declares it.
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
