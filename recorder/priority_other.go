//go:build !linux

package recorder

// lowerPriority reports that a thread cannot have a priority of its own.
func lowerPriority() bool { return false }

// giveWay is for threads with a lower priority.
func giveWay() {}
