package replay

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// received takes what the server wrote, or the end of its output.
func (p *play) received(chunk []byte, more bool) {
	if more {
		p.live.bytes(session.S2C, chunk)
	} else {
		p.silent, p.chunks = true, nil
		p.live.add(session.Record{Kind: session.RecIO, Stream: session.S2C, IO: session.IOEvent{Event: "eof", Side: "server"}})
		p.live.analyzer.Close()
	}
	for {
		step, t, ok := p.live.next()
		if !ok {
			break
		}
		if !p.ending() {
			p.take(step, &t)
		}
	}
	if !more && !p.ending() {
		p.died()
	}
}

// died reports an end that the recorded server did not come to.
func (p *play) died() {
	for _, st := range p.script.Steps[min(p.at, len(p.script.Steps)):] {
		switch st.Kind {
		case ClientGone:
			if p.at < len(p.script.Steps) && !p.stopping {
				before := "the client closed the connection"
				if next := &p.script.Steps[p.at]; next.Kind == FromClient || next.Kind == FromServer {
					before = fmt.Sprintf("%s of frame %d", p.script.words(int32(p.at)), next.N)
				}
				p.found(Divergence{Kind: Died, N: p.script.Steps[p.at].N, What: "the server", Request: -1, Why: "it closed its stdout, or ended, before " + before})
			}
			return
		case ServerGone, Exited:
			return
		case FromClient, FromServer, Stderr, Signalled:
		}
	}
}

// take finds what a live frame stands for, and compares the two.
func (p *play) take(step int32, t *text) {
	s := p.live.builder.script
	list := s.messages(step)
	if len(list) == 0 {
		if len(bytes.TrimSpace(t.raw)) > 0 || len(p.want.candidates(lineKey)) > 0 {
			p.line(t)
		}
		return
	}
	var bodies [][]byte
	body := t.json()
	scanMessages(body, func(m *jsonrpc.Message) { bodies = append(bodies, m.Span.In(body)) })
	for i := range list {
		if i < len(bodies) && !p.ending() {
			p.message(&list[i], bodies[i], t, len(list) == 1)
		}
	}
}

// line compares a line that is not a message.
func (p *play) line(t *text) {
	list := p.want.candidates(lineKey)
	if len(list) == 0 {
		p.found(Divergence{Kind: Unexpected, N: p.lastSent(), What: "a line that is not a message", Request: -1, New: t.json(), Why: "the recorded server wrote no such line"})
		return
	}
	best := list[0]
	var old text
	for _, at := range list {
		was, err := p.script.read(at)
		if err != nil {
			p.fail(err)
			return
		}
		if same := bytes.Equal(was.raw, t.raw); same || at == list[0] {
			if best, old = at, was; same {
				break
			}
		}
	}
	p.want.take(lineKey, best)
	p.got.Compared++
	if !bytes.Equal(old.raw, t.raw) && (p.cfg.Strict || !bytes.Equal(times(old.json()), times(t.json()))) {
		p.found(Divergence{Kind: Differs, N: p.script.Steps[best].N, What: "a line that is not a message", Request: -1, Old: old.json(), New: t.json(), Why: "the line differs"})
	}
}

// message compares a live message with the recorded one that it stands for. alone
// says that its frame has no other.
func (p *play) message(m *Message, body []byte, t *text, alone bool) {
	of := p.live.request(m)
	if m.Kind.Response() && of >= 0 && p.got.Took[of] == 0 {
		p.got.Took[of] = max(1, time.Since(p.sentAt[of]))
	}
	key := p.want.key(m, of)
	list := p.want.candidates(key)
	if len(list) == 0 {
		p.unexpected(m, of, body)
		return
	}
	var first *difference
	var old []byte
	best := list[0]
	for _, at := range list {
		was, d, err := p.compare(at, body, t, alone)
		if err != nil {
			p.fail(err)
			return
		}
		if at == list[0] || d == nil {
			old, first, best = was, d, at
		}
		if d == nil || m.Kind.Response() {
			break
		}
	}
	p.want.take(key, best)
	p.got.Compared++
	rec := &p.script.Messages[best]
	if m.Kind == jsonrpc.Request {
		p.asks[best] = []byte(m.ID)
	}
	if old != nil {
		p.substitutions.learn(old, body)
	}
	if first != nil {
		p.differs(rec, of, first)
		return
	}
	if rec.Method == mcp.Initialize {
		p.releaseHeld()
	}
}

// differs reports a difference, or what it says of the eras.
func (p *play) differs(rec *Message, of int32, d *difference) {
	div := Divergence{Kind: Differs, N: p.script.Steps[rec.Step].N, What: rec.words(), Request: of, Old: d.old, New: d.new, Why: d.why}
	switch {
	case rec.Method == mcp.Initialize && rec.Kind == jsonrpc.Result && d.live == jsonrpc.Error && p.modernOnly(d.new):
		p.fail(fmt.Errorf("%w: the recording is of a legacy session (%s), and this server has no initialize: %s", ErrEra, p.script.spoken(), errorText(d.new)))
	case rec.Method == mcp.ServerDiscover && p.script.Era == mcp.Modern && rec.Kind == jsonrpc.Result && d.live == jsonrpc.Error:
		p.fail(fmt.Errorf("%w: the recording is of a modern session (%s), and this server has no server/discover: %s", ErrEra, p.script.spoken(), errorText(d.new)))
	case rec.Method == mcp.ServerDiscover && p.script.Era == mcp.Legacy:
		p.held = append(p.held, div) // what initialize is answered decides
	default:
		if rec.Method == mcp.Initialize {
			p.releaseHeld()
		}
		p.found(div)
	}
}

func (p *play) releaseHeld() {
	held := p.held
	p.held = nil
	for _, d := range held {
		p.found(d)
	}
}

// modernOnly reports whether an error to initialize says that there is none.
func (p *play) modernOnly(body []byte) (only bool) {
	jsonrpc.Scan(body, func(m *jsonrpc.Message) {
		code, _ := m.Field(jsonrpc.ErrorCode).Int()
		only = code == mcp.UnsupportedVersion || code == mcp.CandidateUnsupportedVersion || code == mcp.MethodNotFound || len(p.held) > 0
	})
	return only
}

func errorText(body []byte) (text string) {
	jsonrpc.Scan(body, func(m *jsonrpc.Message) {
		text = string(unquoted(m.Field(jsonrpc.ErrorMessage)))
	})
	return text
}

// unexpected reports a message that the recorded server did not send.
func (p *play) unexpected(m *Message, of int32, body []byte) {
	if m.Kind == jsonrpc.Request {
		p.answerOwn(m)
	}
	if m.Method == mcp.Ping && m.Kind == jsonrpc.Request || m.Kind == jsonrpc.Notification && slices.Contains(p.cfg.IgnoreMethods, m.Method) {
		return
	}
	d := Divergence{Kind: Unexpected, N: p.lastSent(), What: m.words(), Request: of, New: body}
	switch {
	case m.Kind.Response() && of >= 0 && p.script.Messages[of].Answer < 0:
		d.Why = "the recorded server never answered this"
		d.N = p.script.Steps[p.script.Messages[of].Step].N
	case m.Kind.Response() && of >= 0:
		d.Why = "a second answer, which the recorded server did not send"
	case m.Kind.Response():
		d.Why = "it answers nothing that was asked"
	default:
		d.Why = "the recorded server sent none of these, or no more of them"
	}
	p.found(d)
}

// lastSent is the recorded frame of the client's latest step.
func (p *play) lastSent() uint64 {
	for i := min(p.at, len(p.script.Steps)) - 1; i >= 0; i-- {
		if p.script.Steps[i].Kind == FromClient {
			return p.script.Steps[i].N
		}
	}
	return 0
}

// ignored are the paths that do not count.
func (p *play) ignored(m *Message) []diff.Path {
	list := p.cfg.Ignore
	if !p.cfg.Strict {
		list = append(list[:len(list):len(list)], mustDiffer.Get()...)
	}
	if m.Kind == jsonrpc.Request {
		list = append(list[:len(list):len(list)], ownID.Get()...)
	}
	return list
}

var (
	mustDiffer = lazy.Value[[]diff.Path]{New: func() []diff.Path {
		return diff.MustPaths(MustDiffer...)
	}}
	// ownID: a server's own ids are its own affair.
	ownID = lazy.Value[[]diff.Path]{New: func() []diff.Path {
		return diff.MustPaths(".id")
	}}
)
