package features

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Logging = rule.Family{
	Name:  "logging",
	Title: "Logging",
	Rules: []*rule.Rule{logWithoutCapability, invalidLogLevel, logBelowThreshold, logShape},
	New:   func() session.Checker { return &loggingConn{} },
}

const loggingPage = "server/utilities/logging"

var logWithoutCapability = &rule.Rule{
	ID: "log-without-capability", Severity: session.Info, Fault: rule.Server,
	Title: "log message from a server that did not declare logging",
	Explain: "A server that sends log messages must declare logging; otherwise a client that reads the capabilities does not offer to set a level. No " +
		"known client fails, and servers with the Python SDK 1 do this whenever they log; hence the severity info.",
	Hint: `declare "logging":{} in the capabilities`,
	Refs: []rule.Ref{{Page: loggingPage, Anchor: "capabilities"}},
}

var invalidLogLevel = &rule.Rule{
	ID:       "invalid-log-level",
	Alone:    true,
	Severity: session.Error,
	Title:    "unknown log level",
	Explain: "The levels are debug, info, notice, warning, error, critical, alert and emergency, in lower case, as in RFC 5424. Clients that validate the " +
		"level drop a message with warn, WARNING, trace or fatal, and servers refuse to set such a level.",
	Hint: "map warn to warning, fatal to critical, trace to debug, and use lower case",
	Refs: []rule.Ref{{Page: loggingPage, Anchor: "log-levels"}},
}

var logBelowThreshold = &rule.Rule{
	ID: "log-below-threshold", Severity: session.Warning, Fault: rule.Server,
	Title: "log message below the requested level",
	Explain: "After logging/setLevel a server sends messages of that level and above. From 2026-07-28 on, each request names its level, and a message must " +
		"reach the lowest level of the requests in flight. Messages within one second of a change are not reported.",
	Hint: "store the level that was set, and compare before sending",
	Refs: []rule.Ref{
		{Until: mcp.V4, Page: loggingPage, Anchor: "setting-log-level"},
		{Since: mcp.V5, Page: loggingPage, Anchor: "per-request-log-level"},
	},
}

var logShape = &rule.Rule{
	ID:       "log-shape",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "log message without level or data",
	Explain: "notifications/message has level, a string, and data, any JSON value including null; logger is an optional name. A text belongs into data, " +
		"not into message. Clients that validate the notification drop it.",
	Hint: `send {"level":"info","data":"…"}`,
	Refs: []rule.Ref{{Page: loggingPage, Anchor: "log-message-notifications"}},
}
