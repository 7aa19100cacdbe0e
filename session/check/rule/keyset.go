package rule

// KeySet is a small set of names that peers make up. It bounds how many findings
// they can bring about.
type KeySet struct{ known []string }

const maxNames = 16

// Key returns name while there are few different ones, and "…" for the rest.
func (n *KeySet) Key(name string) string {
	for _, k := range n.known {
		if k == name {
			return name
		}
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
