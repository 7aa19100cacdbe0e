package process

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

var Family = rule.Family{
	Name:  "process",
	Title: "Processes",
	Rules: []*rule.Rule{
		ServerExitOnProbe, ServerSilentOnProbe, ServerExited, ServerExitOnUnknownMethod,
		ServerIgnoresEOF, ServerIgnoresSIGTERM, FailsAtShutdown, OrphanDescendants, StdoutHeldOpen, StdoutClosedWhileRunning,
		ServerNotReading, clientNotReading, StdoutBuffering, SlowStartup, WriteAfterClose, probeSibling,
	},
	EveryFrame: true,
	Session: func() func() session.Checker {
		h := new(history)
		return func() session.Checker { return &processConn{history: h} }
	},
}

var ServerExitOnProbe = &rule.Rule{ID: "server-exit-on-probe", Severity: session.Error, Fault: rule.Server}
var ServerSilentOnProbe = &rule.Rule{ID: "server-silent-on-probe", Severity: session.Warning, Fault: rule.Server}
var ServerExited = &rule.Rule{ID: "server-exited", Severity: session.Error, Fault: rule.Server}
var ServerExitOnUnknownMethod = &rule.Rule{ID: "server-exit-on-unknown-method", Severity: session.Error, Fault: rule.Server}
var ServerIgnoresEOF = &rule.Rule{ID: "server-ignores-eof", Severity: session.Warning, Fault: rule.Server}
var ServerIgnoresSIGTERM = &rule.Rule{ID: "server-ignores-sigterm", Severity: session.Warning, Fault: rule.Server}
var FailsAtShutdown = &rule.Rule{ID: "fails-at-shutdown", Severity: session.Info, Fault: rule.Server}
var OrphanDescendants = &rule.Rule{ID: "orphan-descendants", Severity: session.Warning, Fault: rule.Server}
var StdoutHeldOpen = &rule.Rule{ID: "stdout-held-open", Severity: session.Warning, Fault: rule.Server}
var StdoutClosedWhileRunning = &rule.Rule{ID: "stdout-closed-while-running", Severity: session.Warning, Fault: rule.Server}
var ServerNotReading = &rule.Rule{ID: "server-not-reading", Severity: session.Error, Fault: rule.Server}
var clientNotReading = &rule.Rule{ID: "client-not-reading", Severity: session.Warning, Fault: rule.Client}
var StdoutBuffering = &rule.Rule{ID: "stdout-buffering", Severity: session.Warning, Timed: true, Fault: rule.Server}
var SlowStartup = &rule.Rule{ID: "slow-startup", Severity: session.Info, Timed: true, Fault: rule.Server}
var WriteAfterClose = &rule.Rule{ID: "write-after-close", Severity: session.Info}
var probeSibling = &rule.Rule{ID: "probe-sibling", Severity: session.Info, Fault: rule.Nobody}
