//go:build unix && !linux && !darwin

package transport

import "golang.org/x/sys/unix"

// processesOfSession returns the negative group id, which signals reach, while the
// group lives: these systems are not asked for its processes.
func processesOfSession(sid int) []int {
	if unix.Kill(-sid, 0) != nil {
		return nil
	}
	return []int{-sid}
}
