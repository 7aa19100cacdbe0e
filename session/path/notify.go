//go:build unix

package path

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strconv"
	"time"
)

// A Notifier notifies of growth of a session that another process records. It is for
// one goroutine.
type Notifier struct {
	conn    *net.UnixConn
	signals chan struct{} // signals has one for each notification, and is closed with the connection.
	set     bool          // set: a notification was requested, and has not come.
}

// Notifier connects to the tee for notifications.
func (c *Client) Notifier() (*Notifier, error) {
	conn, err := c.dial()
	if err != nil {
		return nil, err
	}
	if err := write(conn, command{Op: "notify"}, nil); err != nil {
		conn.Close()
		return nil, err
	}
	n := &Notifier{conn: conn, signals: make(chan struct{}, 1)}
	go n.listen()
	return n, nil
}

// listen receives the notifications. It ends with the connection. The tee sends one for
// each request, so that there is room for all.
func (n *Notifier) listen() {
	defer close(n.signals)
	defer recovered(func(error) {})
	for in := bufio.NewReader(n.conn); ; {
		if _, err := in.ReadByte(); err != nil {
			return
		}
		select {
		case n.signals <- struct{}{}:
		default: // The tee was not asked for it.
		}
	}
}

// Wait returns nil once the session is longer than size, or than the size of an earlier
// Wait that ended before its notification. It returns the error of ctx when that is done.
// Any other error is permanent, mostly because the tee has ended.
func (n *Notifier) Wait(ctx context.Context, size int64) error {
	if !n.set {
		_ = n.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // It fails on a connection that has ended.
		if _, err := n.conn.Write(append(strconv.AppendInt(nil, size, 10), '\n')); err != nil {
			return fmt.Errorf("asking the tee: %w", err)
		}
		n.set = true
	}
	select {
	case _, more := <-n.signals:
		n.set = false
		if !more {
			return fmt.Errorf("waiting for the tee: %w", net.ErrClosed)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes the connection.
func (n *Notifier) Close() { n.conn.Close() }
