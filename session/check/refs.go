package check

import (
	"wiretea/session/mcp"
)

// Where the specification describes messages.
var (
	messageRefs      = []Ref{{Until: mcp.V1, Page: "basic/messages"}, {Since: mcp.V2, Page: "basic", Anchor: "messages"}}
	requestRefs      = []Ref{{Until: mcp.V1, Page: "basic/messages", Anchor: "requests"}, {Since: mcp.V2, Page: "basic", Anchor: "requests"}}
	responseRefs     = []Ref{{Until: mcp.V1, Page: "basic/messages", Anchor: "responses"}, {Since: mcp.V2, Page: "basic", Anchor: "responses"}}
	notificationRefs = []Ref{{Until: mcp.V1, Page: "basic/messages", Anchor: "notifications"}, {Since: mcp.V2, Page: "basic", Anchor: "notifications"}}
	errorRefs        = []Ref{
		{Until: mcp.V1, Page: "basic/messages", Anchor: "responses"},
		{Since: mcp.V2, Until: mcp.V3, Page: "basic", Anchor: "responses"},
		{Since: mcp.V4, Page: "basic", Anchor: "error-responses"},
	}
)
