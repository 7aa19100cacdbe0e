package transport

import "golang.org/x/sys/unix"

// processesOfSession returns the living processes of a session. A zombie does not
// count. The state of each process is read only for those of the session: reading
// it for all would take 2 ms for 100 processes, in place of 0.2 ms.
func processesOfSession(sid int) []int {
	var living []int
	for _, pid := range pids() {
		if of, err := unix.Getsid(pid); err != nil || of != sid {
			continue
		}
		if p, ok := lookUp(pid); ok && !p.ended {
			living = append(living, pid)
		}
	}
	return living
}
