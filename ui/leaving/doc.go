// Package leaving leaves the sessions of a screen: it asks where a server of ours would be ended
// or held messages released, releases and ends them, and then goes back to where the session was
// opened from, or ends the program.
//
//	Quit ─► overlay.Confirm ─► command: release, Server.Close ─► home, or the end
//
// While that goes on it has the keys; ctrl-c gives the servers no more time.
package leaving
