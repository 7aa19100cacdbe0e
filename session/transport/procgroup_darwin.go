package transport

import "golang.org/x/sys/unix"

const zombie = 5 // zombie is SZOMB of sys/proc.h.

// processesOfSession returns the living processes of the group that leads a session.
// The system does not tell the session of other groups.
func processesOfSession(sid int) []int {
	procs, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", sid)
	if err != nil {
		return nil
	}
	var pids []int
	for i := range procs {
		if procs[i].Proc.P_stat != zombie {
			pids = append(pids, int(procs[i].Proc.P_pid))
		}
	}
	return pids
}
