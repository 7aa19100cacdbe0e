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

// statePause is the least time between two states that a viewer is sent: of a flood it sees
// the latest.
const statePause = 20 * time.Millisecond

// maxPlaceRequest is the longest line of a request, in bytes: it may name all that is held.
const maxPlaceRequest = 1 << 20

// intercept serves a place of a viewer, until its connection ends: then what the place holds
// is released.
func (s *Server) intercept(conn *net.UnixConn, in *bufio.Reader, by string) {
	if s.Interceptor == nil {
		answer(conn, reply{Code: "refused", Error: "messages of this session cannot be held"})
		return
	}
	at, err := s.Interceptor.Open(by)
	if err != nil {
		answer(conn, replyOf(session.Outcome{}, err))
		return
	}
	defer at.Close()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	v := &visitor{conn: conn, place: at}
	s.work.Go(func() {
		// It ends with the connection, or when the viewer does not read.
		defer recovered(func(error) {})
		defer conn.Close()
		v.send(ctx)
	})
	for {
		line, err := readLine(in, maxPlaceRequest)
		if err != nil {
			return
		}
		var q placeRequest
		if json.Unmarshal(line, &q) != nil {
			return
		}
		if q.text, err = s.read(in, q.Length); err != nil {
			return
		}
		if v.write(placeReply{Seq: q.Seq}, v.do(ctx, &q)) != nil {
			return
		}
	}
}

// A visitor is a viewer that has a place.
type visitor struct {
	conn  *net.UnixConn
	place session.Intercept
	mu    sync.Mutex // mu is held while something is written.
}

// send sends the state, now and whenever it has changed.
func (v *visitor) send(ctx context.Context) {
	for {
		select {
		case _, more := <-v.place.Changed():
			if !more || v.write(placeReply{State: v.place.State()}, reply{}) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(statePause):
		case <-ctx.Done():
			return
		}
	}
}

// write writes a state or a reply.
func (v *visitor) write(p placeReply, r reply) error {
	p.reply = r
	v.mu.Lock()
	defer v.mu.Unlock()
	_ = v.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // It fails on a connection that has ended.
	return write(v.conn, p, r.answer)
}

// do does what a request says.
func (v *visitor) do(ctx context.Context, q *placeRequest) (r reply) {
	defer recovered(func(err error) { r = replyOf(session.Outcome{}, err) })
	var text []byte
	var err error
	switch {
	case q.Op == "text" && len(q.IDs) == 1:
		text, err = v.place.Text(ctx, q.IDs[0])
	case q.Op == "decide" && q.Choice != nil:
		c := *q.Choice
		c.Text = q.text
		err = v.place.Decide(ctx, q.IDs, c)
	case q.Op == "hold" && q.Hold != nil:
		err = v.place.Intercept(ctx, *q.Hold)
	case q.Op == "faults":
		err = v.place.SetFaults(ctx, q.Faults)
	default:
		err = refuse("%s", fmt.Sprintf("%.40q is not understood", q.Op))
	}
	return replyOf(session.Outcome{Answer: text}, err)
}
