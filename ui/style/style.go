package style

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// A Style is a lipgloss.Style compiled to its SGR parameters: "1;38;2;255;0;0".
// Rendering a word with lipgloss takes 3 µs, and a screen has thousands of them;
// painting it with a Style is a concatenation. The zero Style is the terminal's
// ordinary text.
type Style string

// compile returns what lipgloss writes before a word in this style.
func compile(s lipgloss.Style) Style {
	params, _, ok := strings.Cut(s.Render("x"), "mx")
	if !ok {
		return ""
	}
	if s.GetUnderline() {
		params = strings.TrimSuffix(params, ";4") // lipgloss writes it twice.
	}
	return Style(strings.TrimPrefix(params, "\x1b["))
}

// Paint returns text in this style. The text must not hold sequences.
func (s Style) Paint(text string) string {
	if s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[m"
}

// Write writes text in this style.
func (s Style) Write(b *strings.Builder, text string) {
	if s == "" || text == "" {
		b.WriteString(text)
		return
	}
	b.WriteString("\x1b[")
	b.WriteString(string(s))
	b.WriteByte('m')
	b.WriteString(text)
	b.WriteString("\x1b[m")
}

// The parameters of faint and of reversed text.
const faint, reversed Style = "2", "7"

// With returns the style with another's parameters after its own, which win. Faint is left out
// where text is reversed: many terminals make the cell faint instead of the letter, so that the
// line under the cursor has patches.
func (s Style) With(over Style) Style {
	switch {
	case s == "":
		return over
	case over == "":
		return s
	case s == faint && over == reversed:
		return over
	}
	return s + ";" + over
}
