package display

import (
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/pane"
)

// Notices is a writer for lines that would go to stderr. It shows them on the screen
// once there is one. The zero Notices keeps them until then.
type Notices struct {
	mu      sync.Mutex
	program *tea.Program
	kept    []string // kept are those that came before the screen.
}

// Write takes whole lines.
func (n *Notices) Write(p []byte) (int, error) {
	text := strings.TrimPrefix(strings.TrimSpace(string(p)), "wiretea: ")
	n.mu.Lock()
	program := n.program
	if program == nil {
		n.kept = append(n.kept, text)
	}
	n.mu.Unlock()
	if program != nil {
		// Send waits for the screen, and a terminal that is stopped must
		// not block the writer.
		go program.Send(pane.SayMsg{Text: text, Severity: session.Warning})
	}
	return len(p), nil
}

// show shows what was kept, and everything that is written from now on.
func (n *Notices) show(program *tea.Program) {
	n.mu.Lock()
	n.program = program
	kept := n.kept
	n.kept = nil
	n.mu.Unlock()
	for _, text := range kept {
		go program.Send(pane.SayMsg{Text: text, Severity: session.Warning})
	}
}
