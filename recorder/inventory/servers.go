package inventory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wiretea/session/clientconfig"
	"wiretea/ui/format"
)

// OffNote explains an entry that is switched off.
const OffNote = "switched off in the file: its client does not start it"

// Notes says what is dangerous or fragile about an entry.
func Notes(s clientconfig.Server) []string {
	var notes []string
	for _, v := range clientconfig.Loaders(s.EnvNames, s.Level) {
		notes = append(notes, fmt.Sprintf("sets %s, which %s; remove it unless it is yours", visible(v.Name), v.Why))
	}
	if s.Wrapped && filepath.IsAbs(s.Tee) {
		if _, err := os.Stat(s.Tee); err != nil {
			notes = append(notes, fmt.Sprintf("%s does not exist: the client cannot start the server; wrap it again, or unwrap it", visible(s.Tee)))
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

// ServerOf is an entry of a client's file as home lists it.
func ServerOf(f clientconfig.File, s clientconfig.Server, place clientconfig.Place) Server {
	client, _ := clientconfig.Lookup(f.Client)
	out := Server{
		ID: ID(f, s), Name: s.Name, Client: client.Title, Type: client.ID, Level: string(s.Level), File: UnderHome(f.Path, place.Home),
		URL: s.URL, Wrapped: s.Wrapped, Off: s.Off,
	}
	if s.Command != "" {
		out.Command = format.CommandLine(append([]string{s.Command}, s.Args...))
	}
	switch _, err := f.Launch(s, place); {
	case errors.Is(err, clientconfig.ErrURL):
	case err != nil:
		out.Trouble = err.Error()
	default:
		out.Trouble = strings.Join(Notes(s), "; ")
	}
	return out
}

// ID tells an entry from all others.
func ID(f clientconfig.File, s clientconfig.Server) string {
	return strings.Join([]string{f.Client, f.Path, s.Folder, s.Name}, "\x00")
}

func visible(text string) string { return format.Visible([]byte(text), 0) }
