package verdict

import (
	"slices"

	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// The rules of check itself: what it was told to require of a server, and what probing
// shows. What the wire alone shows is judged by package check.
var (
	NotStarted = &check.Rule{
		ID: "not-started", Severity: session.Error, Fault: check.Nobody,
		Title:   "the server could not be started",
		Explain: "The command after -- cannot be run: it is not in PATH, is not executable, or its folder does not exist.",
		Hint:    "check the spelling of the command and the PATH, or give its full path",
	}
	NoHandshake = &check.Rule{
		ID: "no-handshake", Severity: session.Error, Fault: check.Server,
		Title:   "the handshake failed",
		Explain: "The server was started, but neither server/discover nor initialize created a session: it returned errors, did not respond in time, or exited.",
		Hint:    "read what the server writes at that time; --timeout initialize=2m waits longer",
	}
	CallFailed = &check.Rule{
		ID: "call-failed", Severity: session.Error, Fault: check.Nobody,
		Title:   "a requested call, or a list that the server declares, failed",
		Explain: "The response was an error, a result with isError, or did not come in time. Whether the arguments or the server are wrong is not known.",
		Hint:    "make the request by hand with wiretea call, and read what the server writes to stderr",
	}
	StoppedEarly = &check.Rule{
		ID: "stopped-early", Severity: session.Error, Fault: check.Nobody,
		Title:   "check was stopped before it was complete",
		Explain: "The time of --max-time was up, or check was interrupted. The session is judged as far as it went.",
		Hint:    "a slow server needs more time: --max-time 2m",
	}
	maxLatency = &check.Rule{
		ID: "max-latency", Severity: session.Error, Fault: check.Server,
		Title:   "a request took longer than --max-latency allows",
		Explain: "The time from the last byte of the request to the last byte of its response exceeds the limit for its method.",
		Hint:    "make it faster, or raise the limit: --max-latency METHOD=DURATION",
	}
	maxContext = &check.Rule{
		ID: "max-context", Severity: session.Error, Fault: check.Server,
		Title: "the tools take more of a model's context than --max-context allows",
		Explain: "A client hands the names, descriptions and input schemas of all tools, and the server's instructions, to the model in every conversation. " +
			"The tokens are estimated, one for every four bytes; what a model counts is seldom more than a fifth off.",
		Hint: "shorten the descriptions and the instructions, remove parameters and tools that are not needed, or raise the limit: --max-context TOKENS",
	}
	toolsDrift = &check.Rule{
		ID: "tools-drift", Severity: session.Error, Fault: check.Server,
		Title: "a tool's definition differs from the approved one",
		Explain: "The file of --tools-lock holds the approved definitions of the tools. A tool was added or removed, or its " +
			"description, schema or annotations have changed: what a model is told about it, and may do with it, has not been reviewed.",
		Hint: "review the change, and approve it with --update-tools-lock",
	}
	ProbeUnanswered = &check.Rule{
		ID: "probe-unanswered", Severity: session.Error, Fault: check.Server,
		Title:   "the server does not respond to an unusual request",
		Explain: "Every request needs a response; for an unknown method or tool, or wrong parameters, that is an error. A client without a response waits until its timeout.",
		Hint:    "answer with an error in the default branch, and when a handler fails",
	}
	UnknownMethodAccepted = &check.Rule{
		ID: "unknown-method-accepted", Severity: session.Warning, Fault: check.Server,
		Title:   "an unknown method returns a result",
		Explain: "Clients use the error -32601 to detect what a server does not support, and continue without it.",
		Hint:    "answer -32601 in the default branch",
	}
	BadParamsAccepted = &check.Rule{
		ID: "bad-params-accepted", Severity: session.Warning, Fault: check.Server,
		Title:   "a request without a required parameter succeeds",
		Explain: "tools/call without a tool name returned a result that reports no error. The client, and the model behind it, takes that for success.",
		Hint:    "check the parameters, and answer with the error -32602",
	}
	UnknownToolAccepted = &check.Rule{
		ID: "unknown-tool-accepted", Severity: session.Warning, Fault: check.Server,
		Title:   "a call of a tool that does not exist succeeds",
		Explain: "The response is a result that reports no error. The client, and the model behind it, takes that for success.",
		Hint:    "answer with the error -32602, or with a result that has isError",
	}
	EndsOnBadJSON = &check.Rule{
		ID: "ends-on-bad-json", Severity: session.Info, Fault: check.Server,
		Title:   "the server closes the connection when it reads a line that is not JSON",
		Explain: "One malformed line from a client ends the whole session. JSON-RPC has the error -32700 for it. Clients seldom write one.",
		Hint:    "answer with the error -32700, or ignore the line, and keep reading",
	}
	DeafAfterBadJSON = &check.Rule{
		ID: "deaf-after-bad-json", Severity: session.Info, Fault: check.Server,
		Title:   "the server stops responding after a line that is not JSON",
		Explain: "It keeps running but stops reading, so the client waits for ever. Servers on the Go SDK 1.8 do this. Clients seldom write such a line.",
		Hint:    "answer with the error -32700, or ignore the line, and keep reading",
	}
)

// Rules about a server at a URL that looking at its connection, or probing it, shows.
var (
	CertificateExpires = &check.Rule{
		ID: "certificate-expires", Severity: session.Warning, Fault: check.Server,
		Title:   "the server's certificate expires soon",
		Explain: "Less than a tenth of its life is left. Certificates that are renewed automatically are renewed in the last third, so the renewal does not work, or nobody has set it up.",
		Hint:    "renew the certificate, and find out why that was not done",
	}
	OriginUnchecked = &check.Rule{
		ID: "http-origin-unchecked", Severity: session.Warning, Fault: check.Server,
		Title: "a message with a foreign Origin is accepted",
		Explain: "A page of any site can make the browser of a user post messages to a server on the user's machine or in the user's network. " +
			"The server recognizes them by their Origin, and must refuse those it does not know.",
		Hint: "answer 403 to an Origin that is not in a list of those that may connect; a server on this machine listens on 127.0.0.1",
		Refs: originRefs,
	}
	OriginStatus = &check.Rule{
		ID: "http-origin-status", Severity: session.Error, Fault: check.Server, Since: mcp.V4,
		Title:   "a foreign Origin is refused with a status other than 403",
		Explain: "The client must be able to tell this refusal from a message that is wrong, or a path or a session that is not there.",
		Hint:    "answer 403 Forbidden",
		Refs:    originRefs,
	}
	HostUnchecked = &check.Rule{
		ID: "http-host-unchecked", Severity: session.Warning, Fault: check.Server,
		Title: "a server on this machine accepts a foreign Host",
		Explain: "A site can let its own name point to 127.0.0.1 (DNS rebinding). For the browser its pages then come from the same origin as the server, " +
			"and may read all that it answers. Only the field Host shows it.",
		Hint: "refuse a Host other than localhost, 127.0.0.1 and [::1], with the server's port",
		Refs: originRefs,
	}
	BindAll = &check.Rule{
		ID: "http-bind-all", Severity: session.Warning, Fault: check.Server,
		Title:   "a server on this machine can be reached by the network",
		Explain: "It is addressed on loopback, and answers at another address of the machine too: who is in the same network can use its tools, unless a firewall prevents it.",
		Hint:    "listen on 127.0.0.1, not on 0.0.0.0 or ::",
		Refs:    originRefs,
	}
	NoAuthOpen = &check.Rule{
		ID: "http-no-auth-open", Severity: session.Info, Fault: check.Server,
		Title:   "a server on the network answers without credentials",
		Explain: "Who can reach the server can use its tools. That may be meant.",
		Hint:    "if it is not meant for everybody, demand authorization: answer 401 with WWW-Authenticate",
		Refs:    originRefs,
	}
	NoChallenge = &check.Rule{
		ID: "auth-no-challenge", Severity: session.Warning, Fault: check.Server,
		Title:   "401 without WWW-Authenticate",
		Explain: "The field says which kind of credentials the server wants, and where they are to be had. HTTP demands it with each 401, and without it a client cannot begin to authorize.",
		Hint:    `send WWW-Authenticate: Bearer resource_metadata="…" with each 401`,
		Refs:    []rule.Ref{{URL: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2"}},
	}
	LoginMissing = &check.Rule{
		ID: "asm-missing", Severity: session.Error, Fault: check.Nobody,
		Title: "the authorization server has no metadata",
		Explain: "The server's metadata names an authorization server. A client looks for its metadata at /.well-known/oauth-authorization-server and /.well-known/openid-configuration, with the path of its URL. " +
			"There is none, so the client does not know where to log in. The URL may be wrong, or the authorization server may not publish metadata.",
		Hint: "correct authorization_servers, or have the authorization server publish its metadata",
		Refs: loginRefs("https://www.rfc-editor.org/rfc/rfc8414#section-3"),
	}
	LoginShape = &check.Rule{
		ID: "asm-shape", Severity: session.Error, Fault: check.Nobody,
		Title: "metadata of the authorization server is incomplete",
		Explain: "Clients need the issuer, the authorization_endpoint, the token_endpoint and the response_types_supported to log in with an authorization code. " +
			"After 200 they read the body and look nowhere else: the page of a web application that takes every path makes them give up.",
		Hint: "publish all of them; answer 404 for each path below /.well-known/ that has no metadata",
		Refs: loginRefs("https://www.rfc-editor.org/rfc/rfc8414#section-2"),
	}
	LoginIssuer = &check.Rule{
		ID: "asm-issuer-mismatch", Severity: session.Error, Fault: check.Nobody,
		Title: "the authorization server has another issuer than the server names",
		Explain: "The issuer in the metadata must be the URL in authorization_servers, character by character: a slash at the end counts. A client must not use the metadata otherwise. " +
			"Clients that do not compare them log in nevertheless.",
		Hint: "write the issuer into authorization_servers as the authorization server has it",
		Refs: loginRefs("https://www.rfc-editor.org/rfc/rfc8414#section-3.3"),
	}
	LoginNoPKCE = &check.Rule{
		ID: "asm-no-pkce", Severity: session.Error, Fault: check.Nobody, Since: mcp.V4,
		Title:   "the authorization server does not say that it supports PKCE with S256",
		Explain: "A client must refuse to log in if code_challenge_methods_supported is absent: it cannot know whether its authorization code is protected. It uses S256 unless it cannot. Some authorization servers support S256 and do not say so.",
		Hint:    `have the authorization server publish "code_challenge_methods_supported":["S256"]`,
		Refs: []rule.Ref{
			{Until: mcp.V4, Page: "basic/authorization", Anchor: "authorization-code-protection"},
			{Since: mcp.V5, Page: "basic/authorization/security-considerations"},
		},
	}
	LoginInsecure = &check.Rule{
		ID: "asm-insecure", Severity: session.Error, Fault: check.Nobody,
		Title:   "the authorization server is not at https",
		Explain: "Codes, tokens and passwords pass in plain text. All endpoints of an authorization server must be served over HTTPS, and clients may refuse others.",
		Hint:    "serve the authorization server over HTTPS; behind a proxy, have it publish its public URL",
		Refs: []rule.Ref{
			{Until: mcp.V4, Page: "basic/authorization", Anchor: "communication-security"},
			{Since: mcp.V5, Page: "basic/authorization/security-considerations"},
		},
	}
)

// loginRefs are where the metadata of authorization servers is looked for, and a section of RFC
// 8414.
func loginRefs(url string) []rule.Ref {
	return []rule.Ref{
		{Since: mcp.V4, Until: mcp.V4, Page: "basic/authorization", Anchor: "authorization-server-metadata-discovery"},
		{Since: mcp.V5, Page: "basic/authorization/authorization-server-discovery"}, {URL: url},
	}
}

// originRefs is the warning about attacks by way of a browser.
var originRefs = []rule.Ref{
	{Until: mcp.V4, Page: "basic/transports", Anchor: "security-warning"},
	{Since: mcp.V5, Page: "basic/transports/streamable-http"},
}

// OwnRules are the rules of check itself, in the order of the documentation.
var OwnRules = []*check.Rule{
	NotStarted, NoHandshake, CallFailed, StoppedEarly, maxLatency, maxContext, toolsDrift,
	ProbeUnanswered, UnknownMethodAccepted, BadParamsAccepted, UnknownToolAccepted, EndsOnBadJSON, DeafAfterBadJSON,
	CertificateExpires, OriginUnchecked, OriginStatus, HostUnchecked, BindAll, NoAuthOpen, NoChallenge,
	LoginMissing, LoginShape, LoginIssuer, LoginNoPKCE, LoginInsecure,
}

// RuleOf returns the rule with an id, of the catalogue or of check itself; nil if there
// is none.
func RuleOf(id string) *check.Rule {
	if r := check.Lookup(id); r != nil {
		return r
	}
	for _, r := range OwnRules {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// RuleIDs returns the ids of the catalogue and of OwnRules, sorted.
func RuleIDs() []string {
	var ids []string
	for _, r := range slices.Concat(check.All(), OwnRules) {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Found returns a finding of one of OwnRules, at no frame.
func Found(r *check.Rule, message string) session.Finding {
	f := session.Finding{
		Rule: r.ID, Severity: r.Severity, Row: session.NoRow, Last: session.NoRow, Count: 1, Message: message, Hint: r.Hint,
	}
	if r.Fault == check.Server {
		f.Fault = session.Server
	}
	return f
}

// at places a finding at a frame; session.NoRow leaves it at none.
func at(f session.Finding, s *session.Snapshot, row uint32) session.Finding {
	if row == session.NoRow {
		return f
	}
	r := s.Row(row)
	f.Row, f.Last, f.N, f.T, f.Conn = row, row, uint64(r.N), r.T, int(r.Conn)
	return f
}
