package transport

import (
	"bytes"
	"os"
	"strconv"
)

// A process is one that the system lists.
type process struct {
	pid, parent, group, session int
	ended                       bool // ended: it is only waited for.
}

// processes returns those with that number or a higher one.
func processes(from int) []process {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid < from {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if p, ok := parseStat(stat); err == nil && ok {
			p.pid = pid
			all = append(all, p)
		}
	}
	return all
}

// parseStat reads a line of /proc/PID/stat: pid (name) state ppid pgrp session …; the
// name may hold anything.
func parseStat(stat []byte) (p process, ok bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 4 {
		return p, false
	}
	for i, to := range []*int{&p.parent, &p.group, &p.session} {
		n, err := strconv.Atoi(string(fields[i+1]))
		if err != nil {
			return p, false
		}
		*to = n
	}
	switch fields[0][0] {
	case 'Z', 'X', 'x':
		p.ended = true
	}
	return p, true
}
