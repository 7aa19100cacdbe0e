//go:build unix

package path

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"time"

	"wiretea/session"
)

// remote is a session.Intercept of a session of another process.
type remote struct {
	conn *net.UnixConn
	news chan struct{}

	writing sync.Mutex // writing is held while a request is written.

	mu      sync.Mutex
	state   *session.InterceptState
	last    uint64
	waiting map[uint64]chan placeReply // waiting are the requests without a reply, by their numbers.
	gone    bool
}

// maxState is the longest state of a session, in bytes.
const maxState = 64 << 20

// Intercept opens a place in the path of the session. by names it.
func (c *Client) Intercept(ctx context.Context, by string) (session.Intercept, error) {
	conn, err := c.dial()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	if err := write(conn, command{Op: "intercept", By: by}, nil); err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w: %v", session.ErrGone, err)
	}
	r := &remote{conn: conn, news: make(chan struct{}, 1), waiting: map[uint64]chan placeReply{}}
	in := bufio.NewReader(conn)
	first, err := readPlaceReply(in)
	if !stop() || err != nil {
		conn.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errHungUp
	}
	if _, err := first.reply.outcome(); err != nil {
		conn.Close()
		return nil, err
	}
	r.take(first)
	go r.listen(in)
	return r, nil
}

// readPlaceReply reads what the process of the session says.
func readPlaceReply(in *bufio.Reader) (p placeReply, err error) {
	line, err := readLine(in, maxState)
	if err == nil {
		err = json.Unmarshal(line, &p)
	}
	if err == nil {
		p.answer, err = readBehind(in, p.Length, maxAnswer)
	}
	return p, err
}

// listen takes what the process of the session says. It ends with the connection.
func (r *remote) listen(in *bufio.Reader) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gone = true
		for _, reply := range r.waiting {
			close(reply)
		}
		r.waiting = nil
		close(r.news)
		r.conn.Close()
	}()
	defer recovered(func(error) {})
	for {
		p, err := readPlaceReply(in)
		if err != nil {
			return
		}
		r.take(p)
	}
}

// take takes a state or a reply.
func (r *remote) take(p placeReply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.State != nil {
		r.state = p.State
		select {
		case r.news <- struct{}{}:
		default: // It has a token.
		}
	}
	if reply := r.waiting[p.Seq]; reply != nil {
		delete(r.waiting, p.Seq)
		reply <- p
	}
}

// do sends a request and waits for its reply.
func (r *remote) do(ctx context.Context, q placeRequest) ([]byte, error) {
	reply := make(chan placeReply, 1)
	r.mu.Lock()
	if r.gone {
		r.mu.Unlock()
		return nil, errHungUp
	}
	r.last++
	q.Seq = r.last
	r.waiting[q.Seq] = reply
	r.mu.Unlock()
	r.writing.Lock()
	_ = r.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // It fails on a connection that has ended.
	err := write(r.conn, q, q.text)
	r.writing.Unlock()
	if err != nil {
		r.conn.Close() // A part of a request makes the rest unreadable.
		return nil, fmt.Errorf("%w: %v", session.ErrGone, err)
	}
	select {
	case p, ok := <-reply:
		if !ok {
			return nil, errHungUp
		}
		_, err := p.outcome()
		return p.answer, err
	case <-ctx.Done():
		r.mu.Lock()
		delete(r.waiting, q.Seq)
		r.mu.Unlock()
		return nil, ctx.Err()
	}
}

// State implements session.Intercept.
func (r *remote) State() *session.InterceptState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Changed implements session.Intercept.
func (r *remote) Changed() <-chan struct{} { return r.news }

// Text implements session.Intercept.
func (r *remote) Text(ctx context.Context, id uint64) ([]byte, error) {
	return r.do(ctx, placeRequest{Op: "text", IDs: []uint64{id}})
}

// Decide implements session.Intercept.
func (r *remote) Decide(ctx context.Context, ids []uint64, c session.Choice) error {
	_, err := r.do(ctx, placeRequest{Op: "decide", IDs: ids, Choice: &c, Length: len(c.Text), text: c.Text})
	return err
}

// Intercept implements session.Intercept.
func (r *remote) Intercept(ctx context.Context, in session.Interception) error {
	_, err := r.do(ctx, placeRequest{Op: "hold", Hold: &in})
	return err
}

// SetFaults implements session.Intercept.
func (r *remote) SetFaults(ctx context.Context, specs []string) error {
	_, err := r.do(ctx, placeRequest{Op: "faults", Faults: specs})
	return err
}

// Close implements session.Intercept.
func (r *remote) Close() error {
	r.conn.Close()
	return nil
}
