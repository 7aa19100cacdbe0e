//go:build unix

package path

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"wiretea/session"
)

// A Client acts on the session of another process, over its socket. It is a
// session.Control.
type Client struct{ path string }

// dialTime is how long a tee may take to take a connection.
const dialTime = 2 * time.Second

// Dial returns a Client of the process that listens on a path, if one does and the
// socket is the user's own.
func Dial(path string) (*Client, error) {
	c := &Client{path: path}
	conn, err := c.dial()
	if err != nil {
		return nil, err
	}
	conn.Close()
	return c, nil
}

func (c *Client) dial() (*net.UnixConn, error) {
	conn, err := net.DialTimeout("unix", c.path, dialTime)
	if err != nil {
		return nil, fmt.Errorf("%w: no process listens on its socket: %w", session.ErrGone, err)
	}
	local := conn.(*net.UnixConn)
	if !sameUser(local) {
		conn.Close()
		return nil, refuse("the socket %s belongs to another user", c.path)
	}
	return local, nil
}

// Send implements session.Control.
func (c *Client) Send(ctx context.Context, message []byte) (session.Outcome, error) {
	return c.do(ctx, command{Op: "send", Length: len(message), message: message})
}

// Cancel implements session.Control.
func (c *Client) Cancel(ctx context.Context, id, reason string) error {
	_, err := c.do(ctx, command{Op: "cancel", ID: id, Reason: reason})
	return err
}

// End implements session.Control. The tee ends with its server, so that it may
// not live to say so.
func (c *Client) End(ctx context.Context) error {
	_, err := c.do(ctx, command{Op: "end"})
	if errors.Is(err, errHungUp) {
		return nil
	}
	return err
}

// errHungUp is returned when the tee took a command and ended without a reply.
var errHungUp error = hungUpError{}

type hungUpError struct{}

func (hungUpError) Error() string { return session.ErrGone.Error() + ": the tee has ended" }
func (hungUpError) Unwrap() error { return session.ErrGone }

// withdrawTimeout is how long the tee may take to say what became of a command that its
// user does not wait for any more.
const withdrawTimeout = time.Second

// do gives a command and waits for the reply, or until ctx is done.
func (c *Client) do(ctx context.Context, cmd command) (session.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return session.Outcome{}, err
	}
	conn, err := c.dial()
	if err != nil {
		return session.Outcome{}, err
	}
	defer conn.Close()
	halt := context.AfterFunc(ctx, func() { conn.Close() })
	err = write(conn, cmd, cmd.message)
	if !halt() || err != nil {
		return session.Outcome{}, cmp.Or(ctx.Err(), fmt.Errorf("%w: %v", session.ErrGone, err))
	}
	defer context.AfterFunc(ctx, func() {
		_ = conn.SetDeadline(time.Now().Add(withdrawTimeout))
		_ = write(conn, command{Op: "withdraw"}, nil) // Closing says the same.
	})()
	r, err := readReply(conn)
	if err != nil {
		return session.Outcome{}, cmp.Or(ctx.Err(), errHungUp)
	}
	out, err := r.outcome()
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}

// readReply reads what became of a command.
func readReply(conn *net.UnixConn) (r reply, err error) {
	in := bufio.NewReader(conn)
	line, err := readLine(in, maxReply)
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err == nil {
		r.answer, err = readBehind(in, r.Length, maxAnswer)
	}
	return r, err
}
