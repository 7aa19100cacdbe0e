package transport

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"wiretea/session/atomicfile"
	"wiretea/session/commands"
)

// FDKind is what a server's descriptor is.
type FDKind uint8

const (
	Pipe   FDKind = iota // Pipe is what nearly all clients give.
	Socket               // Socket is one of a pair of unix sockets, which Node and Bun give.
)

// String returns the word in the session file: pipe or socket.
func (k FDKind) String() string {
	if k == Socket {
		return "socket"
	}
	return "pipe"
}

// Group is the process group and session of a server.
type Group uint8

const (
	// OwnSession starts a new session and process group: the server has no
	// access to our terminal, and its whole group can be signalled.
	OwnSession Group = iota

	// Inherit leaves the server in our group and session, so that a signal to our group
	// reaches it too. We signal only the server itself then.
	Inherit
)

// A Command says what server to start.
type Command struct {
	Argv  []string
	Dir   string   // Dir is the working directory; empty means ours.
	Env   []string // Env is the whole environment, "NAME=value", the last of a name counts; nil means ours.
	FDs   [3]FDKind
	Group Group
	Why   string // Why is the reason for starting the command again, for the record; empty = none.

	// Deep enlarges the buffers of its stdin and stdout, where they are pipes and the
	// system allows it: long messages pass faster. Without it, a server that does not
	// read is noticed as early as by any client.
	Deep bool
}

// A StartError says why a server could not be started.
type StartError struct {
	Name string // Name is the command as given.
	Why  string
	Hint string // Hint is one line on what to do; may be empty.
	Code int    // Code is the exit code that a shell would give: 127 not found, 126 not executable.
	Err  error  // Err is the cause; may be nil.

	// Searched says where the program was looked for. Error leaves it out, because it is
	// recorded and the values of the environment are not. Empty = nowhere.
	Searched string
}

func (e *StartError) Error() string {
	s := fmt.Sprintf("starting %q: %s", e.Name, e.Why)
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// resolve finds the file to execute, in the PATH that the server gets, as clients do.
// Its errors are StartErrors.
func (c *Command) resolve() (string, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return "", &StartError{Why: "no command given", Code: 127}
	}
	name := c.Argv[0]
	if c.Dir != "" {
		info, err := os.Stat(c.Dir)
		if err != nil {
			return "", &StartError{Name: name, Why: "working directory: " + reason(err), Code: 126, Err: err}
		}
		if !info.IsDir() {
			return "", &StartError{Name: name, Why: "working directory: " + c.Dir + " is not a folder", Code: 126}
		}
	}
	if runtime.GOOS == "windows" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", &StartError{Name: name, Why: "not found", Code: 127, Err: err}
		}
		return path, nil
	}
	if strings.Contains(name, "/") {
		file := name
		if c.Dir != "" && !filepath.IsAbs(file) {
			file = filepath.Join(c.Dir, file)
		}
		if err := executable(file); err != nil {
			return "", c.unusable(file, err)
		}
		// The child changes its folder before it executes: the name stays
		// relative to that.
		return name, nil
	}
	return c.lookPath(name)
}

// lookPath searches the folders of PATH.
func (c *Command) lookPath(name string) (string, error) {
	var unusable error
	for _, dir := range filepath.SplitList(c.getenv("PATH")) {
		file := cmp.Or(dir, ".") + "/" + name
		err := executable(file)
		if err == nil {
			return file, nil
		}
		if unusable == nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errFolder) {
			unusable = c.unusable(file, err)
		}
	}
	if unusable != nil {
		return "", unusable
	}
	return "", &StartError{Name: name, Why: "command not found in PATH", Hint: c.instead(name), Code: 127, Err: exec.ErrNotFound, Searched: c.searched()}
}

// instead says what to do about a name that is not in PATH.
func (c *Command) instead(name string) string {
	if _, err := os.Stat(name); err == nil {
		return "there is a file of this name here: write ./" + name
	}
	meant := commands.Meant(name, func(command string) bool {
		return slices.ContainsFunc(filepath.SplitList(c.getenv("PATH")), func(dir string) bool { return executable(cmp.Or(dir, ".")+"/"+command) == nil })
	})
	switch product := commands.Product(name); {
	case meant != "":
		return "did you mean " + meant + "?"
	case product != "":
		return "install " + product + ", or give the full path of " + name
	}
	return cmp.Or(misread(name), "check the spelling, or give the full path of the program")
}

// misread says what to do about a name that a shell or another system would have read in
// another way; empty = it is not one.
func misread(name string) string {
	program, _, several := strings.Cut(name, " ")
	switch base := strings.ToLower(name); {
	case strings.HasPrefix(name, "~"):
		return "only a shell replaces ~: write the path of the home folder"
	case strings.Contains(name, `\`), base == "cmd", base == "powershell", strings.HasSuffix(base, ".exe"), strings.HasSuffix(base, ".cmd"), strings.HasSuffix(base, ".bat"):
		return "this is a command for Windows: name the program itself, as npx or node"
	case several && commands.Product(path.Base(program)) != "":
		return `the program and its arguments are one word: write each as a word of its own, without quotes around them (in a client's configuration, in "args")`
	}
	return ""
}

// longPath is how much of PATH is quoted, in bytes.
const longPath = 1000

// searched says where the program was looked for.
func (c *Command) searched() string {
	path := strings.ReplaceAll(c.getenv("PATH"), "\n", "␊") // It is told in one line.
	switch {
	case path == "":
		return "PATH is not set"
	case len(path) > longPath:
		path = strings.ToValidUTF8(path[:longPath], "") + "…"
	}
	return "PATH is " + path
}

// environ returns the environment that the server gets. Of several entries with
// one name only the last is given: a program would see the first.
func (c *Command) environ() []string {
	if c.Env == nil {
		return os.Environ()
	}
	return (&exec.Cmd{Env: c.Env}).Environ()
}

func (c *Command) getenv(key string) string {
	for _, v := range c.environ() {
		if name, value, ok := strings.Cut(v, "="); ok && name == key {
			return value
		}
	}
	return ""
}

var (
	errFolder        = errors.New("is a folder")
	errNotExecutable = errors.New("is not executable")
)

func executable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errFolder
	case info.Mode()&0o111 == 0:
		return errNotExecutable
	}
	return nil
}

// unusable explains a file that cannot be executed.
func (c *Command) unusable(file string, err error) error {
	e := &StartError{Name: c.Argv[0], Why: reason(err), Code: 126, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Why, e.Code = "no such file", 127
		e.Hint = cmp.Or(misread(c.Argv[0]), "check the path; a relative one starts from the working directory")
		if strings.Contains(c.Argv[0], "://") {
			e.Hint = "the URL of a server begins with http:// or https://"
		}
	case errors.Is(err, errFolder):
		e.Hint = "name the program in it"
	case errors.Is(err, errNotExecutable):
		e.Hint = "make it executable with chmod +x, or put its interpreter before it"
	case errors.Is(err, fs.ErrPermission):
		e.Hint = "check the permissions of the file and its folders"
	}
	return e
}

// notStarted explains why the system refused to execute a file that passed the checks,
// or its streams.
func (c *Command) notStarted(err error) error {
	e := &StartError{Name: c.Argv[0], Why: reason(err), Code: 126, Err: err}
	head, _ := c.beginning(err) // What cannot be read is as unknown as what says nothing.
	line, script := strings.CutPrefix(head, "#!")
	line, _, _ = strings.Cut(line, "\n")
	here := runtime.GOOS + "/" + runtime.GOARCH
	switch {
	case errors.Is(err, fs.ErrNotExist) && script && strings.HasSuffix(line, "\r"):
		e.Why, e.Code = "its #! line has a Windows line end", 127
		e.Hint = "save the script with Unix line ends"
	case errors.Is(err, fs.ErrNotExist) && script:
		e.Why, e.Code = fmt.Sprintf("its #! line names %q, which does not exist", strings.TrimSpace(line)), 127
		e.Hint = "correct that line, or install what it names; create a virtual environment anew after it was moved"
	case errors.Is(err, fs.ErrNotExist):
		e.Why, e.Code = "its interpreter or loader is missing", 127
		e.Hint = "look at the file's #! line, or whether it was built for this system"
	case errors.Is(err, syscall.ENOEXEC) && head == "":
		e.Why, e.Hint = "the file is empty", "build or download it again"
	case errors.Is(err, syscall.ENOEXEC) && builtFor(head) != "" && builtFor(head) != runtime.GOARCH:
		e.Why, e.Hint = "it is built for "+builtFor(head)+", this machine is "+here, "build or download it for "+here
	case errors.Is(err, syscall.ENOEXEC):
		e.Why = "not a program this system can execute"
		e.Hint = "a script needs a #! line, or its interpreter before it"
	case errors.Is(err, syscall.E2BIG):
		e.Why = "arguments and environment are too long"
	case errors.Is(err, syscall.EMFILE):
		e.Why = "too many open files"
		e.Hint = "the limit of open files is too low: see ulimit -n"
	}
	return e
}

// beginning returns the first bytes of the file that an error is about.
func (c *Command) beginning(err error) (head string, _ error) {
	pathErr, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return "", err
	}
	file := pathErr.Path
	if c.Dir != "" && !filepath.IsAbs(file) {
		file = filepath.Join(c.Dir, file)
	}
	f, err := atomicfile.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // It was only read.
	var b [256]byte
	n, err := io.ReadFull(f, b[:])
	return string(b[:n]), err
}

// builtFor returns for which system or processor a program was built, from its first
// bytes; empty = unknown.
func builtFor(head string) string {
	const machine = 18 // where an ELF file of a little-endian processor names it
	switch {
	case strings.HasPrefix(head, "MZ"):
		return "Windows"
	case strings.HasPrefix(head, "\xcf\xfa\xed\xfe"), strings.HasPrefix(head, "\xca\xfe\xba\xbe"):
		return "macOS"
	case strings.HasPrefix(head, "\x7fELF") && len(head) > machine:
		arch := map[byte]string{0x03: "386", 0x28: "arm", 0x3e: "amd64", 0xb7: "arm64", 0xf3: "riscv64"}[head[machine]]
		return arch
	}
	return ""
}

// reason returns the bare cause of a system error.
func reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err.Error()
	}
	return err.Error()
}
