package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/lazy"
)

// Suffix is what the names of session files end in.
const Suffix = ".mcpcap.jsonl"

// ErrExists is returned by Create for a file that is not empty.
var ErrExists = errors.New("the file exists and is not empty")

// ErrNoFolder is returned for a file to write in a folder that does not exist; the error
// names the folder.
var ErrNoFolder = errors.New("the folder does not exist")

type noFolderError struct{ dir string }

func (e *noFolderError) Error() string        { return "the folder " + e.dir + " does not exist" }
func (e *noFolderError) Is(target error) bool { return target == ErrNoFolder }

// NoFolder returns ErrNoFolder where a file could not be created because the folder of
// path, or of what path links to, does not exist, else err.
func NoFolder(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if target, link := os.Readlink(path); link == nil {
		if path = filepath.Join(filepath.Dir(path), target); filepath.IsAbs(target) {
			path = target
		}
	}
	dir := filepath.Dir(path)
	if _, missing := os.Stat(dir); errors.Is(missing, fs.ErrNotExist) {
		return &noFolderError{dir}
	}
	return err
}

// ErrBusy is returned for a session file that another process is writing.
var ErrBusy = errors.New("the file is being written by another process")

// Create creates a session file for writing, for its owner alone. A file that is there and
// not empty is refused unless overwrite is set; one that is being written always is. With a
// name that ends in .gz or .zst the session is recorded beside it, without that ending, and
// packed when the Sink is closed. What is there without that ending is never overwritten. A
// file that was not there before and into which nothing could be written, as the disk is
// full, is removed in the end.
func Create(name string, overwrite bool) (*Sink, error) {
	ending := Packed(name)
	if ending == "" {
		return create(name, overwrite, os.O_RDWR|os.O_CREATE)
	}
	if info, err := os.Stat(name); err == nil && info.Size() > 0 && !overwrite {
		return nil, fmt.Errorf("recording into %s: %w; choose another name, or ask for it to be overwritten", name, ErrExists)
	}
	// The plain file is another one than that which may be overwritten.
	plain := strings.TrimSuffix(name, ending)
	s, err := create(plain, false, os.O_RDWR|os.O_CREATE)
	switch {
	case errors.Is(err, ErrExists):
		return nil, fmt.Errorf("recording into %s, and until the end into %s: %w; choose another name, or move that one away", name, plain, ErrExists)
	case err != nil:
		return nil, err
	}
	s.packed = name
	return s, nil
}

func create(name string, overwrite bool, flags int) (*Sink, error) {
	_, missing := os.Lstat(name)
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err
		}
		return nil, fmt.Errorf("recording into %s: %w", name, NoFolder(name, err))
	}
	if err := prepare(f, overwrite); err != nil {
		f.Close()
		return nil, fmt.Errorf("recording into %s: %w", name, err)
	}
	s := newFileSink(name, osFile{f}, unlinkedTemp)
	s.created = errors.Is(missing, fs.ErrNotExist)
	return s, nil
}

// prepare locks and empties a file that was just opened.
func prepare(f *os.File, overwrite bool) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() > 0 && !overwrite:
		return fmt.Errorf("%w; choose another name, or ask for it to be overwritten", ErrExists)
	}
	if !takeLock(f) {
		return ErrBusy
	}
	if info.Size() > 0 {
		if err := f.Truncate(0); err != nil {
			return err
		}
	}
	if info.Mode().Perm()&0o077 != 0 {
		return f.Chmod(0o600)
	}
	return nil
}

// takeLock takes the writer's lock, and reports false where another writer has
// it. A reader's probe holds its lock for a moment only, so it is tried a few
// times. Without locks the file is written anyway.
func takeLock(f *os.File) bool {
	for range 20 {
		if lockFile(f) == nil {
			return true
		}
		if probeLock(f) == LivenessUnknown {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// Begin creates a session file for a new session in the sessions folder. It
// always returns a Sink: where the folder cannot be written the session is kept
// in a temporary file or in memory, and the error says why.
func Begin(dir string, h *session.Header) (*Sink, error) {
	err := os.MkdirAll(dir, 0o700)
	closeFolder(dir)
	for try := 1; err == nil && try < 100; try++ {
		name := FileName(h, os.Getpid(), try)
		var s *Sink
		if s, err = create(filepath.Join(dir, name), false, os.O_RDWR|os.O_CREATE|os.O_EXCL); err == nil {
			return s, nil
		}
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	s := NewTemp()
	if err == nil {
		err = errors.New("all names are taken")
	}
	return s, fmt.Errorf("the session is not kept: %w", errors.Join(err, s.Reason()))
}

// closeFolder takes from others the right to write into the default sessions folder, so
// that nobody puts a file there under the name of a recording. A folder that the user named
// may be meant to be shared.
func closeFolder(dir string) {
	own, err := SessionsFolder("")
	if err != nil || filepath.Clean(own) != filepath.Clean(dir) {
		return
	}
	if info, err := os.Stat(dir); err == nil && Shared(dir) {
		_ = os.Chmod(dir, info.Mode().Perm()&^0o077) // If it is not ours, that fails, and the files are still their owner's alone.
	}
}

// Shared reports whether other users may write into a folder. Windows does not say.
func Shared(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && runtime.GOOS != "windows" && info.IsDir() && info.Mode().Perm()&0o022 != 0
}

// FileName is the name of a new session file: time, server and process, and the
// count of the try where it is not the first.
func FileName(h *session.Header, pid, try int) string {
	t0 := h.T0
	if t0.IsZero() {
		t0 = time.Now()
	}
	name := t0.UTC().Format("20060102-150405") + "-" + ShortName(h) + "-" + strconv.Itoa(pid)
	if try > 1 {
		name += "-" + strconv.Itoa(try)
	}
	return name + Suffix
}

// launchers are commands that run the server named in their arguments.
var launchers = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{
		"npx": true, "npm": true, "node": true, "nodejs": true, "bun": true, "bunx": true, "deno": true, "pnpm": true, "yarn": true, "tsx": true,
		"python": true, "python3": true, "uv": true, "uvx": true, "pipx": true, "go": true, "cargo": true, "docker": true, "podman": true,
		"sh": true, "bash": true, "env": true, "java": true, "dotnet": true, "ruby": true,
		"run": true, "exec": true, "dlx": true, "x": true, "tool": true, "start": true, "cmd": true,
	}
}}

// ShortName is the name of a session's server that fits into a file name: the
// given one, else the host of its URL or a guess from its command line.
func ShortName(h *session.Header) string {
	if h.Name != "" {
		return ServerName([]string{h.Name})
	}
	if u, err := url.Parse(h.URL); len(h.Cmd) == 0 && err == nil && u.Host != "" {
		return ServerName([]string{u.Host})
	}
	return ServerName(h.Cmd)
}

// ServerName guesses a server's short name from its command line: the first
// word that is neither a launcher, a flag nor an assignment, without folder, scope,
// version and ending. It has at most 40 characters of a–z, 0–9, "-", "_" and ".", and is
// never empty.
func ServerName(cmd []string) string {
	name := ""
	var apart []string // apart are the options of the launcher whose value is the next word.
	for i := 0; i < len(cmd); i++ {
		arg := cmd[i]
		word := strings.TrimSuffix(path.Base(filepath.ToSlash(arg)), ".exe")
		switch {
		case slices.Contains(apart, arg):
			i++
			continue
		case strings.HasPrefix(arg, "-"), arg == "", name != "" && assigns(arg):
			continue
		case launchers.Get()[word]:
			apart = append(apart, valued.Get()[word]...)
		}
		if name == "" || launchers.Get()[name] {
			name = word
		}
		if !launchers.Get()[word] {
			break
		}
	}
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	switch ext := path.Ext(name); ext {
	case ".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".sh", ".jar", ".dll":
		name = strings.TrimSuffix(name, ext)
	}
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	if safe = strings.Trim(safe[:min(len(safe), 40)], "-."); safe == "" {
		return "server"
	}
	return safe
}

// valued are the options of launchers, alone in a word, that have a value in the next word.
var valued = lazy.Value[map[string][]string]{New: func() map[string][]string {
	container := []string{
		"-e", "--env", "--env-file", "-v", "--volume", "--mount", "--name", "--network", "-p", "--publish", "-u", "--user",
		"-w", "--workdir", "--entrypoint", "--platform", "--pull", "-h", "--hostname", "-l", "--label", "--add-host", "-m", "--memory", "--cpus",
	}
	return map[string][]string{"env": {"-u", "--unset", "-C", "--chdir"}, "docker": container, "podman": container}
}}

// assigns reports whether a word is like NAME=value, which may have a secret.
func assigns(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && !strings.ContainsAny(name, `/\`)
}

// SessionsFolder returns dir or, where that is empty, the sessions folder below the home
// folder, .local/state/wiretea/sessions. Only the home folder counts, because a client
// that starts the tee passes hardly any environment, and the viewer must look in
// the same place.
func SessionsFolder(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	home, err := HomeFolder()
	return filepath.Join(home, ".local", "state", "wiretea", "sessions"), err
}

// HomeFolder returns the user's home folder, an absolute path: HOME where it is
// one, else what the user database says.
func HomeFolder() (string, error) {
	if home := os.Getenv("HOME"); filepath.IsAbs(home) {
		return home, nil
	}
	if me, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil {
		return me.HomeDir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the home folder: %w", err)
	}
	return home, nil
}

// ErrSource is returned for a file that is to be replaced by what is made from it.
var ErrSource = errors.New("it is the original")

// MayReplace returns why the file at path must not be replaced, even if the user asks for
// it: ErrBusy if it is a session file that is being written, ErrSource if it is one of
// sources, by its own name or another. It returns nil if the file does not exist.
func MayReplace(path string, sources ...string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // There is nothing to lose.
	}
	for _, source := range sources {
		if other, err := os.Stat(source); err == nil && os.SameFile(info, other) {
			return fmt.Errorf("%s: %w", path, ErrSource)
		}
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil // It is not a session file, or the write says what is wrong.
	}
	defer f.Close()
	if probeLock(f) == Live {
		return fmt.Errorf("%s: %w", path, ErrBusy)
	}
	return nil
}
