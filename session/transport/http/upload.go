package http

import (
	"bytes"
	"io"
	"math/bits"
	"net/http"
	"os"
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
	lent  *lent  // lent has first where that is long; nil where it is not.
	held  int64  // held is what this body counts in Proxy.held.
	whole bool   // whole: first is all.

	before func() // before is called before the transport reads from the client; nil = it was.

	mu  sync.Mutex
	err error // err is why reading from the client failed.
}

// read reads the body whole, if it is short enough. For a client that waits for 100
// (Continue) the server decides, unless something decides on the body.
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
	if size > maxWhole || u.f.expects() && u.f.judge() == nil || !u.hold(size) {
		return nil
	}
	u.allocate(int(size))
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
	read, was := u.first, u.lent
	u.allocate(2 * n)
	u.first = append(u.first, read...)
	was.release()
	return true
}

// allocate makes first an empty buffer of that size or more.
func (u *upload) allocate(size int) {
	if u.lent = nil; size < smallestLent {
		u.first = make([]byte, 0, size)
		return
	}
	u.lent = lend(size)
	u.first = u.lent.buf[:0:size]
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
		out.GetBody = func() (io.ReadCloser, error) {
			if u.lent != nil {
				return u.lent.reader(u.first), nil
			}
			return io.NopCloser(bytes.NewReader(u.first)), nil // It is sent with the head, in one packet.
		}
		out.Body, _ = out.GetBody()
		return
	}
	// Without full duplex the server would read the rest before the first byte of the
	// response, and close the body under the transport. HTTP/2 always has it.
	_ = http.NewResponseController(u.f.w).EnableFullDuplex()
	out.Body = otherBody{io.MultiReader(bytes.NewReader(u.first), u), u.f.r.Body}
}

// Read reads what follows first for the transport, and records it.
func (u *upload) Read(p []byte) (int, error) {
	if u.before != nil {
		u.before()
		u.before = nil
	}
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
func (u *upload) end() {
	u.f.p.held.Add(-u.held)
	if u.whole {
		u.lent.release() // Else the transport may still read it.
	}
}

// smallestLent is the size, in bytes, from which on buffers are used again: to clear and to
// collect those of 1 MB costs as much as to record them.
const smallestLent = 64 << 10

// buffers are those that are not in use, by their sizes: *sync.Pool by int.
var buffers sync.Map

// A lent is a buffer in use: by the upload, and by each reader until it is closed.
type lent struct {
	pool *sync.Pool
	buf  []byte

	mu     sync.Mutex
	shares int
}

// lend returns a buffer of that size or more, with one share.
func lend(size int) *lent {
	step := 1 << (bits.Len(uint(size)) - 4) // At most an eighth of a buffer is not needed.
	size = (size + step - 1) / step * step
	pool, _ := buffers.LoadOrStore(size, new(sync.Pool))
	l, ok := pool.(*sync.Pool).Get().(*lent)
	if !ok {
		l = &lent{pool: pool.(*sync.Pool), buf: make([]byte, size)}
	}
	l.shares = 1
	return l
}

// release gives a share back. A nil lent has none.
func (l *lent) release() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.shares--
	unused := l.shares == 0
	l.mu.Unlock()
	if unused {
		l.pool.Put(l)
	}
}

// reader reads text, a part of the buffer, with a share of its own.
func (l *lent) reader(text []byte) *lentReader {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shares++
	return &lentReader{lent: l, rest: text}
}

// A lentReader reads until it is closed. The transport may close it while it reads.
type lentReader struct {
	mu   sync.Mutex
	lent *lent // lent is nil once it is closed.
	rest []byte
}

func (r *lentReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.lent == nil:
		return 0, os.ErrClosed
	case len(r.rest) == 0:
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *lentReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lent.release()
	r.lent, r.rest = nil, nil
	return nil
}
