package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
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
