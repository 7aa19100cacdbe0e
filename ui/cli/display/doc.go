// Package display shows sessions on the full screen for the commands: it finds out
// whether there is a terminal, loads the settings, runs the program, and adapts the
// sessions of recorder/capture to what the screen wants of a source.
//
//	capture.Run       ─► Session    ┐
//	capture.Recording ─► Recording  ├─► screen.Source ─► Show
//	capture.Attach    ─► Attached   ┘
//
// Sessions belong to the caller, who closes them after Show has returned.
package display
