package inventory

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"wiretea/session/clientconfig"
	"wiretea/session/text"
)

// A ClientFile is a client's configuration file for programs.
type ClientFile struct {
	Client  string             `json:"client"`
	Path    string             `json:"path"`
	Level   clientconfig.Level `json:"level"`
	Exists  bool               `json:"exists"`
	Error   string             `json:"error,omitempty"`
	Servers []ClientServer     `json:"servers"`
}

// A ClientServer is one server in a ClientFile. From and To delimit its entry in the file,
// in bytes. The values of variables are left out, and what may be secret of a URL.
type ClientServer struct {
	Name    string             `json:"name"`
	Level   clientconfig.Level `json:"level"`
	Folder  string             `json:"folder,omitempty"`
	Command string             `json:"command,omitempty"`
	Args    []string           `json:"args,omitempty"`
	Env     []string           `json:"envNames,omitempty"`
	Cwd     string             `json:"cwd,omitempty"`
	URL     string             `json:"url,omitempty"`
	Wrapped bool               `json:"wrapped"`
	Tee     string             `json:"tee,omitempty"`
	Off     bool               `json:"off,omitempty"`
	Refused string             `json:"refused,omitempty"`
	Notes   []string           `json:"notes,omitempty"`
	From    int                `json:"from"`
	To      int                `json:"to"`
}

// ListClients lists files for programs; it is never nil.
func ListClients(files []clientconfig.File) []ClientFile {
	all := make([]ClientFile, len(files))
	for i, f := range files {
		out := ClientFile{Client: f.Client, Path: f.Path, Level: f.Level, Exists: !f.Missing(), Servers: []ClientServer{}}
		if f.Err != nil && out.Exists {
			out.Error = f.Err.Error()
		}
		for _, s := range f.Servers {
			out.Servers = append(out.Servers, ClientServer{s.Name, s.Level, s.Folder, s.Command, s.Args, s.EnvNames, s.Cwd, clientconfig.ShownURL(s.URL),
				s.Wrapped, s.Tee, s.Off, s.Refused, Notes(s), s.From, s.To})
		}
		all[i] = out
	}
	return all
}

// ClientLines are a client's file and its servers in lines that are safe to print, with
// paths below home shortened.
func ClientLines(f clientconfig.File, home string) []string {
	lines := []string{fmt.Sprintf("  %s (%s)", text.Line(UnderHome(f.Path, home)), f.Level)}
	if f.Err != nil {
		return append(lines, "    ✖ cannot be read: "+text.Line(f.Err.Error()))
	}
	if len(f.Servers) == 0 {
		lines = append(lines, "    no servers")
	}
	table := text.Table{Indent: "    "}
	for _, s := range f.Servers {
		sign := "○"
		if s.Wrapped {
			sign = "●"
		}
		table.Add(sign+" "+s.Name, wrappedWord(s), serverLine(s))
	}
	rows := table.Lines()
	for i, s := range f.Servers {
		lines = append(lines, rows[i])
		if s.Folder != "" {
			lines = append(lines, "      only in "+text.Line(UnderHome(s.Folder, home)))
		}
		if s.Off {
			lines = append(lines, "      "+OffNote)
		}
		if s.Refused != "" {
			lines = append(lines, "      cannot be edited: "+text.Line(s.Refused))
		}
		for _, note := range append(Notes(s), missing(s)...) {
			lines = append(lines, "      ⚠ "+note)
		}
	}
	return lines
}

// missing says that the program of an entry is not there. It says nothing of a path that the
// client completes, or of an entry with a PATH of its own.
func missing(s clientconfig.Server) []string {
	plain := filepath.IsAbs(s.Command) || s.Command == filepath.Base(s.Command)
	if s.Command == "" || !plain || strings.ContainsAny(s.Command, "${}%~") || slices.Contains(s.EnvNames, "PATH") {
		return nil
	}
	_, err := exec.LookPath(s.Command)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return []string{"in the PATH here is no program " + text.Line(s.Command)}
	case errors.Is(err, fs.ErrNotExist):
		return []string{"there is no program " + text.Line(s.Command)}
	}
	return nil
}

func wrappedWord(s clientconfig.Server) string {
	switch {
	case s.Wrapped:
		return "wrapped"
	case s.Command == "" && s.URL != "":
		return "url"
	case s.Command == "":
		return "–"
	}
	return "direct"
}

// serverLine is how a server is reached, with the names of its variables.
func serverLine(s clientconfig.Server) string {
	if s.Command == "" {
		return clientconfig.ShownURL(s.URL)
	}
	words := append([]string{s.Command}, s.Args...)
	if len(s.EnvNames) > 0 {
		words = append(words, " env "+strings.Join(s.EnvNames, " "))
	}
	return strings.Join(words, " ")
}
