//go:build unix && !linux

package transport

// A blockedRead is nothing here: a thread polls before it reads.
type blockedRead struct{}

// Own does nothing here.
func (f *FD) Own() (leave func()) { return func() {} }

// Renew does nothing here.
func (f *FD) Renew() {}

func (f *FD) blockRead() bool { return false }

func (f *FD) unblockRead() {}

func (f *FD) interrupt() {}

func (f *FD) unwatch() {}
