package content

import (
	"wiretea/recorder/cost"
	"wiretea/ui/format"
	"wiretea/ui/highlight"
)

const (
	// MaxMessage is the longest message that is read, in bytes.
	MaxMessage = 8 << 20

	// MaxText is how much of one text is laid out, in bytes.
	MaxText = 64 << 10

	// maxLines is how many lines are laid out.
	maxLines = 20_000
)

// An Ink says what a piece of a line is, from which a theme takes its style.
type Ink uint8

const (
	Plain   Ink = iota
	Dim         // Dim is what matters less.
	Strong      // Strong is emphasised.
	Heading     // Heading of a block or a section.
	Link        // Link is a URI.
	Good
	Warn
	Bad
	code // code is highlight.Plain; the other kinds of highlight follow.
)

// Code returns what a piece of source code is; ok is false for any other text.
func (k Ink) Code() (kind highlight.Kind, ok bool) {
	if k < code {
		return 0, false
	}
	return highlight.Kind(k - code), true
}

// A Part is a piece of a line. Its text is safe to print.
type Part struct {
	Ink  Ink
	Text string
	SGR  string // SGR are the parameters of the style of a picture's cell, empty = that of Ink.
}

// A Line is one line of a layout.
type Line struct {
	Parts []Part
	URI   string // URI is a resource that the line links to, verbatim; empty = none.

	// Block is the index of the line's block; -1 = between two.
	Block int

	Fold  string // Fold is the part that the line begins and that folds, empty = none.
	Open  bool   // Open: that part is unfolded.
	Depth int    // Depth is how many parts that fold the line is in.

	Log int // Log is the index in Message.Log of what the line shows, -1 = nothing.

	// Picture is what the line is a part of, and Row which line of that; nil = none.
	Picture *Picture
	Row     int
}

// A Block is a part of a message that is laid out by itself, such as an item of a
// result's content.
type Block struct {
	Title string // Title says what it is, safe to print.
	Notes string // Notes are its role, annotations and cost, safe to print.
	Bad   bool   // Bad: it is an error.
	URI   string // URI is the resource that it is, or links to; empty = none.

	// Data is what can be saved, nil = nothing, and Name a good name of a file with it, of
	// ASCII letters, digits, points, dashes and underscores.
	Name string
	Data []byte

	// Kind is the MIME type of Data by its own bytes, where that is of an image, of
	// audio or of a PDF, which other programs show without running it; else empty.
	Kind string

	draw func(l *layout)
}

// size says how large a text for the model is.
func size(bytes int) string {
	return format.Size(int64(bytes)) + " · ≈ " + format.Count(cost.Tokens(int64(bytes))) + " tokens"
}
