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
		ServerIgnoresEOF, ServerIgnoresSIGTERM, OrphanDescendants, StdoutHeldOpen, StdoutClosedWhileRunning,
		ServerNotReading, clientNotReading, StdoutBuffering, SlowStartup, WriteAfterClose, probeSibling,
	},
	New: func() session.Checker { return &processConn{} },
}

// Where the specification speaks of how a connection ends, and of the probe.
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
	ID:       "server-exit-on-probe",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "the server ends when a client asks server/discover",
	Explain: "Clients that know both eras ask server/discover first and go on with initialize when the answer is an error. A server that ends instead " +
		"cannot be spoken to: Go SDK clients fail to connect, rmcp and the Python SDK fall back on a dead pipe. Servers on older rmcp " +
		"do this, as they accept nothing but initialize and ping at first. The TypeScript SDK gets over it because it probes on a process of " +
		"its own.",
	Hint: "answer unknown methods with -32601 before initialize too and keep reading; upgrade rmcp to 3.1 or later",
	Refs: probeRefs,
}

var ServerSilentOnProbe = &rule.Rule{
	ID:       "server-silent-on-probe",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "the server does not answer server/discover",
	Explain: "A client that knows both eras must wait until its own timeout before it goes on with initialize: 5 to 60 s at every start. The " +
		"Go SDK waits without end.",
	Hint: "answer methods that are not known with the error -32601 at once, also before initialize",
	Refs: probeRefs,
}

var ServerExited = &rule.Rule{
	ID:       "server-exited",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "the server ended although the client had not ended the connection",
	Explain: "The process exited, or closed its stdout and exited, while its stdin was open: with requests unanswered, or with an exit code or a signal " +
		"that says it failed. Everything under way is lost; most clients show a closed connection and do not start the server again. The last " +
		"line that looks like an error on stderr is shown.",
	Hint: "read the last lines on stderr; catch errors of handlers and answer with an error instead of exiting",
	Refs: terminationRefs,
}

var ServerExitOnUnknownMethod = &rule.Rule{
	ID:       "server-exit-on-unknown-method",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "the server ends on a method that it does not know",
	Explain: "A method that is not known is answered with the error -32601; an unknown notification is ignored. New revisions and extensions add " +
		"methods all the time, and clients try them.",
	Hint: "answer requests for unknown methods with -32601, ignore unknown notifications, and keep reading",
	Refs: []rule.Ref{
		{Until: mcp.V1, Page: "basic/messages", Anchor: "responses"},
		{Since: mcp.V2, Until: mcp.V3, Page: "basic", Anchor: "responses"},
		{Since: mcp.V4, Page: "basic", Anchor: "error-responses"},
	},
}

var ServerIgnoresEOF = &rule.Rule{
	ID:       "server-ignores-eof",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "the server runs on after its stdin was closed",
	Explain: "Closing stdin is how a client tells a server to end, and on some systems the only way. A server that stays is killed by " +
		"careful clients after 2 to 5 s, and left behind by others, where it may use a whole CPU. A timer or socket that is still open keeps " +
		"Node servers alive, also with the TypeScript SDK 2.",
	Hint: "exit when stdin ends; in Node call process.exit on the close of stdin, or unref timers and close sockets",
	Refs: shutdownRefs,
}

var ServerIgnoresSIGTERM = &rule.Rule{
	ID:       "server-ignores-sigterm",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "the server runs on after SIGTERM",
	Explain: "Clients send SIGTERM when closing stdin had no effect, and SIGKILL after another 2 to 5 s, which leaves the server no time to " +
		"clean up. A process that runs as number 1 of a container ignores SIGTERM unless it handles it.",
	Hint: "handle SIGTERM by exiting, and do not block the thread that handles it; in containers use an init (docker run --init)",
	Refs: shutdownRefs,
}

var OrphanDescendants = &rule.Rule{
	ID:       "orphan-descendants",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "processes that the server started outlive it",
	Explain: "They go on using memory, ports and files after the client believes that the server has ended. Wrappers such as npx, npm exec, uvx, " +
		"shell scripts and docker often end without the program that they started.",
	Hint: "end child processes before exiting; start the program itself, or use exec in the wrapper script",
	Refs: shutdownRefs,
}

var StdoutHeldOpen = &rule.Rule{
	ID:       "stdout-held-open",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "the server ended, but something still holds its stdout open",
	Explain: "A process that the server started inherited its stdout. A client that waits for the end of stdout does not notice that the server is " +
		"gone: requests hang and a shutdown takes until a timeout.",
	Hint: "give child processes their own stdout (a pipe, stderr or /dev/null) and end them before exiting",
}

var StdoutClosedWhileRunning = &rule.Rule{
	ID:       "stdout-closed-while-running",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "the server closed its stdout and runs on",
	Explain: "Nothing it does can be answered any more. Clients take the end of stdout for the end of the server; some do not end the process, " +
		"which stays behind.",
	Hint: "exit when stdout is closed or cannot be written, and do not close it before",
	Refs: shutdownRefs,
}

var ServerNotReading = &rule.Rule{
	ID:       "server-not-reading",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "the server does not read its stdin",
	Explain: "The pipe is full and nothing was read from it for 5 s. The server is busy in the thread that should read, or writes " +
		"to a pipe that is full itself, in which case both sides wait for each other for ever. A pipe holds 64 KiB on most systems.",
	Hint: "read stdin in a thread or task of its own, and never write an answer from it",
}

var clientNotReading = &rule.Rule{
	ID:       "client-not-reading",
	Severity: session.Warning,
	Fault:    rule.Client,
	Title:    "the client does not read what the server writes",
	Explain:  "The pipe is full and nothing was read from it for 5 s. The server's next write blocks, which often stops all of it.",
	Hint:     "drain the server's stdout all the time, independent of what is done with the messages",
}

var StdoutBuffering = &rule.Rule{
	ID:       "stdout-buffering",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "answers stay in the server's output buffer",
	Explain: "Answers that need no work came only when stdin was closed, or several times only in the moment in which the next request was sent. " +
		"When stdout is a pipe, most languages collect output until some kilobytes have come together. In a terminal the same server works.",
	Hint: "flush after every message: flush=True or PYTHONUNBUFFERED=1, setvbuf, $|=1, BufferedWriter.flush",
}

var SlowStartup = &rule.Rule{
	ID:       "slow-startup",
	Severity: session.Info,
	Fault:    rule.Server,
	Title:    "the server took long to answer its first request",
	Explain: "More than 5 s passed from the start of the process, or from the first request if that came later. From 30 s on this is a warning; from " +
		"60 s on, when Claude Desktop and TypeScript clients have given up, it is an error. Runners such as npx and uvx download on their " +
		"first start.",
	Hint: "install the package instead of running it with npx or uvx; start reading stdin first and load the rest when it is needed",
}

var WriteAfterClose = &rule.Rule{
	ID:       "write-after-close",
	Severity: session.Info,
	Fault:    rule.Sender,
	Title:    "a side writes to a stream that nobody reads any more",
	Explain: "The reader has closed its end, and writes fail with EPIPE. A server that does not handle this crashes with a message that hides why it " +
		"ended, or tries again for ever. Where the server closed its stdin itself while it runs, that is the fault.",
	Hint: "take a broken pipe for the end of the connection and exit; in Node handle the error event of stdout",
}

var probeSibling = &rule.Rule{
	ID:       "probe-sibling",
	Severity: session.Info,
	Fault:    rule.Nobody,
	Title:    "this process was only started to find out its era",
	Explain: "The client asked server/discover and ended the process. TypeScript SDK 2 clients in mode auto do so, and start the server " +
		"once more for the session itself. Nothing is wrong, but a server that takes a lock or a port at its start may find it taken.",
	Hint: "nothing to do; release locks and ports when stdin ends, and do not take them before initialize",
	Refs: probeRefs,
}
