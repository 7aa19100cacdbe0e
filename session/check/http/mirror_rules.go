package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var mcpHeaders = &rule.Rule{ID: "http-mcp-headers", Severity: session.Error, Fault: rule.Client, Since: mcp.V5}
var paramHeaders = &rule.Rule{ID: "http-param-headers", Severity: session.Error, Fault: rule.Client, Since: mcp.V5}
var mismatchAccepted = &rule.Rule{ID: "http-mismatch-accepted", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var errorStatus = &rule.Rule{ID: "http-error-status", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var errorBodyMissing = &rule.Rule{ID: "http-error-body-missing", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var duplicateHeader = &rule.Rule{ID: "http-duplicate-header", Severity: session.Error, Fault: rule.Client, Since: mcp.V5}
var headerUnneeded = &rule.Rule{ID: "http-header-unneeded", Severity: session.Info, Fault: rule.Client, Since: mcp.V5}
var headerInvalid = &rule.Rule{ID: "x-mcp-header-invalid", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var invalidToolUsed = &rule.Rule{ID: "http-invalid-tool-used", Severity: session.Error, Fault: rule.Client, Since: mcp.V5}
var mismatchNoRefresh = &rule.Rule{ID: "http-mismatch-no-refresh", Severity: session.Info, Fault: rule.Client, Since: mcp.V5, NeedsAll: true}
var noBufferingHeader = &rule.Rule{ID: "sse-no-buffering-header", Severity: session.Info, Fault: rule.Server, Since: mcp.V5}
var cacheConflict = &rule.Rule{ID: "http-cache-conflict", Severity: session.Warning, Fault: rule.Server, Since: mcp.V5}
var cacheServedRetry = &rule.Rule{ID: "http-cache-served-retry", Severity: session.Error, Fault: rule.Intermediary, Since: mcp.V5}
var legacyArtifacts = &rule.Rule{ID: "http-legacy-artifacts", Severity: session.Info, Fault: rule.Client, Since: mcp.V5}
