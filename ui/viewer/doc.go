// Package viewer makes of the sessions of package capture what the screen shows.
//
//	capture.Run ───► Session ─┬─► Watched  restarts the server when its files change
//	                          └─► Tour     goes through the scenes of the demo
//	capture.Attach ► Attached
//	                    │
//	home asks ► Opener ─┴─► screen.Visit, until it is closed
//
// They implement source.Source and its optional interfaces. The package has no flags,
// draws nothing and never blocks the screen: what takes its time is called in a command
// of the screen, or runs in a goroutine that the session's Close or Run waits for.
package viewer
