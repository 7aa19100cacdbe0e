package pane

import "time"

// doubleClick is the longest time between the two clicks of one.
const doubleClick = 400 * time.Millisecond

// Clicks tells double clicks from single ones. The zero Clicks has seen none.
type Clicks struct {
	x, y int
	at   time.Time
}

// Double takes a click on a cell, and reports whether it is the second one of a
// double click. A third one is a single click again.
func (c *Clicks) Double(x, y int, now time.Time) bool {
	double := c.x == x && c.y == y && now.Sub(c.at) < doubleClick
	*c = Clicks{x: x, y: y, at: now}
	if double {
		*c = Clicks{}
	}
	return double
}
