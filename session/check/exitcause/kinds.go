package exitcause

// What names in messages are made of. They are inserted into texts, so that they
// have no control characters.
const (
	file     = `([^\s'"‘’“”:\pC](?:[^'"‘’“”\n\pC]{0,250}[^\s'"‘’“”:\pC])?)` // file is a path in quotes; it may have blanks.
	bareFile = `([^\s'"‘’“”\pC]*[^\s'"‘’“”:;,.()\pC])`                      // bareFile is a path without blanks.
	word     = `([\w@./+~-]+)`                                              // word is the name of a package, a command or a module.
	variable = `[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+`                              // variable is the name of an environment variable.
	several  = `(` + variable + `(?:(?:, and |, | and |,? or | & |,)` + variable + `)*)`
)

// The texts that several kinds share.
const (
	correctSetting = "correct it in the server's environment, arguments or configuration file"
	noPackage      = "the registry has no package $1"
	correctPackage = "correct the name $1, or log in if the package is private"
	noVersion      = "the registry has no version $2 of $1"
	otherVersion   = "name a version of $1 that exists, or none"
	portInUse      = "port $1 is in use, perhaps by another instance of this server"
	freePort       = "stop the program that uses port $1, or start the server with its stdio transport"
	rebuild        = "install the server again without --ignore-scripts, or run npm rebuild $1"
	otherSDK       = "it does not fit the installed version of the MCP SDK"
	installModule  = "install $1 in that Python, or start the server with the project's own Python (uv run, or .venv/bin/python)"
	startPython    = "start it with Python $1 or later"
	inProject      = "start it in the project's folder (--cwd)"
	addClass       = "add the jar that has $1 to the class path"
)

// kinds are tried in order, the specific ones first. The first is of a program
// that waits.
var kinds = []kind{
	{
		id: "npx-asks", words: []string{"need to install the following packages", "ok to proceed?"},
		reason: "npx waits for a confirmation", mend: "start it with npx -y",
	},

	// Native modules and SDKs: before the modules that are missing.
	{
		id: "native-module", words: []string{".node'", "native addon", "bindings file"},
		match:  compiled(`Cannot find module '[^']*?([\w-]+)\.node'|Failed to load ([\w@/.-]+) native addon|bindings file.*?node_modules/((?:@[\w.-]+/)?[\w.-]+)/`),
		reason: "a native module was not built: $1", mend: rebuild,
	}, {
		id: "native-module", words: []string{"was compiled against a different node.js version"},
		reason: "a native module was built for another version of Node", mend: "install the server again with this Node, or run npm rebuild",
	}, {
		id: "sdk-version", words: []string{"has no attribute", "cannot import name", "no module named", "unexpected keyword argument"},
		match: compiled(`'(?:Server|FastMCP|MCPServer)' object has no attribute '(?:call_|list_|read_|get_|tool|resource|prompt|run|request_|progress_|completion|set_|subscribe|settings|add_|_mcp)` +
			`|cannot import name '\w+' from '(?:mcp|fastmcp)[.']|[Nn]o module named '?(?:mcp|fastmcp)\.(?:server\.|client\.|shared\.|types|utilities)[\w.]*|module '(?:mcp|fastmcp)(?:\.[\w.]*)?' has no attribute` +
			`|\b(?:FastMCP|MCPServer)(?:\.\w+)?\(\) got an unexpected keyword argument`),
		reason: otherSDK, mend: "install the version of the SDK that it was written for; for version 1 of the Python SDK: uvx --with 'mcp<2', or pip install 'mcp<2'",
	}, {
		id: "sdk-version", words: []string{"@modelcontextprotocol/"},
		match:  compiled(`(?:module|package) '[^']*node_modules/@modelcontextprotocol/\w+/|not defined by "exports" in [^ ]*@modelcontextprotocol/|module '@modelcontextprotocol/[^']*' does not provide`),
		reason: otherSDK, mend: "install the version of @modelcontextprotocol/sdk that it was written for",
	},

	// JavaScript.
	{
		id: "no-script", words: []string{"jsonrpc"},
		match:  compiled(`^SyntaxError: .*\(\[(?:stdin|eval)\]:\d+: |^(?:\S*/)?(?:ba|da|z|k|a)?sh: (?:line )?\d+: [{"]*jsonrpc`),
		reason: "an interpreter or a shell was started without a script, and runs the client's messages", mend: "name the server's script or program in the command",
	}, {
		id: "no-such-file", words: []string{"~/"}, match: compiled(`(?:Cannot find module|can't open file|No such file or directory:|ENOENT[^']*) '[^']*?(~/[^'\pC]*)'`),
		reason: "~ stands for the home folder only in a shell, not in $1", mend: "write the path of the home folder in place of ~",
	}, {
		id: "old-runtime", words: []string{"no such built-in module"}, match: compiled(`No such built-in module: ([\w:]+)`),
		reason: "it requires a newer Node, one with $1", mend: "start it with a newer Node",
	}, {
		id: "missing-js-module", words: []string{"cannot find module", "cannot find package"},
		match:  compiled(`Cannot find (?:module|package) '[^']*/node_modules/((?:@[^/']+/)?[^/']+)/[^']*'`),
		reason: "a file of the JavaScript package $1 is missing", mend: "install $1 again, in the version that the server was written for",
	}, {
		id: "missing-js-module", words: []string{"err_module_not_found"}, match: compiled(`Cannot find module '[^']*/([^'/.\pC]+)' imported from`),
		reason: "an ES module imports $1 without the end of its name", mend: "write the whole name of the file in the import (./$1.js)",
	}, {
		id: "missing-js-module", words: []string{"cannot find module", "cannot find package"},
		match:  compiled(`(?i)cannot find (?:module|package) ['"]((?:/|\.|[A-Za-z]:)[^'"\pC]*)['"]`),
		reason: "the file $1 does not exist", mend: "build the server (npm run build), or correct the path $1",
	}, {
		id: "missing-js-module", words: []string{"cannot find module", "cannot find package"},
		match:  compiled(`(?i)cannot find (?:module|package) ['"]?([^\s'"/.\pC][^\s'"\pC]*)['"]?`),
		reason: "the JavaScript package $1 is not installed", mend: "install the server's packages (npm install)",
	}, {
		id: "module-system", words: []string{"require is not defined in es module", "err_require_esm"},
		reason: "it uses require in a file that Node loads as an ES module", mend: `rename the file to .cjs, or remove "type": "module" from its package.json`,
	}, {
		id: "module-system", words: []string{"cannot use import statement outside a module"},
		reason: "it uses import in a file that Node loads as CommonJS", mend: `rename the file to .mjs, or set "type": "module" in its package.json`,
	}, {
		id: "old-runtime", words: []string{"does not provide an export named"}, match: compiled(`module '(node:[\w/]+)' does not provide an export named '(\w+)'`),
		reason: "this Node has no $2 in $1", mend: "start it with the version of Node that it was written for",
	}, {
		id: "old-runtime", words: []string{"is not defined", "is not a function"},
		match: compiled(`^ReferenceError: (fetch|Headers|Request|Response|FormData|File|Blob|WebSocket|crypto|structuredClone|CustomEvent|ReadableStream|WritableStream|TransformStream|TextDecoderStream|CompressionStream) is not defined` +
			`|(Object\.groupBy|Map\.groupBy|Object\.hasOwn|Promise\.withResolvers|Promise\.try|Array\.fromAsync|tracingChannel|markAsUncloneable) is not a function`),
		reason: "it requires a newer Node, one with $1", mend: "start it with a newer Node",
	}, {
		id: "missing-export", words: []string{"does not provide an export named"}, match: compiled(`module '(\.{0,2}/[^']*)' does not provide an export named '(\w+)'`),
		reason: "$1 has no export $2", mend: "correct the import of $2, or export it in $1",
	}, {
		id: "package-version", words: []string{"is not defined by \"exports\""}, match: compiled(`subpath '([^'\pC]+)' is not defined by "exports" in \S*node_modules/((?:@[\w.-]+/)?[\w.-]+)/package\.json`),
		reason: "the installed $2 does not offer $1", mend: "update what imports $1 of $2, or install the version of $2 that it was written for",
	}, {
		id: "package-version", words: []string{"does not provide an export named"}, match: compiled(`module '([^']*)' does not provide an export named`),
		reason: "the installed version of $1 does not fit", mend: "install the version of $1 that the server was written for",
	}, {
		id: "old-runtime", words: []string{"err_unknown_file_extension", "unknown file extension"}, match: compiled(`\.tsx?\b`),
		reason: "this Node does not run TypeScript files", mend: "build the server and start its .js file, or start it with tsx",
	},

	// Python.
	{
		id: "shadowed-module", words: []string{"is not a package"}, match: compiled(`'([\w.]+)' is not a package`),
		reason: "a file $1.py hides the Python package $1", mend: "rename the file $1.py",
	}, {
		id: "old-runtime", words: []string{"tomllib", "'asyncio' has no attribute"},
		match:  compiled(`No module named '?(?:tomllib)\b|module 'asyncio' has no attribute '(?:timeout|TaskGroup|Runner|timeout_at)'`),
		reason: "it requires Python 3.11 or later", mend: "start it with Python 3.11 or later",
	}, {
		id: "old-runtime", words: []string{"unsupported operand type(s) for |"}, match: compiled(`for \|: '(?:type|\w*GenericAlias|ModelMetaclass|ABCMeta|EnumMeta|EnumType|NoneType)' and|for \|: '\w+' and '(?:type|NoneType)'`),
		reason: "it requires Python 3.10 or later", mend: "start it with Python 3.10 or later",
	}, {
		id: "old-runtime", words: []string{"'type' object is not subscriptable", "'abcmeta' object is not subscriptable"},
		reason: "it requires Python 3.9 or later", mend: "start it with Python 3.9 or later",
	}, {
		id: "missing-python-module", words: []string{".__main__"}, match: compiled(`(?i)no module named ['"]?([\w.]+)\.__main__`),
		reason: "the package $1 cannot be started itself", mend: "name one of its modules (python -m $1.server), or add $1/__main__.py",
	}, {
		id: "missing-python-module", words: []string{"no module named"},
		match:  compiled(`(?i)no module named ['"]?((?:app|common|config|core|handlers|helpers|lib|models|server|services|src|tools|utils)\b[\w.]*)`),
		reason: "the program's own module $1 is not where Python looks", mend: "start it in its project's folder (--cwd), or name that folder in PYTHONPATH",
	}, {
		id: "missing-python-module", words: []string{"no module named"}, match: compiled(`(?i)no module named ['"]?([\w.]+)`),
		reason: "the Python that was started lacks the module $1", mend: installModule,
	}, {
		id: "package-version", words: []string{"cannot import name"}, match: compiled(`cannot import name '\w+' from (?:partially initialized module )?'([A-Za-z_]\w*)`),
		reason: "the installed version of $1 does not fit", mend: "install the version of $1 that the server was written for",
	}, {
		id: "missing-setting", words: []string{"field required"}, match: compiled(`validation errors? for \w*(?:Settings|Config|Env|Options)\w*(.*)`), say: missingFields,
	}, {
		id: "invalid-setting", words: []string{"validation error"}, match: compiled(`validation errors? for \w*(?:Settings|Config|Env|Options)\w*: ([^;]+)`),
		reason: "a setting is invalid: $1", mend: correctSetting,
	},

	// Package managers.
	{
		id: "old-runtime", words: []string{"the current python version"},
		match: compiled(`Python version \(([\d.]+)\) does not satisfy Python *(>=?[\d.]+)[^ ]* and ([\w.-]+?)(?:[=<>!]=[^ ]*)? depends on`),
		say:   olderPython,
	}, {
		id: "no-such-package", words: []string{"was not found in the package registry", "not found in the package registry"}, match: compiled(`Because ` + word + ` was not found`),
		reason: noPackage, mend: correctPackage,
	}, {
		id: "no-such-package", words: []string{"there is no version of", "there are no versions of"}, match: compiled(`no versions? of ([\w.-]+?)==([^\s,]+)`),
		reason: noVersion, mend: otherVersion,
	}, {
		id: "no-such-program", words: []string{"is not provided by package"}, match: compiled("named `([^`]+)` is not provided by package `([^`]+)`.*Use `([^`]+)`"),
		reason: "the package $2 has no program $1", mend: "start it with $3",
	}, {
		id: "no-such-program", words: []string{"is not provided by package"}, match: compiled("named `([^`]+)` is not provided by package `([^`]+)`.*available: ([^ ,]+)$"),
		reason: "the package $2 has no program $1", mend: "start it with uvx --from $2 $3",
	}, {
		id: "no-such-program", words: []string{"is not provided by package"}, match: compiled("named `([^`]+)` is not provided by package `([^`]+)`"),
		reason: "the package $2 has no program $1", mend: "correct the name of the program, which follows uvx --from $2",
	}, {
		id: "no-such-package", words: []string{"npm error 404", "npm err! 404"}, match: compiled(`'(@?[^'@\pC]+)@[~^<>][^']*' (?:could not be found|is not in)`),
		reason: "the registry has no package $1, on which the server's package depends", mend: "install another version of the server's package, or log in if $1 is private",
	}, {
		id: "no-such-package", words: []string{"npm error 404", "npm err! 404"}, match: compiled(`'(@?[^'@]+)@[^']*' (?:could not be found|is not in)`),
		reason: noPackage, mend: correctPackage,
	}, {
		id: "no-such-package", words: []string{"no matching version found for"}, match: compiled(`found for ((?:@[\w.-]+/)?[\w.-]+)@([^\s]+)`),
		reason: noVersion, mend: otherVersion,
	}, {
		id: "no-such-package", words: []string{"no matching distribution found for"}, match: compiled(`found for ([\w.-]+)`),
		reason: noPackage, mend: "correct the name $1 or its version, or start it with another Python",
	}, {
		id: "no-such-package", words: []string{"npm error 404", "npm err! 404", "npm error code e404"},
		reason: "the npm registry has no package of that name", mend: "correct the package's name, or log in if it is private",
	}, {
		id: "no-such-program", words: []string{"could not determine executable to run"},
		reason: "the package has no program that npx could start", mend: "correct the package's name, or name its program (npx --package)",
	}, {
		id: "no-such-script", words: []string{"missing script:"}, match: compiled(`[Mm]issing script: "?([\w:.@/-]+)`),
		reason: "package.json has no script $1", mend: "correct the script's name; npm run lists them",
	}, {
		id: "registry-unreachable", words: []string{"npm error fetcherror", "npm err! fetcherror", "npm error network", "npm err! network"},
		reason: "npm cannot reach the package registry", mend: "check the network, the proxy and the registry in npm's configuration",
	}, {
		id: "old-runtime", words: []string{"failed to download"}, match: compiled(`/c?python-(\d+\.\d+)\.\d`),
		reason: "uv cannot download Python $1", mend: "install Python $1, or choose one that is installed (--python)",
	}, {
		id: "old-runtime", words: []string{"no interpreter found"}, match: compiled(`No interpreter found for Python \D{0,3}(\d[\d.]*)`),
		reason: "uv finds no Python $1", mend: "install Python $1 (uv python install $1), or choose one that is installed (--python)",
	}, {
		id: "old-runtime", words: []string{"no interpreter found"}, match: compiled("No interpreter found (?:at path|for) `?([^`\\pC]+?)(?:`| in |$)"),
		reason: "uv finds no Python at $1", mend: "correct $1, or choose a Python that is installed (--python)",
	}, {
		id: "not-installed", words: []string{"rustup could not choose a version of"},
		reason: "rustup has no default toolchain", mend: "run rustup default stable",
	}, {
		id: "no-such-program", words: []string{"failed to spawn:"}, match: compiled("Failed to spawn: `?([^`:\\s\\pC]+)`?: No such file"),
		reason: "uv run found no command $1", mend: "correct the name $1, or start it in the project's folder (uv run --directory)",
	}, {
		id: "no-such-package", words: []string{"go: "}, match: compiled(`^go: ([^\s@]+)@\S+: .*(?:reading https?:|git ls-remote|no matching versions|unknown revision|invalid version|not found)`),
		reason: "go cannot get the module $1", mend: "correct the path or the version of $1; a private module requires GOPRIVATE and access",
	}, {
		id: "registry-unreachable", words: []string{"failed to fetch: `", "error sending request for url"},
		reason: "the package manager cannot reach its registry", mend: "check the network, the proxy and the address of the registry",
	},

	// Docker.
	{
		id: "docker-not-running", words: []string{"error while fetching server api version", "cannot connect to the docker daemon", "is the docker daemon running"},
		match:  compiled(`FileNotFoundError|ConnectionRefusedError|(?i:cannot connect|is the docker daemon)`),
		reason: "Docker is not running", mend: "start Docker",
	}, {
		id: "permission", words: []string{"error while fetching server api version", "docker daemon socket", "docker api at"}, match: compiled(`PermissionError|permission denied`),
		reason: "the user that starts it has no permission to use Docker", mend: "add that user to the group docker",
	}, {
		id: "no-such-program", words: []string{"unknown flag: ", "unknown shorthand flag: "}, match: compiled(`unknown (?:shorthand )?flag: .*Usage: +docker \[OPTIONS\] COMMAND`),
		reason: "docker has no such subcommand, or does not know the option", mend: "install the plugin that brings the subcommand (docker compose, docker mcp), or correct the option",
	}, {
		id: "no-such-image", words: []string{"pull access denied", "manifest unknown", "unable to find image", "repository does not exist"},
		reason: "the container image does not exist", mend: "check the name and the tag of the image, or log in to its registry",
	},

	// Runtimes that are too old, and programs for another machine.
	{
		id: "old-runtime", words: []string{"unsupportedclassversionerror"}, match: compiled(`class file version (\d+)\.\d+\).* up to (\d+)\.`), say: javaVersions,
	}, {
		id: "unknown-argument", words: []string{"bad option: "}, match: compiled(`\bnode(?:\.exe)?: bad option: (-[\w-]+)`),
		reason: "this Node does not know the option $1", mend: "correct or remove $1, or start it with a newer Node",
	}, {
		id: "old-runtime", words: []string{"go.mod requires go"}, match: compiled(`requires go >= ([\d.]+\d) \(running go ([\d.]+\d)`),
		reason: "it requires go >= $1, and go $2 was started", mend: "install go $1 or later",
	}, {
		id: "old-runtime", words: []string{"framework: '"}, match: compiled(`Framework: '[\w.]+', version '([\d.]+)'`),
		reason: "it requires .NET $1", mend: "install .NET $1, or build it for a .NET that is installed",
	}, {
		id: "old-runtime", words: []string{"glibc_"}, match: compiled("version [`']GLIBC_([\\d.]+)' not found"),
		reason: "it was built for a newer system, one with glibc $1", mend: "start it in a newer system or image, or build it here",
	}, {
		id: "old-runtime", words: []string{"unsupported engine", "code ebadengine", "requires node", "requires-python", "requires a different python", "you must install or update .net", "glibc_",
			"is not supported by the current node", "unexpected token '??='", "unexpected token '.'", "unexpected token '?'"},
		reason: "it requires a newer runtime", mend: "start it with the version of the runtime that it requires, by its full path",
	}, {
		id: "wrong-architecture", words: []string{"exec format error", "cannot execute binary file", "bad cpu type", "wrong elf class"},
		reason: "the program was built for another machine", mend: "build or download it for this operating system and processor",
	}, {
		id: "missing-library", words: []string{"error while loading shared libraries", "library not loaded", "cannot open shared object file"},
		match:  compiled(`(?:shared libraries|Library not loaded|OSError|ImportError): ` + bareFile),
		reason: "the system library $1 is missing", mend: "install $1",
	},

	// Java and other compilers.
	{
		id: "missing-class", words: []string{"classnotfoundexception", "noclassdeffounderror", "could not find or load main class"},
		match:  compiled(`(?:NotFoundException|DefFoundError|main class):? ([\w.$/]+)`),
		reason: "the Java class $1 is missing", mend: addClass,
	}, {
		id: "invalid-file", words: []string{"invalid or corrupt jarfile"}, match: compiled(`corrupt jarfile ` + bareFile),
		reason: "$1 is not a valid jar file", mend: "build or download $1 again",
	}, {
		id: "no-such-file", words: []string{"unable to access jarfile"}, match: compiled(`access jarfile ` + bareFile),
		reason: "the file $1 does not exist", mend: "build it, or correct the path $1",
	}, {
		id: "no-such-program", words: []string{"no main manifest attribute"}, match: compiled(`attribute, in ` + bareFile),
		reason: "$1 is a library, not a program", mend: "start the jar that has the program and what it depends on",
	}, {
		id: "not-a-project", words: []string{"could not find `cargo.toml`"}, match: compiled("could not find `Cargo.toml` in `([^`\\pC]+)`"),
		reason: "there is no Cargo.toml in $1", mend: inProject,
	}, {
		id: "not-a-project", words: []string{"there is no pom in this directory"}, match: compiled(`no POM in this directory \(([^)\pC]+)\)`),
		reason: "there is no pom.xml in $1", mend: inProject,
	}, {
		id: "not-a-project", words: []string{"go.mod file not found", "go: cannot find main module"},
		reason: "there is no go.mod in the server's working directory", mend: inProject,
	}, {
		id: "missing-go-module", words: []string{"no required module provides package"}, match: compiled(`provides package ([^\s;:\pC]+)`),
		reason: "go.mod names no module that has the package $1", mend: "run go get $1 in the server's folder",
	}, {
		id: "no-such-program", words: []string{"is not a main package"}, match: compiled(`^package (\S+) is not a main package`),
		reason: "the package $1 is not a program", mend: "name the package that has the function main",
	}, {
		id: "compile-error", words: []string{".go:", "error ts", "error[e", "error: ", "transform failed", "build failed"},
		match: compiled(`^(?:vet: )?(\S+\.go:\d+:\d+): |^(\S+\.[cm]?tsx?\(\d+,\d+\)): error TS\d+|^(\S+\.[cm]?tsx?:\d+:\d+) - error TS\d+|^error(?:\[E\d+\])?: .*: (\S+\.rs:\d+:\d+)` +
			`|(?:Transform|Build) failed with \d+ errors?: (\S+:\d+:\d+): `),
		reason: "the program does not compile", mend: "correct $1",
	},

	// Ports and services.
	{
		id: "port-in-use", words: []string{"eaddrinuse", "address already in use", "only one usage of each socket address", "port is already allocated", "already in use"},
		match:  compiled(`(?:EADDRINUSE|in use|allocated).*?[:\s](\d{2,5})\.?(?:[^.\d]|$)|:(\d{2,5}): bind|\b[Pp]ort (\d{2,5}) (?:is|was) already|\('[^']*', (\d{2,5})\)|:(\d{2,5}): (?:bind|listen)`),
		reason: portInUse, mend: freePort,
	}, {
		id: "port-in-use", words: []string{"eaddrinuse", "address already in use", "only one usage of each socket address", "port is already allocated"},
		reason: "the port is in use, perhaps by another instance of this server", mend: "stop the program that uses the port, or start the server with its stdio transport",
	}, {
		id: "already-running", words: []string{"another instance", "already running", "lock file", "lockfile", "database is locked"},
		reason: "another instance is already running", mend: "stop the other instance, or give this one its own folder",
	}, {
		id: "service-unreachable", words: []string{"econnrefused", "connection refused", "connect call failed"}, match: compiled(`(.*)`), say: refused,
	}, {
		id: "host-unknown", words: []string{" enotfound", "getaddrinfo", "name or service not known", "no such host", "temporary failure in name resolution", "nodename nor servname", "could not translate host name", "could not resolve host"},
		match:  compiled(`(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+\.?\w)|lookup ([\w.-]+\w)|host(?: name)?:? ["']?([\w.-]+\.[\w.-]+\w)`),
		reason: "the host name $1 is not known", mend: "correct the address in the server's settings, or check the network",
	}, {
		id: "host-unknown", words: []string{" enotfound", "getaddrinfo", "name or service not known", "no such host", "temporary failure in name resolution"},
		reason: "the name of a host is not known", mend: "correct the address in the server's settings, or check the network",
	}, {
		id: "certificate", words: []string{"self-signed certificate", "self_signed_cert", "unable_to_verify_leaf_signature", "self signed certificate", "unable to verify the first certificate", "certificate verify failed", "unable to get local issuer"},
		reason: "it does not trust a certificate", mend: "provide your certificates with NODE_EXTRA_CA_CERTS or SSL_CERT_FILE",
	}, {
		id: "service-unreachable", words: []string{"all connection attempts failed", "fetch failed", "etimedout", "network is unreachable", "connection timed out", "no route to host", "ehostunreach", "i/o timeout"},
		reason: "it cannot connect to a service", mend: "check the address that it was given, and the network",
	}, {
		id: "browser", words: []string{"ms-playwright", "playwright install"},
		reason: "Playwright's browser is not installed", mend: "run npx playwright install",
	}, {
		id: "registry-unreachable", words: []string{"only-if-cached"},
		reason: "npm works offline and has not kept the package", mend: "install the package first, or unset npm_config_offline and take --offline out",
	}, {
		id: "rate-limit", words: []string{"too many requests", "status code 429", "rate limit exceeded", "quota exceeded", "exceeded your current quota"},
		reason: "a service allows no more requests for now", mend: "start it later, or raise the quota of its account",
	}, {
		id: "license", words: []string{"license"}, match: compiled(`(?i)licen[sc]e.{0,20} (?:has )?expired.*?(https?://[^\s\pC]+)`),
		reason: "its license has expired", mend: "renew the license at $1",
	}, {
		id: "no-space", words: []string{"enospc", "no space left on device"},
		reason: "the disk is full", mend: "free some disk space",
	}, {
		id: "missing-variable", words: []string{"notpresent"}, match: compiled(`value: NotPresent`),
		reason: "an environment variable that it needs is not set", mend: "set the environment variables that its documentation names",
	}, {
		id: "missing-variable", words: []string{"keyerror"}, match: compiled(`KeyError: '?([A-Z][A-Z0-9_]{2,})'?$`), say: missingVariables,
	}, {
		id:    "missing-variable",
		words: []string{"not set", "must be", "required", "missing", "undefined", "unset", "not defined", "not found", "not provided", "not configured", "unbound", "set", "provide", "empty", "null", "require", "without"},
		match: compiled(`(?i:environment variables?|env vars?|variables?|please set|please provide|please define|\bset|\bmissing|\brequires?|\bexport)[:=]?[ '"` + "`" + `]+(?:(?:the|your|both|either|required|a|an|environment|variables?)\W+)*` + several +
			`|environment variables? \(` + several + `|(?i:please (?:set|provide|pass))[^.;]{0,80} ` + several + ` environment|\bwithout (?:the |an? )?` + several + `\b|(?i:key|token)s? (?:is|are) required via [^.;]*?\b` + several +
			`|\b` + several + `\b['"` + "`" + `]?(?:[:,]| \([^)]*\))?[^.:;A-Z]{0,30}?\b(?:is|are|was|were|be|must|has) (?:not|missing|required|undefined|empty|unset|set|provided|defined|configured|specified)` +
			`|\b` + several + `\b['"` + "`" + `]?:?(?: environment variables?)? (?:not (?:set|found|defined|provided|configured|present)|missing|required|[Rr]equired|unbound variable|undefined)|\b(?:missing|required)=` + several),
		say: missingVariables,
	}, {
		id: "authorization", words: []string{"login", "log in", "auth", "sign in"}, match: compiled("(?i:run|execute|use):? [`'\"]([^`'\"]*(?:login|auth)[^`'\"]*)[`'\"](?: first| once| to | in |\\.|$)"),
		say: authorize,
	}, {
		id: "authorization", words: []string{"auth"}, match: compiled(`(?i:run) with ['"` + "`" + `]?(auth\w*)['"` + "`" + `]? argument`),
		reason: "it must be authorized first", mend: "run it once in a shell with the argument $1",
	}, {
		id: "missing-variable", words: []string{"token", "key"}, match: compiled(`(?i:\bno|missing)(?i: access| api| auth)* (?i:token|key)\b.*?(?i:via|set|with|in)\W+` + several), say: missingVariables,
	}, {
		id: "missing-key", words: []string{"key is required", "missing api key", "no api key", "api key not", "key not provided", "token is required", "token not provided", "no access token", "no token", "missing token", "missing credentials",
			"no credentials", "could not load the default credentials", "credentials are required", "apikey is required"},
		reason: "an API key or token is missing", mend: "give it the key or token that it names, by an environment variable or an argument",
	}, {
		id: "credentials-refused", words: []string{"401 unauthorized", "status code 401", "invalid api key", "incorrect api key", "authentication failed", "invalid_grant", "bad credentials", "password authentication failed"},
		reason: "a service rejects its credentials", mend: `set a valid key in its environment: --env here, "env" in a client's configuration`,
	}, {
		id: "access-denied", words: []string{"403 forbidden", "status code 403"},
		reason: "a service denies it access (403 Forbidden)", mend: "check the address of that service, and what its key or account may do",
	}, {
		id: "not-installed", words: []string{"install with", "install it with"}, match: compiled("(?i)install (?:it )?with:? ['\"`]([^'\"`\\pC]+)['\"`]"),
		reason: "a package that it needs is not installed", mend: "run $1",
	},

	// Commands, permissions and files.
	{
		id: "line-ends", words: []string{"no such file", "bad interpreter"}, match: compiled(`env: .*\\r['’]?: No such|\^M: bad interpreter|\\r: bad interpreter`),
		reason: "the script has Windows line ends, which its #! line does not allow", mend: "save the script with Unix line ends",
	}, {
		id: "no-such-file", words: []string{"node: "}, match: compiled(`^node: ` + bareFile + `: not found$`), say: missingFile,
	}, {
		id: "command-not-found", words: []string{"env: ", ": not found", "command not found", "is not recognized as an internal", "spawn ", "executable file not found"},
		match: compiled(`env: ['"‘]?` + word + `['"’]?: (?:No such file|not found)|(?:^|[ :])` + word + `: (?:command )?not found$|command not found: ` + word + `|spawn ` + word + ` ENOENT|exec: "([^"\pC]+)": executable file not found|'([^'\pC]+)' is not recognized as an internal`),
		say:   missingCommand,
	}, {
		id: "permission", words: []string{"failed to create directory"}, match: compiled("create directory `([^`\\pC]+)`"),
		reason: "the folder $1 cannot be created", mend: "name a folder that the user who starts it may create, instead of $1",
	}, {
		id: "permission", words: []string{"permission denied", "eacces", "eperm", "operation not permitted", "access is denied", "read-only file system", "erofs"},
		match:  compiled(`(?:[Pp]ermission denied|not permitted|[Aa]ccess is denied|[Rr]ead-only file system)[^'"]*['"]` + file + `['"]|(?:[Pp]ermission denied|not permitted), \w+ ` + bareFile + `|(?:open|mkdir|unlink|stat|exec|rename|create) ` + bareFile + `: (?:permission denied|operation not)|^(?:sh|bash|dash|zsh): (?:line )?(?:\d+: )?` + bareFile + `: Permission denied|npm error code E\w+ \w+ ` + bareFile),
		reason: "it has no permission for $1", mend: "give the user that starts it access to $1, or name another path",
	}, {
		id: "permission", words: []string{"permission denied", "eacces", "eperm", "operation not permitted", "access is denied", "read-only file system", "erofs"},
		reason: "it has no permission to open or run something", mend: "give the user that starts it access to what it opens",
	}, {
		id: "invalid-file", words: []string{"json", "yaml", "toml", "configuration", "config"},
		match: compiled(`(?i)(JSON|YAML|TOML) (?:configuration |config |file )*(?:from|in|at|file) ` + bareFile + `: .*?((?:line|row|position) \d+(?:,? col(?:umn)? \d+)?)`),
		say:   invalidFile,
	}, {
		id: "invalid-file", words: []string{"yaml:"}, match: compiled(`\b(yaml): (line \d+): .*\(path=` + bareFile + `[,)]`), say: invalidFile,
	}, {
		id: "invalid-file", words: []string{"jsondecodeerror", "in json at", "unexpected end of json", "is not valid json"}, match: compiled(`(line \d+ column \d+)|(position \d+)`),
		reason: "a file or value that it reads is not valid JSON", mend: "correct it at $1",
	}, {
		id: "invalid-file", words: []string{"jsondecodeerror", "unexpected end of json", "is not valid json"},
		reason: "a file or value that it reads is not valid JSON", mend: "correct that file or value",
	}, {
		id: "no-such-file", words: []string{"can't open file"}, match: compiled(`can't open file ['"]` + file + `['"]`),
		reason: "the file $1 does not exist", mend: "correct the path $1 in the command",
	}, {
		id: "no-such-file", words: []string{": directory not found"}, match: compiled(`^stat ` + bareFile + `: directory not found`),
		reason: "the folder $1 does not exist", mend: "correct the path $1 in the command",
	}, {
		id: "not-a-project", words: []string{"package.json"}, match: compiled(`(?i:no such file|ENOENT)[^'"]*['"]([^'"\pC]*)/package\.json['"]`),
		reason: "there is no package.json in $1", mend: "start it in the project's folder (--cwd), or correct the path $1",
	}, {
		id: "no-such-file", words: []string{"can't cd to", "directory not found", "chdir "}, match: compiled(`(?:can't cd to|stat|chdir) ` + bareFile + `(?:$|: (?:directory not found|no such file))`), say: missingFolder,
	}, {
		id: "no-such-file", words: []string{"no such file", "enoent", "not found", "does not exist", "cannot find the", "cannot open"},
		match: compiled(`(?i:no such file(?: or directory)?|ENOENT|cannot find the (?:file|path))[^'"]*['"]` + file + `['"]|(?i:cannot open) ['"]` + file + `['"]|(?i:file |path |folder |directory |value for '[\w-]+':? )['"]` + file + `['"] does not exist|(?i:file|path|folder|directory) (?i:not found|does not exist): ['"]?` + bareFile + `|\b(?:open|stat|read|lstat|chdir|fork/exec|readdir|cannot open|can't open) ` + bareFile + `: (?i:no such file|directory not found|the system cannot find)` +
			`|FileNotFoundException: ` + bareFile + ` \(|(?:^|(?i:file|folder|directory|path|repository)[: ]+)['"]?(/[^\s'":,\pC]*|\./[^\s'":,\pC]*)['"]? (?:does not exist|not found|was not found)`),
		say: missingFile,
	}, {
		id: "no-such-file", words: []string{"file not found", "file was not found", "file does not exist"}, match: compiled(`(?i:not found|not exist)\W.*?\b([\w][\w.-]*\.(?:json|ya?ml|toml|pem|env|key|ini|conf|db))\b`), say: missingFile,
	}, {
		id: "no-such-file", words: []string{"unable to open database file"},
		reason: "the folder of its database does not exist, or may not be written", mend: "create the folder of the database, give the user who starts it access, or name another file",
	}, {
		id: "no-such-file", words: []string{"notfound", "no such file or directory", "enoent", "filenotfounderror"}, match: compiled(`kind: NotFound|os error 2|No such file or directory|ENOENT`),
		reason: "a file that it needs does not exist", mend: "create it, or correct its path in the server's arguments or settings",
	}, {
		id: "invalid-setting", words: []string{"invalid url"}, match: compiled(`Invalid URL \(input: '([^'\pC]*)'\)`),
		reason: "an address in its settings is not a URL: '$1'", mend: "set that address in the server's environment, arguments or configuration file",
	}, {
		id: "invalid-setting", words: []string{"invalid configuration", "invalid application configuration", "configuration is invalid", "configuration is incomplete", "invalid config"},
		reason: "its configuration is invalid", mend: "correct what it names in the server's environment, arguments or configuration file",
	}, {
		id: "invalid-setting", words: []string{"zoderror", "cannot be empty", "expected string, received", "invalid url"}, match: compiled(`(?:ZodError|[Ee]rror): (\w+(?:\.\w+)*: [^;]+)`),
		reason: "a setting is invalid: $1", mend: correctSetting,
	},

	// Arguments.
	{
		id: "missing-argument", words: []string{"required", "requires"}, match: compiled(`requires the (--[\w-]+) (?:flag|option)|[Mm]issing required (?:argument|option|flag|parameter)s?:? ['"]?(--?[\w-]+)|(?:Use|use|Provide|provide|Specify|specify) (?:one of:? |the |either )*(--[\w-]+)|required (?:flag|option|argument)(?:s|\(s\))? "?(--?[\w-]+)`),
		reason: "the argument $1 is missing", mend: "add $1 to the command",
	}, {
		id: "missing-argument", words: []string{"required flag", "required option", "following arguments are required"}, match: compiled(`[Rr]equired (?:flags?|options?|flag\(s\)) "([\w, -]+)" not set|arguments are required: ([\w, /<>-]+)`), say: missingArguments,
	}, {
		id: "missing-argument", words: []string{"as a command-line argument", "as an argument", "missing required argument", "missing argument", "required arguments were not provided"},
		reason: "an argument is missing", mend: "add the argument that it names to the command",
	}, {
		id: "unknown-argument", words: []string{"unrecognized", "unknown", "unexpected argument", "invalid command line argument", "invalid option", "no such option", "not defined"},
		match:  compiled(`(?:unrecognized (?:arguments?|option)|[Uu]nknown (?:option|flag|argument)s?|unexpected argument|[Ii]nvalid command line argument|[Ii]nvalid option|[Nn]o such option|provided but not defined):? ['"]?(--?[\w-]+)`),
		reason: "it does not know the option $1", mend: "correct or remove $1",
	}, {
		id: "invalid-argument", words: []string{"invalid transport"}, match: compiled(`[Ii]nvalid transport:? ['"]?(\w+)`),
		reason: "it has no transport $1", mend: "correct the name of the transport",
	}, {
		id: "invalid-argument", words: []string{"invalid value", "invalid choice", "invalid int value"}, match: compiled(`Invalid value for ['"]?(--?[\w-]+)|argument (--?[\w-]+)[^:]*: invalid (?:choice|\w+ value)|invalid value '[^'\pC]*' for '(--?[\w-]+)`),
		reason: "the value of $1 is invalid", mend: "correct $1",
	}, {
		id: "unknown-argument", words: []string{"unknown command: "}, match: compiled(`Unknown command: `),
		reason: "its arguments are missing or invalid", mend: "correct the arguments of the command",
	}, {
		id: "arguments", words: []string{"usage:", "unrecognized arguments", "unrecognized option", "unknown option", "unknown flag", "unknown argument", "unexpected argument", "invalid option"},
		reason: "its arguments are missing or invalid", mend: "correct the arguments of the command",
	}, {
		id: "missing-configuration", words: []string{"configuration is required", "config is required", "configuration file is required", "no configuration"},
		reason: "its configuration is missing", mend: "give it the configuration that it names, by an environment variable, an argument or a file",
	},

	// Programs.
	{
		id: "syntax", words: []string{"indentationerror: ", "taberror: "}, match: compiled(`^(?:IndentationError|TabError): .*\((.+?, line \d+)`),
		reason: "the program is not indented as Python requires", mend: "correct $1",
	}, {
		id: "syntax", words: []string{"syntaxerror: ", "indentationerror: ", "taberror: "}, match: compiled(`^(?:SyntaxError|IndentationError|TabError): .*\((.+?(?:, line \d+|:\d+))(?:: .*)?\)$`),
		reason: "the program has a syntax error, or is written for a newer runtime", mend: "start it with a newer runtime, or correct $1",
	}, {
		id: "syntax", words: []string{"syntaxerror", "indentationerror", "taberror", "parse error", "syntax error"},
		reason: "the program has a syntax error, or is written for a newer runtime", mend: "start it with a newer runtime, or correct the line that it names",
	}, {
		id: "out-of-memory", words: []string{"too small maximum heap", "too small initial heap"},
		reason: "the heap that it was given is too small for Java", mend: "give it a larger heap (-Xmx)",
	}, {
		id: "out-of-memory", words: []string{"failed to reserve virtual memory"},
		reason: "the limit of its memory is too low", mend: "raise the limit of virtual memory (ulimit -v), or that of the container",
	}, {
		id: "out-of-memory", words: []string{"javascript heap out of memory", "heap limit"},
		reason: "it ran out of memory", mend: "give it more memory (node --max-old-space-size), or request less data",
	}, {
		id: "out-of-memory", words: []string{"insufficient memory for the java", "java.lang.outofmemoryerror", "could not reserve enough space"},
		reason: "it ran out of memory", mend: "give it more memory, or a smaller heap (-Xmx)",
	}, {
		id: "out-of-memory", words: []string{"out of memory", "cannot allocate memory", "memoryerror"},
		reason: "it ran out of memory", mend: "give it more memory, or request less data",
	},
}

// Connecting is the id of the cause that holds only as long as nothing else was said.
const Connecting = "connecting"

// waits are what programs say that run and do not respond.
var waits = []kind{
	{
		id: "http-transport", words: []string{"uvicorn", "listening", "running", "started on port", "server started", "serving http", "://"},
		match: compiled(`(?i)uvicorn running on|listening (?:at|on) (?:port|http|0\.0\.0\.0|127\.0\.0\.1|localhost|\[?::|:\d)|running (?:at|on) (?:port|http)|started on port \d|server (?:started|listening) on (?:port )?\d` +
			`|serving http on|(?:\b(?:running|listening|serving|available|started)(?: on| at| via)?|\b(?:mcp|sse|http) (?:endpoint|url|server))\W+https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d`),
		reason: "it was started as an HTTP server and listens on a port", mend: "start it with its stdio transport (often --stdio, or --transport stdio)",
	}, {
		id: "authorization", words: []string{"http"}, match: compiled(`(?i)\b(?:open|visit|go to|navigate|browser|log ?in|sign in)\b.*(https://[^\s'"<>\pC]*(?:login|auth|device|activate|signin)[^\s'"<>\pC]*)`),
		reason: "it waits until its user has logged in", mend: "log in at $1",
	}, {
		id: "asks", words: []string{":", "?", "y/n"}, match: compiled(`(?i)^(?:please )?(?:enter|type|input|paste) .*[:?>]\s*$|^(?:\w+ ){0,3}(?:password|passphrase|api key|token):\s*$|[\[(]y(?:es)?/n(?:o)?[\])]`),
		reason: "it waits for an answer at a terminal", mend: "give it the answer by an environment variable or an argument: its stdin has only messages",
	}, {
		id: Connecting, words: []string{"connecting to"}, match: compiled(`(?i)connecting to (?:\w+://)?(?:[^\s@]*@)?([\w.-]+:\d{2,5})\b`),
		reason: "it waits for $1", mend: "check that $1 can be reached from here",
	},
}
