package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/ui/pane"
)

// An attachedSource is the session of another process, for the screen: its file,
// and what acts on it.
type attachedSource struct {
	*fileSource
	who     pane.Attachment
	control session.Control // control is nil where who.Refused says why.
	ctx     context.Context // ctx ends with the source.
	end     context.CancelFunc
}

// openAttached opens a live session. control acts on it; where it is nil, refused
// says why.
func openAttached(l liveSession, control session.Control, refused string) (*attachedSource, error) {
	src, err := openSource(l.Path)
	if err != nil {
		return nil, err
	}
	if control == nil && refused == "" {
		refused = "the session's owner lets nobody act on it"
	}
	a := &attachedSource{fileSource: src, control: control, who: pane.Attachment{Tee: l.tee, Refused: refused}}
	switch {
	case l.Header == nil:
	case l.Header.Mode == "run":
		// It is the client itself, and nothing stands between.
		a.who.Tee, a.who.Client, a.who.ClientName = 0, l.tee, "wiretea run"
	default:
		a.who.Client, a.who.ClientName = l.Header.PPID, l.client
	}
	a.ctx, a.end = context.WithCancel(context.Background())
	return a, nil
}

// close ends what was sent and not answered, and the reading.
func (s *attachedSource) close() {
	s.end()
	s.fileSource.close()
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

// Send sends a line as typed. An error answer is no error: it shows in the
// traffic.
func (s *attachedSource) Send(ctx context.Context, line string) error {
	message, err := composeFor(s.Snapshot(), s.Log(), line)
	if err != nil {
		return err
	}
	return s.inject(ctx, message)
}

// Resend sends a request again.
func (s *attachedSource) Resend(ctx context.Context, m pane.Message) error {
	message, err := client.Message(m.Method, m.Params)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Method, err)
	}
	return s.inject(ctx, message)
}

var errNoAnswer = errors.New("no answer in time; it has been withdrawn at the server")

// inject sends a message, and waits for its answer as long as a client would.
// After that it is withdrawn: the server shall not work for nobody.
func (s *attachedSource) inject(ctx context.Context, message []byte) error {
	if s.control == nil {
		return errors.New(s.who.Refused)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Canceled) })()
	if limit := s.patience(message); limit > 0 {
		timer := time.AfterFunc(limit, func() { cancel(errNoAnswer) })
		defer timer.Stop()
	}
	_, err := s.control.Send(ctx, message)
	switch {
	case err == nil, s.ctx.Err() != nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}

// patience is how long an answer to a message is waited for, 0 = for ever.
func (s *attachedSource) patience(message []byte) time.Duration {
	method := ""
	jsonrpc.Scan(message, func(m *jsonrpc.Message) { method, _ = m.Method.Unquoted() })
	if m, known := mcp.Lookup(method); known && m.Unbounded {
		return 0
	}
	limits := session.DefaultLimits()
	if h := s.Snapshot().Header(); h != nil {
		limits = h.Limits
	}
	return limits.For(method)
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
func composeFor(snap *session.Snapshot, log recorder.Log, line string) ([]byte, error) {
	method, params, err := client.ParseLine(line)
	if err != nil {
		return nil, err
	}
	if method == "" {
		return params, nil
	}
	if !client.IsNotification(method) {
		params = speakAs(snap, log, params)
	}
	return client.Message(method, params)
}

// speakAs gives params the client's own _meta, where it speaks the modern era.
func speakAs(snap *session.Snapshot, log recorder.Log, params json.RawMessage) json.RawMessage {
	conns := snap.Conns()
	if len(conns) == 0 || conns[len(conns)-1].Era != mcp.Modern {
		return params
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
		if own, borrowed := client.Borrow(params, body); borrowed {
			return own
		}
	}
	return params
}
