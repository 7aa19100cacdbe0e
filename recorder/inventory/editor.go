package inventory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session/client/http"
	"wiretea/session/clientconfig"
	"wiretea/session/text"
)

// An Editor reads and changes the entries of the clients' files, for home.
type Editor struct{ Place clientconfig.Place }

// entry reads an entry anew: its file may have changed since it was listed.
func (e *Editor) entry(s Server) (clientEntry, error) {
	for _, f := range Find(e.Place) {
		for _, server := range f.Servers {
			if ID(f, server) == s.ID {
				return clientEntry{f, server}, nil
			}
		}
	}
	return clientEntry{}, fmt.Errorf("%s is not in %s any more", text.Line(s.Name), s.File)
}

// Command implements home.Editor.
func (e *Editor) Command(_ context.Context, s Server) (Command, error) {
	hit, err := e.entry(s)
	if err != nil {
		return Command{}, err
	}
	if s.Command == "" && s.URL != "" {
		return e.call(s, hit)
	}
	l, err := hit.file.Launch(hit.server, e.Place)
	var loader *clientconfig.LoaderError
	switch {
	case errors.As(err, &loader):
		return Command{}, fmt.Errorf("%w; if you want it, set %s yourself: wiretea run --env NAME=VALUE -- CMD", err, loader.Variables[0].Name)
	case err != nil:
		return Command{}, err
	}
	c := Command{
		Server: s, Argv: l.Argv, Env: l.Env, Cwd: l.Cwd, Shown: l.Shown, Sets: capture.EnvNames(l.Env), Reads: l.Read,
		Notes: dangers(hit.server), Unknown: hit.server.Unfamiliar(), Foreign: hit.server.Level == clientconfig.Project,
	}
	c.Program = programFile(l)
	if l.Left != "" {
		c.Notes = append(c.Notes, l.Left)
	}
	if info, err := os.Stat(l.Cwd); err != nil || !info.IsDir() {
		c.Notes = append(c.Notes, "the folder does not exist: the server cannot be started in it")
	}
	return c, nil
}

// call is the command of an entry with a URL.
func (e *Editor) call(s Server, hit clientEntry) (Command, error) {
	call, err := hit.file.Call(hit.server, e.Place)
	if err != nil {
		return Command{}, err
	}
	c := Command{
		Server: s, Argv: []string{call.URL}, Shown: []string{call.Shown}, Header: nethttp.Header{}, Reads: call.Read, Foreign: hit.server.Level == clientconfig.Project,
	}
	for _, f := range call.Fields {
		if err := http.AddField(c.Header, f.Name, f.Value); err != nil {
			return Command{}, fmt.Errorf("a header field of the entry cannot be sent: %w", err)
		}
		c.Sets = append(c.Sets, f.Name)
	}
	if call.Left != "" {
		c.Notes = append(c.Notes, call.Left)
	}
	return c, nil
}

// programFile is the file that a command starts; empty = none is found.
func programFile(l clientconfig.Launch) string {
	path := l.Argv[0]
	if strings.ContainsRune(path, filepath.Separator) && !filepath.IsAbs(path) {
		path = filepath.Join(l.Cwd, path)
	}
	found, err := exec.LookPath(path)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return ""
	}
	return found
}

// Plan implements home.Editor.
func (e *Editor) Plan(_ context.Context, s Server, wrap bool) (Change, error) {
	hit, err := e.entry(s)
	if err != nil {
		return Change{}, err
	}
	client, _ := clientconfig.Lookup(hit.file.Client)
	doing, done := "unwrap", "unwrapped"
	var change clientconfig.Change
	var apply func() error
	if wrap {
		doing, done = "wrap", "wrapped"
		change, apply, err = WrapPlan(e.Place, hit.file, hit.server)
	} else {
		change, err = hit.file.Unwrap(hit.server)
		apply = change.Apply
	}
	fail := func(err error) error {
		hint, failed := EditFailure(doing+"ping", hit.file.Path, err)
		return fmt.Errorf("%w; %s", failed, hint)
	}
	if err != nil {
		return Change{}, fail(err)
	}
	out := Change{Title: fmt.Sprintf("%s %s in %s?", doing, text.Line(s.Name), client.Title), Diff: change.Diff()}
	if wrap {
		path, now := change.Keeps()
		when := "is now"
		if !now {
			when = "was before its first wrapping"
		}
		out.Notes = append(out.Notes, "The file as it "+when+" stays beside it, as "+UnderHome(path, e.Place.Home)+", until it is unwrapped.")
	}
	if hit.server.Level == clientconfig.Project {
		out.Notes = append(out.Notes, "Note: "+ProjectNote+".")
	}
	if note := WindowsNote(hit.file.Path); wrap && note != "" {
		out.Notes = append(out.Notes, "⚠ "+note)
	}
	for _, note := range Notes(hit.server) {
		out.Notes = append(out.Notes, "⚠ "+note)
	}
	if note := StrictNote(change, client); note != "" {
		out.Notes = append(out.Notes, "⚠ "+note)
	}
	if hit.server.Off {
		out.Notes = append(out.Notes, "⚠ "+OffNote)
	}
	out.Notes = append(out.Notes, "Then: "+client.Restart+".")
	out.Apply = func(context.Context) (string, error) {
		if err := apply(); err != nil {
			return "", fail(err)
		}
		return fmt.Sprintf("%s %s · next: %s", done, text.Line(s.Name), client.Restart), nil
	}
	return out, nil
}

// ProjectNote is what to mind if a file is not the user's own.
const ProjectNote = "the file belongs to the project: do not check the change in"

type clientEntry struct {
	file   clientconfig.File
	server clientconfig.Server
}

// EditFailure words an error of an edit, with what can be done in one line. doing is
// "wrapping" or "unwrapping".
func EditFailure(doing, path string, err error) (hint string, failed error) {
	hint = "nothing was changed"
	switch {
	case errors.Is(err, clientconfig.ErrChanged):
		hint = "its client has just written it: try again"
	case errors.Is(err, clientconfig.ErrReadOnly):
		hint = "chmod u+w " + text.ShellFile(path) + " makes it writable"
	case errors.Is(err, clientconfig.ErrReadOnlyFolder):
		hint = "chmod u+w " + text.ShellFile(filepath.Dir(path)) + " makes it writable, unless its medium is read-only"
	case errors.Is(err, clientconfig.ErrBinary):
		hint = "this program is " + text.ShellWord(os.Args[0]) + ": install it under the name wiretea, and call that"
	case errors.Is(err, errGoRun):
		hint = "go install it, or go build -o somewhere/wiretea, and call that"
	}
	return hint, fmt.Errorf("%s in %s: %s", doing, text.Line(path), text.Line(err.Error()))
}

var errGoRun = errors.New("this wiretea was built by go run, which deletes it on exit")

// ownPath is the absolute path by which clients shall start this program: as the
// shell finds it, so that it stays valid through updates that move what a link names,
// else where it lies.
func ownPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding wiretea's own path: %w", err)
	}
	if strings.Contains(filepath.ToSlash(self), "/go-build") {
		return "", errGoRun
	}
	shown, err := exec.LookPath(os.Args[0])
	if err != nil {
		return self, nil
	}
	if shown, err = filepath.Abs(shown); err != nil || !SamePath(shown, self) {
		return self, nil
	}
	return shown, nil
}

// SamePath reports whether two paths name the same file.
func SamePath(a, b string) bool {
	if abs, err := filepath.Abs(b); err == nil && filepath.Clean(a) == abs {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// OffNote explains an entry that is switched off.
const OffNote = "switched off in the file: its client does not start it"

// Notes says what is dangerous or fragile about an entry, and what of it deserves a look.
func Notes(s clientconfig.Server) []string {
	notes := dangers(s)
	var names []string
	for _, pair := range s.Unfamiliar() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, text.Line(name))
	}
	if len(names) > 0 {
		notes = append(notes, fmt.Sprintf("sets %s: look at the values, the file belongs to the project", strings.Join(names, ", ")))
	}
	return notes
}

// WindowsNote warns, in the Windows Subsystem for Linux, of putting this program's path
// into a file on a drive of Windows; it is empty elsewhere.
func WindowsNote(path string) string {
	path, err := filepath.Abs(path)
	if target, terr := filepath.EvalSymlinks(path); terr == nil {
		path = target
	}
	drive, ok := strings.CutPrefix(path, "/mnt/")
	if err != nil || os.Getenv("WSL_DISTRO_NAME") == "" || !ok || len(drive) < 2 || drive[1] != '/' {
		return ""
	}
	return "the file is on a drive of Windows: a client that runs on Windows cannot start this wiretea, which is a program of Linux; for such a client wrap it with wiretea for Windows"
}

// StrictNote warns of what JSON does not allow in the file of a client that is not known to
// read it; it is empty for any other file.
func StrictNote(change clientconfig.Change, client clientconfig.Client) string {
	odd := change.NotStrict()
	if odd == "" {
		return ""
	}
	name := cmp.Or(client.Title, "the client")
	return odd + ", which JSON does not allow: a strict reader refuses the whole file; if " + name + " does not show its servers, remove it"
}

// dangers says what is dangerous or fragile about an entry.
func dangers(s clientconfig.Server) []string {
	var notes []string
	for _, v := range clientconfig.Loaders(s.EnvNames) {
		notes = append(notes, fmt.Sprintf("sets %s, which %s; remove it unless it is yours", text.Line(v.Name), v.Why))
	}
	if s.Wrapped && filepath.IsAbs(s.Tee) {
		if _, err := os.Stat(s.Tee); err != nil {
			notes = append(notes, fmt.Sprintf("%s does not exist: the client cannot start the server; wrap it again, or unwrap it", text.Line(s.Tee)))
		}
	}
	if s.Wrapped {
		if note := Unrecorded(s.Name); note != "" {
			notes = append(notes, note)
		}
	}
	if strings.HasPrefix(s.Command, "~") {
		notes = append(notes, "its command begins with ~, which not every client expands in arguments: write the full path before wrapping")
	}
	if !s.Wrapped && strings.ContainsAny(s.Command, " \t") && !filepath.IsAbs(s.Command) {
		notes = append(notes, "its command contains spaces: some clients run such a line in a shell, the tee does not; move the words to args before wrapping")
	}
	return notes
}

// Unrecorded says, in a line, what could not be recorded lately, of a server or of all
// where it has no name; empty if that is nothing.
func Unrecorded(server string) string {
	all := recorder.UnrecordedLately(time.Now())
	if server != "" {
		name := recorder.ServerName([]string{server})
		all = slices.DeleteFunc(all, func(u recorder.Unrecorded) bool { return u.Server != name })
	}
	if len(all) == 0 {
		return ""
	}
	latest := all[0]
	text := fmt.Sprintf("not recorded: %s, %s: %s", text.Line(latest.Server), latest.Time.Local().Format("2006-01-02 15:04"), text.Line(latest.Why))
	if n := len(all) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more in the last week)", n)
	}
	return text
}

// UnderHome shortens a path below the home folder.
func UnderHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// FolderNames are the names that a folder may have in a client's file: the one by
// which it was come to, and the one that clients write down, which has no links in
// it. Paths that a file contains are not resolved: they may be on a disk that does
// not respond.
func FolderNames(folder string) []string {
	names := []string{filepath.Clean(folder)}
	if target, err := filepath.EvalSymlinks(folder); err == nil {
		names = append(names, target)
	}
	return names
}

// serverOf is an entry of a client's file as home lists it.
func serverOf(f clientconfig.File, s clientconfig.Server, place clientconfig.Place) Server {
	client, _ := clientconfig.Lookup(f.Client)
	out := Server{
		ID: ID(f, s), Name: s.Name, Client: client.Title, Type: client.ID, Level: string(s.Level), File: UnderHome(f.Path, place.Home),
		URL: clientconfig.ShownURL(s.URL), Wrapped: s.Wrapped, Off: s.Off,
	}
	if s.Command != "" {
		out.Command = text.CommandLine(append([]string{s.Command}, s.Args...))
	}
	switch _, err := f.Launch(s, place); {
	case err != nil && !errors.Is(err, clientconfig.ErrURL):
		out.Trouble = err.Error()
	default:
		out.Trouble = strings.Join(dangers(s), "; ")
	}
	return out
}

// ID tells an entry from all others.
func ID(f clientconfig.File, s clientconfig.Server) string {
	return strings.Join([]string{f.Client, f.Path, s.Folder, s.Name}, "\x00")
}
