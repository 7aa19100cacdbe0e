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
	from := 0
	if young && latestPID() >= sid {
		from = sid
	}
	var pids []int
	for _, p := range processes(from) {
		if p.session == sid && !p.ended {
			pids = append(pids, p.pid)
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
