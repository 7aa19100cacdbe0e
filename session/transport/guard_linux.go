package transport

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ownFDs lists the descriptors of the process that reads it.
const ownFDs = "/proc/self/fd"

// ourProgram leads to this program even where its file was replaced since.
func ourProgram() (string, error) { return "/proc/self/exe", nil }

// startOf returns when a process began, and the number of its parent.
func startOf(pid int) (began string, parent int, err error) {
	p, ok := lookUp(pid)
	if !ok || p.ended {
		return "", 0, os.ErrProcessDone
	}
	return strconv.Itoa(p.began), p.parent, nil
}

// withDescendants returns the process and those below it in our group.
func withDescendants(pid int) []int {
	return append([]int{pid}, below(processes(), pid, unix.Getpgrp())...)
}
