package http

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var sessionMissing = &rule.Rule{
	ID: "http-session-missing", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title:   "client does not send the session id",
	Explain: "A server that issues Mcp-Session-Id with the result of initialize gets it back on every later request. Without it, it answers 400 or begins another session.",
	Hint:    "store Mcp-Session-Id from the response to initialize, and send it on every request",
	Refs:    sessionRefs(),
}

var sessionNotRenewed = &rule.Rule{
	ID: "http-session-not-renewed", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title: "client keeps a session that was answered 404",
	Explain: "404 says that the session is over: the server was restarted, or has dropped it. The client must send initialize again, without the id. One that " +
		"keeps the id fails on every call until its user restarts it.",
	Hint: "on 404, drop the session id, send initialize again, and then the request",
	Refs: sessionRefs(),
}

var sessionLostCall = &rule.Rule{
	ID: "http-session-lost-call", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title:   "call is lost with its session",
	Explain: "The request was answered 404, because the session is over, and the client did not begin another one within 30 s.",
	Hint:    "on 404, send initialize again, and then the request if it is safe to repeat",
	Refs:    sessionRefs(),
}

var sessionOnInitialize = &rule.Rule{
	ID: "http-session-on-initialize", Severity: session.Error, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title:   "initialize carries a session id",
	Explain: "initialize begins a session, so it has none. Servers answer 404 or 400 to an id that they do not know, and the client never gets a new one.",
	Hint:    "drop the stored id before sending initialize",
	Refs:    sessionRefs(),
}

var sessionExpiredCode = &rule.Rule{
	ID: "http-session-expired-code", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "unknown session is not answered 404",
	Explain: "404 is what tells a client to begin again. After 400 or another status, clients report an error and keep the dead session.",
	Hint:    "answer 404 to a session id that is unknown or over; 400 is for a missing one",
	Refs:    sessionRefs(),
}

var sessionRequiredCode = &rule.Rule{
	ID: "http-session-required-code", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "missing session id is not answered 400",
	Explain: "A server that requires a session id should answer 400 to a request without one. 404 means that the session is over, and 405 that the method is not offered.",
	Hint:    "answer 400 to a request without Mcp-Session-Id, except initialize",
	Refs:    sessionRefs(),
}

var sessionLate = &rule.Rule{
	ID: "http-session-late", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "session id is issued or changed after initialize",
	Explain: "Clients read Mcp-Session-Id from the response to initialize only, and go on with that one.",
	Hint:    "issue the id once, with the result of initialize",
	Refs:    sessionRefs(),
}

var sessionCharset = &rule.Rule{
	ID: "http-session-charset", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "session id has characters other than visible ASCII",
	Explain: "A session id has only the characters 0x21 to 0x7E. Clients and intermediaries refuse or change other ones, and the id is then unknown.",
	Hint:    "use a random UUID",
	Refs:    sessionRefs(),
}

var sessionWeak = &rule.Rule{
	ID: "http-session-weak", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "session id is easy to guess",
	Explain: "Whoever knows the id can act in the session. An id of less than 16 characters, or one that is issued twice, is neither unique nor secure.",
	Hint:    "use a random UUID",
	Refs:    sessionRefs(),
}

var sessionShared = &rule.Rule{
	ID: "http-session-shared", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "two clients have one session",
	Explain: "The id was issued to clients with different credentials or names. Each gets the other's responses and may see its data.",
	Hint:    "issue a new random id for each initialize, and bind it to its user",
	Refs:    sessionRefs(),
}

var sessionFlap = &rule.Rule{
	ID: "http-session-flap", Severity: session.Warning, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title: "sessions end too soon",
	Explain: "Several sessions were answered 404 within a minute, or after a few minutes without a request. Either replicas do not share their sessions, so " +
		"that every other request meets a server that does not know it, or sessions time out while the client is still there.",
	Hint: "share the store of sessions between replicas, or route a session to its replica; keep idle sessions longer",
	Refs: sessionRefs(),
}

var sessionAlive = &rule.Rule{
	ID: "http-session-alive-after-delete", Severity: session.Error, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "session works after it was deleted",
	Explain: "The server accepted DELETE, and later answered a request in the same session. It must answer 404.",
	Hint:    "drop the session when DELETE arrives",
	Refs:    sessionRefs(),
}

var sessionDeleteStatus = &rule.Rule{
	ID: "http-session-delete-status", Severity: session.Info, Fault: rule.Server, Since: mcp.V2, Until: mcp.V4,
	Title:   "DELETE is answered with an unusual status",
	Explain: "DELETE ends a session. The server answers with a 2xx status, 404 if it does not know the session, or 405 if clients cannot end sessions.",
	Hint:    "answer 200 or 204, or 405 if you do not offer it",
	Refs:    sessionRefs(),
}

var sessionNotDeleted = &rule.Rule{
	ID: "http-session-not-deleted", Severity: session.Info, Fault: rule.Client, Since: mcp.V2, Until: mcp.V4,
	Title:   "client leaves without ending its session",
	Explain: "The client closed its last stream and sent nothing any more, in particular no DELETE. The server keeps the session until it times out.",
	Hint:    "send DELETE with Mcp-Session-Id before leaving",
	Refs:    sessionRefs(),
}
