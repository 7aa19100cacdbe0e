package transport

import (
	"fmt"
	"strings"

	"wiretea/session"
)

// tell puts an event into words, without pids and times.
func tell(o session.Observation) string {
	if o.Kind == session.ObsIO {
		return fmt.Sprintf("%s %s %s", o.Stream, o.IO.Event, o.IO.Side)
	}
	switch p := o.Proc; p.Event {
	case "start":
		return "start " + strings.Join(p.FDs, " ")
	case "exit":
		if p.Signal != "" {
			return "exit " + p.Signal
		}
		return fmt.Sprintf("exit %d", p.Code)
	case "signal":
		return p.Signal + " by " + p.By
	case "orphans":
		return fmt.Sprintf("orphans %d", len(p.PIDs))
	default:
		return p.Event
	}
}

func splitLines(b []byte) []string { return strings.Split(string(b), "\n") }
