//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package transport

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA
