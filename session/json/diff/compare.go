package diff

import (
	"cmp"
	"fmt"
	"time"
)

// Kind is how a value changed.
type Kind uint8

const (
	Changed Kind = iota // Changed: it is another value of any type.
	Added               // Added: only the new text has it.
	Removed             // Removed: only the old text has it.
)

// String returns changed, added or removed.
func (k Kind) String() string {
	return [...]string{Changed: "changed", Added: "added", Removed: "removed"}[k]
}

// A Change is one difference.
type Change struct {
	Kind  Kind
	Path  string // Path leads to the value as jq writes it, in the new text, and in the old one for what was removed. "." is the whole text, and one of more than 1000 bytes ends in ….
	Old   []byte // Old is the value as the old text writes it, nil where Added.
	New   []byte // New likewise, nil where Removed.
	OldAt int    // OldAt is the offset of Old in the old text, in bytes.
	NewAt int
}

// OfTimes reports whether a string that is a time, as RFC 3339 writes it, became
// another time.
func (c *Change) OfTimes() bool { return c.Kind == Changed && isTime(c.Old) && isTime(c.New) }

func isTime(raw []byte) bool {
	if len(raw) < len(`"2006-01-02T15:04:05Z"`) || raw[0] != '"' {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, string(raw[1:len(raw)-1]))
	return err == nil
}

// Compare returns the differences of two texts in their order, nil where both mean
// the same. What one of the patterns matches does not count, nor does its absence.
func Compare(old, new []byte, ignore ...Path) ([]Change, error) {
	a, b, err := parseBoth(old, new, ignore)
	if err != nil {
		return nil, err
	}
	var c comparison
	c.values(a, b, "")
	return c.changes, nil
}

func parseBoth(old, new []byte, ignore ignoring) (a, b *node, err error) {
	if a, err = parse(old, ignore); err != nil {
		return nil, nil, fmt.Errorf("the old text: %w", err)
	}
	if b, err = parse(new, ignore); err != nil {
		return nil, nil, fmt.Errorf("the new text: %w", err)
	}
	return a, b, nil
}

type comparison struct {
	aligner
	changes []Change
}

func (c *comparison) values(a, b *node, path string) {
	switch {
	case a == nil && b.ignored, b == nil && a.ignored:
	case a == nil:
		c.changes = append(c.changes, Change{Kind: Added, Path: whole(path), New: b.raw, NewAt: b.at})
	case b == nil:
		c.changes = append(c.changes, Change{Kind: Removed, Path: whole(path), Old: a.raw, OldAt: a.at})
	case same(a, b):
	case a.kind != b.kind || a.kind != '{' && a.kind != '[':
		c.changes = append(c.changes, Change{Kind: Changed, Path: whole(path), Old: a.raw, New: b.raw, OldAt: a.at, NewAt: b.at})
	default:
		for _, p := range c.align(a, b) {
			c.values(p.old, p.new, p.step.write(path))
		}
	}
}

// same reports whether two values mean the same, or need not.
func same(a, b *node) bool { return a.ignored || b.ignored || a.hash == b.hash }

func whole(path string) string {
	return cmp.Or(path, ".")
}
