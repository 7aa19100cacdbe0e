package clientconfig

import (
	"runtime"
	"slices"
	"strings"
)

// A Loader is a variable by which code that no command line names gets into a
// program that is started.
type Loader struct {
	Name string // Name is as the entry writes it.
	Why  string // Why says what it does, as the end of a sentence: "puts a library into every program that is started".
}

// Loaders returns those of the named variables that no entry may set for a server that
// is started on its word: the dynamic linker's. A line that somebody was talked into
// pasting would take over every program below.
func Loaders(names []string) []Loader {
	var found []Loader
	for _, name := range names {
		if matches(linkers, name) {
			found = append(found, Loader{name, "puts a library into every program that is started"})
		}
	}
	return found
}

// Unfamiliar returns the variables, as NAME=value, of an entry in a project's file that a
// person must have seen before the server is started. The file may come from a stranger,
// and there is no end of variables by which programs find code, settings, or whom to
// trust: NODE_OPTIONS, CC, KUBECONFIG, HTTPS_PROXY. So all are unfamiliar but those of a
// short list. In the user's own files none is.
func (s Server) Unfamiliar() []string {
	if s.Level != Project {
		return nil
	}
	return slices.DeleteFunc(s.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return matches(familiar, name)
	})
}

// linkers are read by the dynamic linker and the C library, ld.so(8), dyld(1),
// rtld(1), before a program's own first line.
const linkers = "LD_* DYLD_* _RLD* LIBPATH SHLIB_PATH GCONV_PATH"

// familiar are credentials, which a server gets and programs do not obey, and what only
// makes output longer or shorter. A name of an address is not among them: a package
// manager may have it.
const familiar = "API_KEY TOKEN SECRET PASSWORD *_API_KEY *_TOKEN *_SECRET *_PASSWORD *_CLIENT_ID *_ACCESS_KEY *_ACCESS_KEY_ID " +
	"LOG_LEVEL *_LOG_LEVEL NODE_ENV RAILS_ENV APP_ENV ENVIRONMENT PORT NO_COLOR FORCE_COLOR CI RUST_LOG RUST_BACKTRACE " +
	"PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONDONTWRITEBYTECODE"

// matches reports whether a name is one of a list, in which * stands for any beginning or
// end. Where names have no case it does not count.
func matches(list, name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	for word := range strings.FieldsSeq(list) {
		begin, opens := strings.CutSuffix(word, "*")
		end, closes := strings.CutPrefix(word, "*")
		if name == word || opens && strings.HasPrefix(name, begin) || closes && strings.HasSuffix(name, end) && len(name) > len(end) {
			return true
		}
	}
	return false
}
