package shapetest

import (
	"fmt"
	"strings"

	"wiretea/session/mcp"
)

// A Line is a message of a conversation.
type Line struct {
	Stream string // Stream is c2s or s2c.
	Text   string
}

// modernMeta is the metadata of a modern request.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"roots":{}}}`

// The beginnings of conversations.
const (
	offers       = `"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},"completions":{},"logging":{}`
	discover     = `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{` + modernMeta + `}}`
	discovered   = `{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{` + offers + `},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}`
	initialize   = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"roots":{},"tasks":{}},"clientInfo":{"name":"c","version":"1"}}}`
	initialized  = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{` + offers + `,"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"1"}}}`
	notification = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// asked are the params of the requests of the samples' results.
var asked = map[string]string{
	mcp.ToolsCall: `"name":"a","arguments":{}`, mcp.PromptsGet: `"name":"a"`, mcp.ResourcesRead: `"uri":"file:///a"`, mcp.TasksGet: `"taskId":"t"`,
	mcp.TasksCancel: `"taskId":"t"`, mcp.ResourcesSubscribe: `"uri":"file:///a"`, mcp.ResourcesUnsubscribe: `"uri":"file:///a"`, mcp.LoggingSetLevel: `"level":"info"`,
	mcp.CompletionComplete:  `"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":""}`,
	mcp.SubscriptionsListen: `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a"]}`,
}

// byServer are the params of the requests that a server sends.
var byServer = map[string]string{
	mcp.SamplingCreateMessage: `"messages":[],"maxTokens":1,"tools":[{"name":"a","inputSchema":{"type":"object"}}]`,
	mcp.ElicitationCreate:     `"message":"a","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}`,
	mcp.RootsList:             `"_meta":{}`,
}

// Conversation returns a conversation in which a side sends a text where the sample has
// its own, while a call is in flight.
func Conversation(s Sample, v mcp.Version, text string) []Line {
	var c []Line
	say := func(stream, format string, args ...any) { c = append(c, Line{stream, fmt.Sprintf(format, args...)}) }
	meta := ""
	switch {
	case s.Method == mcp.Initialize:
		say("c2s", initialize)
		say("s2c", `{"jsonrpc":"2.0","id":0,"result":%s}`, text)
		return c
	case s.Method == mcp.ServerDiscover:
		say("c2s", discover)
		say("s2c", `{"jsonrpc":"2.0","id":0,"result":%s}`, text)
		return c
	case v == mcp.V5:
		meta = modernMeta + ","
		say("c2s", discover)
		say("s2c", discovered)
	default:
		say("c2s", initialize)
		say("s2c", initialized)
		say("c2s", notification)
	}
	token := strings.Replace(meta, `"_meta":{`, `"_meta":{"progressToken":1,"io.modelcontextprotocol/logLevel":"debug",`, 1)
	say("c2s", `{"jsonrpc":"2.0","id":"w","method":"tools/call","params":{%s"name":"w","arguments":{}}}`, token)
	method, _ := mcp.Lookup(s.Method)
	switch {
	case !s.Params && byServer[s.Method] != "":
		say("s2c", `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, s.Method, byServer[s.Method])
		say("c2s", `{"jsonrpc":"2.0","id":1,"result":%s}`, text)
	case !s.Params:
		params := meta + asked[s.Method]
		if s.Type() == "CreateTaskResult" {
			params += `,"task":{}`
		}
		say("c2s", `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, s.Method, strings.TrimSuffix(params, ","))
		say("s2c", `{"jsonrpc":"2.0","id":1,"result":%s}`, text)
	case method.Notification:
		if v == mcp.V5 {
			say("c2s", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{%s%s}}`, meta, asked[mcp.SubscriptionsListen])
		}
		say("s2c", `{"jsonrpc":"2.0","method":%q,"params":%s}`, s.Method, text)
	default:
		say("s2c", `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, s.Method, text)
	}
	return c
}
