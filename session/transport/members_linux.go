package transport

import (
	"bytes"
	"os"
	"strconv"
)

// sessionMembers returns the living processes of a session. A process that is
// only waited for (zombie) does not count.
func sessionMembers(sid int) []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var pids []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err == nil && isMember(stat, sid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// isMember reads a line of /proc/PID/stat: pid (name) state ppid pgrp session …;
// the name may hold anything.
func isMember(stat []byte, sid int) bool {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 4 {
		return false
	}
	switch fields[0][0] {
	case 'Z', 'X', 'x':
		return false
	}
	return string(fields[3]) == strconv.Itoa(sid)
}
