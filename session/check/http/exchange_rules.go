package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var accept = &rule.Rule{ID: "http-accept", Severity: session.Error, Fault: rule.Client, Since: mcp.V2}
var notAccepted = &rule.Rule{ID: "http-406", Severity: session.Error, Fault: rule.Server, Since: mcp.V2}
var requestContentType = &rule.Rule{ID: "http-request-content-type", Severity: session.Warning, Fault: rule.Client, Since: mcp.V2}
var requestNotJSON = &rule.Rule{ID: "http-request-not-json", Severity: session.Error, Fault: rule.Client}
var contentType = &rule.Rule{ID: "http-content-type", Severity: session.Error, Fault: rule.Server, Since: mcp.V2}
var contentEncoding = &rule.Rule{ID: "http-content-encoding", Severity: session.Error, Fault: rule.Server, NeedsAll: true}
var request202 = &rule.Rule{ID: "http-request-202", Severity: session.Error, Fault: rule.Server, Since: mcp.V2}
var notificationStatus = &rule.Rule{ID: "http-notification-status", Severity: session.Error, Fault: rule.Server, Since: mcp.V2}
var jsonBodyShape = &rule.Rule{ID: "http-json-body-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V2}
var htmlBody = &rule.Rule{ID: "http-html-body", Severity: session.Error, Fault: rule.Server, NeedsAll: true}
var wrongExchange = &rule.Rule{ID: "http-response-wrong-exchange", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, NeedsAll: true}
var errorID = &rule.Rule{ID: "http-error-id", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2}
var redirect = &rule.Rule{ID: "http-redirect", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2}
var rateLimited = &rule.Rule{ID: "http-rate-limited", Severity: session.Info, Fault: rule.Server, NeedsAll: true}
var serverError = &rule.Rule{ID: "http-server-error", Severity: session.Error, Fault: rule.Server}
var noResponse = &rule.Rule{ID: "http-no-response", Severity: session.Error, Fault: rule.Server, NeedsAll: true}
var longHead = &rule.Rule{ID: "http-long-head", Severity: session.Warning, Fault: rule.Server}
var getStatus = &rule.Rule{ID: "http-get-status", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var batchPost = &rule.Rule{ID: "http-batch-post", Severity: session.Error, Fault: rule.Client, Since: mcp.V3}
var responsePost = &rule.Rule{ID: "http-response-post", Severity: session.Error, Fault: rule.Client, Since: mcp.V5}
var versionHeader = &rule.Rule{ID: "http-version-header", Severity: session.Error, Fault: rule.Client, Since: mcp.V3}
var versionHeaderCode = &rule.Rule{ID: "http-version-header-code", Severity: session.Error, Fault: rule.Server, Since: mcp.V3}
