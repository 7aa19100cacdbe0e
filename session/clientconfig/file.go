package clientconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"wiretea/session/atomicfile"
)

// maxFile is the longest file that is read, in bytes: the files of clients are much
// shorter.
const maxFile = 64 << 20

// A File is a configuration file of a client.
type File struct {
	Client  string   // Client is the client's ID.
	Path    string   // Path is where the client looks for it; symbolic links are not resolved.
	Level   Level    // Level says whom the file is for.
	Servers []Server // Servers are its entries in the order of the file; empty where Err is set.

	// Err says why nothing is known of it; nil = it was read. It is fs.ErrNotExist
	// where there is no such file.
	Err error

	format format
	data   []byte
	some   bool   // some: it is for other settings too.
	folder string // folder is its project's; empty = the place's.
}

// Missing reports whether there is no such file.
func (f File) Missing() bool { return errors.Is(f.Err, fs.ErrNotExist) }

// Key is where its client keeps servers in the file, as "mcpServers"; empty for
// an unknown client.
func (f File) Key() string {
	if f.format == nil {
		return ""
	}
	return f.format.holder()
}

// A Server is one entry of a file.
type Server struct {
	Name string

	// Level is the file's, but Local for an entry that Claude Code keeps for one
	// project, which Folder then names.
	Level  Level
	Folder string

	// Command and Args are the server's own, also where the entry is wrapped.
	Command string
	Args    []string

	EnvNames []string // EnvNames are the variables that the entry sets.
	Cwd      string   // Cwd is the working directory; empty = the client's.
	URL      string   // URL is set where the server is not started but called; it is the server's own, also where the entry is wrapped.

	Wrapped bool   // Wrapped reports whether the tee is in front of it.
	Tee     string // Tee is the program in front of a wrapped one.

	// Off reports whether the entry disables the server, with "disabled": true or
	// "enabled": false. Other places where clients keep that are not read.
	Off bool

	// Refused says why the entry cannot be edited; empty = it can.
	Refused string

	From, To int // From and To delimit the entry in the file, in bytes; 0, 0 = not known.

	env     []string // env has NAME=value.
	fields  []Field  // fields are the header fields of requests to URL,
	several bool     // several: there are other URLs beside it.
	command *word    // command is nil where there is none.
	inList  bool     // inList: command is the first element of args' list.
	args    *list    // args is nil where there are none.
	url     *word    // url is the entry's URL, or its tee command if wiretea wrapped one; else nil.

	entry    *urlEntry // entry is nil where there is no URL, or its format does not write others.
	original string    // original has the bytes that a wrapped entry with a URL had; empty for all others.

	// Where args are missing they are inserted at gap, after the text lead.
	gap   int
	lead  string
	block string // block is what is between them in YAML; empty = they are in brackets.
	// tail is the range that such an insertion took: from gap to the end of args.
	// It is empty where args do not follow the command directly.
	tail span
}

// Environ returns the variables that the entry sets, as NAME=value. The values
// may be secrets: they are for starting the server, not for printing or storing.
func (s Server) Environ() []string { return slices.Clone(s.env) }

// Find returns the files of all clients, also the missing ones, in the order of
// All. A file that is for other settings too is among them if it has servers or cannot be
// read. It reads them and starts nothing.
func Find(p Place) []File {
	var all []File
	for _, c := range All() {
		for _, f := range c.files(p) {
			if f = f.read(); !f.some || len(f.Servers) > 0 || f.Err != nil && !f.Missing() {
				all = append(all, f)
			}
		}
	}
	return all
}

// InProject returns the file as one of the project in a folder.
func (f File) InProject(folder string) File {
	f.Level, f.folder, f.Servers = Project, folder, slices.Clone(f.Servers)
	for i := range f.Servers {
		if f.Servers[i].Level != Local {
			f.Servers[i].Level = Project
		}
	}
	return f
}

// Read reads a file of a client that lies in another place than the client's
// own. An unknown client is an error in the File.
func Read(client, path string) File {
	c, ok := Lookup(client)
	if !ok {
		return File{Client: client, Path: path, Err: fmt.Errorf("unknown client %q", client)}
	}
	f := c.format
	if client == Other && strings.EqualFold(filepath.Ext(path), ".toml") {
		f = tomlFormat{}
	}
	if ext := strings.ToLower(filepath.Ext(path)); client == Other && (ext == ".yaml" || ext == ".yml") {
		f = clients.Get().formats["continue"]
	}
	return File{Client: client, Path: path, Level: User, format: f}.read()
}

func (f File) read() File {
	if f.data, f.Err = atomicfile.Read(f.Path, maxFile); f.Err != nil {
		return f
	}
	f.Servers, f.Err = servers(f.format, f.data, f.Level)
	return f
}

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
// and programs find code, settings, and whom to trust by countless variables: NODE_OPTIONS,
// CC, KUBECONFIG, HTTPS_PROXY. So all but those of a short list are unfamiliar. In the
// user's own files none is.
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
