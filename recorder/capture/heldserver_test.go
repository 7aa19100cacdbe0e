package capture

import (
	"io"
	"sync"
	"time"
)

// A heldServer is the server of playTee as faults act on its process.
type heldServer struct {
	in  *received
	out *io.PipeWriter

	mu     sync.Mutex
	killed bool
	wakes  *time.Timer // wakes ends Suspend; nil = it is not suspended.
}

// Kill implements transport.Process.
func (s *heldServer) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed {
		return
	}
	s.killed = true
	s.in.note("killed")
	s.in.mu.Lock()
	s.in.broken = true
	s.in.mu.Unlock()
	time.AfterFunc(time.Millisecond, func() { _ = s.out.Close() }) // Else chance decides which stream ends first.
}

// Suspend implements transport.Process.
func (s *heldServer) Suspend(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed {
		return
	}
	s.in.note("suspended")
	if s.wakes != nil {
		s.wakes.Stop()
	}
	s.wakes = time.AfterFunc(d, s.Resume)
}

// Resume implements transport.Process.
func (s *heldServer) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wakes == nil {
		return
	}
	s.wakes.Stop()
	s.wakes = nil
	if !s.killed {
		s.in.note("resumed")
	}
}

func (s *heldServer) dead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.killed
}

// read takes the lines that came, unless the server cannot read now.
func (s *heldServer) read() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed || s.wakes != nil {
		return nil
	}
	return s.in.lines()
}
