package transport

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"wiretea/session"
)

// Stdio starts a server over stdio and gives the client's end of the two streams to the
// caller. Each start is a connection of its own.
type Stdio struct {
	Command Command
	Tap     *Tap
	Grace   Grace
	Stall   time.Duration // Stall is Relay.Stall.

	// Guard has something act on the streams of a connection through its gate, until release is
	// called; nil = nothing does.
	Guard func(g *Gate) (release func())

	mu   sync.Mutex
	conn int // conn is the latest connection's number.
}

// clientPipe is how much the pipe to the client in this process holds, in bytes: a result of
// 1 MB is read, and its time taken, before the client has scanned it.
const clientPipe = 1 << 20

// A Conn is one connection: a server process, its relays, and the client's end.
// One goroutine may read while another writes. Its caller ends it with Shutdown
// or Close; a server that ends by itself ends it too.
type Conn struct {
	// ID is the connection's number, from 1.
	ID int

	// Child is the server. Its streams belong to the relays.
	Child *Child

	grace         Grace
	stdin, stdout *os.File // stdin and stdout are the client's ends.
	c2s, s2c, err *Relay
	closing       chan struct{} // closing is closed once: processes that still hold a stream are not waited for.
	once          sync.Once
	release       func() // release ends what acts on the streams; nil = nothing does.
	done          chan struct{}
	failed        error // failed is set before done is closed.
}

// Start starts the server as the next connection. Errors about the command are
// StartErrors; a failed start is recorded, and takes a connection's number too.
func (s *Stdio) Start() (*Conn, error) {
	s.mu.Lock()
	s.conn++
	c := &Conn{ID: s.conn, grace: s.Grace.orDefault(), closing: make(chan struct{}), done: make(chan struct{})}
	s.mu.Unlock()

	in, stdin, err := newPipe(Pipe, false, true)
	if err != nil {
		return nil, s.notStarted(c.ID, err)
	}
	out, stdout, err := newPipe(Pipe, true, true)
	if err != nil {
		closeAll(in, stdin)
		return nil, s.notStarted(c.ID, err)
	}
	c.stdin, c.stdout = stdin, stdout
	c.Child, err = s.Command.Start(s.Tap, c.ID, s.Grace)
	if err != nil {
		closeAll(in, stdin, out, stdout)
		return nil, err
	}
	watchPeer(in, c.Child.Stdin)
	growPipe(out, clientPipe)
	var gate *Gate
	if s.Guard != nil {
		gate = NewGate(nil, 0)
		c.release = s.Guard(gate)
		gate.Serves(c.Child)
	}
	c.c2s = s.relay(c.ID, session.C2S, in, c.Child.Stdin)
	c.s2c = s.relay(c.ID, session.S2C, c.Child.Stdout, out)
	c.err = s.relay(c.ID, session.Stderr, c.Child.Stderr, nil)
	for _, r := range c.relays() {
		r.Gate = gate
		r.Start()
	}
	go c.run()
	return c, nil
}

// notStarted records that the connection has no streams, and returns why.
func (s *Stdio) notStarted(conn int, err error) error {
	err = s.Command.notStarted(err)
	s.Tap.Proc(conn, session.Proc{Event: "failed", Err: err.Error()})
	return err
}

func (s *Stdio) relay(conn int, stream session.Stream, src io.ReadCloser, dst io.WriteCloser) *Relay {
	// The output of a server is recorded also after the client stopped reading.
	return &Relay{Tap: s.Tap, Conn: conn, Stream: stream, Src: src, Dst: dst, Drain: stream != session.C2S, Stall: s.Stall, OwnThread: true}
}

// Number is ID.
func (c *Conn) Number() int { return c.ID }

// Write sends bytes to the server. It waits while the server does not read, and
// fails with a broken pipe once the server closed its input.
func (c *Conn) Write(p []byte) (int, error) { return c.stdin.Write(p) }

// CloseWrite ends the server's input.
func (c *Conn) CloseWrite() error { return c.stdin.Close() }

// Read reads what the server wrote to its stdout; io.EOF at its end.
func (c *Conn) Read(p []byte) (int, error) { return c.stdout.Read(p) }

// Done is closed when the server, what it left behind, and all goroutines of the
// connection have ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Wait waits for Done. It returns how the server exited, and what went wrong in
// carrying its streams or in ending it. It does not end anything itself: while
// the server lives, or the client does not read what the server wrote, it waits.
func (c *Conn) Wait() (Exit, error) {
	<-c.done
	return c.Child.Exit(), c.failed
}

// Shutdown ends the server step by step: see Grace. It waits for Done: what the
// server still writes is kept, and can be read. Once ctx is done nothing
// is given time any more.
func (c *Conn) Shutdown(ctx context.Context) (Exit, error) {
	return c.shutdown(ctx, c.grace)
}

// ShutdownWithin is Shutdown with no more than limit for each step.
func (c *Conn) ShutdownWithin(ctx context.Context, limit time.Duration) (Exit, error) {
	grace := c.grace
	grace.EOF, grace.Term = min(grace.EOF, limit), min(grace.Term, limit)
	return c.shutdown(ctx, grace)
}

func (c *Conn) shutdown(ctx context.Context, grace Grace) (Exit, error) {
	err := c.Child.shutdown(ctx, grace, c.stdin)
	c.close()
	select {
	case <-c.Child.Done():
		return c.Wait()
	default:
		return Exit{Code: -1}, err
	}
}

// Close kills the server at once and waits for Done.
func (c *Conn) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := c.Shutdown(ctx)
	c.stdout.Close()
	return err
}

func (c *Conn) close() { c.once.Do(func() { close(c.closing) }) }

// run ends the relays once the server and its leftovers have ended.
func (c *Conn) run() {
	defer close(c.done)
	defer func() {
		if p := recover(); p != nil {
			c.failed = errors.Join(c.failed, panicked("connection", p))
		}
	}()
	<-c.Child.Done()
	c.failed = c.Child.Err()
	for _, r := range []*Relay{c.s2c, c.err} {
		c.drain(r)
	}
	// The server has ended: nothing reads its input, even if a process still holds it.
	c.c2s.Dst.Close()
	c.c2s.Release()
	for _, r := range c.relays() {
		<-r.Done()
		c.failed = errors.Join(c.failed, r.Err())
	}
	if c.release != nil {
		c.release()
	}
}

// drain waits for the end of a stream whose writer has ended. A process that left the
// session may hold it: reading ends once the stream was silent and empty for the grace,
// not counting the time that a slow client takes for a chunk. When the connection
// closes, the client has that long to read the rest; then the rest is recorded without
// it, and after as long again reading ends even if the stream is not silent.
func (c *Conn) drain(r *Relay) {
	grace := max(c.grace.Drain, time.Millisecond)
	tick := time.NewTicker(max(grace/8, time.Millisecond))
	defer tick.Stop()
	closing := (<-chan struct{})(c.closing)
	var unread, endless <-chan time.Time
	seen, since := int64(-1), time.Now()
	for {
		select {
		case <-r.Done():
			return
		case <-closing:
			closing, unread, endless = nil, time.After(grace), time.After(2*grace)
		case <-unread:
			r.Abandon()
		case <-endless:
			r.Release()
		case <-tick.C:
			latest, writing := r.Activity()
			if writing || latest != seen || pending(r.Src) {
				seen, since = latest, time.Now()
			} else if time.Since(since) >= grace {
				r.Release()
			}
		}
	}
}

func (c *Conn) relays() []*Relay { return []*Relay{c.c2s, c.s2c, c.err} }

func closeAll(closers ...io.Closer) {
	for _, c := range closers {
		c.Close()
	}
}
