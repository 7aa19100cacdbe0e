package capture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/session/mcp"
)

// An AttachConfig says who takes part in acting on a session of another process.
// The zero AttachConfig acts, and declines what the server asks.
type AttachConfig struct {
	// Asker answers what the server asks in a result, as in the modern era; nil
	// declines.
	Asker client.Asker

	// HTTP says how the server of a proxy is spoken to; its URL is set by the Attach.
	HTTP http.Options

	// Wake is notified when the analysis has advanced; nil means a new one.
	Wake Wake
}

// An Attach is a live session of another process: its file, and what acts on it. It
// ends what was sent through it in Close.
type Attach struct {
	*Recording
	cfg     AttachConfig
	Session LiveSession     // Session is the session as it was when it was attached to.
	Refused string          // Refused says why nothing can be done to the session; empty if it can be acted on.
	control session.Control // control is nil where nothing can be done to the session.
	guest   *client.Guest   // guest speaks to the server in the client's name.

	ctx  context.Context // ctx ends with the Attach.
	end  context.CancelFunc
	mu   sync.Mutex // mu orders the end of ctx and additions to work.
	work sync.WaitGroup
}

// OpenAttach attaches to the session at path and begins to read it. A session that
// cannot be acted on can be watched anyway; Refused says why.
func OpenAttach(path string, cfg AttachConfig) (*Attach, error) {
	info, err := recorder.Stat(path)
	if err != nil {
		return nil, err
	}
	control, refused := Dial(info.Header, cfg.HTTP)
	rec, err := openRecording(path, cmp.Or(cfg.Wake, NewWake()))
	if err != nil {
		return nil, err
	}
	return newAttach(rec, Inspect(info), control, refused, cfg), nil
}

func newAttach(rec *Recording, live LiveSession, control session.Control, refused string, cfg AttachConfig) *Attach {
	if control == nil && refused == "" {
		refused = "the process that records the session accepts no requests"
	}
	a := &Attach{Recording: rec, cfg: cfg, Session: live, control: control, Refused: refused}
	a.guest = &client.Guest{
		Control: control, Asker: cfg.Asker, Timeout: func(method string) time.Duration { return AnswerLimit(a.Snapshot().Header(), method) },
		Speaks: func() (mcp.Era, json.RawMessage) { return Speaks(a.Snapshot(), a.Log()) },
	}
	a.ctx, a.end = context.WithCancel(context.Background())
	return a
}

// Title is the server's name.
func (a *Attach) Title() string {
	if h := a.Header(); h != nil {
		return recorder.ShortName(h)
	}
	return a.Recording.Title()
}

// leaveLimit is how long Close waits for requests to be cancelled at the server.
const leaveLimit = 3 * time.Second

// Close cancels what was sent and has no response yet, and ends the reading.
func (a *Attach) Close() {
	a.leave()
	a.Recording.Close()
}

func (a *Attach) leave() {
	a.mu.Lock()
	a.end()
	a.mu.Unlock()
	over := make(chan struct{})
	go func() { a.work.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(leaveLimit):
	}
	if own, ok := a.control.(io.Closer); ok {
		_ = own.Close()
	}
}

// Send sends a line as typed and waits for the response. An error response is not an
// error: it appears in the traffic.
func (a *Attach) Send(ctx context.Context, line string) error {
	method, params, err := client.ParseLine(line)
	switch {
	case err != nil:
		return err
	case method == "":
		return a.inject(ctx, params)
	}
	return a.call(ctx, recorder.Request{Method: method, Params: params})
}

// Resend sends a request again.
func (a *Attach) Resend(ctx context.Context, m recorder.Request) error {
	message, err := client.Message(m.Method, m.Params)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Method, err)
	}
	if ours, err := a.guest.Message(m.Method, m.Params); err != nil || !bytes.Equal(ours, message) {
		return a.inject(ctx, message) // it says less about its client than it should, and does so again
	}
	return a.call(ctx, m)
}

// call sends a request in the client's name. When its time is up it is cancelled, so
// that the server does not work for nobody.
func (a *Attach) call(ctx context.Context, m recorder.Request) error {
	return a.act(ctx, func(ctx context.Context) error {
		_, err := a.guest.Do(ctx, m.Method, m.Params)
		return err
	})
}

// inject sends a whole message as call does a request.
func (a *Attach) inject(ctx context.Context, message []byte) error {
	return a.act(ctx, func(ctx context.Context) error {
		_, err := a.guest.Deliver(ctx, message)
		return err
	})
}

// act does something that ends with the Attach. It returns the errors that the
// traffic does not show.
func (a *Attach) act(ctx context.Context, do func(context.Context) error) error {
	if a.control == nil {
		return errors.New(a.Refused)
	}
	a.mu.Lock()
	over := a.ctx.Err() != nil
	if !over {
		a.work.Add(1)
	}
	a.mu.Unlock()
	if over {
		return nil
	}
	defer a.work.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	err := do(ctx)
	var answer *client.RPCError
	switch {
	case err == nil, a.ctx.Err() != nil, errors.As(err, &answer), errors.Is(err, client.ErrCancelled):
		return nil
	case errors.Is(err, client.ErrTimeout):
		return fmt.Errorf("%w; it has been withdrawn at the server", err)
	}
	return err
}

// Cancel cancels a request at the server, whoever sent it.
func (a *Attach) Cancel(ctx context.Context, id string) error {
	if a.control == nil {
		return errors.New(a.Refused)
	}
	return a.control.Cancel(ctx, id, CancelReason)
}

// End ends the server.
func (a *Attach) End(ctx context.Context) error {
	if a.control == nil {
		return errors.New(a.Refused)
	}
	return a.control.End(ctx)
}

// AnswerLimit is how long the response to a method is waited for in a session:
// client.NoTimeout = for ever; 0 = as long as is usual, where h is nil.
func AnswerLimit(h *session.Header, method string) time.Duration {
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

// Limits of the search for what the client says about itself.
const (
	mostRows    = 1 << 20
	longestMeta = 1 << 20 // longestMeta is the longest request that is read, in bytes.
)

// Speaks returns the era that a session's client speaks and, in the modern era, its
// latest request that says who the client is; nil if none is found.
func Speaks(snap *session.Snapshot, log recorder.Log) (mcp.Era, json.RawMessage) {
	conns := snap.Conns()
	if h := snap.Header(); h != nil && h.Via != "" && len(conns) > 0 {
		return conns[len(conns)-1].Era, nil // Nothing is sent in the client's name.
	}
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
		if _, says := client.CopyClientMeta(nil, body); says {
			return mcp.Modern, body
		}
	}
	return mcp.Modern, nil
}
