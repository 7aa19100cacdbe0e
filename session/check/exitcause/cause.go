package exitcause

import (
	"regexp"
	"strings"
	"sync"
)

// A Cause is the most likely meaning of a program's last output.
type Cause struct {
	ID     string // ID is a short name: "missing-python-module".
	Reason string // Reason is a clause: "a Python module is missing".
	Mend   string // Mend is what to change, one line that begins with a verb.
}

// A pattern recognizes a cause in a line.
type pattern struct {
	id    string
	words []string              // words are in lower case; a line must have one of them.
	match func() *regexp.Regexp // match finds the name for mend in its groups; it must match if there is no plain.

	reason string
	mend   string // mend has %s for the name; it is used if there is one.
	plain  string // plain is the mend if there is no name; empty = mend, which then has no %s.
}

// Names are inserted into mends unchanged, so a match takes only the characters
// of file names and identifiers.
const name = `([\w@./\\:~+-]+)`

// patterns are tried in order, the specific ones first.
var patterns = []pattern{
	{
		id: "npx-asks", words: []string{"need to install the following packages", "ok to proceed?"},
		reason: "npx waits for a confirmation", mend: "start it with npx -y",
	}, {
		id: "missing-js-module", words: []string{"cannot find module", "cannot find package", "err_module_not_found"},
		match:  compiled(`(?i)cannot find (?:module|package) ['"]((?:/|\.|[A-Za-z]:)[^'"]*)['"]`),
		reason: "a JavaScript file is missing", mend: "build the server (npm run build), and check the path %s",
	}, {
		id: "missing-js-module", words: []string{"cannot find module", "cannot find package", "err_module_not_found"},
		match:  compiled(`(?i)cannot find (?:module|package) ['"]([^'"/.][^'"]*)['"]`),
		reason: "a JavaScript package is missing", mend: "install the package %s where the server is (npm install)",
		plain: "install the server's packages and build it (npm install, npm run build)",
	}, {
		id: "missing-python-module", words: []string{"no module named", "modulenotfounderror"},
		match:  compiled(`(?i)no module named ['"]?([\w.]+)`),
		reason: "the Python that was started lacks a module",
		mend:   "install %s in that Python, or start the project's own Python: uv run …, or .venv/bin/python",
		plain:  "install it in that Python, or start the project's own Python: uv run …, or .venv/bin/python",
	}, {
		id: "missing-python-module", words: []string{"importerror"},
		reason: "a Python package is missing or has the wrong version",
		mend:   "install the versions that the server requires, or start the project's own Python: uv run …, or .venv/bin/python",
	}, {
		id: "missing-python-package", words: []string{"required dependency", "optional dependency", "pip install "},
		reason: "a Python package is missing", mend: "install the package named on stderr, in the Python that runs the server",
	}, {
		id: "no-such-package", words: []string{"npm error 404", "npm err! 404", "e404", "could not determine executable to run", "no matching distribution", "not found in the package registry", "no solution found when resolving", "is not provided by package"},
		reason: "the registry has no package of that name, or the package has no such program", mend: "check the name and the version of the package",
	}, {
		id: "no-such-image", words: []string{"pull access denied", "manifest unknown", "unable to find image", "repository does not exist"},
		reason: "the container image does not exist", mend: "check the name and the tag of the image, or log in to its registry",
	}, {
		id: "docker-not-running", words: []string{"cannot connect to the docker daemon", "is the docker daemon running"},
		reason: "Docker is not running", mend: "start Docker",
	}, {
		id: "old-runtime", words: []string{"unsupported engine", "ebadengine", "requires node", "requires-python", "requires a different python", "requires python", "python version", "node version", "unsupportedclassversionerror",
			"you must install or update .net", "err_require_esm", "bad option", "unsupported operand type(s) for |", "glibc_", "err_unknown_file_extension", "is not supported by the current node", "unexpected token '??='", "unexpected token '.'", "unexpected token '?'"},
		reason: "it requires a newer runtime", mend: "install the runtime version that the server requires, and start it with its full path",
	}, {
		id: "wrong-architecture", words: []string{"exec format error", "cannot execute binary file", "bad cpu type", "wrong elf class"},
		reason: "the program was built for another machine", mend: "build or download it for this operating system and processor",
	}, {
		id: "missing-library", words: []string{"error while loading shared libraries", "library not loaded", "cannot open shared object file"},
		reason: "a system library is missing", mend: "install the library named on stderr",
	}, {
		id: "port-in-use", words: []string{"eaddrinuse", "address already in use", "only one usage of each socket address", "port is already allocated"},
		match:  compiled(`:(\d{2,5})\b`),
		reason: "the port is in use: another instance is running, or it is an HTTP server",
		mend:   "stop the program that uses port %s, or start the server with its stdio transport",
		plain:  "stop the program that uses the port, or start the server with its stdio transport",
	}, {
		id: "already-running", words: []string{"another instance", "already running", "lock file", "lockfile", "database is locked"},
		reason: "another instance is already running", mend: "stop the other instance, or give this one its own folder",
	}, {
		id: "service-unreachable", words: []string{"econnrefused", "enotfound", "connection refused", "getaddrinfo", "etimedout", "name or service not known", "no such host", "network is unreachable"},
		reason: "it cannot reach a service that it needs", mend: "start that service, or correct its address in the server's settings",
	}, {
		id: "certificate", words: []string{"self-signed certificate", "self signed certificate", "unable to verify the first certificate", "certificate verify failed", "unable to get local issuer"},
		reason: "it does not trust a certificate", mend: "provide your certificates with NODE_EXTRA_CA_CERTS or SSL_CERT_FILE",
	}, {
		id: "no-space", words: []string{"enospc", "no space left on device"},
		reason: "the disk is full", mend: "free some disk space",
	}, {
		id: "missing-variable", words: []string{"keyerror", "environment variable", "env var", "must be set", "is not set", "not set", "is required", "missing", "undefined", "not defined"},
		match:  compiled(`\b([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])\b`),
		reason: "an environment variable is missing", mend: "set %s: --env %s=… here, \"env\" in a client's configuration",
	}, {
		id: "missing-variable", words: []string{"environment variable", "api key is required", "missing api key", "no api key", "api key not", "apikey is required", "access token is required", "missing credentials", "no credentials", "could not load the default credentials"},
		reason: "an API key or an environment variable is missing", mend: "set the variable named on stderr: --env NAME=… here, \"env\" in a client's configuration",
	}, {
		id: "credentials-refused", words: []string{"401 unauthorized", "invalid api key", "incorrect api key", "authentication failed", "invalid_grant", "403 forbidden", "bad credentials"},
		reason: "a service rejects its credentials", mend: "set a valid key: --env NAME=… here, \"env\" in a client's configuration",
	}, {
		id: "interpreter-not-found", words: []string{"env: "},
		match:  compiled(`^(?:/usr/bin/)?env: ['"‘]?` + name + `['"’]?: (?:No such file|not found)`),
		reason: "the interpreter of the program is not in PATH", mend: "install %s, or use its full path with the program as its argument",
	}, {
		id: "command-not-found", words: []string{": not found", "command not found", "is not recognized as an internal", "spawn ", "executable file not found"},
		match:  compiled(`(?:sh|bash|zsh|dash|fish): (?:(?:line )?\d+: )?(?:\d+: )?` + name + `: (?:command )?not found|command not found: ` + name + `|spawn ` + name + ` ENOENT|exec: "([^"]+)": executable file not found|'([^']+)' is not recognized as an internal`),
		reason: "a command that it runs does not exist", mend: "install %s, or correct its name or the server's PATH",
	}, {
		id: "permission", words: []string{"permission denied", "eacces", "eperm", "operation not permitted", "access is denied", "read-only file system", "erofs"},
		reason: "it has no permission to open or run something", mend: "give the user who starts it access to the file named on stderr",
	}, {
		id: "no-such-file", words: []string{"can't open file", "no such file or directory", "enoent", "not a directory", "unable to access jarfile", "could not find or load main class", "cannot find the path", "cannot find the file", "filenotfounderror"},
		reason: "a file does not exist, relative to the server's working directory", mend: "use the full path of the file, or start the server in its folder (--cwd FOLDER)",
	}, {
		id: "arguments", words: []string{"usage:", "unrecognized arguments", "unrecognized option", "unknown option", "unknown flag", "unknown argument", "unexpected argument", "missing required argument", "invalid option", "flag provided but not defined", "the following arguments are required"},
		reason: "its arguments are invalid", mend: "correct the arguments after --",
	}, {
		id: "syntax", words: []string{"syntaxerror", "indentationerror", "taberror", "parse error", "syntax error", "transform failed"},
		reason: "the program has a syntax error", mend: "fix the line named on stderr, or start it with a newer runtime",
	}, {
		id: "out-of-memory", words: []string{"out of memory", "cannot allocate memory", "memoryerror", "heap limit"},
		reason: "it ran out of memory", mend: "give it more memory (node --max-old-space-size=…), or request less data",
	},
}

// Of returns the cause in a line that reports an error, nil if it has no known
// one.
func Of(line []byte) *Cause {
	text, _ := Plain(line[:min(len(line), 512)])
	lower := strings.ToLower(string(text))
	for i := range patterns {
		if c := patterns[i].cause(string(text), lower); c != nil {
			return c
		}
	}
	return nil
}

func (p *pattern) cause(text, lower string) *Cause {
	found := false
	for _, word := range p.words {
		found = found || strings.Contains(lower, word)
	}
	if !found {
		return nil
	}
	c := &Cause{ID: p.id, Reason: p.reason, Mend: p.mend}
	if p.match == nil {
		return c
	}
	named := p.named(text)
	if c.Mend = strings.ReplaceAll(p.mend, "%s", named); named == "" {
		c.Mend = p.plain
	}
	if c.Mend == "" {
		return nil
	}
	return c
}

// named returns the name in a line, empty if there is none. Error codes of Node
// (ERR_…) are not names.
func (p *pattern) named(text string) string {
	for _, groups := range p.match().FindAllStringSubmatch(text, 4) {
		for _, group := range groups[1:] {
			if group != "" && !strings.HasPrefix(group, "ERR_") {
				return group
			}
		}
	}
	return ""
}

// compiled returns an expression that is compiled on first use: most sessions
// need none, and compiling all would slow down every start.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// network matches the output of servers that listen on a port.
var network = compiled(`(?i)uvicorn running on|listening (?:at|on) (?:port|http|0\.0\.0\.0|127\.0\.0\.1|localhost|\[?::|:\d)|running (?:at|on) (?:port|http)|https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d|started on port \d|server (?:started|listening) on (?:port )?\d`)

// OfSilence returns the cause in a line of a program that runs but does not
// respond on stdout: it waits for a confirmation, or listens on a port. nil if
// it is neither.
func OfSilence(line []byte) *Cause {
	text, _ := Plain(line[:min(len(line), 512)])
	lower := strings.ToLower(string(text))
	if c := patterns[0].cause(string(text), lower); c != nil {
		return c
	}
	if network().Match(text) {
		return &Cause{
			ID: "http-transport", Reason: "it was started as an HTTP server and listens on a port",
			Mend: "start it with its stdio transport (often --stdio, or --transport stdio)",
		}
	}
	return nil
}
