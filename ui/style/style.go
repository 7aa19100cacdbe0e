package style

import "strings"

// A Style is a list of SGR parameters: "1;38;2;255;0;0". The zero Style paints
// nothing.
type Style string

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

// With returns the style with another's parameters after its own, which win.
func (s Style) With(over Style) Style {
	switch {
	case s == "":
		return over
	case over == "":
		return s
	}
	return s + ";" + over
}
