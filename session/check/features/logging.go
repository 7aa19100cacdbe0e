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
	ID:       "log-without-capability",
	Severity: session.Info,
	Fault:    rule.Server,
	Title:    "a server sends log messages and did not declare logging",
	Explain: "A server that logs must declare logging; a client that reads the capabilities does not offer to set a level otherwise. No known client minds, and servers with " +
		"the Python SDK 1 do it whenever they log, which is why this is an information.",
	Hint: `declare "logging":{} among the capabilities`,
	Refs: []rule.Ref{{Page: loggingPage, Anchor: "capabilities"}},
}

var invalidLogLevel = &rule.Rule{
	ID:       "invalid-log-level",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "unknown log level",
	Explain: "The levels are debug, info, notice, warning, error, critical, alert and emergency, in lower case, as RFC 5424 has them. Clients that check drop a message with " +
		"warn, WARNING, trace or fatal, and servers refuse to set such a level.",
	Hint: "map warn to warning, fatal to critical, trace to debug, and write them in lower case",
	Refs: []rule.Ref{{Page: loggingPage, Anchor: "log-levels"}},
}

var logBelowThreshold = &rule.Rule{
	ID:       "log-below-threshold",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "a log message is below the level that was asked for",
	Explain: "After logging/setLevel a server sends that level and what is graver. From 2026-07-28 on each request says its level; a message below those of all requests under " +
		"way was wanted by none. What comes within a second of the change is excused.",
	Hint: "keep the level that was set, and compare before sending",
	Refs: []rule.Ref{
		{Until: mcp.V4, Page: loggingPage, Anchor: "setting-log-level"},
		{Since: mcp.V5, Page: loggingPage, Anchor: "per-request-log-level"},
	},
}

var logShape = &rule.Rule{
	ID:       "log-shape",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "a log message lacks its level or its data",
	Explain: "notifications/message has level, a string, and data, any JSON value, null too; logger is a name and optional. A text goes into data, and not into message. Clients that " +
		"check drop the notification.",
	Hint: `send {"level":"info","data":"…"}`,
	Refs: []rule.Ref{{Page: loggingPage, Anchor: "log-message-notifications"}},
}
