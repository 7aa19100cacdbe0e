package path

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"wiretea/session"
	"wiretea/session/transport"
)

// Config says how an Injector acts.
type Config struct {
	// Ready returns nil once the handshake has ended, and else an error that wraps
	// ErrTooEarly, or ErrRefused for a session that cannot be acted on. It may take
	// its time. Nil: the handshake has ended.
	Ready func(context.Context) error

	// End ends the server and returns when it has exited. Nil: that is refused.
	End func(context.Context) error

	Busy   time.Duration // Busy is how long the end of a line is waited for; 0 means DefaultBusy.
	Linger time.Duration // Linger is for how long after the last answer progress is taken out; 0 means DefaultLinger.
	Hold   int           // Hold is the longest line that is held, in bytes; 0 means transport.DefaultHold.
}

const (
	// DefaultBusy is how long a message waits for a place between two others.
	DefaultBusy = 5 * time.Second

	// DefaultLinger is how long what comes late is taken out.
	DefaultLinger = 10 * time.Second

	// cancelGrace is how long to wait for the answer to a cancelled request: servers need
	// not answer it.
	cancelGrace = time.Second

	// maxOpen is how many requests may be unanswered at a time.
	maxOpen = 1024
)

// ErrForwarded is returned when an answer came and was not taken out: it reached the
// client.
var ErrForwarded = errors.New("the answer reached the client")

// An Injector acts on the session of a tee in this process, through the Gate that
// it has made. It is a session.Control.
type Injector struct {
	cfg    Config
	gate   *transport.Gate
	prefix string        // prefix is what all ids begin with, without quotes.
	gone   chan struct{} // gone is closed when nothing more comes from the server.

	mu     sync.Mutex
	last   int                     // last is the number given out last.
	open   map[int]*pendingRequest // open are the requests that were sent, or are about to be, and have no answer.
	linger *time.Timer             // linger ends the holding of lines; nil while there are open ones, or were none.
}

// pendingRequest is a request that waits.
type pendingRequest struct {
	n         int
	outcome   chan outcome // outcome takes the answer; it has room for one.
	abandoned bool         // abandoned: no caller waits for the answer.
	withdrawn bool         // withdrawn: it was cancelled.
}

// outcome is an answer, or none for what was withdrawn.
type outcome struct {
	answer    []byte
	forwarded bool
	withdrawn bool
}

// NewInjector returns an Injector whose Gate is to be given to the tee.
func NewInjector(cfg Config) *Injector {
	cfg.Busy = cmp.Or(cfg.Busy, DefaultBusy)
	if cfg.Linger == 0 {
		cfg.Linger = DefaultLinger
	}
	var random [6]byte
	_, _ = rand.Read(random[:]) // It never fails.
	g := &Injector{
		cfg: cfg, prefix: "wiretea-" + hex.EncodeToString(random[:]) + "-",
		gone: make(chan struct{}), open: make(map[int]*pendingRequest),
	}
	g.gate = transport.NewGate(&responseFilter{injector: g, prefix: []byte(g.prefix)}, cfg.Hold)
	return g
}

// Gate returns the gate through which it acts.
func (g *Injector) Gate() *transport.Gate { return g.gate }

// Send implements session.Control. When ctx ends, the request is cancelled at
// the server after Send has returned; the outcome then has its id.
func (g *Injector) Send(ctx context.Context, text []byte) (session.Outcome, error) {
	m, err := parse(text)
	if err != nil {
		return session.Outcome{}, err
	}
	if err := g.ready(ctx); err != nil {
		return session.Outcome{}, err
	}
	if !m.request {
		return session.Outcome{}, g.put(ctx, m.line(""))
	}
	req, err := g.register()
	if err != nil {
		return session.Outcome{}, err
	}
	out := session.Outcome{ID: `"` + g.prefix + strconv.Itoa(req.n) + `"`}
	written := g.write(ctx, m.line(out.ID))
	select {
	case err := <-written:
		if err != nil {
			g.forget(req)
			return session.Outcome{}, err
		}
	case <-ctx.Done():
		go g.withdraw(req, written, out.ID)
		return out, ctx.Err()
	}
	select {
	case o := <-req.outcome:
		return answered(out, o)
	case <-g.gone:
		select {
		case o := <-req.outcome: // It came in the same moment.
			return answered(out, o)
		default:
			return out, session.ErrGone
		}
	case <-ctx.Done():
		go g.withdraw(req, written, out.ID)
		return out, ctx.Err()
	}
}

func answered(out session.Outcome, o outcome) (session.Outcome, error) {
	out.Answer, out.Withdrawn = o.answer, o.withdrawn
	switch {
	case o.forwarded:
		return out, ErrForwarded
	case o.answer == nil:
		return out, session.ErrWithdrawn
	}
	return out, nil
}

// Cancel implements session.Control.
func (g *Injector) Cancel(ctx context.Context, id, reason string) error {
	line, err := cancellation(id, reason)
	if err != nil {
		return err
	}
	if err := g.ready(ctx); err != nil {
		return err
	}
	g.mu.Lock()
	req := g.open[g.number(strings.Trim(id, `"`))]
	if req != nil {
		req.withdrawn = true // before the server can answer to that
	}
	g.mu.Unlock()
	err = g.put(ctx, line)
	if req != nil {
		g.cancelled(req, err)
	}
	return err
}

// cancelled ends the waiting for the answer to a request of ours that was to be
// cancelled, unless that has failed.
func (g *Injector) cancelled(req *pendingRequest, failed error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if failed != nil {
		req.withdrawn = false
		return
	}
	time.AfterFunc(cancelGrace, func() {
		defer recovered(func(error) {})
		g.mu.Lock()
		defer g.mu.Unlock()
		if _, waits := g.open[req.n]; waits && !req.abandoned {
			req.abandoned = true
			req.outcome <- outcome{withdrawn: true}
		}
	})
}

// End implements session.Control.
func (g *Injector) End(ctx context.Context) error {
	if g.cfg.End == nil {
		return refuse("this session does not allow ending the server")
	}
	return g.cfg.End(ctx)
}

func (g *Injector) ready(ctx context.Context) error {
	if g.cfg.Ready == nil {
		return nil
	}
	return g.cfg.Ready(ctx)
}

// put sends a line and waits until it is written.
func (g *Injector) put(ctx context.Context, line []byte) error {
	select {
	case err := <-g.write(ctx, line):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write begins to send a line. Once it has begun to be written it cannot be cancelled,
// and takes as long as the server takes to read it.
func (g *Injector) write(ctx context.Context, line []byte) <-chan error {
	written := make(chan error, 1)
	go func() {
		defer recovered(func(err error) { written <- err })
		busy, cancel := context.WithTimeout(ctx, g.cfg.Busy)
		defer cancel()
		err := g.gate.Put(busy, line)
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = fmt.Errorf("%w (%v)", session.ErrBusy, g.cfg.Busy)
		case errors.Is(err, transport.ErrStreamEnded):
			err = fmt.Errorf("%w: it takes no more input", session.ErrGone)
		}
		written <- err
		close(written)
	}()
	return written
}

// withdraw cancels a request that no caller waits for, if it was, or will be, written.
func (g *Injector) withdraw(req *pendingRequest, written <-chan error, id string) {
	defer recovered(func(error) {})
	if err := <-written; err != nil {
		g.forget(req)
		return
	}
	g.mu.Lock()
	req.abandoned = true
	_, waits := g.open[req.n]
	waits = waits && !req.withdrawn
	g.mu.Unlock()
	if !waits {
		return // It was answered in the meantime, or cancelled.
	}
	if line, err := cancellation(id, "the user no longer waits"); err == nil {
		// If the server takes no message now, it continues its work.
		_ = g.put(context.Background(), line)
	}
}

// register assigns the number of a request, and has the server's lines filtered.
func (g *Injector) register() (*pendingRequest, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.open) >= maxOpen {
		return nil, refuse("%d requests are unanswered", maxOpen)
	}
	g.last++
	req := &pendingRequest{n: g.last, outcome: make(chan outcome, 1)}
	g.open[req.n] = req
	if g.linger != nil {
		g.linger.Stop()
		g.linger = nil
	}
	g.gate.Hold()
	return req, nil
}

// forget gives up a request that was never written.
func (g *Injector) forget(req *pendingRequest) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, req.n)
	g.beginLinger()
}

// number is the number in an id that was given out, 0 in others; mu is held.
func (g *Injector) number(id string) int {
	digits, own := strings.CutPrefix(id, g.prefix)
	if !own || digits == "" || digits[0] == '0' {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > g.last || strconv.Itoa(n) != digits {
		return 0
	}
	return n
}

// issued is the number in an id that was given out, 0 in others.
func (g *Injector) issued(id string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.number(id)
}

// answered takes the line of an answer, which must not be changed afterwards. Forwarded
// says that the client gets it too. Later answers to the same request are ignored.
func (g *Injector) answered(n int, line []byte, forwarded bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	req := g.open[n]
	if req == nil {
		return
	}
	delete(g.open, n)
	if !req.abandoned {
		req.outcome <- outcome{answer: line, forwarded: forwarded, withdrawn: req.withdrawn}
	}
	g.beginLinger()
}

// beginLinger ends the filtering of lines some time after the last answer; mu is held.
func (g *Injector) beginLinger() {
	if len(g.open) > 0 || g.linger != nil {
		return
	}
	g.linger = time.AfterFunc(g.cfg.Linger, func() {
		defer recovered(func(error) {})
		g.mu.Lock()
		quiet := len(g.open) == 0
		if quiet {
			g.gate.Resume()
			g.linger = nil
		}
		g.mu.Unlock()
		if quiet {
			g.gate.Release()
		}
	})
}

// over is called when nothing more comes from the server.
func (g *Injector) over() { close(g.gone) }

// recovered turns a panic into an error: a bug here must not end the traffic.
func recovered(report func(error)) {
	if p := recover(); p != nil {
		report(fmt.Errorf("internal error: %v", p))
	}
}
