// Package theme gives the colours and signs of the screen: our own two, and one
// for every style that chroma knows, for a dark or a light background, or
// without any colour (NO_COLOR). It paints no background but that of lines and
// hits that are marked.
//
// Styles are SGR parameters, made once when the theme is loaded; painting a word
// is a concatenation.
package style
