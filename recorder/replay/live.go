package replay

import (
	"bytes"
	"time"

	"wiretea/session"
)

// A hearing is what a live connection has come to: it is analysed as recordings
// are.
type hearing struct {
	analyzer *session.Analyzer
	drawing  *drawing
	began    time.Time
	n        uint64
	buf      []byte            // buf is what the server wrote and no frame has taken yet.
	bodies   map[uint32][]byte // bodies are the server's frames by row, until their step is taken.
	sent     []int32           // sent are the recorded messages of ours that were sent and not seen yet; -1 = one of our own.
	of       []int32           // of are the recorded messages of the live ones.
	seen     int               // seen counts the steps that were taken.
}

func newHearing() *hearing {
	d := newDrawer(false)
	h := &hearing{drawing: d.of(1), began: time.Now(), bodies: map[uint32][]byte{}}
	h.drawing.took = h.take
	h.analyzer = session.NewAnalyzer(session.Config{Checkers: []session.Checker{d}})
	h.add(session.Record{Kind: session.RecHeader, Header: &session.Header{}})
	return h
}

func (h *hearing) add(rec session.Record) {
	h.n++
	now := time.Since(h.began).Nanoseconds()
	rec.N, rec.Conn, rec.T, rec.T1 = h.n, 1, now, now
	h.analyzer.Add(&rec)
}

// take keeps the bytes of a frame.
func (h *hearing) take(f *session.Frame) {
	if f.Stream != session.S2C {
		return
	}
	n := min(int(f.Len)+len(f.Term), len(h.buf))
	h.bodies[f.Row] = bytes.Clone(h.buf[:n])
	h.buf = h.buf[n:]
}

// says takes what we send: the messages are recorded ones.
func (h *hearing) says(b []byte, messages ...int32) {
	h.sent = append(h.sent, messages...)
	h.add(session.Record{Kind: session.RecRaw, Stream: session.C2S, Body: b})
}

// hears takes what the server wrote.
func (h *hearing) hears(b []byte) {
	h.buf = append(h.buf, b...)
	h.add(session.Record{Kind: session.RecRaw, Stream: session.S2C, Body: b})
}

// ends takes the end of what the server writes.
func (h *hearing) ends() {
	h.add(session.Record{Kind: session.RecIO, Stream: session.S2C, IO: session.IOEvent{Event: "eof", Side: "server"}})
	h.analyzer.Close()
}

// tail is what the server wrote of a line that has not ended.
func (h *hearing) tail() []byte { return h.buf }

// next returns the next step that the server did, with its bytes; false where there
// is none.
func (h *hearing) next() (step int32, t text, ok bool) {
	s := h.drawing.script
	for h.seen < len(s.Steps) {
		step = int32(h.seen)
		h.seen++
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
func (h *hearing) note(step int32) {
	s := h.drawing.script
	st := &s.Steps[step]
	for len(h.of) < int(st.Msg+st.Msgs) {
		of := int32(-1)
		if st.Kind == FromClient && len(h.sent) > 0 {
			of, h.sent = h.sent[0], h.sent[1:]
		}
		h.of = append(h.of, of)
	}
}

// request is the recorded request that a live message answers or names, -1 = none.
func (h *hearing) request(m *Message) int32 {
	if m.Of < 0 || int(m.Of) >= len(h.of) {
		return -1
	}
	return h.of[m.Of]
}
