package screen

import (
	"fmt"
	"strings"

	"wiretea/session/check/compat"
)

// clientsOf says what known clients do with the faults that a rule reports, a line
// each; empty where nothing was measured.
func clientsOf(rule string) string {
	var b strings.Builder
	for f := range compat.NumFaults {
		if f.Rule() != rule {
			continue
		}
		fmt.Fprintf(&b, "\nclients    %s\n", f.Title())
		for c := range compat.NumClients {
			v := c.Of(f)
			words := v.Outcome.String()
			if wait := v.Wait(); wait > 0 {
				words += fmt.Sprintf(" for %d s", int(wait.Seconds()))
			}
			if v.Note != "" {
				words += ": " + v.Note
			}
			fmt.Fprintf(&b, "         %s %-22s %s\n", outcomeSign(v.Outcome), v.Client.Label(), words)
		}
	}
	return b.String()
}

func outcomeSign(o compat.Outcome) string {
	switch o {
	case compat.Refuses, compat.Hangs, compat.Disconnects:
		return "✖"
	case compat.Reports:
		return "⚠"
	case compat.Skips:
		return "·"
	case compat.Accepts:
		return "✔"
	case compat.Unknown:
	}
	return "?"
}
