package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var closedWithoutResponse = &rule.Rule{ID: "sse-closed-without-response", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, NeedsAll: true}
var idleCut = &rule.Rule{ID: "sse-idle-cut", Severity: session.Warning, Fault: rule.Nobody}
var buffered = &rule.Rule{ID: "sse-buffered", Severity: session.Warning, Fault: rule.Nobody}
var dataNotJSON = &rule.Rule{ID: "sse-data-not-json", Severity: session.Error, Fault: rule.Server}
var notUTF8 = &rule.Rule{ID: "sse-not-utf8", Severity: session.Error, Fault: rule.Server}
var truncatedEvent = &rule.Rule{ID: "sse-truncated-event", Severity: session.Error, Fault: rule.Server}
var eventName = &rule.Rule{ID: "sse-event-name", Severity: session.Warning, Fault: rule.Server}
var afterResponse = &rule.Rule{ID: "sse-after-response", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2}
var notEnded = &rule.Rule{ID: "sse-not-ended", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2}
var messageUnrelated = &rule.Rule{ID: "sse-message-unrelated", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, NeedsAll: true}
var responseOnGet = &rule.Rule{ID: "http-response-on-get", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4, NeedsAll: true}
var broadcast = &rule.Rule{ID: "http-broadcast", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var eventIDReused = &rule.Rule{ID: "sse-event-id-reused", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var primingMissing = &rule.Rule{ID: "sse-priming-missing", Severity: session.Info, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4, NeedsAll: true}
var primingTooEarly = &rule.Rule{ID: "sse-priming-too-early", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V3, NeedsAll: true}
var closeWithoutRetry = &rule.Rule{ID: "sse-close-without-retry", Severity: session.Info, Fault: rule.Server, Since: mcp.V4, Until: mcp.V4}
var retryIgnored = &rule.Rule{ID: "sse-retry-ignored", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4}
var resumeNotGet = &rule.Rule{ID: "sse-resume-not-get", Severity: session.Warning, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4}
var lastEventIDUnknown = &rule.Rule{ID: "sse-last-event-id-unknown", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4}
var replayWrongStream = &rule.Rule{ID: "sse-replay-wrong-stream", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var replayRepeats = &rule.Rule{ID: "sse-replay-repeats", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var disconnectAsCancel = &rule.Rule{ID: "http-disconnect-as-cancel", Severity: session.Info, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4, NeedsAll: true}
var workAfterClose = &rule.Rule{ID: "http-work-after-close", Severity: session.Warning, Fault: rule.Server, Since: mcp.V5, NeedsAll: true}
var reconnectStorm = &rule.Rule{ID: "sse-reconnect-storm", Severity: session.Warning, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4, NeedsAll: true}
var noKeepalive = &rule.Rule{ID: "sse-no-keepalive", Severity: session.Info, Fault: rule.Server, Since: mcp.V2}
var noEndpoint = &rule.Rule{ID: "sse-no-endpoint", Severity: session.Error, Fault: rule.Server, Until: mcp.V1}
var endpointForeign = &rule.Rule{ID: "sse-endpoint-foreign", Severity: session.Error, Fault: rule.Server, Until: mcp.V1}
var answerInPost = &rule.Rule{ID: "sse-answer-in-post", Severity: session.Error, Fault: rule.Server, Until: mcp.V1}
