// Package style gives the colours and signs of the screen. Themes are our own
// two and one for every style of chroma, each for a dark or a light background,
// and one without colour (NO_COLOR). Only lines and hits that are marked get a
// background.
//
// A theme is declared with lipgloss and compiled to SGR parameters once, when it
// is loaded (see Style).
package style
