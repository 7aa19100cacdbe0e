package modern

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Subscriptions = rule.Family{
	Name:  "subscriptions",
	Title: "Subscriptions",
	Rules: []*rule.Rule{
		SubscriptionNotAcknowledged, subscriptionIDMissing, subscriptionIDUnknown,
		subscriptionUnrequested, requestNotificationOnSubscription,
	},
	New: func() session.Checker { return &subscriptions{} },
}

// References for notifications of a subscription.
var (
	acknowledgmentRefs = []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/subscriptions", Anchor: "acknowledgment"}}
	receivingRefs      = []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/subscriptions", Anchor: "receiving-notifications"}}
)

var SubscriptionNotAcknowledged = &rule.Rule{
	ID: "subscription-not-acknowledged", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "subscription is not acknowledged first",
	Explain: "The first message with the id of a subscription is notifications/subscriptions/acknowledged, which states what the server will report. If " +
		"nothing arrives within 5 s, it is a warning.",
	Hint: "send notifications/subscriptions/acknowledged as soon as subscriptions/listen arrives",
	Refs: acknowledgmentRefs,
}

var subscriptionIDMissing = &rule.Rule{
	ID: "subscription-id-missing", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "change notification without a subscriptionId",
	Explain: "From 2026-07-28 on, changes are reported to clients that requested them with subscriptions/listen, and each notification has the id of that " +
		"request in its _meta. Clients cannot assign a notification without an id, and drop it.",
	Hint: "add io.modelcontextprotocol/subscriptionId with the id of the listen request, once for each subscription",
	Refs: receivingRefs,
}

var subscriptionIDUnknown = &rule.Rule{
	ID: "subscription-id-unknown", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "notification for an unknown subscription",
	Explain: "The id of a subscription is the id of its listen request, with the same JSON type. After the end of a subscription nothing more is sent for " +
		"it; messages within one second of the end are not reported.",
	Hint: "keep the id of the listen request as received, and forget it when the subscription ends",
	Refs: receivingRefs,
}

var subscriptionUnrequested = &rule.Rule{
	ID: "subscription-unrequested", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title: "subscription delivers something that the client did not request",
	Explain: "A client states what it wants to be notified of: changes of tools, prompts and resources, and the URIs of single resources. Nothing else may " +
		"be acknowledged or reported on the subscription. Resources below a URI belong to it.",
	Hint: "report only what params.notifications of the listen request names",
	Refs: []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/subscriptions", Anchor: "opening-a-stream"}},
}

var requestNotificationOnSubscription = &rule.Rule{
	ID: "request-notification-on-subscription", Severity: session.Error, Fault: rule.Server, Since: mcp.V5,
	Title:   "progress or log message with a subscriptionId",
	Explain: "Progress and log messages belong to their request and have no subscriptionId.",
	Hint:    "send progress and log messages without subscriptionId",
	Refs:    []rule.Ref{{Since: mcp.V5, Page: "server/utilities/logging", Anchor: "per-request-log-level"}},
}
