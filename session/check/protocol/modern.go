package protocol

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Modern = rule.Family{
	Name:  "modern",
	Title: "Modern envelope",
	Rules: []*rule.Rule{
		missingRequestMeta, requestMetaType, missingClientInfo, missingServerInfo,
		missingResultType, unknownResultType, discoverNotImplemented, discoverShape,
		unsupportedVersionShape, missingCapabilityErrorShape, reservedErrorCode,
		fallbackAfterModernError, modernRequestToLegacyServer, mixedEra,
		removedMethod, serverInitiatedRequest, clientSentResponse,
		serverCancelledRequest, clientProgress, logWithoutOptIn,
		missingCacheHints, badCacheHint, toolOrderUnstable,
	},
	New: func() session.Checker { return &modernConn{} },
}

var missingRequestMeta = &rule.Rule{ID: "missing-request-meta", Severity: session.Error, Fault: rule.Client, Since: mcp.V5, NeedsAll: true}
var requestMetaType = &rule.Rule{ID: "request-meta-type", Severity: session.Error, Fault: rule.Client, Since: mcp.V5}
var missingClientInfo = &rule.Rule{ID: "missing-client-info", Severity: session.Info, Fault: rule.Client, Since: mcp.V5}
var missingServerInfo = &rule.Rule{ID: "missing-server-info", Severity: session.Info, Fault: rule.Server, Since: mcp.V5}
var missingResultType = &rule.Rule{ID: "missing-result-type", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var unknownResultType = &rule.Rule{ID: "unknown-result-type", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var discoverNotImplemented = &rule.Rule{ID: "discover-not-implemented", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var discoverShape = &rule.Rule{ID: "discover-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var unsupportedVersionShape = &rule.Rule{ID: "unsupported-version-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var missingCapabilityErrorShape = &rule.Rule{ID: "missing-capability-error-shape", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var reservedErrorCode = &rule.Rule{ID: "reserved-error-code", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var fallbackAfterModernError = &rule.Rule{ID: "fallback-after-modern-error", Severity: session.Error, Fault: rule.Client}
var modernRequestToLegacyServer = &rule.Rule{ID: "modern-request-to-legacy-server", Severity: session.Warning, Fault: rule.Client, Since: mcp.V5, NeedsAll: true}
var mixedEra = &rule.Rule{ID: "mixed-era", Severity: session.Warning, Fault: rule.Client}
var removedMethod = &rule.Rule{ID: "removed-method", Severity: session.Error, Since: mcp.V5, NeedsAll: true}
var serverInitiatedRequest = &rule.Rule{ID: "server-initiated-request", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var clientSentResponse = &rule.Rule{ID: "client-sent-response", Severity: session.Error, Fault: rule.Client, Since: mcp.V5}
var serverCancelledRequest = &rule.Rule{ID: "server-cancelled-request", Severity: session.Error, Fault: rule.Server, Since: mcp.V5, NeedsAll: true}
var clientProgress = &rule.Rule{ID: "client-progress", Severity: session.Error, Fault: rule.Client, Since: mcp.V5}
var logWithoutOptIn = &rule.Rule{ID: "log-without-opt-in", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var missingCacheHints = &rule.Rule{ID: "missing-cache-hints", Severity: session.Error, Fault: rule.Server, Since: mcp.V5, NeedsAll: true}
var badCacheHint = &rule.Rule{ID: "bad-cache-hint", Severity: session.Error, Fault: rule.Server, Since: mcp.V5}
var toolOrderUnstable = &rule.Rule{ID: "tool-order-unstable", Severity: session.Info, Fault: rule.Server, Since: mcp.V5}
