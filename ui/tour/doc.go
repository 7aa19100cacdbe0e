// Package tour follows a tour on the screen: scenes that play in a session, one after the
// other, as in wiretea demo.
//
//	Tour.Scene ─► Follow ─► the newest row while it plays, then the row that matters
//	key        ─► Key, Step ─► Tour.Step
//
// The person at the screen can look around at any time; from then on the scene no longer moves
// the cursor.
package tour
