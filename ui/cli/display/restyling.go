package display

import (
	"wiretea/ui/config"
	"wiretea/ui/style"
)

// Restyling gives the theme of the settings for a terminal with a dark or a light background,
// or for the background that the settings choose.
func Restyling(set config.Settings, noColour bool) func(dark bool) *style.Theme {
	return func(dark bool) *style.Theme { return style.New(set.Theme, set.Dark(dark), noColour) }
}
