package jsonrpc

import (
	"fmt"
	"slices"
	"strings"
)

// facts are what a Scanner reports of a text, written out.
type facts struct {
	Text
	Messages []string
}

// scan returns the facts of a text that comes in those chunks. What it writes
// is gone after each Write, so that nothing can be kept of it.
func scan(s *Scanner, chunks ...[]byte) facts {
	var f facts
	s.Reset(func(m *Message) { f.Messages = append(f.Messages, render(m)) })
	for _, c := range chunks {
		own := slices.Clone(c)
		s.Write(own)
		for i := range own {
			own[i] = '#'
		}
	}
	f.Text = s.End()
	return f
}

// render writes out everything that is known of m.
func render(m *Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %d+%d", m.Kind, m.Type, m.Off, m.Len)
	if m.Elem >= 0 {
		fmt.Fprintf(&b, " elem=%d", m.Elem)
	}
	value := func(name string, v *Value) {
		if v.Present() {
			fmt.Fprintf(&b, " %s=%s@%d", name, v.Raw, v.Off)
			if !v.Whole() {
				fmt.Fprintf(&b, "…%d", v.Len)
			}
		}
	}
	span := func(name string, s Span) {
		if s.Type != Absent {
			fmt.Fprintf(&b, " %s=%s@%d+%d", name, s.Type, s.Off, s.Len)
		}
	}
	value("jsonrpc", &m.Version)
	value("id", &m.ID)
	value("method", &m.Method)
	span("params", m.Params)
	span("result", m.Result)
	span("error", m.Error)
	for f := range NumFields {
		value(strings.Join(fieldPaths[f], "."), m.Field(f))
	}
	if m.UnknownKey != "" {
		fmt.Fprintf(&b, " unknown=%q", m.UnknownKey)
	}
	if m.Defects != 0 {
		fmt.Fprintf(&b, " (%s)", m.Defects)
	}
	return b.String()
}

// fieldPaths says where in a message each Field is.
var fieldPaths = [NumFields][]string{
	ParamName:             {"params", "name"},
	ParamURI:              {"params", "uri"},
	ParamCursor:           {"params", "cursor"},
	ParamLevel:            {"params", "level"},
	ParamTaskID:           {"params", "taskId"},
	ParamTask:             {"params", "task"},
	ParamRequestID:        {"params", "requestId"},
	ParamProgressToken:    {"params", "progressToken"},
	ParamProgress:         {"params", "progress"},
	ParamTotal:            {"params", "total"},
	ParamRequestState:     {"params", "requestState"},
	ParamInputResponses:   {"params", "inputResponses"},
	ParamProtocolVersion:  {"params", "protocolVersion"},
	ParamCapabilities:     {"params", "capabilities"},
	ParamClientInfo:       {"params", "clientInfo"},
	ParamArguments:        {"params", "arguments"},
	ParamNotifications:    {"params", "notifications"},
	ParamRefName:          {"params", "ref", "name"},
	ParamRefURI:           {"params", "ref", "uri"},
	MetaProgressToken:     {"params", "_meta", "progressToken"},
	MetaProtocolVersion:   {"params", "_meta", "io.modelcontextprotocol/protocolVersion"},
	MetaCapabilities:      {"params", "_meta", "io.modelcontextprotocol/clientCapabilities"},
	MetaClientInfo:        {"params", "_meta", "io.modelcontextprotocol/clientInfo"},
	MetaLogLevel:          {"params", "_meta", "io.modelcontextprotocol/logLevel"},
	MetaSubscriptionID:    {"params", "_meta", "io.modelcontextprotocol/subscriptionId"},
	MetaRelatedTask:       {"params", "_meta", "io.modelcontextprotocol/related-task"},
	ResultType:            {"result", "resultType"},
	ResultProtocolVersion: {"result", "protocolVersion"},
	ResultCapabilities:    {"result", "capabilities"},
	ResultServerInfo:      {"result", "serverInfo"},
	ResultSupported:       {"result", "supportedVersions"},
	ResultNextCursor:      {"result", "nextCursor"},
	ResultIsError:         {"result", "isError"},
	ResultRequestState:    {"result", "requestState"},
	ResultInputRequests:   {"result", "inputRequests"},
	ResultTaskID:          {"result", "taskId"},
	ResultTaskTaskID:      {"result", "task", "taskId"},
	ResultStatus:          {"result", "status"},
	ErrorCode:             {"error", "code"},
	ErrorMessage:          {"error", "message"},
	ErrorSupported:        {"error", "data", "supported"},
	ErrorRequested:        {"error", "data", "requested"},
	ErrorRequired:         {"error", "data", "requiredCapabilities"},
	ResultTTL:             {"result", "ttlMs"},
	ResultCacheScope:      {"result", "cacheScope"},
	ResultMetaServerInfo:  {"result", "_meta", "io.modelcontextprotocol/serverInfo"},
}
