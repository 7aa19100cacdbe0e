package replay

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"wiretea/recorder"
	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
)

// A text is a step's bytes as they were on the wire.
type text struct {
	raw  []byte
	body int // body is where the JSON begins: behind a Content-Length header.
	end  int // end is where it ends: before the last terminator.
}

func (t *text) json() []byte { return t.raw[t.body:t.end] }

// read reads a step's bytes from the recording.
func (s *Script) read(step int32) (text, error) {
	var t text
	for _, l := range s.Steps[step].frames() {
		body, err := recorder.ReadFrame(s.log, s.rows.Row(l.row), 0, math.MaxInt64)
		if err != nil {
			return text{}, fmt.Errorf("reading the recording: %w", err)
		}
		if s.Header != nil && s.Header.Trans == "http" {
			asLine(body)
		}
		t.add(append(body, l.term...), l)
	}
	return t, nil
}

// asLine makes a body of HTTP fit on one line: inside strings JSON has no raw line breaks.
func asLine(body []byte) {
	for i, b := range body {
		if b == '\n' || b == '\r' {
			body[i] = ' '
		}
	}
}

// frames are the frames of a step.
func (st *Step) frames() []line {
	if st.lines == nil {
		return []line{st.line}
	}
	return st.lines
}

// add adds a frame with its terminator.
func (t *text) add(frame []byte, l line) {
	if t.raw == nil {
		t.raw = frame
	} else {
		t.raw = append(t.raw, frame...)
	}
	t.end = len(t.raw) - len(l.term)
	if l.header {
		t.body, t.end = len(t.raw), len(t.raw) // No body may follow.
	}
}

// A splice replaces bytes of a text.
type splice struct {
	off, len int64
	with     []byte
}

// spliceAt replaces what is at a span; there is nothing to do where that is
// the same already.
func spliceAt(list []splice, body []byte, at jsonrpc.Span, with []byte) []splice {
	if was := at.In(body); was == nil || bytes.Equal(was, with) {
		return list
	}
	return append(list, splice{at.Off, at.Len, with})
}

// apply returns the text with the splices, which do not overlap; those that do are
// left out after the first. All other bytes stay as they are.
func apply(body []byte, list []splice) []byte {
	if len(list) == 0 {
		return body
	}
	slices.SortFunc(list, func(a, b splice) int { return cmp.Compare(a.off, b.off) })
	out := make([]byte, 0, len(body)+64)
	at := int64(0)
	for _, sp := range list {
		if sp.off < at || sp.len < 0 || sp.off+sp.len > int64(len(body)) {
			continue
		}
		out = append(append(out, body[at:sp.off]...), sp.with...)
		at = sp.off + sp.len
	}
	return append(out, body[at:]...)
}

// splice returns the whole text with the splices made in its JSON, and a
// Content-Length that was right before made right again.
func (t *text) splice(list []splice) []byte {
	if len(list) == 0 {
		return t.raw
	}
	body := apply(t.json(), list)
	head := t.raw[:t.body]
	if was := t.end - t.body; t.body > 0 && len(body) != was {
		head = relength(head, was, len(body))
	}
	return slices.Concat(head, body, t.raw[t.end:])
}

// relength replaces the number in a header block, where it is the one that was
// there.
func relength(head []byte, was, now int) []byte {
	old := []byte(strconv.Itoa(was))
	at := bytes.Index(bytes.ToLower(head), []byte("content-length:"))
	if at < 0 {
		return head
	}
	at += len("content-length:")
	for at < len(head) && head[at] == ' ' {
		at++
	}
	if !bytes.HasPrefix(head[at:], old) {
		return head
	}
	return slices.Concat(head[:at], strconv.AppendInt(nil, int64(now), 10), head[at+len(old):])
}

// oneLine is a message as a line, without what surrounded it: line breaks can only
// stand between the tokens of a JSON text. headed frames it as it was.
func (t *text) oneLine(list []splice) []byte {
	body := bytes.Clone(bytes.TrimSpace(apply(t.json(), list)))
	for i, c := range body {
		if c == '\n' || c == '\r' {
			body[i] = ' '
		}
	}
	if t.body > 0 {
		return framing.AppendContentLength(nil, body)
	}
	return framing.AppendLine(nil, body)
}
