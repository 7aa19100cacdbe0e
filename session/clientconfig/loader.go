package clientconfig

import (
	"runtime"
	"strings"
)

// A Loader is a variable by which code that no command line names gets into a
// program that is started.
type Loader struct {
	Name string // Name is as the entry writes it.
	Why  string // Why says what it does, as the end of a sentence: "puts a library into every program that is started".
}

// Loaders returns those of the named variables that an entry of a level must not
// set for a server that is started on its word.
//
// The dynamic linker's are refused in every file: a line that somebody was talked
// into pasting would take over every program below. What steers interpreters,
// shells, package managers and git is refused in files of projects only, which
// may come from a stranger and would make the command on the screen a lie; in the
// user's own files PYTHONPATH and NODE_OPTIONS are ordinary.
func Loaders(names []string, level Level) []Loader {
	var found []Loader
	for _, name := range names {
		if why := loads(name, level == Project, runtime.GOOS == "windows"); why != "" {
			found = append(found, Loader{name, why})
		}
	}
	return found
}

// loads says what a variable puts into programs; empty = nothing that is
// refused. Where names have no case it does not count.
func loads(name string, foreign, fold bool) string {
	if fold {
		name = strings.ToUpper(name)
	}
	if why := linkers.why(name); why != "" || !foreign {
		return why
	}
	// npm reads its own in any case, and every package manager like it reads npm's.
	if strings.HasPrefix(strings.ToLower(name), "npm_config_") {
		return "tells npm and npx where packages come from and which shell runs their scripts"
	}
	return steering.why(name)
}

// A loaderList is names, and beginnings of names where they end in *.
type loaderList []struct {
	names string // names are apart by blanks.
	why   string
}

func (l loaderList) why(name string) string {
	for _, row := range l {
		for word := range strings.FieldsSeq(row.names) {
			if begin, open := strings.CutSuffix(word, "*"); word == name || open && strings.HasPrefix(name, begin) {
				return row.why
			}
		}
	}
	return ""
}

// linkers are read by the dynamic linker and the C library, ld.so(8), dyld(1),
// rtld(1), before a program's own first line.
var linkers = loaderList{
	{"LD_* DYLD_* _RLD* LIBPATH SHLIB_PATH GCONV_PATH", "puts a library into every program that is started"},
}

// steering are read by the programs that configurations usually start.
var steering = loaderList{
	{"PATH PATHEXT", "decides which program the words of the command start"},
	// Python's usercustomize, npm's script-shell and git's fsmonitor are read from there.
	{"HOME USERPROFILE APPDATA LOCALAPPDATA XDG_*", "decides where programs find their settings, and code that these name"},
	// A configuration names engines and providers, which are libraries.
	{"OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES", "puts a library into every program that uses OpenSSL"},
	{"NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE TS_NODE_* BUN_OPTIONS", "puts code into every Node.js program"},
	{"PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONBREAKPOINT PYTHONINSPECT PYTHONEXECUTABLE PYTHONWARNINGS", "puts code into every Python program"},
	{"PERL5OPT PERL5LIB PERLLIB PERL5DB", "puts code into every Perl program"},
	{"RUBYOPT RUBYLIB GEM_PATH GEM_HOME BUNDLE_GEMFILE", "puts code into every Ruby program"},
	{"JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS GRADLE_OPTS CLASSPATH", "puts code into every Java program"},
	{"DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS CORECLR_* COR_* COMPLUS_*", "puts code into every .NET program"},
	{"PHPRC PHP_INI_SCAN_DIR", "puts code into every PHP program"},
	{"R_PROFILE* R_ENVIRON* R_LIBS*", "puts code into every R program"},
	{"JULIA_LOAD_PATH JULIA_DEPOT_PATH JULIA_PROJECT", "puts code into every Julia program"},
	{"ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS ELIXIR_ERL_OPTIONS", "puts code into every Erlang program"},
	{"LUA_INIT* LUA_PATH* LUA_CPATH*", "puts code into every Lua program"},
	{"BASH_ENV ENV ZDOTDIR SHELLOPTS BASHOPTS BASH_FUNC_* PS4 PROMPT_COMMAND IFS", "makes shells run more than their script"},
	{"GIT_*", "makes git run other programs, or read other settings"},
	{"UV_* PIP_* PIPX_* YARN_* PNPM_* COREPACK_* CARGO_* RUSTC_WRAPPER RUSTC GOFLAGS GOPROXY GOENV GOTOOLCHAIN DENO_*", "tells package managers where programs come from"},
	{"DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG CONTAINER_HOST", "decides where containers run, and as what"},
	{"EDITOR VISUAL PAGER BROWSER", "is a program that others start"},
}
