//go:build !linux

package capture

// processName returns an empty name: this system does not tell it.
func processName(int) string { return "" }
