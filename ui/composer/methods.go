package composer

import (
	"fmt"
	"strings"

	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// methodSchemas are schemas of the parameters of methods that have some, besides
// those whose values a server describes. They are for filling in: members that are
// not in them can be added.
var methodSchemas = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"tools/call":                       `{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"required":["name"]}`,
		"prompts/get":                      `{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["name"]}`,
		"tools/list":                       cursorSchema,
		"prompts/list":                     cursorSchema,
		"resources/list":                   cursorSchema,
		"resources/templates/list":         cursorSchema,
		"tasks/list":                       cursorSchema,
		"resources/read":                   uriSchema,
		"resources/subscribe":              uriSchema,
		"resources/unsubscribe":            uriSchema,
		"tasks/get":                        taskSchema,
		"tasks/result":                     taskSchema,
		"tasks/cancel":                     taskSchema,
		"completion/complete":              `{"type":"object","properties":{"ref":{"oneOf":[{"title":"a prompt","type":"object","properties":{"type":{"const":"ref/prompt"},"name":{"type":"string"}},"required":["type","name"]},{"title":"a resource template","type":"object","properties":{"type":{"const":"ref/resource"},"uri":{"type":"string"}},"required":["type","uri"]}]},"argument":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}},"required":["name","value"]},"context":{"type":"object","properties":{"arguments":{"type":"object","additionalProperties":{"type":"string"}}}}},"required":["ref","argument"]}`,
		"notifications/cancelled":          `{"type":"object","properties":{"requestId":{"type":["string","integer"],"description":"the id of the request that is withdrawn"},"reason":{"type":"string"}},"required":["requestId"]}`,
		"notifications/progress":           `{"type":"object","properties":{"progressToken":{"type":["string","integer"]},"progress":{"type":"number"},"total":{"type":"number"},"message":{"type":"string"}},"required":["progressToken","progress"]}`,
		"subscriptions/listen":             `{"type":"object","properties":{"notifications":{"type":"object","properties":{"toolsListChanged":{"type":"boolean"},"promptsListChanged":{"type":"boolean"},"resourcesListChanged":{"type":"boolean"},"resourceSubscriptions":{"type":"array","items":{"type":"string","format":"uri"}}}}},"required":["notifications"]}`,
		"ping":                             noSchema,
		"server/discover":                  noSchema,
		"notifications/initialized":        noSchema,
		"notifications/roots/list_changed": noSchema,
	}
}}

const (
	noSchema     = `{"type":"object"}`
	cursorSchema = `{"type":"object","properties":{"cursor":{"type":"string","description":"where the page begins: the nextCursor of the page before; none = the first page"}}}`
	uriSchema    = `{"type":"object","properties":{"uri":{"type":"string","description":"the resource's URI"}},"required":["uri"]}`
	taskSchema   = `{"type":"object","properties":{"taskId":{"type":"string"}},"required":["taskId"]}`
)

// methodSchema is the schema of a method's parameters, nil where there is none.
// Where only the arguments within them are the values, it is for those that have
// no description.
func methodSchema(method string) []byte {
	switch {
	case method == "logging/setLevel":
		return fmt.Appendf(nil, `{"type":"object","properties":{"level":{"enum":["%s"]}},"required":["level"]}`, strings.Join(mcp.LogLevels, `","`))
	case len(valuesAt(method)) > 0:
		return []byte(noSchema)
	case methodSchemas.Get()[method] != "":
		return []byte(methodSchemas.Get()[method])
	}
	return nil
}

// clientMethods are the methods that a client may send, requests first.
func clientMethods() []*mcp.Method {
	var requests, notifications []*mcp.Method
	all := mcp.Methods()
	for i := range all {
		switch m := &all[i]; {
		case m.Dir == mcp.ServerToClient:
		case m.Notification:
			notifications = append(notifications, m)
		default:
			requests = append(requests, m)
		}
	}
	return append(requests, notifications...)
}

// Methods are the names of the methods that a client may send, requests first.
func Methods() []string {
	var names []string
	for _, m := range clientMethods() {
		names = append(names, m.Name)
	}
	return names
}
