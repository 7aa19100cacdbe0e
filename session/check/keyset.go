package check

// keySet is a small set of names that peers make up. It bounds how many findings
// they can bring about.
type keySet struct{ known []string }

const maxNames = 16

// key returns name while there are few different ones, and "…" for the rest.
func (n *keySet) key(name string) string {
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

// maxNameKept is the size of the longest name that checkers keep, in bytes.
const maxNameKept = 256

// maxTools is how many tools of a connection are kept.
const maxTools = 10_000
