package check

import "wiretea/session/jsonrpc"

// invalidQuestion says what is wrong with a value of inputRequests, and "" where
// it is one that a client can answer.
func invalidQuestion(text []byte) string {
	q, ok := parseObject(text)
	if !ok {
		return "it is " + typeName(jsonrpc.TypeOf(text))
	}
	method, ok := q.text("method")
	if !ok {
		return "method is " + memberType(q, "method")
	}
	params, ok := q.object("params")
	if q.has("params") && !ok {
		return "params is " + memberType(q, "params")
	}
	want := func(key string, t jsonrpc.Type) string {
		if jsonrpc.TypeOf(params[key]) == t {
			return ""
		}
		return "params." + key + " is " + memberType(params, key)
	}
	switch method {
	case "roots/list":
		return ""
	case "sampling/createMessage":
		if wrong := want("messages", jsonrpc.Array); wrong != "" {
			return wrong
		}
		return want("maxTokens", jsonrpc.Number)
	case "elicitation/create":
		if wrong := want("message", jsonrpc.String); wrong != "" {
			return wrong
		}
		if mode, _ := params.text("mode"); mode == "url" {
			return want("url", jsonrpc.String)
		}
		return want("requestedSchema", jsonrpc.Object)
	}
	return "the method " + short([]byte(method)) + " cannot be asked for"
}

// undeclaredQuestion returns the capability that a question needs and that the
// request does not declare, and "" where it declares it.
func undeclaredQuestion(text, capabilities []byte) string {
	q, _ := parseObject(text)
	caps, ok := parseObject(capabilities)
	if !ok {
		return ""
	}
	method, _ := q.text("method")
	params, _ := q.object("params")
	switch method {
	case "roots/list":
		if !caps.has("roots") {
			return "roots"
		}
	case "sampling/createMessage":
		sampling, _ := caps.object("sampling")
		switch {
		case !caps.has("sampling"):
			return "sampling"
		case params.has("tools") && !sampling.has("tools"):
			return "sampling.tools"
		}
	case "elicitation/create":
		elicitation, _ := caps.object("elicitation")
		mode, _ := params.text("mode")
		switch {
		case !caps.has("elicitation"):
			return "elicitation"
		case mode == "url" && !elicitation.has("url"):
			return "elicitation.url"
		case mode != "url" && elicitation.has("url") && !elicitation.has("form"):
			return "elicitation.form"
		}
	}
	return ""
}
