package pane

import "image"

// A Picture is an image in a pane that was drawn, with its place in the pane in cells.
type Picture struct {
	Image image.Image
	Area  image.Rectangle
}

// Pictured is implemented by panes that have images.
type Pictured interface {
	// Pictures are the images of the last View that are in sight as a whole. Where
	// Context.Graphics is set, their cells were drawn blank.
	Pictures() []Picture
}

// SaveMsg asks for the name of a file for the content that is selected. Name is a good one.
type SaveMsg struct{ Name string }

// OutsideMsg asks the person whether data is to be opened with another program.
type OutsideMsg struct {
	Kind   string // Kind is its MIME type, one that programs only show.
	Ending string // Ending is that of such files, as in ".png".
	Data   []byte
}

// PictureMsg tells the screen that a pane has images, so that the terminal is asked
// whether it draws them.
type PictureMsg struct{}
