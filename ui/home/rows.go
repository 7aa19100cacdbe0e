package home

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wiretea/recorder/inventory"
	"wiretea/session/cells"
	"wiretea/session/text"
)

// A kind is what a row is. Rows are in the order of the kinds.
type kind uint8

const (
	live kind = iota
	server
	demo
	recording
	numKinds
)

var headings = [numKinds]string{"Live now", "Servers in clients' files", "Demo", "Recordings"}

// A row is one line of the list that can be chosen.
type row struct {
	kind    kind
	session *inventory.Session // session of a live row or a recording.
	server  *inventory.Server  // server of a server's row.
	words   string             // words are what the filter looks at, in lower case.
}

// key tells a row from the others of its kind.
func (r *row) key() string {
	switch r.kind {
	case live, recording:
		return r.session.Path
	case server:
		return r.server.ID
	case demo, numKinds:
	}
	return ""
}

// demoWords are what the demo is found by.
const demoWords = "demo embedded server healthy misbehaving"

// rowsOf are the rows of an inventory.
func rowsOf(inv *inventory.Inventory) []row {
	rows := make([]row, 0, len(inv.Live)+len(inv.Servers)+1+len(inv.Recordings))
	for i := range inv.Live {
		rows = append(rows, row{kind: live, session: &inv.Live[i], words: sessionWords(&inv.Live[i], "live")})
	}
	for i := range inv.Servers {
		s := &inv.Servers[i]
		words := []string{"server", s.Name, s.Client, s.Type, s.Level, s.File, s.Command, s.URL, s.State()}
		rows = append(rows, row{kind: server, server: s, words: strings.ToLower(strings.Join(words, "\n"))})
	}
	rows = append(rows, row{kind: demo, words: demoWords})
	for i := range inv.Recordings {
		rows = append(rows, row{kind: recording, session: &inv.Recordings[i], words: sessionWords(&inv.Recordings[i], "recording")})
	}
	return rows
}

// sessionWords is the text in which a filter finds a session.
func sessionWords(s *inventory.Session, kind string) string {
	all := []string{kind, s.Server, s.Client, s.Name, s.Command, s.Folder}
	if s.Errors > 0 {
		all = append(all, "error")
	}
	if s.Warnings > 0 {
		all = append(all, "warning")
	}
	if s.Broken {
		all = append(all, "broken off")
	}
	if !s.Start.IsZero() {
		all = append(all, s.Start.Local().Format("2006-01-02"))
	}
	return strings.ToLower(strings.Join(all, "\n"))
}

// take takes a new inventory. The cursor stays with its row; a cursor that nobody
// has moved stays at the first.
func (h *Home) take(inv *inventory.Inventory) {
	held, at := h.selected(), h.at
	h.inv, h.rows = inv, rowsOf(inv)
	h.arrange()
	h.sift()
	h.at = at
	if h.moved && held != nil {
		for i, n := range h.shown {
			if r := &h.rows[n]; r.kind == held.kind && r.key() == held.key() {
				h.at = i
				break
			}
		}
	}
	h.at = max(0, min(h.at, len(h.shown)-1))
	h.measure()
}

// sift chooses the rows that have every word of the filter.
func (h *Home) sift() {
	words := strings.Fields(strings.ToLower(h.filter))
	h.shown, h.count = h.shown[:0], [numKinds]int{}
	for i := range h.rows {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(h.rows[i].words, w) }) {
			h.shown = append(h.shown, i)
			h.count[h.rows[i].kind]++
		}
	}
	h.lay()
}

// measure finds how wide the names are.
func (h *Home) measure() {
	h.nameW, h.clientW, h.pidW = 4, 6, 0
	for i := range h.rows {
		switch r := &h.rows[i]; r.kind {
		case live, recording:
			h.nameW = max(h.nameW, cells.Width(text.Line(r.session.Server)))
			h.clientW = max(h.clientW, cells.Width(text.Line(r.session.Client)))
			if r.kind == live {
				h.pidW = max(h.pidW, len(pidWord(r.session)))
			}
		case server:
			h.nameW = max(h.nameW, cells.Width(text.Line(r.server.Name)))
			h.clientW = max(h.clientW, cells.Width(text.Line(r.server.Client)))
		case demo, numKinds:
		}
	}
}

// selected is the row under the cursor, nil where there is none.
func (h *Home) selected() *row {
	if h.at < 0 || h.at >= len(h.shown) {
		return nil
	}
	return &h.rows[h.shown[h.at]]
}

// A line of the list is a row, the heading of the rows of a kind, or blank.
type line struct {
	row     int  // row is its place among those shown, -1 = the line is not a row.
	heading kind // heading is the kind that is headed, numKinds = the line is not a heading.
}

// lay makes the lines: a heading before the rows of each kind, and a blank line before
// each heading but the first, where there is room.
func (h *Home) lay() {
	h.lines, h.lineOf = h.lines[:0], h.lineOf[:0]
	for i, n := range h.shown {
		if k := h.rows[n].kind; i == 0 || k != h.rows[h.shown[i-1]].kind {
			if i > 0 && !h.tight {
				h.lines = append(h.lines, line{-1, numKinds})
			}
			h.lines = append(h.lines, line{-1, k})
		}
		h.lineOf = append(h.lineOf, len(h.lines))
		h.lines = append(h.lines, line{i, numKinds})
	}
}

// rowAt is the row in a line among those shown, -1 where there is none.
func (h *Home) rowAt(at int) int {
	if at < 0 || at >= len(h.lines) {
		return -1
	}
	return h.lines[at].row
}

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
