package home

import (
	"context"
	"fmt"
	"wiretea/recorder/inventory"
)

// A Finder knows what there is. Its methods may take their time and are called in
// commands, from several goroutines.
type Finder interface {
	// Look returns what there is, and whether it has more to say when it is called
	// again at once. It returns the Inventory of the call before where nothing has
	// changed.
	Look(ctx context.Context) (inv *inventory.Inventory, more bool)

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
	Command(ctx context.Context, s inventory.Server) (inventory.Command, error)

	// Plan returns the change that wraps a server, or unwraps it.
	Plan(ctx context.Context, s inventory.Server, wrap bool) (inventory.Change, error)
}

// pid names the server's process; empty = not known.
func pidWord(s *inventory.Session) string {
	if s.PID <= 0 {
		return ""
	}
	return fmt.Sprintf("pid %d", s.PID)
}

// An Ask is what home wants to be opened: an Open, Attach, Client, Run, Demo or Quit. It
// comes as a message of home's commands.
type Ask interface{ ask() }

// The Asks.
type (
	Open   struct{ Path string }               // Open asks for a recording.
	Attach struct{ Path string }               // Attach asks for a live session.
	Run    struct{ Command inventory.Command } // Run asks for a server to be started.
	Client struct{ Sessions []Ask }            // Client asks for the sessions of one client process, each an Open or an Attach, as one.
	Demo   struct{}                            // Demo asks for the demo.
	Quit   struct{}                            // Quit asks for the end of the program.
)

func (Open) ask()   {}
func (Attach) ask() {}
func (Run) ask()    {}
func (Client) ask() {}
func (Demo) ask()   {}
func (Quit) ask()   {}
