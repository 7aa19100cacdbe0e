package http

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
)

// headers are the fields of a request. s is the session it belongs to, nil for none.
// The token is that which was refused is not.
func (c *Conn) headers(ctx context.Context, accept string, s *sessionState, refused string) (h http.Header, bearer string, err error) {
	h = http.Header{"Accept": {accept}, "User-Agent": {c.remote.opt.UserAgent}}
	if s != nil && s.id != "" {
		h.Set(mcp.SessionHeader, s.id)
	}
	if s != nil && s.version != "" {
		h.Set(mcp.VersionHeader, s.version)
	}
	if user := c.remote.opt.URL.User; user != nil {
		password, _ := user.Password()
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if bearer, err = c.remote.token.bearer(ctx, refused); err != nil {
		return nil, "", err
	}
	if bearer != "" {
		h.Set("Authorization", "Bearer "+bearer)
	}
	return h, bearer, nil
}

// own puts the user's header fields in the place of ours.
func (c *Conn) own(h http.Header) http.Header {
	maps.Copy(h, c.remote.opt.Header)
	return h
}

// mirror adds the fields that say again what the body of a modern message says: [V5]
// basic/transports/streamable-http §Standard Request Headers, §Custom Headers from Tool
// Parameters.
func (c *Conn) mirror(h http.Header, m *message) {
	h.Set(mcp.VersionHeader, m.version)
	h.Set(mcp.MethodHeader, encoded(m.method))
	params := lex.Get(m.line, "params")
	switch m.method {
	case mcp.ToolsCall, mcp.PromptsGet:
		setText(h, mcp.NameHeader, lex.Get(params, "name"))
	case mcp.ResourcesRead:
		setText(h, mcp.NameHeader, lex.Get(params, "uri"))
	case mcp.TasksGet, mcp.TasksUpdate, mcp.TasksCancel:
		setText(h, mcp.NameHeader, lex.Get(params, "taskId"))
	}
	if m.method != mcp.ToolsCall {
		return
	}
	for _, a := range c.annotations.of(lex.Unquote(lex.Get(params, "name"))) {
		value := lex.Get(params, "arguments")
		for _, name := range a.path {
			value = lex.Get(value, name)
		}
		switch jsonrpc.TypeOf(value) {
		case jsonrpc.String:
			h.Set(mcp.ParamHeader+a.header, encoded(lex.Unquote(value)))
		case jsonrpc.Number, jsonrpc.Bool:
			h.Set(mcp.ParamHeader+a.header, string(value))
		case jsonrpc.Absent, jsonrpc.Null, jsonrpc.Array, jsonrpc.Object:
		}
	}
}

// setText sets a field to what a JSON string says, if the value is one.
func setText(h http.Header, name string, value []byte) {
	if jsonrpc.TypeOf(value) == jsonrpc.String {
		h.Set(name, encoded(lex.Unquote(value)))
	}
}

// encoded is a text as the value of a header field: as it is, or in the form for what
// cannot be there, or would be taken for that form.
func encoded(text string) string {
	const begin, end = "=?base64?", "?="
	odd := strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
	if odd || strings.TrimSpace(text) != text || strings.HasPrefix(text, begin) && strings.HasSuffix(text, end) {
		return begin + base64.StdEncoding.EncodeToString([]byte(text)) + end
	}
	return text
}

// maxAnnotated is how many tools with annotations are remembered.
const maxAnnotated = 10_000

// annotations are the parameters that the listed tools want in header fields.
type annotations struct {
	mu    sync.Mutex
	tools map[string][]annotation
}

// An annotation is a parameter that goes into a header field.
type annotation struct {
	path   []string // path is where it is in the arguments.
	header string   // header is the field's name behind Mcp-Param-.
}

func (a *annotations) of(tool string) []annotation {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tools[tool]
}

// learn takes in the result of tools/list.
func (a *annotations) learn(result json.RawMessage) {
	var r struct {
		Tools []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	_ = json.Unmarshal(result, &r) // what cannot be read has no annotations
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, tool := range r.Tools {
		delete(a.tools, tool.Name)
		if found := annotated(tool.Schema, nil); len(found) > 0 && len(a.tools) < maxAnnotated {
			if a.tools == nil {
				a.tools = make(map[string][]annotation)
			}
			a.tools[tool.Name] = found
		}
	}
}

// maxDepth is how deep annotated properties are looked for.
const maxDepth = 16

// annotated returns the annotated properties of a schema: those that are reached by
// properties alone, with a value that a field can hold.
func annotated(schema json.RawMessage, path []string) (found []annotation) {
	if len(path) == maxDepth {
		return nil
	}
	for key, property := range lex.Members(lex.Get(schema, "properties")) {
		at := append(path[:len(path):len(path)], lex.Unquote(key))
		header, kind := lex.Unquote(lex.Get(property, "x-mcp-header")), lex.Unquote(lex.Get(property, "type"))
		if isToken(header) && (kind == "string" || kind == "integer" || kind == "boolean") {
			found = append(found, annotation{at, header})
		}
		found = append(found, annotated(property, at)...)
	}
	return found
}

// isToken reports whether a text can be the name of a header field: RFC 9110 §5.6.2.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}
