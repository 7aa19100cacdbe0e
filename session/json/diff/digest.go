package diff

// Digest returns a hash of what a text means: within one process it is equal for
// texts between which Compare, given the same patterns, finds no difference, but
// for a pattern that matches an element of a list that only one of them has.
func Digest(text []byte, ignore ...Path) (uint64, error) {
	root, err := parse(text, ignore)
	if err != nil {
		return 0, err
	}
	return root.counts(), nil
}
