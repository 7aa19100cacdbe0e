//go:build unix

package control

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strconv"
	"time"
)

// A Notifier tells when the session that another process records has grown. It is for
// one goroutine.
type Notifier struct {
	conn    *net.UnixConn
	signals chan struct{} // signals has one for each ring, and is closed with the connection.
	set     bool          // set: it was asked to ring, and has not rung.
}

// Notifier asks the tee for a bell.
func (c *Client) Notifier() (*Notifier, error) {
	conn, err := c.dial()
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write([]byte(`{"op":"bell"}` + "\n")); err != nil {
		conn.Close()
		return nil, fmt.Errorf("asking for the bell: %w", err)
	}
	b := &Notifier{conn: conn, signals: make(chan struct{}, 1)}
	go b.listen()
	return b, nil
}

// listen hears the rings. It ends with the connection; the tee rings only when it
// was asked to, so that there is room for all.
func (b *Notifier) listen() {
	defer close(b.signals)
	defer recovered(func(error) {})
	for in := bufio.NewReader(b.conn); ; {
		if _, err := in.ReadByte(); err != nil {
			return
		}
		select {
		case b.signals <- struct{}{}:
		default: // It rang without being asked.
		}
	}
}

// Wait returns nil when it rings: the session was longer than size, or than what
// an earlier Wait, that ended before it rang, asked for. It returns ctx's error
// when that is done. Any other error says that the bell is broken for good, mostly
// because the tee has ended.
func (b *Notifier) Wait(ctx context.Context, size int64) error {
	if !b.set {
		_ = b.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // It fails on a connection that has ended.
		if _, err := b.conn.Write(append(strconv.AppendInt(nil, size, 10), '\n')); err != nil {
			return fmt.Errorf("asking the tee: %w", err)
		}
		b.set = true
	}
	select {
	case _, more := <-b.signals:
		b.set = false
		if !more {
			return fmt.Errorf("waiting for the tee: %w", net.ErrClosed)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close gives the bell back.
func (b *Notifier) Close() { b.conn.Close() }
