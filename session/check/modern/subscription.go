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

// Where the specification speaks of what comes on a subscription.
var (
	acknowledgmentRefs = []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/subscriptions", Anchor: "acknowledgment"}}
	receivingRefs      = []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/subscriptions", Anchor: "receiving-notifications"}}
)

var SubscriptionNotAcknowledged = &rule.Rule{
	ID:       "subscription-not-acknowledged",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a subscription is not acknowledged, or not at first",
	Explain: "The first message with the id of a subscription is notifications/subscriptions/acknowledged, which says what the server will report. Where nothing " +
		"comes for 5 s it is a warning.",
	Hint: "send notifications/subscriptions/acknowledged as soon as subscriptions/listen comes",
	Refs: acknowledgmentRefs,
}

var subscriptionIDMissing = &rule.Rule{
	ID:       "subscription-id-missing",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a modern server reports a change and does not say for which subscription",
	Explain: "From 2026-07-28 on changes are reported to those who asked for them with subscriptions/listen, and each report carries the id of that request in its " +
		"_meta. Clients cannot assign one without, and drop it.",
	Hint: "add io.modelcontextprotocol/subscriptionId with the id of the listen request, once for each subscription",
	Refs: receivingRefs,
}

var subscriptionIDUnknown = &rule.Rule{
	ID:       "subscription-id-unknown",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a report names a subscription that does not exist",
	Explain: "The id of a subscription is that of its listen request, in the same JSON type. After its end nothing more is reported; what was under way " +
		"then is excused for a second.",
	Hint: "keep the id of the listen request as it came, and forget it when the subscription is over",
	Refs: receivingRefs,
}

var subscriptionUnrequested = &rule.Rule{
	ID:       "subscription-unrequested",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "a subscription brings what its client did not ask for",
	Explain:  "A client says what it wants to hear of: changes of tools, prompts and resources, and the uris of single resources. Nothing else may be acknowledged or reported on it. What lies below a uri belongs to it.",
	Hint:     "report only what params.notifications of the listen request names",
	Refs:     []rule.Ref{{Since: mcp.V5, Page: "basic/patterns/subscriptions", Anchor: "opening-a-stream"}},
}

var requestNotificationOnSubscription = &rule.Rule{
	ID:       "request-notification-on-subscription",
	Severity: session.Error,
	Fault:    rule.Server,
	Since:    mcp.V5,
	Title:    "progress or a log message is sent on a subscription",
	Explain:  "They belong to the request that they tell about, and carry no id of a subscription.",
	Hint:     "send progress and log messages without subscriptionId",
	Refs:     []rule.Ref{{Since: mcp.V5, Page: "server/utilities/logging", Anchor: "per-request-log-level"}},
}
