package transport

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// A process is one that the system lists.
type process struct {
	pid, parent, group int
	began              int  // began is when it was started, in ticks since the system was.
	ended              bool // ended: it is a zombie, which is only waited for.
}

// pids returns the numbers of all processes.
func pids() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var all []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// processes returns all processes.
func processes() []process {
	var all []process
	for _, pid := range pids() {
		if p, ok := lookUp(pid); ok {
			all = append(all, p)
		}
	}
	return all
}

// lookUp returns a process; false where there is none.
func lookUp(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	p, ok := parseStat(stat)
	p.pid = pid
	return p, ok
}

// parseStat reads a line of /proc/PID/stat: pid (name) state ppid pgrp …; the name
// may hold anything, and the start time is the 22nd field.
func parseStat(stat []byte) (p process, ok bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return p, false
	}
	for _, f := range []struct {
		at int
		to *int
	}{{1, &p.parent}, {2, &p.group}, {19, &p.began}} {
		n, err := strconv.Atoi(string(fields[f.at]))
		if err != nil {
			return p, false
		}
		*f.to = n
	}
	switch fields[0][0] {
	case 'Z', 'X', 'x':
		p.ended = true
	}
	return p, true
}

// commandLine returns the words of a process's command; empty where there is none.
func commandLine(pid int) string {
	words, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return strings.TrimSpace(strings.ReplaceAll(string(words), "\x00", " "))
}
