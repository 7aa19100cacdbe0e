package home

import (
	"context"
	"fmt"
	"time"
)

// A Finder knows what there is. Its methods may take their time and are called in
// commands, from several goroutines.
type Finder interface {
	// Look returns what there is, and whether it has more to say when it is called
	// again at once. It returns the Inventory of the call before where nothing has
	// changed.
	Look(ctx context.Context) (inv *Inventory, more bool)

	// Judge reads a recording of which only the header is known. What it finds is in
	// the Inventory of the next Look.
	Judge(ctx context.Context, path string) error

	// Delete removes a recording.
	Delete(ctx context.Context, path string) error
}

// An Editor knows the entries of the clients' files. Its methods may take their
// time and are called in commands.
type Editor interface {
	// Command returns how a server is started. The error says why it is not.
	Command(ctx context.Context, s Server) (Command, error)

	// Plan returns the change that wraps a server, or unwraps it.
	Plan(ctx context.Context, s Server, wrap bool) (Change, error)
}

// An Inventory is what there is. It is not changed once it was given.
type Inventory struct {
	Live       []Session // Live are the sessions that are recorded now, the latest first.
	Servers    []Server  // Servers are those of the clients' files, in their order.
	Recordings []Session // Recordings are the finished ones, the latest first.

	Folder  string // Folder is where the recordings are.
	Project string // Project is the folder whose files of projects are among the Servers', for eyes.
	Bytes   int64  // Bytes is the size of all of them.
	Fault   string // Fault is what could not be read; empty = nothing.
}

// A Session is a recording, finished or still growing.
type Session struct {
	Path    string
	File    string // File is the path, shortened for eyes; empty = as it is.
	Name    string // Name is the recording's name as people type it.
	Server  string // Server is the server's short name.
	Client  string // Client is the client's name; empty = not known.
	Command string // Command is the server's command line.
	Folder  string // Folder is the server's working directory.
	PID     int    // PID is the server's, in a live session; 0 = not known.

	Start  time.Time // Start is zero where it is not known.
	Length time.Duration
	Size   int64 // Size of the file in bytes.
	Frames int64

	Judged                  bool // Judged: the findings were counted.
	Errors, Warnings, Infos int64

	Broken bool   // Broken: it broke off without its end.
	Fault  string // Fault is why the file cannot be read; empty = it can.
}

// pid names the server's process; empty = not known.
func (s *Session) pid() string {
	if s.PID <= 0 {
		return ""
	}
	return fmt.Sprintf("pid %d", s.PID)
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
	Trouble string // Trouble is what keeps it from being run, or is wrong with it; empty = nothing.
}

// A Command is how a server is started.
type Command struct {
	Server Server
	Argv   []string // Argv, Env and Cwd are given to the server.
	Env    []string // Env has the values of variables: it is never shown.
	Cwd    string

	Shown   []string // Shown is Argv for eyes, word by word.
	Program string   // Program is the file that the first word finds; empty = none.
	Sets    []string // Sets are the names of Env.
	Reads   []string // Reads are the variables that were filled in.
	Notes   []string // Notes are worth knowing before it is started.
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

// An Ask is what home wants to be opened: an Open, Attach, Run, Demo or Quit. It
// comes as a message of home's commands.
type Ask interface{ ask() }

// The Asks.
type (
	Open   struct{ Path string }     // Open asks for a recording.
	Attach struct{ Path string }     // Attach asks for a live session.
	Run    struct{ Command Command } // Run asks for a server to be started.
	Demo   struct{}                  // Demo asks for the demo.
	Quit   struct{}                  // Quit asks for the end of the program.
)

func (Open) ask()   {}
func (Attach) ask() {}
func (Run) ask()    {}
func (Demo) ask()   {}
func (Quit) ask()   {}
