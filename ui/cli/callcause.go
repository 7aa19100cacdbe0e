package cli

import (
	"strings"

	"wiretea/session"
)

// A cause is what the last words of a server that went away most likely mean.
type cause struct {
	words        []string // words are what stands on stderr, in lower case; any of them will do.
	reason, mend string
}

// causes are looked through in their order: what is particular stands first.
var causes = []cause{
	{[]string{"cannot find module", "err_module_not_found", "cannot find package"},
		"a JavaScript module is missing: the path is wrong, or it was not installed or built",
		"install and build it (npm install, npm run build), and give the full path of the built file"},
	{[]string{"modulenotfounderror", "no module named", "importerror"},
		"a Python package is missing in the Python that was started",
		"start it with the project's own Python: uv run …, or the full path of .venv/bin/python"},
	{[]string{"npm error 404", "e404", "could not determine executable to run", "no matching distribution"},
		"the package is not in the registry, or has no program of that name", "check the name and the version of the package"},
	{[]string{"unsupported engine", "requires node", "requires-python", "requires a different python"},
		"it wants another version of its runtime", "install that version, or start it with the full path of one that fits"},
	{[]string{"eaddrinuse", "address already in use"},
		"it listens on a port that is taken: another one runs already, or it is a server over HTTP", "end the other one, or choose its stdio transport"},
	{[]string{"econnrefused", "enotfound", "connection refused", "getaddrinfo"},
		"it could not reach a service that it needs", "start that service, or check its address among the server's settings"},
	{[]string{"permission denied", "eacces", "eperm"},
		"it may not open or run something", "check the permissions of what the line on stderr names"},
	{[]string{"environment variable", "api key", "api_key", "apikey", "access token", "credentials", "keyerror"},
		"it wants an environment variable or a key that it was not given", "--env NAME=VALUE sets one"},
	{[]string{"can't open file", "no such file or directory", "enoent", "not a directory"},
		"a file that it was told to use is not there, seen from the folder it was started in", "give the full path, or --cwd FOLDER"},
	{[]string{"usage:", "unrecognized arguments", "unknown option", "unknown flag", "missing required argument"},
		"its arguments are not what it wants", "see its own help; what stands behind -- is given to it as it is"},
	{[]string{"syntaxerror", "unexpected token", "indentationerror"},
		"the program does not parse: a mistake in it, or a runtime that is too old for it", "mend the line that stderr names, or update the runtime"},
	{[]string{"out of memory", "cannot allocate memory", "memoryerror"},
		"it ran out of memory", "give it more (node --max-old-space-size=…), or ask for less"},
}

// causeOf reads the last words of a server; nil where they say nothing known.
func causeOf(stderr []string) *cause {
	text := strings.ToLower(strings.Join(stderr, "\n"))
	for i := range causes {
		for _, word := range causes[i].words {
			if strings.Contains(text, word) {
				return &causes[i]
			}
		}
	}
	return nil
}

// reason is the likely reason and how to mend it: what stderr says, the worst
// finding against the server, else what silence means.
func (t *trouble) reason(s *session.Snapshot, e *evidence) (reason, mend string) {
	alone := endedByItself(e.conn)
	if alone {
		e.told = append(e.told, "server-exited")
		if !e.answers {
			e.told = append(e.told, "server-exit-on-probe") // the second one, which was not probed, went the same way
		}
	}
	if t.lapsed {
		e.told = append(e.told, "unanswered-request")
	}
	cause, worst := causeOf(e.stderr), e.worst(s)
	switch {
	case e.echo:
		return "it is no MCP server, but something like cat", "check the command behind --"
	case alone && cause != nil:
		return cause.reason, cause.mend
	case alone && !e.answers && len(e.stderr) == 0:
		return "it is no MCP server over stdio, or does nothing as it is called: it ended without a word", "run the command by hand; what stands behind -- is given to it as it is"
	case worst != nil:
		e.told = append(e.told, worst.Rule)
		return worst.Message, worst.Hint
	case t.lapsed:
		return t.silence(e)
	}
	return "it does not say", "its own log may tell"
}

// silence is what it most likely means that an answer did not come.
func (t *trouble) silence(e *evidence) (reason, mend string) {
	wait := "--timeout " + t.method + "=2m"
	switch {
	case len(e.came) == 0 && len(e.stderr) == 0:
		return "the server has not said a word: it is still starting, waits for something, or is no stdio server",
			"try the command by hand; one that is slow to start needs " + wait
	case len(e.came) == 0:
		return "the server wrote to stderr only: it is still starting, or does not flush its stdout",
			"flush stdout after every message; one that is slow to start needs " + wait
	}
	return "the server answers other requests: this one takes long, waits for something, or was forgotten", wait + " waits longer"
}

// worst is the worst finding against the server on this connection that says more
// than that something is missing.
func (e *evidence) worst(s *session.Snapshot) *session.Finding {
	var worst *session.Finding
	for i := range s.Findings() {
		f := &s.Findings()[i]
		switch {
		case f.Severity < session.Warning, f.Fault == session.Client, f.Conn != e.conn.ID, f.Rule == "unanswered-request":
		case worst == nil || f.Severity > worst.Severity:
			worst = f
		}
	}
	return worst
}
