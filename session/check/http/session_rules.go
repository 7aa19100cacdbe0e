package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var sessionMissing = &rule.Rule{ID: "http-session-missing", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4}
var sessionNotRenewed = &rule.Rule{ID: "http-session-not-renewed", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4, NeedsAll: true}
var sessionLostCall = &rule.Rule{ID: "http-session-lost-call", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4, NeedsAll: true}
var sessionOnInitialize = &rule.Rule{ID: "http-session-on-initialize", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4}
var sessionExpiredCode = &rule.Rule{ID: "http-session-expired-code", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var sessionRequiredCode = &rule.Rule{ID: "http-session-required-code", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var sessionLate = &rule.Rule{ID: "http-session-late", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var sessionCharset = &rule.Rule{ID: "http-session-charset", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var sessionWeak = &rule.Rule{ID: "http-session-weak", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var sessionShared = &rule.Rule{ID: "http-session-shared", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var sessionFlap = &rule.Rule{ID: "http-session-flap", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var sessionAlive = &rule.Rule{ID: "http-session-alive-after-delete", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var sessionDeleteStatus = &rule.Rule{ID: "http-session-delete-status", Severity: session.Info, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4}
var sessionNotDeleted = &rule.Rule{ID: "http-session-not-deleted", Severity: session.Info, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4, NeedsAll: true}
