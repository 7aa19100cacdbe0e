package plain

import "wiretea/session"

// colour is an SGR parameter. Signs and words say the same without it.
type colour string

const (
	bold   colour = "1"
	faint  colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	blue   colour = "34"
	purple colour = "35"
	cyan   colour = "36"
)

func (p *Printer) paint(c colour, text string) string { return paint(p.Colour, c, text) }

func (p *Printer) dim(text string) string { return paint(p.Colour, faint, text) }

func paint(on bool, c colour, text string) string {
	if !on || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[m"
}

// tint colours the direction: what the client's side asks, what the server's
// side asks, and what went wrong.
func (p *Printer) tint(r session.Row, text string) string {
	switch {
	case r.Failed() || r.Kind == session.RowText || r.Kind == session.RowGrowing:
		return p.paint(red, text)
	case r.Kind == session.RowRequest && r.Stream == session.S2C:
		return p.paint(purple, text)
	case r.Stream == session.C2S:
		return p.paint(cyan, text)
	}
	return p.paint(green, text)
}

func severityColour(sev session.Severity) colour {
	switch sev {
	case session.Error:
		return red
	case session.Warning:
		return yellow
	case session.Info, session.NoSeverity:
	}
	return blue
}
