package protocol

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Lifecycle = rule.Family{
	Name:  "lifecycle",
	Title: "Legacy lifecycle",
	Rules: []*rule.Rule{
		requestBeforeInitialize, requestDuringInitialize, serverRequestBeforeInitialized,
		notificationBeforeInitializeResponse, missingInitialized, wrongInitializedMethod,
		duplicateInitialize, initializeCancelled, initializeMissingField,
		versionAnswerUnknown, versionRefusedWithError, versionAnswerIgnored,
		modernVersionInInitialize, draftVersion,
		featureNewerThanVersion, capabilityNotNegotiated, declaredButUnimplemented, servedButUndeclared,
		undeclaredListChanged, pingBadResult,
	},
	New: func() session.Checker { return &lifecycleConn{} },
}

var requestBeforeInitialize = &rule.Rule{ID: "request-before-initialize", Severity: session.Error, Fault: rule.Client, Until: mcp.V4, NeedsAll: true}
var requestDuringInitialize = &rule.Rule{ID: "request-during-initialize", Severity: session.Warning, Fault: rule.Client, Until: mcp.V4}
var serverRequestBeforeInitialized = &rule.Rule{ID: "server-request-before-initialized", Severity: session.Warning, Fault: rule.Server, Until: mcp.V4}
var notificationBeforeInitializeResponse = &rule.Rule{ID: "notification-before-initialize-response", Severity: session.Warning, Fault: rule.Server, Until: mcp.V4}
var missingInitialized = &rule.Rule{ID: "missing-initialized", Severity: session.Error, Fault: rule.Client, Until: mcp.V4}
var wrongInitializedMethod = &rule.Rule{ID: "wrong-initialized-method", Severity: session.Error, Fault: rule.Client, Until: mcp.V4}
var duplicateInitialize = &rule.Rule{ID: "duplicate-initialize", Severity: session.Warning, Fault: rule.Client, Until: mcp.V4, NeedsAll: true}
var initializeCancelled = &rule.Rule{ID: "initialize-cancelled", Severity: session.Error, Fault: rule.Client, Until: mcp.V4, NeedsAll: true}
var initializeMissingField = &rule.Rule{ID: "initialize-missing-field", Severity: session.Error, Until: mcp.V4}
var versionAnswerUnknown = &rule.Rule{ID: "version-answer-unknown", Severity: session.Warning, Fault: rule.Server, Until: mcp.V4}
var versionRefusedWithError = &rule.Rule{ID: "version-refused-with-error", Severity: session.Warning, Fault: rule.Server, Until: mcp.V4}
var versionAnswerIgnored = &rule.Rule{ID: "version-answer-ignored", Severity: session.Info, Fault: rule.Client, Until: mcp.V4}
var modernVersionInInitialize = &rule.Rule{ID: "modern-version-in-initialize", Severity: session.Warning, Fault: rule.Client, Until: mcp.V4}
var draftVersion = &rule.Rule{ID: "draft-version", Severity: session.Info}
var featureNewerThanVersion = &rule.Rule{ID: "feature-newer-than-version", Severity: session.Warning, Until: mcp.V4}
var capabilityNotNegotiated = &rule.Rule{ID: "capability-not-negotiated", Severity: session.Error}
var declaredButUnimplemented = &rule.Rule{ID: "declared-but-unimplemented", Severity: session.Warning, Fault: rule.Server}
var servedButUndeclared = &rule.Rule{ID: "served-but-undeclared", Severity: session.Error, Fault: rule.Server}
var undeclaredListChanged = &rule.Rule{ID: "undeclared-list-changed", Severity: session.Warning, Fault: rule.Server}
var pingBadResult = &rule.Rule{ID: "ping-bad-result", Severity: session.Warning, Until: mcp.V4}
