//go:build unix

package path

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"wiretea/session"
)

// A Growing is what a viewer reads; recorder.Log has its contract.
type Growing interface {
	Size() int64
	Wait(ctx context.Context, size int64) error
}

// A Server listens on a socket for viewers of a session. Its fields are set before
// Listen.
type Server struct {
	Control session.Control // Control sends messages; nil = that is refused.

	Interceptor *Interceptor // Interceptor is where viewers have places; nil = that is refused.

	Log Growing // Log is what viewers read, for notifications; nil = there are none.

	readTimeout time.Duration // readTimeout is another one than defaultRead; 0 = that.

	silent   queue         // silent have said nothing yet.
	watching queue         // watching are notified.
	long     chan struct{} // long are the places for reading long messages,
	places   chan struct{} // places those for performing commands.

	listener *net.UnixListener
	ctx      context.Context
	stop     context.CancelFunc
	work     sync.WaitGroup
}

const (
	// maxViewers is how many commands are performed at a time; more wait. It is also how
	// many viewers are notified at a time; the longest of them gives way to a new one.
	maxViewers = 64

	// maxSilent is how many connections may have said nothing yet. Of more, the oldest is
	// closed: who has a command says it at once.
	maxSilent = 128

	// maxLong is how many long messages are read at a time.
	maxLong = 2
	// longMessage is from where on a message is long, in bytes.
	longMessage = 256 << 10

	// defaultRead is how long a viewer may take to say what it wants.
	defaultRead = 10 * time.Second

	// writeTimeout is how long a viewer may take to read its answer.
	writeTimeout = 10 * time.Second
)

// Listen begins to serve on a path that SocketPath gave.
func (s *Server) Listen(path string) error {
	l, err := listen(path)
	if err != nil {
		return fmt.Errorf("listening for viewers: %w", err)
	}
	s.listener = l
	s.long, s.places = make(chan struct{}, maxLong), make(chan struct{}, maxViewers)
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.work.Go(s.accept)
	return nil
}

// Close removes the socket and ends what is under way: requests that wait are
// withdrawn.
func (s *Server) Close() {
	s.stop()
	s.listener.Close()
	s.work.Wait()
}

// Remove removes the socket and waits for nothing: the process ends.
func (s *Server) Remove() { s.listener.Close() }

func (s *Server) accept() {
	defer recovered(func(error) {})
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			if s.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			// Out of descriptors, perhaps: later there may be some.
			select {
			case <-time.After(100 * time.Millisecond):
			case <-s.ctx.Done():
				return
			}
			continue
		}
		if !sameUser(conn) {
			conn.Close()
			continue
		}
		s.silent.add(conn, maxSilent)
		s.work.Go(func() {
			defer recovered(func(error) {})
			defer conn.Close()
			defer context.AfterFunc(s.ctx, func() { conn.Close() })()
			s.serve(conn)
		})
	}
}

// A queue holds connections in the order in which they came.
type queue struct {
	mu    sync.Mutex
	conns []*net.UnixConn
}

// add adds a connection. Where there are more than most, the oldest is closed.
func (q *queue) add(conn *net.UnixConn, most int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.conns = append(q.conns, conn); len(q.conns) > most {
		q.conns[0].Close()
		q.conns = slices.Delete(q.conns, 0, 1)
	}
}

func (q *queue) remove(conn *net.UnixConn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.conns = slices.DeleteFunc(q.conns, func(c *net.UnixConn) bool { return c == conn })
}

// enter waits for one of the places and returns what leaves it, or nil where the server
// ends before.
func (s *Server) enter(places chan struct{}) (leave func()) {
	select {
	case places <- struct{}{}:
		return func() { <-places }
	case <-s.ctx.Done():
		return nil
	}
}

// read reads a message that follows its command.
func (s *Server) read(in *bufio.Reader, length int) ([]byte, error) {
	if length > longMessage {
		leave := s.enter(s.long)
		if leave == nil {
			return nil, s.ctx.Err()
		}
		defer leave()
	}
	return readBehind(in, length, MaxMessage)
}

// serve answers one viewer.
func (s *Server) serve(conn *net.UnixConn) {
	defer s.silent.remove(conn)
	_ = conn.SetReadDeadline(time.Now().Add(cmp.Or(s.readTimeout, defaultRead))) // It fails on a connection that has ended.
	in := bufio.NewReader(conn)
	line, err := readLine(in, maxCommand)
	s.silent.remove(conn)
	if err != nil {
		return
	}
	var c command
	if err := json.Unmarshal(line, &c); err != nil {
		answer(conn, reply{Code: "refused", Error: "the command is not understood"})
		return
	}
	if c.message, err = s.read(in, c.Length); err != nil {
		answer(conn, replyOf(session.Outcome{}, refuse("the message cannot be read: %v", err)))
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	if c.Op == "notify" {
		s.watching.add(conn, maxViewers)
		defer s.watching.remove(conn)
		s.notify(conn, in)
		return
	}
	if c.Op == "intercept" {
		s.intercept(conn, in, c.By)
		return
	}
	leave := s.enter(s.places)
	if leave == nil {
		return
	}
	defer leave()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	s.work.Go(func() {
		// It ends with the connection. Any byte says that the viewer no longer waits, and
		// so does the end.
		defer recovered(func(error) {})
		defer cancel()
		_, _ = in.ReadByte()
	})
	answer(conn, s.act(ctx, &c))
}

// act does what a command says.
func (s *Server) act(ctx context.Context, c *command) reply {
	if s.Control == nil {
		return reply{Code: "refused", Error: "this session accepts no requests"}
	}
	switch c.Op {
	case "send":
		return replyOf(s.Control.Send(ctx, c.message))
	case "cancel":
		return replyOf(session.Outcome{}, s.Control.Cancel(ctx, c.ID, c.Reason))
	case "end":
		return replyOf(session.Outcome{}, s.Control.End(ctx))
	}
	return reply{Code: "refused", Error: fmt.Sprintf("the tee does not know %.40q", c.Op)}
}

func answer(conn *net.UnixConn, r reply) {
	_ = conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	_ = write(conn, r, r.answer) // It fails if the viewer has ended.
}

// notify sends a line feed once the log is longer than the size that the viewer sent, for
// each size.
func (s *Server) notify(conn *net.UnixConn, in *bufio.Reader) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	asked := make(chan int64, 1)
	s.work.Go(func() {
		defer recovered(func(error) {})
		defer cancel()
		for {
			line, err := readLine(in, maxCommand)
			if err != nil {
				return
			}
			size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
			if err != nil {
				return
			}
			select {
			case asked <- size:
			case <-ctx.Done():
				return
			}
		}
	})
	for {
		select {
		case size := <-asked:
			if s.Log == nil || s.Log.Wait(ctx, size) != nil {
				return
			}
			_ = conn.SetWriteDeadline(time.Now().Add(writeTimeout))
			if _, err := conn.Write([]byte{'\n'}); err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
