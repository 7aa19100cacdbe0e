package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A handshakeGate tells whether the handshake of a tee's session has ended. It reads
// the record for that, only when it is asked and each record once; the traffic itself
// is not looked at.
type handshakeGate struct {
	log    atomic.Pointer[recorder.Sink]
	behind func() bool // behind reports whether something that passed is not recorded yet; nil = it never is.

	mu       sync.Mutex // mu guards what follows.
	reader   *recorder.Reader
	analyzer *session.Analyzer
	records  int
	seen     handshakeWitness
}

// publishWait is how long an action waits at most for the records of what has passed: on a busy
// machine the recorder may be late.
const publishWait = time.Second

// mostRecords is how many records are read until the handshake has ended.
const mostRecords = 100_000

// ready returns nil once the handshake has ended: in the legacy era the client has
// sent notifications/initialized; in the modern era a request that describes its
// client was answered, or a modern server has answered the probe.
func (h *handshakeGate) ready(ctx context.Context) error {
	log := h.log.Load()
	if log == nil {
		return fmt.Errorf("%w: the session is not recorded", session.ErrRefused)
	}
	ctx, cancel := context.WithTimeout(ctx, publishWait)
	defer cancel()
	for {
		size, behind := log.Size(), h.behind != nil && h.behind()
		more, err := h.read(log)
		if !more || !log.Grows(ctx, size) && !(behind && log.Wait(ctx, size) == nil) {
			return err
		}
	}
}

// read reads what has come since the last call, and returns nil once the handshake has
// ended. more tells that a further record may end it.
func (h *handshakeGate) read(log *recorder.Sink) (more bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reader == nil && !h.seen.over {
		h.reader = recorder.NewReader(log, 0)
		h.analyzer = session.NewAnalyzer(session.Config{Checkers: []session.Checker{&h.seen}})
	}
	for rec := new(session.Record); !h.seen.over && h.records < mostRecords; h.records++ {
		switch err := h.reader.Next(rec); {
		case errors.Is(err, io.EOF):
			return true, session.ErrTooEarly
		case err != nil:
			return false, fmt.Errorf("%w: the session file cannot be read: %w", session.ErrRefused, err)
		}
		h.analyzer.Add(rec)
	}
	switch {
	case h.seen.headers:
		return false, fmt.Errorf("%w: the client frames its messages with Content-Length", session.ErrRefused)
	case !h.seen.over:
		return false, session.ErrTooEarly
	}
	h.reader, h.analyzer = nil, nil
	return false, nil
}

// A handshakeWitness is a checker that sees the end of a handshake.
type handshakeWitness struct {
	over    bool
	headers bool // headers: the client frames with Content-Length.
}

// Check implements session.Checker.
func (w *handshakeWitness) Check(ev *session.Event, _ session.Reporter) {
	switch {
	case ev.Frame != nil && ev.Frame.Stream == session.C2S && ev.Frame.Header:
		w.headers, w.over = true, true
	case ev.Kind != session.MessageSeen:
	case ev.Conn.Initialized:
		w.over = true
	case ev.Message.Kind.Response() && ev.Frame.Stream == session.S2C && ev.Exchange != nil:
		modern := ev.Exchange.Era == mcp.Modern || ev.Conn.Phase == session.PhaseModern
		probe := ev.Exchange.Method == "server/discover"
		w.over = w.over || modern && (!probe || ev.Message.Kind == jsonrpc.Result)
	}
}
