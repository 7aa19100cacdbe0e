package http

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

const (
	// maxWhole is the longest body of a request that is read whole before the server gets
	// the request; maxHeld is how much of all of them is held, in bytes. What exceeds them
	// streams in both directions at once.
	//
	// A transport that still reads from the client when the response ends fails, and closes
	// the connection under the response: "use of closed network connection".
	maxWhole = 8 << 20
	maxHeld  = 32 << 20
)

// An upload is the body of a request on its way to the server.
type upload struct {
	f     *forward
	first []byte // first is what was read before the server gets the request.
	held  int64  // held is what this body counts in Proxy.held.
	whole bool   // whole: first is all.

	mu  sync.Mutex
	err error // err is why reading from the client failed.
}

// read reads the body whole, if it is short enough. For a client that waits for 100
// (Continue) the server decides.
func (u *upload) read() error {
	r := u.f.r
	if r.ContentLength == 0 || r.Body == http.NoBody {
		u.all()
		return nil
	}
	size := r.ContentLength + 1 // Some bodies report their end after the last byte.
	if size == 0 {
		size = 4 << 10
	}
	if size > maxWhole || r.Header.Get("Expect") != "" || !u.hold(size) {
		return nil
	}
	u.first = make([]byte, 0, size)
	for {
		if len(u.first) == cap(u.first) && !u.grow() {
			return nil
		}
		n, err := r.Body.Read(u.first[len(u.first):cap(u.first)])
		u.record(u.first[len(u.first) : len(u.first)+n])
		u.first = u.first[:len(u.first)+n]
		if err == io.EOF {
			u.all()
			return nil
		}
		if err != nil {
			u.err = err
			return err
		}
	}
}

// hold takes memory of what all bodies may have, if there is enough.
func (u *upload) hold(n int64) bool {
	if u.f.p.held.Add(n) > maxHeld {
		u.f.p.held.Add(-n)
		return false
	}
	u.held += n
	return true
}

// grow makes room for more of a body of unknown length.
func (u *upload) grow() bool {
	n := cap(u.first)
	if 2*n > maxWhole || !u.hold(int64(n)) {
		return false
	}
	u.first = append(make([]byte, 0, 2*n), u.first...)
	return true
}

// all marks the body as read whole.
func (u *upload) all() {
	u.whole = true
	if u.f.trip != nil {
		u.f.trip.SentAll()
	}
}

// record records a chunk, if the round trip has begun.
func (u *upload) record(chunk []byte) {
	if u.f.trip != nil {
		u.f.trip.Sent(chunk)
		u.f.trip.Forwarded()
	}
}

// recordFirst records what was read before the round trip began.
func (u *upload) recordFirst() {
	u.record(u.first)
	if u.whole {
		u.f.trip.SentAll()
	}
}

// attach makes the body that of the request to the server.
func (u *upload) attach(out *http.Request) {
	if u.whole && out.ContentLength == 0 {
		return
	}
	if u.whole {
		// GetBody lets the transport repeat a request of which nothing was written.
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(u.first)), nil }
		out.Body, _ = out.GetBody()
		return
	}
	// Without full duplex the server would read the rest before the first byte of the
	// response, and close the body under the transport. HTTP/2 always has it.
	_ = http.NewResponseController(u.f.w).EnableFullDuplex()
	out.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(u.first), u), u.f.r.Body}
}

// Read reads what follows first for the transport, and records it.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.f.r.Body.Read(p)
	u.record(p[:n])
	switch {
	case err == io.EOF:
		u.f.trip.SentAll()
	case err != nil:
		u.mu.Lock()
		u.err = err
		u.mu.Unlock()
	}
	return n, err
}

// failed reports whether reading from the client has failed.
func (u *upload) failed() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err != nil
}

// end gives the memory back.
func (u *upload) end() { u.f.p.held.Add(-u.held) }
