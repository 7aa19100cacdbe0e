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
		ServerIgnoresEOF, serverIgnoresSIGTERM, failsAtShutdown, orphanDescendants, stdoutHeldOpen, StdoutClosedWhileRunning,
		ServerNotReading, clientNotReading, StdoutBuffering, slowStartup, writeAfterClose, probeSibling,
	},
	EveryFrame: true,
	Session: func() func() session.Checker {
		h := new(history)
		return func() session.Checker { return &processConn{history: h} }
	},
}

var ServerExitOnProbe = &rule.Rule{ID: "server-exit-on-probe", Severity: session.Error, Fault: rule.Server}
var ServerSilentOnProbe = &rule.Rule{ID: "server-silent-on-probe", Severity: session.Warning, Fault: rule.Server, NeedsAll: true}
var ServerExited = &rule.Rule{ID: "server-exited", Severity: session.Error, Fault: rule.Server, NeedsAll: true}
var ServerExitOnUnknownMethod = &rule.Rule{ID: "server-exit-on-unknown-method", Severity: session.Error, Fault: rule.Server}
var ServerIgnoresEOF = &rule.Rule{ID: "server-ignores-eof", Severity: session.Warning, Fault: rule.Server, NeedsAll: true}
var serverIgnoresSIGTERM = &rule.Rule{ID: "server-ignores-sigterm", Severity: session.Warning, Fault: rule.Server}
var failsAtShutdown = &rule.Rule{ID: "fails-at-shutdown", Severity: session.Info, Fault: rule.Server, NeedsAll: true}
var orphanDescendants = &rule.Rule{ID: "orphan-descendants", Severity: session.Warning, Fault: rule.Server, NeedsAll: true}
var stdoutHeldOpen = &rule.Rule{ID: "stdout-held-open", Severity: session.Warning, Fault: rule.Server, NeedsAll: true}
var StdoutClosedWhileRunning = &rule.Rule{ID: "stdout-closed-while-running", Severity: session.Warning, Fault: rule.Server, NeedsAll: true}
var ServerNotReading = &rule.Rule{ID: "server-not-reading", Severity: session.Error, Fault: rule.Server, NeedsAll: true}
var clientNotReading = &rule.Rule{ID: "client-not-reading", Severity: session.Warning, Fault: rule.Client}
var StdoutBuffering = &rule.Rule{ID: "stdout-buffering", Severity: session.Warning, Timed: true, Fault: rule.Server, NeedsAll: true}
var slowStartup = &rule.Rule{ID: "slow-startup", Severity: session.Info, Timed: true, Fault: rule.Server, NeedsAll: true}
var writeAfterClose = &rule.Rule{ID: "write-after-close", Severity: session.Info}
var probeSibling = &rule.Rule{ID: "probe-sibling", Severity: session.Info, Fault: rule.Nobody, NeedsAll: true}
