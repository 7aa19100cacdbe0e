package rule

import "slices"

// KeySet is a small set of names that a peer invents. It bounds the number of
// findings that a peer can cause.
type KeySet struct{ known []string }

const maxNames = 16

// Key returns name while there are at most maxNames different ones, and "…" for
// all others.
func (n *KeySet) Key(name string) string {
	if slices.Contains(n.known, name) {
		return name
	}
	if len(n.known) < maxNames {
		n.known = append(n.known, name)
		return name
	}
	return "…"
}

// MaxNameKept is the size of the longest name that checkers keep, in bytes.
const MaxNameKept = 256

// MaxTools is how many tools of a connection are kept.
const MaxTools = 10_000
