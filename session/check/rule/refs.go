package rule

import (
	"wiretea/session/mcp"
)

// References to the specification's description of messages.
var (
	MessageRefs      = []Ref{{Until: mcp.V1, Page: "basic/messages"}, {Since: mcp.V2, Page: "basic", Anchor: "messages"}}
	RequestRefs      = []Ref{{Until: mcp.V1, Page: "basic/messages", Anchor: "requests"}, {Since: mcp.V2, Page: "basic", Anchor: "requests"}}
	ResponseRefs     = []Ref{{Until: mcp.V1, Page: "basic/messages", Anchor: "responses"}, {Since: mcp.V2, Page: "basic", Anchor: "responses"}}
	NotificationRefs = []Ref{{Until: mcp.V1, Page: "basic/messages", Anchor: "notifications"}, {Since: mcp.V2, Page: "basic", Anchor: "notifications"}}
	ErrorRefs        = []Ref{
		{Until: mcp.V1, Page: "basic/messages", Anchor: "responses"},
		{Since: mcp.V2, Until: mcp.V3, Page: "basic", Anchor: "responses"},
		{Since: mcp.V4, Page: "basic", Anchor: "error-responses"},
	}
)
