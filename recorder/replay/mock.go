package replay

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

// A Pace is how fast what was recorded is played.
type Pace uint8

const (
	Fast     Pace = iota // Fast: as soon as what it waits for has come.
	Recorded             // Recorded: as long after that as then.
)

// A Policy is what a Mock answers to a request that the recording has no answer
// for, or none that is left.
type Policy uint8

const (
	Refuse  Policy = iota // Refuse: an error that says why.
	Nearest               // Nearest: the answer to the request that differs least, again and again.
	Empty                 // Empty: an empty result.
)

// Mock is a recorded server.
type Mock struct {
	Pace      Pace
	Unmatched Policy
	Healthy   bool         // Healthy leaves out what the server did wrong: stray lines, silence, second answers, its stderr, an early end.
	Note      func(string) // Note, unless nil, is called with a line for each deviation from the recording.
}

// lingerAfterInput is how long a Mock whose server had to be ended by signals outlives its
// input, so that it ends where no signal comes.
const lingerAfterInput = time.Minute

// Serve serves one of the scripts, read at the ClientEnd, to the client that
// writes to in and reads from out, until in ends, the recorded server's end is
// reached, or ctx is done. It returns how the process should end. Of several
// scripts it takes one that begins as the client does. Where in is an io.Closer, it
// is closed at the end.
func (cfg Mock) Serve(ctx context.Context, scripts []*Script, in io.Reader, out, errw io.Writer) (transport.Exit, error) {
	if len(scripts) == 0 {
		return transport.Exit{}, ErrEmpty
	}
	m := &mock{cfg: cfg, scripts: scripts, to: out, out: bufio.NewWriterSize(out, 64<<10), errw: errw}
	m.take = m.piece
	if len(scripts) == 1 {
		if err := m.choose(scripts[0]); err != nil {
			return transport.Exit{}, err
		}
	}
	stop := make(chan struct{})
	defer close(stop)
	if c, ok := in.(io.Closer); ok {
		defer c.Close()
	}
	m.loop(ctx, listen(in, stop))
	m.flush()
	if m.exit == nil {
		m.exit = &transport.Exit{}
	}
	return *m.exit, m.err
}

// listen reads in until it ends, or stop is closed; the chunks end with it.
func listen(in io.Reader, stop <-chan struct{}) <-chan []byte {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		buf := make([]byte, 64<<10)
		for {
			n, err := in.Read(buf)
			if n > 0 {
				select {
				case chunks <- bytes.Clone(buf[:n]):
				case <-stop:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return chunks
}

// A mock is one run of a Mock. All of it belongs to one goroutine.
type mock struct {
	cfg     Mock
	scripts []*Script // scripts are those to choose from.
	script  *Script   // script is nil until it is chosen.
	times   *timetable
	match   *matcher

	to   io.Writer
	out  *bufio.Writer
	errw io.Writer

	split framing.Splitter
	take  func(framing.Piece)
	line  []byte // line is the frame that is coming in.

	live      []*liveRequest   // live are the client's requests by the recorded one that they stand for.
	done      []bool           // done are the client's steps that have come.
	byID      map[string]int32 // byID are the requests that wait for their answers, by the live id.
	asked     map[string]int32 // asked are the server's questions that wait, by the id they were sent with.
	sent      map[int32]bool   // sent are the questions that were sent.
	again     int              // again counts the questions that got an id of their own.
	blocked   map[int32][]*group
	waiting   []*group // waiting are those that wait for a signal.
	due       []*group // due are those that are delayed, the earliest first.
	gone      bool     // gone: the input has ended, nothing of the client's comes any more.
	immediate bool     // immediate: nothing is delayed.
	stays     bool     // stays: the recorded server did not end with its input.

	exit *transport.Exit
	err  error
}

// A liveRequest is a request of the client's.
type liveRequest struct {
	id, token []byte
	same      bool // same: id and token are the recorded ones.
	gone      bool // gone: the client gave it up, and the recorded one did not.
}

func (m *mock) choose(s *Script) (err error) {
	m.script, m.times = s, newTimetable(s)
	m.live, m.done = make([]*liveRequest, len(s.Messages)), make([]bool, len(s.Steps))
	m.byID, m.asked, m.sent, m.blocked = map[string]int32{}, map[string]int32{}, map[int32]bool{}, map[int32][]*group{}
	if m.match, err = newMatcher(s); err != nil {
		return err
	}
	m.start(-1, false)
	return nil
}

// loop serves until there is an exit.
func (m *mock) loop(ctx context.Context, chunks <-chan []byte) {
	var patience <-chan time.Time
	stopped := ctx.Done()
	for m.exit == nil && m.err == nil {
		if m.gone && !m.stays && len(m.due) == 0 {
			m.leave(transport.Exit{})
			return
		}
		m.flush()
		var next time.Time
		if len(m.due) > 0 {
			next = m.due[0].due
		}
		select {
		case chunk, more := <-chunks:
			if more {
				m.split.Push(chunk, m.take)
				break
			}
			chunks = nil
			m.split.Flush(m.take)
			m.ended()
			patience = time.After(lingerAfterInput)
		case <-timerAt(next):
			m.arrived()
		case <-patience:
			m.leave(transport.Exit{}) // no signal came
		case <-stopped:
			stopped = nil // one signal is enough for those that one was enough for
			m.signalled()
		}
	}
}

func (m *mock) leave(e transport.Exit) {
	if m.exit == nil {
		m.exit = &e
	}
}

func (m *mock) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *mock) note(format string, args ...any) {
	if m.cfg.Note != nil {
		m.cfg.Note(fmt.Sprintf(format, args...))
	}
}

func (m *mock) flush() {
	if err := m.out.Flush(); err != nil {
		m.fail(fmt.Errorf("writing to the client: %w", err))
	}
}

// signalled ends what only a signal ended then, or the whole run.
func (m *mock) signalled() {
	if len(m.waiting) == 0 {
		m.leave(transport.Exit{})
		return
	}
	list := m.waiting
	m.waiting = nil
	for _, t := range list {
		t.at++
		m.advance(t)
	}
}

// ended takes the end of the input: what is still delayed comes now, then what the
// server did at its end.
func (m *mock) ended() {
	if m.script == nil {
		m.settle("")
	}
	if m.err != nil {
		return
	}
	m.gone, m.immediate = true, true
	m.arrived()
	m.immediate = false
	for i := range m.script.Steps {
		if m.script.Steps[i].Kind == ClientGone && !m.done[i] {
			m.received(int32(i), false)
			break
		}
	}
}

// settle chooses among several scripts: one that begins with the method, else the
// one with the most requests.
func (m *mock) settle(method string) {
	best, score := m.scripts[0], -1
	for _, s := range m.scripts {
		n := s.Requests()
		if opens(s) == method && method != "" {
			n += 1 << 30
		}
		if n > score {
			best, score = s, n
		}
	}
	m.note("serving connection %d of the recording", best.Conn)
	if err := m.choose(best); err != nil {
		m.fail(err)
	}
}

// opens is the method of a script's first request.
func opens(s *Script) string {
	for i := range s.Messages {
		if msg := &s.Messages[i]; msg.Sender == FromClient && msg.Kind == jsonrpc.Request {
			return msg.Method
		}
	}
	return ""
}

// piece takes what the client writes.
func (m *mock) piece(p framing.Piece) {
	m.line = append(m.line, p.Data...)
	if !p.End {
		return
	}
	if p.Kind != framing.Header && len(bytes.TrimSpace(m.line)) > 0 && m.exit == nil && m.err == nil {
		m.frame(m.line)
	}
	if m.line = m.line[:0]; cap(m.line) > 1<<20 {
		m.line = nil
	}
}

// frame takes one frame of the client's.
func (m *mock) frame(body []byte) {
	n := 0
	text := scanMessages(body, func(msg *jsonrpc.Message) {
		n++
		if m.script == nil {
			m.settle(string(unquoted(&msg.Method)))
		}
		if m.err == nil {
			m.message(msg, body)
		}
	})
	if n > 0 && text.Syntax == jsonrpc.Complete {
		return
	}
	if m.script == nil {
		m.settle("")
	}
	if m.err != nil || n > 0 {
		return
	}
	if at, _ := m.match.next(keyOfText(body)); at < -1 {
		m.received(-at-2, false)
		return
	}
	m.note("a line of %d bytes that is not a message was not in the recording: no answer", len(body))
}

// message takes a message of the client's.
func (m *mock) message(msg *jsonrpc.Message, body []byte) {
	switch msg.Kind {
	case jsonrpc.Request:
		m.request(msg, body)
	case jsonrpc.Notification:
		m.notification(msg, body)
	case jsonrpc.Result, jsonrpc.Error:
		of, ok := m.asked[string(msg.ID.Raw)]
		if !ok {
			return
		}
		delete(m.asked, string(msg.ID.Raw))
		if step, ok := m.times.answerOf[of]; ok {
			m.received(step, m.done[step])
		}
	case jsonrpc.Invalid:
	}
}

func (m *mock) request(msg *jsonrpc.Message, body []byte) {
	live := liveMessage(msg)
	key := keyOfMessage(&live, msg, body)
	if at, known := m.match.next(key); at >= 0 && (!m.cfg.Healthy || m.script.Messages[at].Answer >= 0) {
		m.matched(at, msg)
	} else {
		m.unmatched(&live, msg, body, key, at, known)
	}
}

// match lets a recorded request stand for a live one.
func (m *mock) matched(at int32, msg *jsonrpc.Message) {
	rec := &m.script.Messages[at]
	again := m.match.used[at]
	m.match.used[at] = true
	l := &liveRequest{id: bytes.Clone(msg.ID.Raw), token: bytes.Clone(msg.Field(jsonrpc.MetaProgressToken).Raw)}
	l.same = string(l.id) == rec.ID && string(l.token) == rec.Token
	m.live[at] = l
	m.byID[string(l.id)] = at
	m.received(rec.Step, again)
}

func (m *mock) notification(msg *jsonrpc.Message, body []byte) {
	live := liveMessage(msg)
	if live.Method == mcp.CancelledNotification {
		if at, ok := m.byID[string(msg.Field(jsonrpc.ParamRequestID).Raw)]; ok {
			if step, ok := m.times.cancels[at]; ok {
				m.received(step, false)
			} else {
				m.live[at].gone = true
			}
			return
		}
	}
	if at, _ := m.match.next(keyOfMessage(&live, msg, body)); at >= 0 {
		m.received(m.script.Messages[at].Step, false)
	}
}

// liveMessage is what matching needs of a client's message.
func liveMessage(msg *jsonrpc.Message) Message {
	live := Message{Kind: msg.Kind, Sender: FromClient, Of: -1, Answer: -1, Method: string(unquoted(&msg.Method)), ID: string(msg.ID.Raw)}
	live.Modern = msg.Kind == jsonrpc.Request && modernRequest(msg, live.Method)
	live.Target = targetOf(live.Method, msg)
	return live
}
