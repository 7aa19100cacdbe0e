//go:build unix && !linux

package transport

// A parking is nothing here: a thread polls before it reads.
type parking struct{}

// Own makes the calling goroutine the one that reads, until it calls leave.
func (f *FD) Own() (leave func()) { return func() {} }

func (f *FD) park() bool { return false }

func (f *FD) unpark() {}

func (f *FD) interrupt() {}

func (f *FD) unwatch() {}
