//go:build unix

package control

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"wiretea/session"
)

// A Log is what a viewer reads; recorder.Log has its contract.
type Log interface {
	Size() int64
	Wait(ctx context.Context, size int64) error
}

// A Server listens on a socket for viewers of a session. Its fields are set before
// Listen.
type Server struct {
	Control session.Control
	Log     Log // Log is what viewers read, for notifications; nil = there are none.

	listener *net.UnixListener
	ctx      context.Context
	stop     context.CancelFunc
	work     sync.WaitGroup
}

const (
	// maxViewers is how many connections are served at a time; more wait.
	maxViewers = 64

	// readTimeout is how long a viewer may take to say what it wants.
	readTimeout = 10 * time.Second

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
	places := make(chan struct{}, maxViewers)
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
		select {
		case places <- struct{}{}:
		case <-s.ctx.Done():
			conn.Close()
			return
		}
		s.work.Go(func() {
			defer func() { <-places }()
			defer recovered(func(error) {})
			defer conn.Close()
			defer context.AfterFunc(s.ctx, func() { conn.Close() })()
			s.serve(conn)
		})
	}
}

// serve answers one viewer.
func (s *Server) serve(conn *net.UnixConn) {
	if !sameUser(conn) {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(readTimeout)) // It fails on a connection that has ended.
	in := bufio.NewReader(conn)
	line, err := readLine(in, maxCommand)
	if err != nil {
		return
	}
	var c command
	if err := json.Unmarshal(line, &c); err != nil {
		answer(conn, reply{Code: "refused", Error: "the command is not understood"})
		return
	}
	if c.message, err = readBehind(in, c.Length, MaxMessage); err != nil {
		answer(conn, replyOf(session.Outcome{}, refuse("the message cannot be read: %v", err)))
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	if c.Op == "notify" {
		s.notify(conn, in)
		return
	}
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
