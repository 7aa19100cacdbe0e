package transport

import "golang.org/x/sys/unix"

// pipeSize is how much a deep pipe holds, in bytes: four times what one does by
// itself. Whoever writes a long message is then not stopped as often for whoever
// reads it; more than this helps no further.
const pipeSize = 256 << 10

// growPipe lets a pipe to or from a server hold more. Where it is none, or the system
// refuses, it stays as it is.
func growPipe(end any) {
	if f, ok := end.(*FD); ok && f.enter() {
		defer f.leave()
		_, _ = unix.FcntlInt(uintptr(f.fd), unix.F_SETPIPE_SZ, pipeSize)
	}
}
