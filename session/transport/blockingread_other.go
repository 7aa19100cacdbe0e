//go:build unix && !linux

package transport

// A parking is nothing here: a thread polls before it reads.
type blockedRead struct{}

// Own makes the calling goroutine the one that reads, until it calls leave.
func (f *FD) Own() (leave func()) { return func() {} }

func (f *FD) blockRead() bool { return false }

func (f *FD) unblockRead() {}

func (f *FD) interrupt() {}

func (f *FD) unwatch() {}
