package style

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"

	"wiretea/session"
	"wiretea/session/lazy"
)

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

	Current Style // Current is the tab that is shown, among the names of tabs.
	Cursor  Style // Cursor goes over the character under the cursor of a text that is edited.

	Border, BorderFocus Style
	Header, Footer      Style // Header and Footer are the bars at the top and the bottom.
	Selected            Style // Selected goes over the styles of the line under the cursor, in the focused pane.
	SelectedBlur        Style // SelectedBlur is the same in a pane without the focus.
	Hit                 Style // Hit goes over what a search found, HitNow over the current one.
	HitNow              Style
	Mark                Style // Mark is the sign of a marked row.

	Client Style // Client is what the client asks; Server what the server answers.
	Server Style
	Asks   Style // Asks is what the server asks of the client.

	OK, Info, Warning, Error Style
	Wrong                    Style // Wrong goes over the place in a text where an error is.

	// JSON and text.
	Key, String, Number, Literal, Punct, Fold Style
	Escape                                    Style // Escape is an escape sequence in a string.
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
	row := readChroma(name)
	if row == nil {
		if dark {
			return darkPalette.theme(Default, true)
		}
		return lightPalette.theme(Default, false)
	}
	if isDark := row.Mode() == chroma.Dark; isDark != dark {
		if other := readChroma(row.Counterpart); other != nil && (other.Mode() == chroma.Dark) == dark {
			row = other
		}
	}
	return chromaPalette(row, dark).theme(strings.ToLower(row.Name), dark)
}

// Default is the name of the theme that is in force where none is chosen.
const Default = "wiretea"

// Names returns the names of all themes: our own first, then those of chroma's
// styles, sorted.
func Names() []string { return append([]string{Default}, chromaNames()...) }

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

// Session returns the style of the letter of a session among several, from 1. A letter is beside it,
// as there are fewer styles than sessions there may be.
func (t *Theme) Session(i int) Style {
	all := [...]Style{t.Accent, t.Asks, t.OK, t.Warning, t.Info, t.Number, t.Key, t.String}
	return all[max(0, i-1)%len(all)]
}

// roles are the styles that a rule can give to rows, by name.
var roles = lazy.Value[map[string]func(*Theme) Style]{New: func() map[string]func(*Theme) Style {
	return map[string]func(*Theme) Style{
		"ok": func(t *Theme) Style { return t.OK }, "info": func(t *Theme) Style { return t.Info },
		"warning": func(t *Theme) Style { return t.Warning }, "error": func(t *Theme) Style { return t.Error },
		"dim": func(t *Theme) Style { return t.Dim }, "strong": func(t *Theme) Style { return t.Strong },
		"accent": func(t *Theme) Style { return t.Accent }, "client": func(t *Theme) Style { return t.Client },
		"server": func(t *Theme) Style { return t.Server }, "asks": func(t *Theme) Style { return t.Asks },
	}
}}

// Colours returns the names of the colours that a rule can give to rows, sorted.
func Colours() []string { return slices.Sorted(maps.Keys(roles.Get())) }

// IsColour reports whether a word is a colour: one of Colours, or #rrggbb.
func IsColour(word string) bool {
	if roles.Get()[word] != nil {
		return true
	}
	hex, is := strings.CutPrefix(word, "#")
	_, err := strconv.ParseUint(hex, 16, 32)
	return is && len(hex) == 6 && err == nil
}

// Colour returns the style of a colour. Without colours #rrggbb is underlined.
func (t *Theme) Colour(word string) Style {
	if role := roles.Get()[word]; role != nil {
		return role(t)
	}
	if t.NoColour {
		return compile(lipgloss.NewStyle().Underline(true))
	}
	n, _ := strconv.ParseUint(strings.TrimPrefix(word, "#"), 16, 32)
	return compile(lipgloss.NewStyle().Foreground(rgb(n)))
}

// Over returns what goes over the styles of a line of a list: nothing, unless the
// line is the one under the cursor. focus is whether the list has the focus.
func (t *Theme) Over(cursor, focus bool) Style {
	switch {
	case cursor && focus:
		return t.Selected
	case cursor:
		return t.SelectedBlur
	}
	return ""
}

// attributes is the theme without colour. Styles that are not set are the
// terminal's ordinary text.
func attributes(dark bool) *Theme {
	normal := lipgloss.NewStyle()
	bold, faint, underline, reverse := compile(normal.Bold(true)), compile(normal.Faint(true)), compile(normal.Underline(true)), compile(normal.Reverse(true))
	return &Theme{
		Name: Default, Dark: dark, NoColour: true,
		Dim: faint, Strong: bold, Accent: bold, Current: compile(normal.Bold(true).Underline(true)), Cursor: reverse,
		Border: faint, BorderFocus: bold, Header: bold, Footer: faint,
		Selected: reverse, SelectedBlur: underline, Hit: underline, HitNow: compile(normal.Bold(true).Underline(true).Reverse(true)), Mark: bold,
		Asks: bold, Warning: bold, Error: bold, Wrong: compile(normal.Bold(true).Underline(true)),
		Key: bold, Literal: compile(normal.Italic(true)), Escape: compile(normal.Italic(true).Bold(true)), Punct: faint, Fold: faint,
	}
}

// LogLevel returns the sign and the style of a level of log messages, of which MCP has
// eight. An unknown level has neither.
func (t *Theme) LogLevel(level string) (sign string, style Style) {
	switch level {
	case "debug":
		return "·", t.Dim
	case "info", "notice":
		return "ℹ", t.Info
	case "warning":
		return "⚠", t.Warning
	case "error", "critical", "alert", "emergency":
		return "✖", t.Error
	}
	return " ", t.Text
}
