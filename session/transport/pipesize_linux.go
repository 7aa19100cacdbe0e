package transport

import "golang.org/x/sys/unix"

// pipeSize is how much a deep pipe holds, in bytes: four times the default. The writer
// of a long message then blocks less often; more than this makes no difference.
const pipeSize = 256 << 10

// growPipe enlarges the buffer of a pipe to or from a server, if it is a pipe and the
// system allows it.
func growPipe(end any) {
	if f, ok := end.(*FD); ok && f.enter() {
		defer f.leave()
		_, _ = unix.FcntlInt(uintptr(f.fd), unix.F_SETPIPE_SZ, pipeSize)
	}
}
