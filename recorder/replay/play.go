package replay

import (
	"context"
	"fmt"
	"time"

	"wiretea/session/client"
	"wiretea/session/jsonrpc"
	"wiretea/session/transport"
)

// A play is one run of a Player. All of it belongs to one goroutine.
type play struct {
	ctx    context.Context
	cfg    Player
	script *Script
	server Server
	stop   chan struct{}

	live *liveInput
	want *expected

	at            int       // at is the next step.
	passed        time.Time // passed is when the one before it was.
	since         time.Time // since is when the wait at this step began; zero = not waiting.
	until         time.Time // until is when the wait at this step is over; zero = nothing is waited for.
	sentAt        []time.Time
	asks          map[int32][]byte // asks are the live ids of the server's requests.
	substitutions substitutions

	out      []byte // out is what is to be written.
	writes   chan []byte
	wrote    chan error
	writing  bool
	chunks   <-chan []byte
	refusals chan refusal
	lost     map[int32]error // lost are the steps of the server's that will not come, and why.
	heard    bool            // heard: something came from the server.
	over     chan ended
	stopping bool // stopping: Shutdown was called.
	silent   bool // silent: its stdout has ended.
	exited   bool // exited: its process has.

	held []Divergence // held wait for what initialize is answered.
	got  Outcome
	err  error
}

// A refusal is a request, by the raw text of its id, that gets no response, and why.
type refusal struct {
	id  string
	err error
}

// ended is how a server ended.
type ended struct {
	exit transport.Exit
	err  error
}

func newPlay(ctx context.Context, cfg Player, s *Script, server Server) *play {
	p := &play{
		ctx: ctx, cfg: cfg, script: s, server: server, stop: make(chan struct{}),
		live: newLiveInput(), want: newExpected(s), passed: time.Now(),
		sentAt: make([]time.Time, len(s.Messages)), asks: map[int32][]byte{}, substitutions: substitutions{},
		writes: make(chan []byte), wrote: make(chan error, 1), over: make(chan ended, 1),
		refusals: make(chan refusal), lost: map[int32]error{},
	}
	p.got.Took = make([]time.Duration, len(s.Messages))
	if carrier, ok := server.(client.Carrier); ok {
		carrier.OnRefused(func(id string, err error) {
			select {
			case p.refusals <- refusal{id, err}:
			case <-p.stop:
			}
		})
	}
	p.chunks = listen(server, p.stop)
	go func() {
		for {
			select {
			case b := <-p.writes:
				_, err := server.Write(b)
				p.wrote <- err
			case <-p.stop:
				return
			}
		}
	}()
	return p
}

// loop plays until the server has ended, or cannot be played to.
func (p *play) loop() error {
	for !p.silent || !p.exited {
		p.advance()
		var writes chan []byte
		if len(p.out) > 0 && !p.writing {
			writes = p.writes
		}
		select {
		case writes <- p.out:
			p.out, p.writing = nil, true
		case err := <-p.wrote:
			p.writing = false
			if err != nil {
				p.out = nil // it does not read any more: its end will come
			}
		case chunk, more := <-p.chunks:
			p.heard = p.heard || more
			p.received(chunk, more)
		case r := <-p.refusals:
			p.refused(r)
		case e := <-p.over:
			p.exited, p.got.Exit = true, e.exit
			if e.err != nil {
				p.fail(e.err)
				p.silent, p.chunks = true, nil
			}
		case <-timerAt(p.until):
			p.timedOut()
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	}
	p.conclude()
	return p.err
}

// refused takes a refusal. If the recorded server answered that request, and this one has sent
// nothing so far, the replay ends with the error.
func (p *play) refused(r refusal) {
	for i := range p.script.Messages {
		m := &p.script.Messages[i]
		if m.Sender != FromClient || m.Kind != jsonrpc.Request || m.ID != r.id || m.Answer < 0 || p.sentAt[i].IsZero() || p.got.Took[i] > 0 {
			continue
		}
		if !p.heard {
			p.fail(r.err)
		}
		p.lost[p.script.Messages[m.Answer].Step] = r.err
	}
}

func (p *play) fail(err error) {
	if p.err == nil && err != nil {
		p.err = err
	}
}

// ending reports whether nothing more is to be sent or compared.
func (p *play) ending() bool { return p.err != nil || p.got.Stopped }

// advance goes on as far as what has come allows.
func (p *play) advance() {
	for !p.stopping && p.at < len(p.script.Steps) && !p.ending() {
		if !p.pass(int32(p.at)) {
			if p.ending() {
				break
			}
			return
		}
		p.at++
		p.passed, p.since, p.until = time.Now(), time.Time{}, time.Time{}
	}
	if p.stopping {
		return
	}
	if !p.ending() && !p.silent && (len(p.out) > 0 || p.writing) && p.waitFor(p.cfg.Timeout("")) {
		return
	}
	p.shutdown()
}

// pass reports whether a step is done, and does it where it is ours to do. Else it
// says how long it is waited for.
func (p *play) pass(step int32) bool {
	st := &p.script.Steps[step]
	switch st.Kind {
	case FromClient:
		if p.silent {
			return true // there is no receiver
		}
		if !p.dueAt(step) || !p.quietFor(step) {
			return false
		}
		return p.send(step)
	case FromServer:
		if p.silent || p.want.came(step) || p.stalled(step) {
			return true
		}
		if why := p.lost[step]; why != nil {
			p.missing(step, "got no response: "+why.Error(), false)
			p.want.given[step] = true
			return true
		}
		p.waitFor(p.patience(step))
		return false
	case ServerGone, Exited:
		if p.silent {
			return true
		}
		p.waitFor(p.cfg.Timeout(""))
		return false
	case ClientGone:
		if !p.silent && (!p.dueAt(step) || !p.quietFor(step)) {
			return false
		}
		if !p.silent && (len(p.out) > 0 || p.writing) && p.waitFor(p.cfg.Timeout("")) {
			return false
		}
		p.shutdown()
		return true
	case Stderr, Signalled:
	}
	return true
}

// waitFor waits for so long at this step, and reports false once that has passed.
func (p *play) waitFor(d time.Duration) bool {
	if p.since.IsZero() {
		p.since = time.Now()
	}
	p.until = p.since.Add(d)
	return time.Until(p.until) > 0
}

// dueAt reports whether a step's time has come.
func (p *play) dueAt(step int32) bool {
	if p.cfg.Pace != Recorded || step == 0 {
		return true
	}
	due := p.passed.Add(time.Duration(p.script.Steps[step].T - p.script.Steps[step-1].T))
	if time.Until(due) <= 0 {
		return true
	}
	p.until = due
	return false
}

// silence is how long a request that the recorded server did not answer is given
// before its client goes on, at most: a server that answers now does it soon.
const silence = time.Second

// quietFor reports whether the requests that the recorded client gave up here,
// unanswered, were given some time.
func (p *play) quietFor(step int32) bool {
	st := &p.script.Steps[step]
	var last time.Time
	for _, r := range p.want.open[step] {
		sent := p.sentAt[r]
		if sent.IsZero() || p.got.Took[r] > 0 {
			continue
		}
		gap := time.Duration(st.T - p.script.Steps[p.script.Messages[r].Step].T)
		if until := sent.Add(min(gap, silence)); until.After(last) {
			last = until
		}
	}
	if time.Until(last) <= 0 {
		return true
	}
	p.until = last
	return false
}

// patience is how long a step of the server's is waited for, from now on.
func (p *play) patience(step int32) time.Duration {
	var most time.Duration
	for _, m := range p.script.messages(step) {
		if !m.Kind.Response() || m.Of < 0 {
			continue
		}
		took := time.Duration(p.script.Steps[step].T - p.script.Steps[p.script.Messages[m.Of].Step].T)
		limit := p.cfg.Timeout(m.Method)
		if took > limit/2 {
			limit = max(limit, 2*took)
		}
		most = max(most, limit)
	}
	if most > 0 {
		return most
	}
	// Nobody waits for a notification: when it comes late it is late, not missing.
	gap := time.Duration(0)
	if step > 0 {
		gap = time.Duration(p.script.Steps[step].T - p.script.Steps[step-1].T)
	}
	return min(p.cfg.Timeout(""), max(10*time.Second, 2*gap))
}

// timedOut ends a wait whose time is up.
func (p *play) timedOut() {
	if p.until.IsZero() || time.Until(p.until) > 0 || p.stopping || p.at >= len(p.script.Steps) {
		return
	}
	step := int32(p.at)
	switch st := &p.script.Steps[step]; st.Kind {
	case FromServer:
		p.missing(step, "has not come within "+time.Since(p.since).Round(100*time.Millisecond).String(), true)
		p.want.given[step] = true
	case ServerGone, Exited:
		p.found(Divergence{Kind: Ended, N: st.N, What: "the server's end", Request: -1, Why: "the recorded server ended here by itself, this one did not"})
		p.shutdown()
	case FromClient, Stderr, ClientGone, Signalled:
	}
}

// missing reports the messages of a step that have not come.
func (p *play) missing(step int32, why string, timedOut bool) {
	st := &p.script.Steps[step]
	if p.want.optional(step, p.cfg.IgnoreMethods) {
		return
	}
	t, err := p.script.read(step)
	if err != nil {
		p.fail(err)
		return
	}
	d := Divergence{Kind: Missing, N: st.N, What: p.script.words(step), Why: why, TimedOut: timedOut, Request: -1, Old: t.json()}
	for _, m := range p.script.messages(step) {
		if m.Kind.Response() {
			d.Request = m.Of
		}
	}
	d.TimedOut = d.TimedOut && d.Request >= 0
	p.found(d)
}

// found keeps a divergence, and ends the play where one is enough.
func (p *play) found(d Divergence) {
	if p.ending() {
		return
	}
	if d.Kind == Unexpected && p.script.lacks() {
		d.Why += ", or it is in what the recording lacks"
	}
	p.got.Found++
	if len(p.got.First) < maxKept {
		p.got.First = append(p.got.First, d)
	}
	if p.cfg.Found != nil {
		p.cfg.Found(&d)
	}
	if !p.cfg.KeepGoing {
		p.got.Stopped = true
	}
}

// shutdown ends the server.
func (p *play) shutdown() {
	if p.stopping {
		return
	}
	p.stopping = true
	p.until = time.Time{}
	go func() {
		var e ended
		defer func() {
			if r := recover(); r != nil {
				e.err = fmt.Errorf("ending the server: internal error: %v", r)
			}
			p.over <- e
		}()
		e.exit, e.err = p.server.Shutdown(p.ctx)
	}()
}

// conclude compares the end.
func (p *play) conclude() {
	p.releaseHeld()
	var exit *transport.Exit
	for i := range p.script.Steps {
		st := &p.script.Steps[i]
		switch st.Kind {
		case FromServer:
			if !p.want.came(int32(i)) && !p.want.given[i] && !p.ending() {
				p.missing(int32(i), "had not come when the server ended", false)
			}
		case Exited:
			exit = st.Exit
			if !p.ending() && *exit != p.got.Exit && !p.script.killed() {
				p.found(Divergence{Kind: Ended, N: st.N, What: "the server's exit", Request: -1,
					Why: "recorded: " + exitWords(*exit) + "; now: " + exitWords(p.got.Exit)})
			}
		case FromClient, Stderr, ClientGone, ServerGone, Signalled:
		}
	}
}

func exitWords(e transport.Exit) string {
	if e.Signal != "" {
		return "ended by " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// stalled reports whether the live server has written all of an answer but the end
// of its line, as the recorded one did.
func (p *play) stalled(step int32) bool {
	st := &p.script.Steps[step]
	if st.lines != nil || st.line.term != "" || st.Msgs == 0 {
		return false
	}
	n := 0
	text := scanMessages(p.live.buf, func(*jsonrpc.Message) { n++ })
	return n > 0 && text.Syntax == jsonrpc.Complete
}
