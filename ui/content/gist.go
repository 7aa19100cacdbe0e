package content

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/session/text"
)

// GistLen is how long a Gist is at most, in characters.
const GistLen = 240

// GistOf is how many bytes of a message are enough for its Gist.
const GistOf = 8 << 10

// Gist is what a message says, in a line that is safe to print: the arguments of a
// request, the first texts of a result, code and message of an error, what a notification
// tells. body is the message, or its first GistOf bytes. What is known of it without its
// body, method and target, is not said again. It is empty where there is no more to say.
func Gist(body []byte, method, target string) string {
	body = lex.Closed(body)
	if at := lex.SkipSpace(body, 0); at > 0 {
		body = body[at:]
	}
	m := value(body)
	words := ""
	switch params, result, fault := m.get("params"), m.get("result"), m.get("error"); {
	case fault.present():
		words = strings.TrimSpace(fault.get("code").words() + " " + text.Visible([]byte(fault.get("message").text()), 0))
	case result.present():
		words = resultGist(result, method, target)
	case params.present():
		words = paramsGist(params, method, target)
	}
	return text.Visible([]byte(words), GistLen)
}

// paramsGist is the gist of the parameters of a request or a notification.
func paramsGist(params value, method, target string) string {
	switch method {
	case mcp.Initialize:
		return peerGist(params.get("clientInfo"), params.get("protocolVersion"))
	case mcp.SamplingCreateMessage:
		if all := params.get("messages").items(); len(all) > 0 {
			return contentGist(all[len(all)-1].get("content"))
		}
	case mcp.ElicitationCreate:
		return strings.TrimSpace(quoted(params.get("message")) + " " + params.get("url").words())
	case mcp.CompletionComplete:
		arg := params.get("argument")
		return arg.get("name").words() + "=" + shortly(arg.get("value"))
	case mcp.LogNotification:
		return logGist(params)
	case mcp.ProgressNotification:
		return progressGist(params)
	}
	return strings.TrimSpace(membersGist(params.get("arguments"), "") + " " + membersGist(params, target, "arguments", "name", "uri"))
}

// progressGist is how far something has come.
func progressGist(params value) string {
	words := params.get("progress").words()
	if total := params.get("total"); total.present() {
		words += "/" + total.words()
	}
	return strings.TrimSpace(words + " " + quoted(params.get("message")))
}

// logGist is what a log message says, after the name of its logger. Text is written as it
// is, all else as JSON.
func logGist(params value) string {
	words := params.get("data").text()
	if words == "" {
		words = string(lex.AppendCompact(nil, params.get("data")))
	}
	if logger := params.get("logger").text(); logger != "" {
		words = logger + ": " + words
	}
	return words
}

// resultGist is the gist of a result.
func resultGist(result value, method, target string) string {
	switch row, known := mcp.Lookup(method); {
	case known && row.Items != "":
		return listGist(result.get(row.Items))
	case method == mcp.RootsList:
		return listGist(result.get("roots"))
	case method == mcp.Initialize:
		return peerGist(result.get("serverInfo"), result.get("protocolVersion"))
	case method == mcp.CompletionComplete:
		return listGist(result.get("completion").get("values"))
	case method == mcp.ElicitationCreate:
		return strings.TrimSpace(result.get("action").words() + " " + membersGist(result.get("content"), ""))
	case method == mcp.PromptsGet:
		var all []string
		for _, m := range result.get("messages").items() {
			all = append(all, contentGist(m.get("content")))
		}
		return strings.Join(all, " ")
	case method == mcp.ResourcesRead:
		return contentGist(result.get("contents"))
	}
	said := contentGist(result.get("content"))
	if string(result.get("isError")) == "true" { // The row says that the call failed, and which.
		for _, form := range []string{"Error calling tool '%s': ", "Error executing tool %s: "} {
			said = strings.Replace(said, `"`+fmt.Sprintf(form, target), `"`, 1)
		}
	}
	if said == "" {
		said = membersGist(result.get("structuredContent"), "")
	}
	return cmp.Or(said, membersGist(result, "", "content", "structuredContent"))
}

// peerGist is who a client or a server says that it is.
func peerGist(info, version value) string {
	return strings.TrimSpace(info.get("name").words() + " " + info.get("version").words() + " · " + version.words())
}

// listGist is the names of what a list has.
func listGist(list value) string {
	var all []string
	for _, item := range list.items() {
		name := item.words()
		if item.object() {
			name = item.get("name").words()
			for _, member := range []string{"uri", "uriTemplate", "taskId"} {
				name = cmp.Or(name, item.get(member).words())
			}
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

// contentGist is the texts of a list of content, or of one item, and what there is besides
// them.
func contentGist(content value) string {
	var all []string
	for _, item := range content.items() {
		inner := item
		if r := item.get("resource"); r.object() {
			inner = r
		}
		switch text := inner.get("text"); {
		case text.present():
			all = append(all, cmp.Or(jsonGist(text.text()), quoted(text)))
		default:
			all = append(all, cmp.Or(inner.get("mimeType").words(), inner.get("uri").words(), inner.get("type").words()))
		}
	}
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}

// membersGist is the members of an object, without those that say what is known and those
// of the protocol's own.
func membersGist(object value, known string, without ...string) string {
	var all []string
	for key, v := range lex.Members(object) {
		name := lex.Unquote(key)
		switch {
		case name == "_meta", name == "resultType" && value(v).text() == "complete", slices.Contains(without, name),
			known != "" && value(v).text() == known:
			continue
		}
		all = append(all, name+"="+shortly(v))
	}
	return strings.Join(all, " ")
}

// jsonGist is a text that is JSON, an object or an array, in a line; empty for any other text.
func jsonGist(text string) string {
	v := value(strings.TrimSpace(text))
	if cut, is := bytes.CutSuffix(v, []byte("…")); is {
		v = lex.Closed(cut)
	}
	switch {
	case !v.object() && !v.array() || !json.Valid(v):
		return ""
	case v.object():
		return cmp.Or(strings.TrimSuffix(strings.TrimPrefix(shortly(v), "{"), "}"), "{}")
	}
	return shortly(v)
}

// gistDepth is how deep objects and arrays are written as members and items.
const gistDepth = 5

// shortly is a value in a line: an object has its members as name=value.
func shortly(v value) string { return shortlyTo(v, gistDepth) }

func shortlyTo(v value, depth int) string {
	var all []string
	switch {
	case len(v) > 0 && v[0] == '"':
		return quoted(v)
	case v.object() && depth > 0:
		for key, m := range lex.Members(v) {
			all = append(all, lex.Unquote(key)+"="+shortlyTo(m, depth-1))
		}
		return "{" + strings.Join(all, " ") + "}"
	case v.array() && depth > 0:
		for _, item := range lex.Items(v) {
			all = append(all, shortlyTo(item, depth-1))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	return v.words()
}

// quoted is a string in quotes; empty for any other value.
func quoted(v value) string {
	if len(v) == 0 || v[0] != '"' {
		return ""
	}
	return `"` + v.text() + `"`
}
