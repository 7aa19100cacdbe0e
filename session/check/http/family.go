package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// Exchange has the checker of all families of this package.
var Exchange = rule.Family{
	Name:  "http",
	Title: "HTTP: requests and responses",
	Rules: []*rule.Rule{
		accept, notAccepted, requestContentType, requestNotJSON, contentType, contentEncoding, request202, notificationStatus, jsonBodyShape, htmlBody, wrongExchange, errorID,
		redirect, rateLimited, serverError, noResponse, longHead, getStatus, batchPost, responsePost, versionHeader, versionHeaderCode,
	},
	EveryFrame: true,
	Session: func() func() session.Checker {
		h := new(history)
		return func() session.Checker {
			c := &httpConn{history: h}
			h.conns = append(h.conns, c)
			return c
		}
	},
}

// Unread are rules for responses that clients cannot read, so that their requests have none.
var Unread = []*rule.Rule{contentType, contentEncoding, jsonBodyShape, noResponse, truncatedEvent}

// Sessions has the rules for the sessions of 2025-03-26 to 2025-11-25.
var Sessions = rule.Family{
	Name:  "http-sessions",
	Title: "HTTP: sessions",
	Rules: []*rule.Rule{
		sessionMissing, sessionNotRenewed, sessionLostCall, sessionOnInitialize, sessionExpiredCode, sessionRequiredCode, sessionLate, sessionCharset,
		sessionWeak, sessionShared, sessionFlap, sessionAlive, sessionDeleteStatus, sessionNotDeleted,
	},
}

// Streams has the rules for server-sent events.
var Streams = rule.Family{
	Name:  "sse",
	Title: "HTTP: event streams",
	Rules: []*rule.Rule{
		closedWithoutResponse, idleCut, buffered, dataNotJSON, notUTF8, truncatedEvent, eventName, afterResponse, notEnded, messageUnrelated,
		responseOnGet, broadcast, eventIDReused, primingMissing, primingTooEarly, closeWithoutRetry, retryIgnored, resumeNotGet, lastEventIDUnknown,
		replayWrongStream, replayRepeats, disconnectAsCancel, workAfterClose, reconnectStorm, noKeepalive, noEndpoint, endpointForeign, answerInPost,
	},
}

// Mirror has the rules for the header fields of 2026-07-28.
var Mirror = rule.Family{
	Name:  "http-headers",
	Title: "HTTP: header fields of 2026-07-28",
	Rules: []*rule.Rule{
		mcpHeaders, paramHeaders, mismatchAccepted, errorStatus, errorBodyMissing, duplicateHeader, headerUnneeded, headerInvalid, invalidToolUsed,
		mismatchNoRefresh, noBufferingHeader, cacheConflict, cacheServedRetry, legacyArtifacts,
	},
}

// Authorization has the rules for credentials, and for the metadata by which clients log in.
var Authorization = rule.Family{
	Name:  "http-auth",
	Title: "HTTP: authorization",
	Rules: []*rule.Rule{
		challengeSyntax, tokenMissing, tokenInQuery, retryLoop, prmMissing, prmShape, prmMismatch, wellKnownNotJSON,
	},
}

// Browsers has the rules for clients in browsers.
var Browsers = rule.Family{
	Name:  "cors",
	Title: "HTTP: browsers",
	Rules: []*rule.Rule{corsPreflight, corsAllowHeaders, corsExposeHeaders, corsMethods},
}

// refs are the references to a section of the old page, and to one of the new.
func refs(legacy, modern string) []rule.Ref {
	return []rule.Ref{
		{Since: mcp.V2, Until: mcp.V4, Page: "basic/transports", Anchor: legacy},
		{Since: mcp.V5, Page: "basic/transports/streamable-http", Anchor: modern},
	}
}

// legacyRefs is the reference to a section of the old page.
func legacyRefs(section string) []rule.Ref {
	return []rule.Ref{{Since: mcp.V2, Until: mcp.V4, Page: "basic/transports", Anchor: section}}
}

// modernRefs is the reference to a section of the new page.
func modernRefs(section string) []rule.Ref {
	return []rule.Ref{{Since: mcp.V5, Page: "basic/transports/streamable-http", Anchor: section}}
}

// rfc is a reference to an RFC or another standard.
func rfc(url string) []rule.Ref { return []rule.Ref{{URL: url}} }

// References to the sections that several rules cite: functions where they call one, so that
// the compiler lays out the rules.
func sendingRefs() []rule.Ref    { return refs("sending-messages-to-the-server", "sending-messages") }
func receivingRefs() []rule.Ref  { return refs("sending-messages-to-the-server", "receiving-messages") }
func listeningRefs() []rule.Ref  { return legacyRefs("listening-for-messages-from-the-server") }
func sessionRefs() []rule.Ref    { return legacyRefs("session-management") }
func resumingRefs() []rule.Ref   { return legacyRefs("resumability-and-redelivery") }
func validationRefs() []rule.Ref { return modernRefs("server-validation") }

var (
	versionRefs = []rule.Ref{
		{Since: mcp.V3, Until: mcp.V4, Page: "basic/transports", Anchor: "protocol-version-header"},
		{Since: mcp.V5, Page: "basic/transports/streamable-http", Anchor: "protocol-version-header"},
	}
	oldRefs = []rule.Ref{{Until: mcp.V1, Page: "basic/transports", Anchor: "http-with-sse"}}
)
