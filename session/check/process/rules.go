package process

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
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

// References for the end of a connection, and for the probe.
var (
	shutdownRefs = []rule.Ref{
		{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "shutdown"},
		{Since: mcp.V5, Page: "basic/transports/stdio", Anchor: "shutdown"},
	}
	terminationRefs = []rule.Ref{
		{Until: mcp.V4, Page: "basic/lifecycle", Anchor: "shutdown"},
		{Since: mcp.V5, Page: "basic/transports/stdio", Anchor: "unexpected-termination"},
	}
	probeRefs = []rule.Ref{{Since: mcp.V5, Page: "basic/transports/stdio", Anchor: "backward-compatibility"}}
)

var ServerExitOnProbe = &rule.Rule{
	ID: "server-exit-on-probe", Severity: session.Error, Fault: rule.Server,
	Title: "server exits when it receives server/discover",
	Explain: "Clients that support both eras send server/discover first, and continue with initialize if the answer is an error. They cannot connect to a " +
		"server that exits instead: Go SDK clients fail, rmcp and the Python SDK fall back to a dead pipe. Servers with older rmcp versions do this, " +
		"because they accept only initialize and ping first. The TypeScript SDK is not affected, because it probes with a separate process. It is reported " +
		"if stderr names the request, or if the server lives on a connection without it.",
	Hint: "answer unknown methods with -32601 before initialize too, and keep reading; upgrade rmcp to 3.1 or later",
	Refs: probeRefs,
}

var ServerSilentOnProbe = &rule.Rule{
	ID: "server-silent-on-probe", Severity: session.Warning, Fault: rule.Server,
	Title: "server does not answer server/discover",
	Explain: "A client that supports both eras must wait for its own timeout before it continues with initialize: 5 to 60 s at every start. The Go SDK " +
		"waits forever.",
	Hint: "answer unknown methods with -32601 at once, even before initialize",
	Refs: probeRefs,
}

var ServerExited = &rule.Rule{
	ID: "server-exited", Severity: session.Error, Fault: rule.Server,
	Title: "server exited while the client was still connected",
	Explain: "The process exited, or closed its stdout and exited, while its stdin was open, and it left requests unanswered or exited with an error code " +
		"or a signal. All requests in flight are lost; most clients show a closed connection and do not restart the server. The last line on stderr " +
		"that looks like an error is shown.",
	Hint: "read the last lines on stderr; catch exceptions in handlers and return an error response instead of exiting",
	Refs: terminationRefs,
}

var ServerExitOnUnknownMethod = &rule.Rule{
	ID: "server-exit-on-unknown-method", Severity: session.Error, Fault: rule.Server,
	Title: "server exits on an unknown method",
	Explain: "An unknown request must be answered with the error -32601; an unknown notification is ignored. New revisions and extensions add methods, and " +
		"clients try them. It is reported if stderr names the method, or if the server lives longer on a connection without it.",
	Hint: "answer requests for unknown methods with -32601, ignore unknown notifications, and keep reading",
	Refs: rule.ErrorRefs(),
}

var ServerIgnoresEOF = &rule.Rule{
	ID: "server-ignores-eof", Severity: session.Warning, Fault: rule.Server,
	Title: "server keeps running after its stdin was closed",
	Explain: "Closing stdin is how a client shuts a server down, and on some systems the only way. Some clients kill a server that does not exit after 2 " +
		"to 5 s, others leave it behind, where it may consume a whole CPU. An open timer or socket keeps a Node server alive, even with the " +
		"TypeScript SDK 2.",
	Hint: "exit when stdin ends; in Node, call process.exit when stdin closes, or unref timers and close sockets",
	Refs: shutdownRefs,
}

var ServerIgnoresSIGTERM = &rule.Rule{
	ID: "server-ignores-sigterm", Severity: session.Warning, Fault: rule.Server,
	Title: "server keeps running after SIGTERM",
	Explain: "Clients send SIGTERM if closing stdin has no effect, and SIGKILL after another 2 to 5 s, which leaves the server no time to clean up. A " +
		"process with pid 1 in a container ignores SIGTERM unless it handles it.",
	Hint: "exit on SIGTERM, and do not block the thread that handles it; in containers use an init process (docker run --init)",
	Refs: shutdownRefs,
}

var FailsAtShutdown = &rule.Rule{
	ID: "fails-at-shutdown", Severity: session.Info, Fault: rule.Server,
	Title: "server fails when its stdin is closed",
	Explain: "The client closed stdin, which is the orderly end of a session, and no request was open. The server then exited with an error code, or wrote a " +
		"stack trace; if it crashed by a signal of its own, this is a warning. Whatever watches the process, a log, a container runtime or a service manager, records a crash, and " +
		"what the server would have saved or released may be left as it was. An end by a signal of the client is not reported.",
	Hint: "treat the end of stdin as a normal end: catch it, clean up, and exit with code 0",
	Refs: shutdownRefs,
}

var OrphanDescendants = &rule.Rule{
	ID: "orphan-descendants", Severity: session.Warning, Fault: rule.Server,
	Title: "child processes outlive the server",
	Explain: "They continue to use memory, ports and files after the client assumes that the server has ended. Wrappers such as npx, npm exec, uvx, shell " +
		"scripts and docker often exit before the program that they started: of a signal, most of them alone. Nobody is accused if a signal ended " +
		"the server, or if the processes may have been about to end.",
	Hint: "terminate child processes before exiting; start the program directly, or use exec in the wrapper script",
	Refs: shutdownRefs,
}

var StdoutHeldOpen = &rule.Rule{
	ID: "stdout-held-open", Severity: session.Warning, Fault: rule.Server,
	Title: "stdout stays open after the server exited",
	Explain: "A process that the server started has inherited its stdout. A client that waits for the end of stdout does not notice that the server has " +
		"exited: requests hang, and a shutdown takes until a timeout.",
	Hint: "give child processes their own stdout (a pipe, stderr or /dev/null) and terminate them before exiting",
}

var StdoutClosedWhileRunning = &rule.Rule{
	ID: "stdout-closed-while-running", Severity: session.Warning, Fault: rule.Server,
	Title: "server closed its stdout but keeps running",
	Explain: "The server can no longer send responses. Clients treat the end of stdout as the end of the server; some do not terminate the process, which " +
		"is left behind.",
	Hint: "exit when stdout is closed or cannot be written, and do not close it earlier",
	Refs: shutdownRefs,
}

var ServerNotReading = &rule.Rule{
	ID: "server-not-reading", Severity: session.Error, Fault: rule.Server,
	Title: "server does not read its stdin",
	Explain: "The pipe is full and nothing was read from it for 5 s. The thread that should read is busy, or the server blocks while writing to a full " +
		"pipe itself, in which case both sides wait for each other forever. A pipe holds 64 KiB on most systems.",
	Hint: "read stdin in a separate thread or task, and never write responses from it",
}

var clientNotReading = &rule.Rule{
	ID: "client-not-reading", Severity: session.Warning, Fault: rule.Client,
	Title:   "client does not read the server's stdout",
	Explain: "The pipe is full and nothing was read from it for 5 s. The server's next write blocks, which often stops the whole server.",
	Hint:    "read the server's stdout continuously, independent of the processing of messages",
}

var StdoutBuffering = &rule.Rule{
	ID: "stdout-buffering", Severity: session.Warning,
	Timed: true,
	Fault: rule.Server,
	Title: "responses are held in the server's output buffer",
	Explain: "Responses that need no work arrived only when stdin was closed, or repeatedly only at the moment when the next request was sent. If stdout " +
		"is a pipe, most languages buffer several kilobytes of output. In a terminal the same server works.",
	Hint: "flush after every message: flush=True or PYTHONUNBUFFERED=1, setvbuf, $|=1, BufferedWriter.flush",
}

var SlowStartup = &rule.Rule{
	ID: "slow-startup", Severity: session.Info,
	Timed: true,
	Fault: rule.Server,
	Title: "slow response to the first request",
	Explain: "More than 5 s passed since the start of the process, or since the first request if that was later. From 30 s on this is a warning; from 60 s " +
		"on, when Claude Desktop and TypeScript clients have given up, it is an error. Runners such as npx and uvx download packages on their first " +
		"start.",
	Hint: "install the package instead of running it with npx or uvx; read stdin first and load the rest on demand",
}

var WriteAfterClose = &rule.Rule{
	ID: "write-after-close", Severity: session.Info,
	Title: "write to a stream that has no reader",
	Explain: "The reader has closed its end, and writes fail with EPIPE. A server that does not handle this crashes with a message that hides the reason " +
		"for its end, or retries forever. If a running server closed its own stdin, that is the fault.",
	Hint: "treat a broken pipe as the end of the connection and exit; in Node, handle the error event of stdout",
}

var probeSibling = &rule.Rule{
	ID: "probe-sibling", Severity: session.Info, Fault: rule.Nobody,
	Title: "process was started only to detect the era",
	Explain: "The client sent server/discover and ended the process. TypeScript SDK 2 clients in mode auto do this, and start the server again for the " +
		"session itself. Nothing is wrong, but a server that acquires a lock or a port at its start may find it taken.",
	Hint: "no change is needed; release locks and ports when stdin ends, and do not acquire them before initialize",
	Refs: probeRefs,
}
