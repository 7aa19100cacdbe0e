package inventory

import (
	"context"
	"net/http"
	"time"
)

// An Inventory lists sessions, recordings and servers. It does not change.
type Inventory struct {
	Live       []Session // Live are the sessions that are recorded now, the latest first.
	Servers    []Server  // Servers are those of the clients' files, in their order.
	Recordings []Session // Recordings are the finished ones, the latest first.

	Folder  string // Folder is where the recordings are.
	Project string // Project is the folder whose files of projects are among the Servers', for eyes.
	Bytes   int64  // Bytes is the size of all of them.
	Fault   string // Fault is what could not be read; empty if there is nothing.
}

// A Session is a recording, finished or still growing.
type Session struct {
	Path    string
	File    string // File is the path, shortened for eyes; empty if it is not.
	Name    string // Name is the recording's name as people type it.
	Server  string // Server is the server's short name.
	Client  string // Client is the client's name; empty if it is not known.
	Command string // Command is the server's command line.
	Folder  string // Folder is the server's working directory.
	Parent  int    // Parent is the process id of the client that started the recording process; 0 if it is not known.
	Mode    string // Mode is how it was recorded: "tee", "run" …
	PID     int    // PID is the server's, in a live session; 0 if it is not known.

	Start  time.Time // Start is zero if it is not known.
	Length time.Duration
	Size   int64 // Size of the file in bytes.
	Frames int64

	Lost                    int64 // Lost is how many bytes could not be recorded.
	Judged                  bool  // Judged: the findings were counted.
	Errors, Warnings, Infos int64

	Outcome string // Outcome is how the server ended, if not well: "exit 7", "not started".
	Broken  bool   // Broken: it broke off without its end.
	Fault   string // Fault is why the file cannot be read; empty if it can.
}

// A Server is an entry in a client's file.
type Server struct {
	ID      string // ID tells it from all others.
	Name    string
	Client  string // Client is the client's name: "Claude Desktop".
	Type    string // Type is what people type for it: "claude-desktop".
	Level   string // Level is user, project or local.
	File    string // File is the path, shortened for eyes.
	Command string // Command is its command line, for eyes; empty where it has a URL.
	URL     string
	Wrapped bool
	Off     bool   // Off: its client does not start it, as its file says.
	Trouble string // Trouble is what keeps it from being run, or is wrong with it; empty if there is nothing.
}

// State is "wrapped", "url", "off" or "direct"; "–" if the entry has neither a command
// nor a URL.
func (s *Server) State() string {
	switch {
	case s.Wrapped:
		return "wrapped"
	case s.URL != "" && s.Command == "":
		return "url"
	case s.Command == "":
		return "–"
	case s.Off:
		return "off"
	}
	return "direct"
}

// A Command is how a server is started, or called at its URL.
type Command struct {
	Server Server
	Argv   []string // Argv, Env and Cwd are given to the server. A URL is the only element of Argv.
	Env    []string // Env has the values of variables: it is never shown.
	Cwd    string
	Header http.Header // Header is sent to a URL: its values are never shown. It is nil for a command.

	Shown   []string // Shown is Argv for eyes, word by word.
	Program string   // Program is the file that the first word finds; empty if there is none.
	Sets    []string // Sets are the names of Env, or of the fields of Header.
	Reads   []string // Reads are the variables that were filled in.
	Notes   []string // Notes are worth knowing before it is started.
	Unknown []string // Unknown are variables of Env, NAME=value as the file has them, that must be seen before: only of a Foreign one.
	Foreign bool     // Foreign: the file belongs to the project and may come from a stranger.
}

// A Change is a file as it would become.
type Change struct {
	Title string   // Title is what it does: "wrap files in Claude Desktop".
	Diff  string   // Diff is unified; empty = there is nothing to change.
	Notes []string // Notes are worth knowing before it is made.

	// Apply makes the change and says what to do next, in a line.
	Apply func(context.Context) (string, error)
}
