package shapetest

import (
	"strings"

	"wiretea/session/mcp"
)

// A Sample is the result of a method, or the params of a notification or of a
// server's request, with every member that a revision has.
type Sample struct {
	Method string
	Params bool // Params: Text is the params of the method, not its result.
	Text   string
}

// Type returns the name in the table of the sample's type, empty if it is the usual one
// of the method.
func (s Sample) Type() string {
	switch {
	case strings.HasPrefix(s.Text, `{"task":`):
		return "CreateTaskResult"
	case strings.Contains(s.Text, `"inputRequests":`):
		return "InputRequiredResult"
	}
	return ""
}

// Parts of the samples.
const (
	icons       = `"icons":[{"src":"https://example.com/a.png","mimeType":"image/png","sizes":["48x48"],"theme":"light"}]`
	meta        = `"_meta":{"example.com/a":1}`
	annotations = `"annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-01T00:00:00Z"}`
	info        = `{"name":"tea","title":"Tea","version":"1","description":"Tea","websiteUrl":"https://example.com/",` + icons + `}`
	textBlock   = `{"type":"text","text":"a",` + annotations + `,` + meta + `}`
	imageBlock  = `{"type":"image","data":"aGk=","mimeType":"image/png",` + annotations + `,` + meta + `}`
	audioBlock  = `{"type":"audio","data":"aGk=","mimeType":"audio/wav",` + annotations + `,` + meta + `}`
	contents    = `{"uri":"file:///a","mimeType":"text/plain","text":"a",` + meta + `}`
	blob        = `{"uri":"file:///b","mimeType":"image/png","blob":"aGk=",` + meta + `}`
	link        = `{"type":"resource_link","uri":"file:///a","name":"a","title":"A","description":"a","mimeType":"text/plain","size":3,` + icons + `,` + annotations + `,` + meta + `}`
	blocks      = `[` + textBlock + `,` + imageBlock + `,` + audioBlock + `,` + link + `,{"type":"resource","resource":` + contents + `,` + annotations + `,` + meta + `},{"type":"resource","resource":` + blob + `}]`
	schema      = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	hints       = `"annotations":{"title":"A","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`
	toolStart   = `{"name":"a","title":"A","description":"a","inputSchema":` + schema + `,"outputSchema":` + schema + `,` + hints + `,`
	tool        = toolStart + icons + `,` + meta + `}`
	tool4       = toolStart + `"execution":{"taskSupport":"optional"},` + icons + `,` + meta + `}`
	task        = `{"taskId":"t","status":"working","statusMessage":"a","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":1000,"pollInterval":100`
	toolUse     = `{"type":"tool_use","id":"u","name":"a","input":{},` + meta + `}`
	result4     = `{"type":"tool_result","toolUseId":"u","content":` + blocks + `,"structuredContent":{"a":"b"},"isError":false,` + meta + `}`
	message     = `{"role":"user","content":` + textBlock + `,` + meta + `}`
	messages    = `"messages":[` + message + `,{"role":"user","content":[` + textBlock + `,` + imageBlock + `,` + audioBlock + `]},` +
		`{"role":"assistant","content":[` + toolUse + `]},{"role":"user","content":[` + result4 + `]}]`
	samplingStart = `{` + messages + `,"modelPreferences":{"hints":[{"name":"m"}],"costPriority":0.5,"speedPriority":0.5,"intelligencePriority":0.5},` +
		`"systemPrompt":"a","includeContext":"none","temperature":0.5,"maxTokens":10,"stopSequences":["a"],"metadata":{"a":1},"tools":[`
	samplingEnd = `],"toolChoice":{"mode":"auto"}`
	form        = `"message":"a","mode":"form","requestedSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	byURL       = `"message":"a","mode":"url","url":"https://example.com/"`
	legacyEnd   = `,"_meta":{"progressToken":1}}`
	asTask      = `,"task":{"ttl":1000}}`
	listChanged = `"listChanged":true`
	caps        = `"experimental":{"a":{}},"logging":{},"completions":{},"prompts":{` + listChanged + `},"resources":{"subscribe":true,` + listChanged + `},"tools":{` + listChanged + `}`
)

// results are those that both eras have, without their last members.
var results = []Sample{
	{mcp.ToolsCall, false, `{"content":` + blocks + `,"structuredContent":{"a":"b"},"isError":false`},
	{mcp.ResourcesList, false, `{"resources":[{"uri":"file:///a","name":"a","title":"A","description":"a","mimeType":"text/plain","size":3,` + icons + `,` + annotations + `,` + meta + `}],"nextCursor":"c"`},
	{mcp.ResourcesTemplatesList, false, `{"resourceTemplates":[{"uriTemplate":"file:///{a}","name":"a","title":"A","description":"a","mimeType":"text/plain",` + icons + `,` + annotations + `,` + meta + `}],"nextCursor":"c"`},
	{mcp.ResourcesRead, false, `{"contents":[` + contents + `,` + blob + `]`},
	{mcp.PromptsList, false, `{"prompts":[{"name":"a","title":"A","description":"a","arguments":[{"name":"a","title":"A","description":"a","required":true}],` + icons + `,` + meta + `}],"nextCursor":"c"`},
	{mcp.PromptsGet, false, `{"description":"a","messages":[{"role":"user","content":` + textBlock + `},{"role":"assistant","content":` + imageBlock + `}]`},
	{mcp.CompletionComplete, false, `{"completion":{"values":["a"],"total":1,"hasMore":false}`},
}

// notifications are those of servers that both eras have, without their last members.
var notifications = []Sample{
	{mcp.CancelledNotification, true, `{"requestId":1,"reason":"a"`},
	{mcp.ProgressNotification, true, `{"progressToken":1,"progress":0.5,"total":1,"message":"a"`},
	{mcp.LogNotification, true, `{"level":"info","logger":"a","data":{"a":1}`},
	{mcp.ResourcesUpdatedNotification, true, `{"uri":"file:///a"`},
	{mcp.ToolsListChangedNotification, true, `{`},
	{mcp.PromptsListChangedNotification, true, `{`},
	{mcp.ResourcesListChangedNotification, true, `{`},
}

// Legacy returns the samples of 2025-11-25.
func Legacy() []Sample {
	all := []Sample{
		{mcp.Initialize, false, `{"protocolVersion":"2025-11-25","capabilities":{` + caps + `,"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":` + info + `,"instructions":"a",` + meta + `}`},
		{mcp.Ping, false, `{` + meta + `}`},
		{mcp.ResourcesSubscribe, false, `{` + meta + `}`},
		{mcp.ResourcesUnsubscribe, false, `{` + meta + `}`},
		{mcp.LoggingSetLevel, false, `{` + meta + `}`},
		{mcp.ToolsList, false, `{"tools":[` + tool4 + `],"nextCursor":"c",` + meta + `}`},
		{mcp.TasksGet, false, task + `,` + meta + `}`},
		{mcp.TasksCancel, false, task + `,` + meta + `}`},
		{mcp.TasksList, false, `{"tasks":[` + task + `}],"nextCursor":"c",` + meta + `}`},
		{mcp.SamplingCreateMessage, true, samplingStart + tool4 + samplingEnd + legacyEnd},
		{mcp.ElicitationCreate, true, `{` + form + legacyEnd},
		{mcp.ElicitationCreate, true, `{` + byURL + `,"elicitationId":"e"` + legacyEnd},
		{mcp.SamplingCreateMessage, true, `{"messages":[` + message + `],"maxTokens":10` + asTask},
		{mcp.ElicitationCreate, true, `{` + form + asTask},
		{mcp.ElicitationCreate, true, `{` + byURL + `,"elicitationId":"e"` + asTask},
		{mcp.RootsList, true, `{"_meta":{"progressToken":1}}`},
		{mcp.TaskStatusNotification, true, task + `,` + meta + `}`},
		{mcp.ElicitationCompleteNotification, true, `{"elicitationId":"e"}`},
	}
	return append(all, ended(`,`+meta+`}`, results, notifications)...)
}

// Modern returns the samples of 2026-07-28.
func Modern() []Sample {
	const (
		serverInfo = `"_meta":{"io.modelcontextprotocol/serverInfo":` + info + `}}`
		complete   = `,"resultType":"complete",` + serverInfo
		cached     = `,"ttlMs":0,"cacheScope":"public"` + complete
		subscribed = `"_meta":{"io.modelcontextprotocol/subscriptionId":1}}`
	)
	all := []Sample{
		{mcp.ServerDiscover, false, `{"supportedVersions":["2026-07-28"],"capabilities":{` + caps + `,"extensions":{"example.com/a":{}}},"instructions":"a"` + cached},
		{mcp.ToolsList, false, `{"tools":[` + tool + `],"nextCursor":"c"` + cached},
		{mcp.SubscriptionsListen, false, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1,"io.modelcontextprotocol/serverInfo":` + info + `}}`},
		{mcp.ToolsCall, false, `{"resultType":"input_required","requestState":"s","inputRequests":{` +
			`"s":{"method":"sampling/createMessage","params":` + samplingStart + tool + samplingEnd + `}},` +
			`"f":{"method":"elicitation/create","params":{` + form + `}},"u":{"method":"elicitation/create","params":{` + byURL + `}},` +
			`"r":{"method":"roots/list","params":{` + meta + `}}},` + serverInfo},
		{mcp.AcknowledgedNotification, true, `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a"]},` + subscribed},
	}
	for _, s := range ended(complete, results) {
		if strings.HasSuffix(s.Method, "/list") || s.Method == mcp.ResourcesRead {
			s.Text = strings.TrimSuffix(s.Text, complete) + cached
		}
		all = append(all, s)
	}
	return append(all, ended(`,`+subscribed, notifications)...)
}

// Foreign returns samples with members that only the other era has.
func Foreign(v mcp.Version) []Sample {
	const tools = `"tools":[{"name":"a","inputSchema":{"type":"object"}`
	if v == mcp.V5 {
		return []Sample{
			{mcp.ToolsList, false, `{` + tools + `,"execution":{"taskSupport":"optional"}}],"ttlMs":0,"cacheScope":"private","resultType":"complete"}`},
			{mcp.ServerDiscover, false, `{"supportedVersions":["2026-07-28"],"capabilities":{"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"ttlMs":0,"cacheScope":"private","resultType":"complete"}`},
		}
	}
	return []Sample{
		{mcp.Initialize, false, `{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"example.com/a":{}}},"serverInfo":{"name":"tea","version":"1"}}`},
		{mcp.ToolsList, false, `{` + tools + `}],"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":` + info + `}}`},
		{mcp.ToolsCall, false, `{"content":[],"resultType":"complete"}`},
	}
}

// Answers returns the results of a client, and the result of a call as a task, of
// 2025-11-25.
func Answers() []Sample {
	return []Sample{
		{mcp.SamplingCreateMessage, false, `{"role":"assistant","content":[` + textBlock + `,` + toolUse + `],"model":"m","stopReason":"endTurn",` + meta + `}`},
		{mcp.RootsList, false, `{"roots":[{"uri":"file:///a","name":"a",` + meta + `}],` + meta + `}`},
		{mcp.ElicitationCreate, false, `{"action":"accept","content":{"a":"b"},` + meta + `}`},
		{mcp.ToolsCall, false, `{"task":` + task + `},` + meta + `}`},
	}
}

// ended returns samples with their last members.
func ended(end string, lists ...[]Sample) []Sample {
	var all []Sample
	for _, list := range lists {
		for _, s := range list {
			s.Text = strings.Replace(s.Text+end, "{,", "{", 1)
			all = append(all, s)
		}
	}
	return all
}
