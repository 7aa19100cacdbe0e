package transport

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// processesOfSession returns the living processes of a session. A process that is
// only waited for (zombie) does not count. For a session that is young, so that
// the system has not run out of numbers since it began, those with lower numbers
// are not looked at: reading all takes longer than a short call does.
func processesOfSession(sid int, young bool) []int {
	from := 0
	if latest := latestPID(); young && latest >= sid {
		if isEmpty(sid, latest) {
			return nil
		}
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

// maxAsked is after how many numbers reading /proc is cheaper than asking for each.
const maxAsked = 1024

// isEmpty reports whether no process with a number from sid to latest, or with one
// that was given meanwhile, is in the session: most servers leave nobody, and reading
// /proc takes many times longer. What cannot be told so is not empty.
func isEmpty(sid, latest int) bool {
	for pid := sid; ; latest = latestPID() {
		if latest < pid {
			return latest == pid-1 // Less is not known, or counted from the beginning again.
		}
		for ; pid <= latest; pid++ {
			if pid-sid > maxAsked {
				return false
			}
			// A thread is in the session of its process; one that is only waited for, too.
			if of, err := unix.Getsid(pid); err != unix.ESRCH && (err != nil || of == sid) {
				return false
			}
		}
	}
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
