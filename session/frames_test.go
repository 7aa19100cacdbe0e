package session

import (
	"fmt"
	"strings"
	"testing"
)

const pingLine = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestFrames(t *testing.T) {
	half, rest := pingLine[:10], pingLine[10:]
	tests := []struct {
		name    string
		records []Record
		want    []string
		kinds   []RowKind
	}{
		{"lines", []Record{client(0, pingLine), server(1, "hello"), server(2, ""), frame(3, Stderr, `{"level":30}`)},
			[]string{
				`frame c2s "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" 1`, "message c2s request new #1 ping",
				`frame s2c "hello" 3`, `frame s2c "" 0`, `frame err "{\"level\":30}" 1`,
			},
			[]RowKind{RowRequest, RowText, RowBlank, RowStderr}},
		{"a line in raw pieces", []Record{raw(0, C2S, half), raw(600, C2S, rest), raw(700, C2S, "\n")},
			[]string{
				"grew c2s 10", "grew c2s 40",
				`frame c2s "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" 1`, "message c2s request new #1 ping",
			},
			[]RowKind{RowRequest}},
		{"several lines in one raw", []Record{raw(0, S2C, "a\nb\r\nz")},
			[]string{`frame s2c "a" 3`, `frame s2c "b" 3`, "grew s2c 1"},
			[]RowKind{RowText, RowText, RowGrowing}},
		{"the stream ends in mid-line", []Record{raw(0, C2S, pingLine), ioEvent(1, C2S, "eof")},
			[]string{
				"grew c2s 40", `frame c2s "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" 1`, "message c2s request new #1 ping",
				"io c2s eof",
			},
			[]RowKind{RowRequest, RowIO}},
		{"stalled without its line feed", []Record{raw(0, S2C, result("1", "{}")), raw(400, S2C, " "), raw(2000, S2C, "\n")},
			[]string{
				"grew s2c 36", "grew s2c 37", "stalled s2c at 900",
				`frame s2c "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} " 1`, "message s2c result orphan",
			},
			[]RowKind{RowResult}},
		{"half a value is not stalled", []Record{raw(0, S2C, `{"a":`), raw(2000, S2C, "1}\n")},
			[]string{"grew s2c 5", `frame s2c "{\"a\":1}" 1`, "message s2c invalid none"},
			[]RowKind{RowText}},
		{"content-length", []Record{raw(0, S2C, "Content-Length: 40\r\n\r\n"+pingLine), server(1, "x")},
			[]string{
				`frame s2c "Content-Length: 40" 0`, `frame s2c "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" 1`,
				"message s2c request new #1 ping", `frame s2c "x" 3`,
			},
			[]RowKind{RowHeader, RowRequest, RowText}},
		{"a broken batch has no messages", []Record{server(0, "["+pingLine+",")}, []string{"grew s2c 42"}, []RowKind{RowPart}},
		{"one message and junk", []Record{client(0, pingLine+" junk")},
			[]string{`frame c2s "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} junk" 4`, "message c2s request new #1 ping"},
			[]RowKind{RowRequest}},
		{"what a gap cut is not judged", []Record{raw(0, S2C, "hel"), gap(1, S2C, 100), raw(2, S2C, "lo\nwhole\n")},
			[]string{"grew s2c 3", "gap 100", `frame s2c "whole" 3`},
			[]RowKind{RowText, RowGap, RowText, RowText}},
		{"a frame after a gap is whole", []Record{gap(1, S2C, 100), server(2, "whole")},
			[]string{"gap 100", `frame s2c "whole" 3`},
			[]RowKind{RowGap, RowText}},
		{"a torn file leaves the line unfinished", []Record{raw(0, S2C, "hel")}, []string{"grew s2c 3"}, []RowKind{RowGrowing}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, w := play(t, Config{}, tt.records...)
			same(t, "events", w.lines, tt.want)
			if got := rowKinds(a.Snapshot()); fmt.Sprint(got) != fmt.Sprint(tt.kinds) {
				t.Errorf("rows %v, want %v", got, tt.kinds)
			}
		})
	}
}

func TestWhereRawFramesLie(t *testing.T) {
	a, _ := play(t, Config{},
		raw(0, S2C, "one\ntwo\nthr"),
		raw(10, S2C, "ee\n"),
		raw(20, S2C, "four\r"),
		raw(30, S2C, "\n\r"),
		raw(40, S2C, "five\nsix\n"),
	)
	s := a.Snapshot()
	want := []struct{ off, skip, len, t, dur int64 }{
		{0, 0, 3, 0, 0}, {0, 4, 3, 0, 0}, {0, 8, 5, 10, 10}, {2000, 0, 4, 30, 10}, {3000, 1, 5, 40, 10}, {4000, 5, 3, 40, 0},
	}
	if s.Len() != len(want) {
		t.Fatalf("%d rows", s.Len())
	}
	for i, w := range want {
		r := s.Row(uint32(i))
		if r.Off != w.off || int64(r.Skip) != w.skip || int64(r.Len) != w.len || r.T != ms(w.t) || int64(r.Dur) != w.dur*1000 || r.Flags&FlagRaw == 0 {
			t.Errorf("row %d: %+v, want %+v", i, r, w)
		}
	}
}

func TestFrameCounts(t *testing.T) {
	a, _ := play(t, Config{}, client(5, "ab"), raw(7, S2C, "xyz\nq"), frame(9, Stderr, "e"), ioEvent(10, S2C, "eof"))
	c := a.Snapshot().Conns()[0]
	if c.Frames != [3]int64{1, 2, 1} || c.Bytes != [3]int64{3, 5, 2} || c.First != [3]int64{ms(5), ms(7), ms(9)} || c.LastT != c.First {
		t.Errorf("counts %v %v %v %v", c.Frames, c.Bytes, c.First, c.LastT)
	}
}

func TestLongLineKeepsItsHead(t *testing.T) {
	piece := strings.Repeat("x", 1<<20)
	var head []byte
	var length int64
	w := &witness{seen: func(ev *Event, _ Reporter) {
		if ev.Kind == FrameSeen {
			head, length = append([]byte(nil), ev.Frame.Head...), ev.Frame.Len
		}
	}}
	records := []Record{raw(0, S2C, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`)}
	for range 20 {
		records = append(records, raw(1, S2C, piece))
	}
	records = append(records, raw(2, S2C, "\"}}\n"))
	a, _ := play(t, Config{Checkers: []Checker{w}}, records...)
	if len(head) != HeadSize || length != 20<<20+86 {
		t.Errorf("head of %d bytes, length %d", len(head), length)
	}
	s := a.Snapshot()
	if r := s.Row(0); s.Len() != 1 || r.Kind != RowNotification || s.Name(r.Target) != "info" || int64(r.Len) != length {
		t.Errorf("row %+v", s.Row(0))
	}
}

func TestEnormousBatchIsPaired(t *testing.T) {
	const n = 10 * maxHeld
	var out, in []string
	for i := range n {
		out = append(out, request(fmt.Sprint(i), "ping", ""))
		in = append(in, result(fmt.Sprint(i), "{}"))
	}
	a, w := play(t, Config{}, client(0, "["+strings.Join(out, ",")+"]"), server(1, "["+strings.Join(in, ",")+"]"), end(2))
	if got := a.Snapshot().Totals(); got.Exchanges != n || got.Pending != 0 || got.Lost != 0 {
		t.Errorf("totals %+v", got)
	}
	if got := len(w.only("message")); got != 2*maxHeld {
		t.Errorf("%d events", got)
	}
}
