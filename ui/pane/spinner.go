package pane

import "charm.land/bubbles/v2/spinner"

// Spinner returns the frame of the spinner for a time in nanoseconds, from 0 on: ten
// frames a second, one cell wide.
func Spinner(ns int64) string {
	frames := spinner.MiniDot.Frames
	return frames[(ns/1e8)%int64(len(frames))]
}
