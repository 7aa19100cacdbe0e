package session

import (
	"bytes"
	"testing"

	"wiretea/session/framing"
)

// FuzzChunks gives the two streams of a conversation whole and in pieces, as raw
// bytes and as frames: the events must be the same, and nothing may panic.
func FuzzChunks(f *testing.F) {
	f.Add([]byte(pingLine+"\n"+pingLine+"\n"), []byte(result("1", "{}")+"\n{\n\"id\":1,\n\"result\":{}}\n"), uint8(3))
	f.Add([]byte("["+pingLine+",\n"+pingLine+"]\r\n"), []byte("[\n"+result("1", "{}")+"\n{\"a\":\n"), uint8(1))
	f.Add([]byte(notification("notifications/cancelled", `{"requestId":1}`)+"\n"), []byte("Content-Length: 2\r\n\r\n{}{\n}{\n}"), uint8(7))
	f.Add([]byte(discover("1")+"\n"+initialize("2", "2025-11-25")+"\n"), []byte(unsupported("1", `"2026-07-28"`)+"\n"+initialized("2", "x")), uint8(9))
	f.Fuzz(func(t *testing.T, out, in []byte, step uint8) {
		var whole, pieces, framed []Record
		for i, p := range [][]byte{out, in} {
			d := Stream(i)
			whole = append(whole, raw(0, d, string(p)), ioEvent(0, d, "eof"))
			framed = append(append(framed, cut(d, p)...), ioEvent(0, d, "eof"))
			for k := max(1, int(step)); len(p) > 0; p = p[min(k, len(p)):] {
				pieces = append(pieces, raw(0, d, string(p[:min(k, len(p))])))
			}
			pieces = append(pieces, ioEvent(0, d, "eof"))
		}
		words := []string{"frame", "message", "gone", "io", "ended"}
		_, w := play(t, Config{}, append(whole, end(0))...)
		want := w.only(words...)
		a, w := play(t, Config{}, append(pieces, end(0))...)
		same(t, "in pieces", w.only(words...), want)
		digest(a.Snapshot())
		_, w = play(t, Config{}, append(framed, end(0))...)
		same(t, "in frames", w.only(words...), want)
	})
}

// cut makes a record of each frame of a stream.
func cut(d Stream, p []byte) []Record {
	var records []Record
	var body []byte
	take := func(piece framing.Piece) {
		body = append(body, piece.Data...)
		if piece.End {
			records = append(records, Record{Kind: RecFrame, Stream: d, Body: body, Term: bytes.Clone(piece.Term)})
			body = nil
		}
	}
	var s framing.Splitter
	s.Push(p, take)
	s.Flush(take)
	return records
}
