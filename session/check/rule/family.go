package rule

import "wiretea/session"

// A Family is a group of rules and the checker that applies them.
type Family struct {
	Name  string                 // Name is also the directory of its conversations below testdata.
	Title string                 // Title is the heading of its chapter in the documentation.
	Rules []*Rule                // Rules are listed in the order of the documentation.
	New   func() session.Checker // New returns a checker for one connection, which applies the rules that have no Check of their own. ConnEnded is its last event. nil if another family's checker applies them.

	// EveryFrame: its checker must see each frame. Others see no FrameSeen of a frame of stdin
	// or stdout that is one complete message, of which there are very many, but its MessageSeen.
	EveryFrame bool

	// Session returns the New of one session, for a family whose checkers compare
	// connections; nil for any other.
	Session func() func() session.Checker
}
