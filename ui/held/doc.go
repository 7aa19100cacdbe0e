// Package held is the pane of the messages that are held on their way: by the filter of
// somebody at a screen, or by a rule of a policy that holds or asks.
//
//	session.InterceptState ─ Show ─► Pane: a line a message, with the time that is left ─► its text
//
// The pane shows and selects. Package intercept decides.
package held
