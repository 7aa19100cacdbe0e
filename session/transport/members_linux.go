package transport

import (
	"bytes"
	"os"
	"strconv"
)

// sessionMembers returns the living processes of a session. A process that is
// only waited for (zombie) does not count. For a session that is young, so that
// the system has not run out of numbers since it began, those with lower numbers
// are not looked at: reading all takes longer than a short call does.
func sessionMembers(sid int, young bool) []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	from := 0
	if young && latestPID() >= sid {
		from = sid
	}
	var pids []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid < from {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err == nil && isMember(stat, sid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// latestPID is the number that a process or thread was given last: the last field
// of /proc/loadavg; 0 = not known.
func latestPID() int {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(text[bytes.LastIndexByte(text, ' ')+1:])))
	if err != nil {
		return 0
	}
	return pid
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
