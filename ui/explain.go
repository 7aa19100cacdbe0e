package ui

import (
	"fmt"
	"strings"

	"wiretea/session/lens"
)

// clientsOf says what known clients do with the faults that a rule reports, a line
// each; empty where nothing was measured.
func clientsOf(rule string) string {
	var b strings.Builder
	for f := range lens.NumFaults {
		if f.Rule() != rule {
			continue
		}
		fmt.Fprintf(&b, "\nclients    %s\n", f.Title())
		for c := range lens.NumClients {
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

func outcomeSign(o lens.Outcome) string {
	switch o {
	case lens.Refuses, lens.Hangs, lens.Disconnects:
		return "✖"
	case lens.Reports:
		return "⚠"
	case lens.Skips:
		return "·"
	case lens.Accepts:
		return "✔"
	case lens.Unknown:
	}
	return "?"
}
