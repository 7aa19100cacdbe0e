package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/format"
	"wiretea/ui/pane"
	"wiretea/ui/screen"
)

// An attachedSource is the session of another process, for the screen: its file,
// and what acts on it.
type attachedSource struct {
	*fileSource
	who     pane.Attachment
	control session.Control // control is nil where who.Refused says why.
	guest   *client.Guest   // guest speaks to the server in the client's name.
	desk    *screen.Desk    // desk is where lies what the server asks us, in the modern era.
	says    io.Writer       // says takes what the user should know, by the line.

	ctx  context.Context // ctx ends with the source, which end ends.
	end  context.CancelFunc
	mu   sync.Mutex     // mu is held while ctx ends, and work is added to.
	work sync.WaitGroup // work is what was sent and is not over,

	tasks atomic.Int64 // and tasks is how much of it are tasks, or may become some.
}

// openAttached opens a live session. control acts on it; where it is nil, refused
// says why.
func openAttached(l liveSession, control session.Control, refused string, says io.Writer) (*attachedSource, error) {
	src, err := openSource(l.Path)
	if err != nil {
		return nil, err
	}
	return newAttached(src, l, control, refused, says), nil
}

func newAttached(src *fileSource, l liveSession, control session.Control, refused string, says io.Writer) *attachedSource {
	if control == nil && refused == "" {
		refused = "the session's owner lets nobody act on it"
	}
	a := &attachedSource{fileSource: src, control: control, who: pane.Attachment{Tee: l.tee, Refused: refused}, says: says}
	switch {
	case l.Header == nil:
	case l.Header.Mode == "run":
		// It is the client itself, and nothing stands between.
		a.who.Tee, a.who.Client, a.who.ClientName = 0, l.tee, "wiretea run"
	default:
		a.who.Client, a.who.ClientName = l.Header.PPID, l.client
	}
	a.desk = screen.NewDesk(src.bell.ring)
	a.guest = &client.Guest{
		Control: control, Asker: a.desk, Timeout: a.timeout,
		Speaks: func() (mcp.Era, json.RawMessage) { return speaks(a.Snapshot(), a.Log()) },
	}
	a.ctx, a.end = context.WithCancel(context.Background())
	return a
}

// leaving is how long what was sent may take to be withdrawn, and tasks to be
// cancelled, when the source is closed.
const leaving = 3 * time.Second

// close ends what was sent and is not over, and the reading.
func (s *attachedSource) close() {
	s.leave()
	s.fileSource.close()
}

// leave ends what was sent and is not over.
func (s *attachedSource) leave() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	over := make(chan struct{})
	go func() { s.work.Wait(); close(over) }()
	wait := time.NewTimer(leaving)
	defer wait.Stop()
	select {
	case <-over:
	case <-wait.C:
	}
}

// standing says how a session that goes on stands when its viewer leaves, by the
// line; nil for one that is over.
func (s *attachedSource) standing() []string {
	if !s.Live() {
		return nil
	}
	lines := []string{"the session goes on; wiretea attach " + recorder.SessionName(s.Path()) + " shows it again"}
	if n := s.tasks.Load(); n > 0 {
		lines = append(lines, format.Plural(n, "task")+" begun here had not ended: cancelled")
	}
	return lines
}

// Title is the server's name: which of its sessions it is, its pid tells.
func (s *attachedSource) Title() string {
	if h := s.file.Header(); h != nil {
		return recorder.ShortName(h)
	}
	return s.fileSource.Title()
}

// Attachment says whose session it is.
func (s *attachedSource) Attachment() pane.Attachment { return s.who }

// Desk is where lies what the server asks us: in answers, as the modern era does.
func (s *attachedSource) Desk() *screen.Desk { return s.desk }

// Send sends a line as typed. An error answer is no error: it shows in the
// traffic.
func (s *attachedSource) Send(ctx context.Context, line string) error {
	method, params, err := client.ParseLine(line)
	switch {
	case err != nil:
		return err
	case method == "":
		return s.inject(ctx, params)
	}
	return s.call(ctx, recorder.Request{Method: method, Params: params})
}

// Resend sends a request again. One that was run as a task is again.
func (s *attachedSource) Resend(ctx context.Context, m recorder.Request) error {
	if m.Method == "tools/call" && wantsTask(m.Params) {
		return s.SendTask(ctx, m)
	}
	message, err := client.Message(m.Method, m.Params)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Method, err)
	}
	if ours, err := s.guest.Message(m.Method, m.Params); err != nil || !bytes.Equal(ours, message) {
		return s.inject(ctx, message) // it says less of its client than it should, and shall again
	}
	return s.call(ctx, m)
}

// call sends a request in the client's name, and waits for its answer as long as a
// client would. After that it is withdrawn: the server shall not work for nobody.
// What the server asks in the modern era goes to the desk.
func (s *attachedSource) call(ctx context.Context, m recorder.Request) error {
	return s.act(ctx, func(ctx context.Context) error {
		_, err := s.guest.Do(ctx, m.Method, m.Params, nil)
		return err
	})
}

// inject sends a whole message as call does a request.
func (s *attachedSource) inject(ctx context.Context, message []byte) error {
	return s.act(ctx, func(ctx context.Context) error {
		_, err := s.guest.Deliver(ctx, message)
		return err
	})
}

// act does what is sent to the server, until it is over or the source is closed. The
// error is one that does not show in the traffic.
func (s *attachedSource) act(ctx context.Context, do func(context.Context) error) error {
	if s.control == nil {
		return errors.New(s.who.Refused)
	}
	if !s.begin() {
		return nil
	}
	defer s.work.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	err := do(ctx)
	var answer *client.RPCError
	switch {
	case err == nil, s.ctx.Err() != nil, errors.As(err, &answer), errors.Is(err, client.ErrTask), errors.Is(err, client.ErrCancelled):
		return nil
	case errors.Is(err, client.ErrTimeout):
		return fmt.Errorf("%w; it has been withdrawn at the server", err)
	}
	return err
}

// begin adds to the work. It reports false where the source is closed.
func (s *attachedSource) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.work.Add(1)
	return true
}

// timeout is how long an answer to a method is waited for.
func (s *attachedSource) timeout(method string) time.Duration {
	return answerLimit(s.Snapshot().Header(), method)
}

// answerLimit is how long the answer to a method is waited for in a session:
// client.NoTimeout = for ever; 0 = as long as is usual, where h is nil.
func answerLimit(h *session.Header, method string) time.Duration {
	switch m, known := mcp.Lookup(method); {
	case known && m.Unbounded:
		return client.NoTimeout
	case h == nil:
		return 0
	}
	if d := h.Limits.For(method); d > 0 {
		return d
	}
	return client.NoTimeout
}

// Cancel withdraws a request at the server, whoever sent it.
func (s *attachedSource) Cancel(ctx context.Context, id string) error {
	if s.control == nil {
		return errors.New(s.who.Refused)
	}
	return s.control.Cancel(ctx, id, cancelReason)
}

// End ends the server.
func (s *attachedSource) End(ctx context.Context) error {
	if s.control == nil {
		return errors.New(s.who.Refused)
	}
	return s.control.End(ctx)
}

// Bounds of the search for what the client says of itself.
const (
	mostRows    = 1 << 20
	longestMeta = 1 << 20 // bytes of a request that is looked into
)

// composeFor makes a message of a line as typed, for a session whose client is
// another's: a whole message stays as it is, else a request says of its client
// what that client's latest request says. Ids are for session.Control to give.
func composeFor(guest *client.Guest, line string) ([]byte, error) {
	method, params, err := client.ParseLine(line)
	if err != nil {
		return nil, err
	}
	if method == "" {
		return params, nil
	}
	return guest.Message(method, params)
}

// speaks returns what era a session's client speaks, and in the modern one its
// latest request that says who it is; nil = none is found.
func speaks(snap *session.Snapshot, log recorder.Log) (mcp.Era, json.RawMessage) {
	conns := snap.Conns()
	if len(conns) == 0 || conns[len(conns)-1].Era != mcp.Modern {
		return mcp.Legacy, nil
	}
	conn := conns[len(conns)-1].ID
	for i, looked := uint32(snap.Len()), 0; i > 0 && looked < mostRows; looked++ {
		i--
		r := snap.Row(i)
		if r.Kind != session.RowRequest || r.Stream != session.C2S || r.Way != session.Crossed || int(r.Conn) != conn || r.Len > longestMeta {
			continue
		}
		body, err := recorder.ReadFrame(log, r, 0, longestMeta)
		if err != nil {
			continue
		}
		if _, says := client.Borrow(nil, body); says {
			return mcp.Modern, body
		}
	}
	return mcp.Modern, nil
}
