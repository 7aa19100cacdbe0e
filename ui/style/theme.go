package style

import "wiretea/session"

// A Theme is all styles of the screen.
type Theme struct {
	Name     string
	Dark     bool
	NoColour bool // NoColour: attributes only.

	Text   Style // Text is the ordinary text.
	Dim    Style // Dim is what matters less: numbers, times, units.
	Strong Style // Strong is what is read first.
	Accent Style // Accent marks the focused pane and keys in hints.
	Title  Style // Title of a pane without the focus.

	Border, BorderFocus Style
	Header, Footer      Style // Header and Footer are the bars at the top and the bottom.
	Selected            Style // Selected goes over the styles of the line under the cursor, in the focused pane.
	SelectedBlur        Style // SelectedBlur is the same in a pane without the focus.
	Hit                 Style // Hit goes over what a search found, HitNow over the one that is stood at.
	HitNow              Style
	Mark                Style // Mark is the sign of a marked row.

	Client Style // Client is what the client asks; Server what the server answers.
	Server Style
	Asks   Style // Asks is what the server asks of the client.

	OK, Info, Warning, Error Style

	// JSON and text.
	Key, String, Number, Literal, Punct, Fold Style
}

// New returns a theme for a terminal whose background is dark or light. Names
// are wiretea, and chroma's styles; the empty name and one that is not known are
// wiretea. With noColour the name does not matter.
//
// The background stays the terminal's: a style made for the other kind of
// background is replaced by its counterpart where chroma names one, and else its
// colours are made lighter or darker until they can be read.
func New(name string, dark, noColour bool) *Theme {
	if noColour {
		return attributes(dark)
	}
	row := find(name)
	if row == nil {
		if dark {
			return darkPalette.theme(Default, true)
		}
		return lightPalette.theme(Default, false)
	}
	if row.dark != dark {
		if other := find(row.counterpart); other != nil && other.dark == dark {
			row = other
		}
	}
	return row.palette(dark).theme(row.name, dark)
}

// Default is the name of the theme that is in force where none is chosen.
const Default = "wiretea"

// Names returns the names of all themes: our own first, then those of chroma's
// styles, sorted.
func Names() []string {
	names := make([]string, 0, 1+len(chromaStyles))
	names = append(names, Default)
	for i := range chromaStyles {
		names = append(names, chromaStyles[i].name)
	}
	return names
}

// Severity returns the style and the sign of a severity.
func (t *Theme) Severity(s session.Severity) (Style, string) {
	switch s {
	case session.Error:
		return t.Error, "✖"
	case session.Warning:
		return t.Warning, "⚠"
	case session.Info:
		return t.Info, "ℹ"
	case session.NoSeverity:
	}
	return t.OK, "✔"
}

// attributes is the theme without colour.
func attributes(dark bool) *Theme {
	const normal, bold, faint, italic, underline, reverse = "22", "1", "2", "3", "4", "7"
	return &Theme{
		Name: Default, Dark: dark, NoColour: true,
		Text: normal, Dim: faint, Strong: bold, Accent: bold, Title: normal,
		Border: faint, BorderFocus: bold, Header: bold, Footer: faint,
		Selected: reverse, SelectedBlur: underline, Hit: underline, HitNow: bold + ";" + underline + ";" + reverse, Mark: bold,
		Client: normal, Server: normal, Asks: bold,
		OK: normal, Info: normal, Warning: bold, Error: bold,
		Key: bold, String: normal, Number: normal, Literal: italic, Punct: faint, Fold: faint,
	}
}
