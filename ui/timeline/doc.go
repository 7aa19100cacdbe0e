// Package timeline goes through the time of a session that is over: it shows the session as
// it was at a moment, steps from one moment to another, and plays.
//
//	action or :at ─ step ─► command (analysis.Playback) ─ arrivedMsg ─► Tab.Ctx ─► panes
//
// The panes have a snapshot of the moment, and nothing else changes for them. Only one
// command runs at a time; steps that are asked for meanwhile are taken by the next one. A
// live session has no timeline.
package timeline
