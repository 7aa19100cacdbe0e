//go:build race

package cli

// raceEnabled: the race detector makes everything slow.
const raceEnabled = true
