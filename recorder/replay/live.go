package replay

import (
	"bytes"
	"time"

	"wiretea/session"
)

// A liveInput is what was sent and received on a live connection, analysed as
// recordings are.
type liveInput struct {
	analyzer *session.Analyzer
	builder  *connBuilder
	began    time.Time
	n        uint64
	buf      []byte            // buf is what the server wrote and no frame has taken yet.
	bodies   map[uint32][]byte // bodies are the server's frames by row, until their step is taken.
	pending  []int32           // pending are the recorded messages of ours that were sent and not seen yet; -1 = one of our own.
	of       []int32           // of are the recorded messages of the live ones.
	taken    int               // taken counts the steps that were taken.
}

func newLiveInput() *liveInput {
	d := newBuilder(false)
	h := &liveInput{builder: d.of(1), began: time.Now(), bodies: map[uint32][]byte{}}
	h.builder.took = h.take
	h.analyzer = session.NewAnalyzer(session.Config{Checkers: []session.Checker{d}})
	h.add(session.Record{Kind: session.RecHeader, Header: &session.Header{}})
	return h
}

// bytes takes what was written on a stream. messages are the recorded ones in it, where
// it is ours; -1 = one of our own.
func (h *liveInput) bytes(stream session.Stream, b []byte, messages ...int32) {
	h.pending = append(h.pending, messages...)
	if stream == session.S2C {
		h.buf = append(h.buf, b...)
	}
	h.add(session.Record{Kind: session.RecRaw, Stream: stream, Body: b})
}

func (h *liveInput) add(rec session.Record) {
	h.n++
	now := time.Since(h.began).Nanoseconds()
	rec.N, rec.Conn, rec.T, rec.T1 = h.n, 1, now, now
	h.analyzer.Add(&rec)
}

// take keeps the bytes of a frame.
func (h *liveInput) take(f *session.Frame) {
	if f.Stream != session.S2C {
		return
	}
	n := min(int(f.Len)+len(f.Term), len(h.buf))
	h.bodies[f.Row] = bytes.Clone(h.buf[:n])
	h.buf = h.buf[n:]
}

// next returns the next step that the server did, with its bytes; false where there
// is none.
func (h *liveInput) next() (step int32, t text, ok bool) {
	s := h.builder.script
	for h.taken < len(s.Steps) {
		step = int32(h.taken)
		h.taken++
		st := &s.Steps[step]
		h.note(step)
		if st.Kind != FromServer {
			continue
		}
		for _, l := range st.frames() {
			t.add(h.bodies[l.row], l)
			delete(h.bodies, l.row)
		}
		return step, t, true
	}
	return 0, text{}, false
}

// note keeps which recorded messages the live ones of a step are.
func (h *liveInput) note(step int32) {
	s := h.builder.script
	st := &s.Steps[step]
	for len(h.of) < int(st.Msg+st.Msgs) {
		of := int32(-1)
		if st.Kind == FromClient && len(h.pending) > 0 {
			of, h.pending = h.pending[0], h.pending[1:]
		}
		h.of = append(h.of, of)
	}
}

// request is the recorded request that a live message answers or names, -1 = none.
func (h *liveInput) request(m *Message) int32 {
	if m.Of < 0 || int(m.Of) >= len(h.of) {
		return -1
	}
	return h.of[m.Of]
}
