package rule

import (
	"wiretea/session/mcp"
)

// References to the specification's description of messages. They are functions so that the
// compiler lays out the rules that cite them.

func MessageRefs() []Ref {
	return []Ref{{Until: mcp.V1, Page: "basic/messages"}, {Since: mcp.V2, Page: "basic", Anchor: "messages"}}
}

func RequestRefs() []Ref {
	return []Ref{{Until: mcp.V1, Page: "basic/messages", Anchor: "requests"}, {Since: mcp.V2, Page: "basic", Anchor: "requests"}}
}

func ResponseRefs() []Ref {
	return []Ref{{Until: mcp.V1, Page: "basic/messages", Anchor: "responses"}, {Since: mcp.V2, Page: "basic", Anchor: "responses"}}
}

func NotificationRefs() []Ref {
	return []Ref{{Until: mcp.V1, Page: "basic/messages", Anchor: "notifications"}, {Since: mcp.V2, Page: "basic", Anchor: "notifications"}}
}

func ErrorRefs() []Ref {
	return []Ref{
		{Until: mcp.V1, Page: "basic/messages", Anchor: "responses"},
		{Since: mcp.V2, Until: mcp.V3, Page: "basic", Anchor: "responses"},
		{Since: mcp.V4, Page: "basic", Anchor: "error-responses"},
	}
}
