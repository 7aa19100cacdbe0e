package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
)

// TestReadFrame holds that windows of a body are read, wherever it lies.
func TestReadFrame(t *testing.T) {
	long := strings.Repeat("0123456789€", 300_000)
	s := &script{steps: []step{
		{batch: []session.Observation{chunk(1, session.S2C, "{\"id\":1}\nsay \"hi\"\n\xff\xfe\n")}},
		{backlog: 65 << 20, batch: []session.Observation{chunk(2, session.S2C, "first\nsecond\r\n"+long[:1000])}},
		{batch: []session.Observation{chunk(3, session.Stderr, "noise\n"), chunk(3, session.C2S, "{}\n")}},
		{batch: []session.Observation{chunk(4, session.S2C, long[1000:]+"\nafter\n")}},
	}}
	file := recordAll(t, s, NewMemory(1<<30))
	log := bytesLog(file)
	var rows []session.Row
	var raws []int64
	for _, rec := range mustRead(t, file) {
		switch {
		case rec.Kind == session.RecFrame && rec.Stream == session.S2C:
			rows = append(rows, session.Row{N: uint32(rec.N), Off: rec.Off, Len: uint32(len(rec.Body)), Conn: 1, Stream: rec.Stream})
		case rec.Kind == session.RecRaw:
			raws = append(raws, rec.Off)
		}
	}
	raw := func(skip, n int) session.Row {
		return session.Row{Off: raws[0], Skip: uint32(skip), Len: uint32(n), Conn: 1, Stream: session.S2C, Flags: session.FlagRaw}
	}
	bodies := map[string]struct {
		row  session.Row
		want string
	}{
		"verbatim":     {rows[0], `{"id":1}`},
		"text":         {rows[1], `say "hi"`},
		"base64":       {rows[2], "\xff\xfe"},
		"behind":       {rows[3], "after"},
		"first in raw": {raw(0, 5), "first"},
		"in raw":       {raw(6, 6), "second"},
		"over raw":     {raw(14, len(long)), long},
	}
	for name, c := range bodies {
		t.Run(name, func(t *testing.T) {
			n := int64(len(c.want))
			for _, w := range [][2]int64{{0, n}, {0, 3}, {n / 2, 5}, {n - 1, 100}, {n, 10}, {n + 10, 10}, {1 << 20, 1 << 20}, {0, 1 << 40}, {-5, 3}, {0, -1}} {
				from := min(max(w[0], 0), n)
				want := c.want[from:min(n, from+max(w[1], 0))]
				if got, err := ReadFrame(log, c.row, w[0], w[1]); err != nil || string(got) != want {
					t.Errorf("window %v: %d bytes %.20q, %v; want %d bytes %.20q", w, len(got), got, err, len(want), want)
				}
			}
		})
	}
	growing := raw(14, len(long))
	cut := bytes.Index(file, []byte(`"d":"err"`))
	cut = bytes.LastIndexByte(file[:cut], '\n') + 1
	if got, err := ReadFrame(bytesLog(file[:cut]), growing, 0, 1<<30); err != nil || string(got) != long[:len(got)] || len(got) < 990 {
		t.Errorf("a growing body: %d bytes, %v", len(got), err)
	}
	for name, row := range map[string]session.Row{"header": {Off: 0, Len: 5}, "mid-record": {Off: rows[0].Off + 1, Len: 5}, "a raw record": {Off: raws[0], Len: 5}} {
		if got, err := ReadFrame(log, row, 0, 5); !errors.Is(err, ErrNoFrame) {
			t.Errorf("%s: %q, %v; want ErrNoFrame", name, got, err)
		}
	}
	if _, err := ReadFrame(log, session.Row{Off: int64(len(file)), Len: 5}, 0, 5); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("beyond the end: %v", err)
	}
}

// TestReadValueOverLines holds that a value of several lines has the terminators that
// it had on the wire, in records of frames and in raw ones, also where a raw record
// ends before or within a terminator.
func TestReadValueOverLines(t *testing.T) {
	const value = "{\"jsonrpc\":\"2.0\",\r\n  \"id\":1,\n\r\n  \"result\":\r\n{}}"
	const term = "\r\n"
	raw := func(n uint64, p string) []byte {
		return appendRaw(nil, n, origin{conn: 1}, int64(n), int64(n), session.S2C, session.Crossed, nil, []byte(p))
	}
	head := appendHeader(nil, &session.Header{SID: "s"})
	logs := map[string][]byte{
		"frames": recordAll(t, &script{steps: []step{{batch: []session.Observation{chunk(1, session.S2C, value+term)}}}}, NewMemory(0)),
		"raw":    recordAll(t, &script{steps: []step{{backlog: 65 << 20, batch: []session.Observation{chunk(1, session.S2C, value+term)}}}}, NewMemory(0)),
	}
	for i := range len(value + term) {
		logs[fmt.Sprintf("raw, cut at %d", i)] = slices.Concat(head, raw(1, value[:min(i, len(value))]+term[:max(0, i-len(value))]), raw(2, (value + term)[i:]))
	}
	for name, file := range logs {
		t.Run(name, func(t *testing.T) {
			log := bytesLog(file)
			s := snapshotOf(t, log)
			last := uint32(s.Len() - 1)
			for i := range last {
				if s.Row(i).Kind == session.RowResult {
					last = i
				}
			}
			if got, err := ReadMessage(log, s, last); err != nil || string(got) != value {
				t.Errorf("%q, %v, want %q", got, err, value)
			}
			if got, err := ReadValue(log, s, last, 30); err != nil || string(got) != value[:30] {
				t.Errorf("limited: %q, %v, want %q", got, err, value[:30])
			}
			var copied bytes.Buffer
			if n, err := NewBodyReader(log, s, last, MaxValue).WriteTo(&copied); err != nil || copied.String() != value || n != int64(len(value)) {
				t.Errorf("copied: %d, %q, %v, want %q", n, copied.String(), err, value)
			}
			if _, err := NewBodyReader(log, s, last, 30).WriteTo(&copied); err != nil || copied.String() != value+value[:30] {
				t.Errorf("copied with a limit: %q, %v, want %q", copied.String(), err, value+value[:30])
			}
			b := NewBodyReader(log, s, last, MaxValue)
			for want := int64(1); !b.Done(); want++ {
				if err := b.Read(t.Context(), want); err != nil {
					t.Fatal(err)
				}
			}
			if string(b.Bytes()) != value+term || string(b.Body()) != value {
				t.Errorf("%q, body %q, want %q", b.Bytes(), b.Body(), value+term)
			}
		})
	}
}

// What was injected between the lines of a client's value is not a part of it.
func TestReadValueAroundInjection(t *testing.T) {
	injected := chunk(2, session.C2S, "{\"id\":\"w\",\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n")
	injected.Way = session.WayOut
	log := bytesLog(recordAll(t, &script{steps: []step{{batch: []session.Observation{
		chunk(1, session.C2S, "{\"jsonrpc\":\"2.0\",\n"), injected, chunk(3, session.C2S, "\"id\":1,\"method\":\"ping\"}\n")}}}}, NewMemory(0)))
	s := snapshotOf(t, log)
	for i := range uint32(s.Len()) {
		if s.Row(i).Flags&session.FlagJoined == 0 {
			continue
		}
		const want = "{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"ping\"}"
		if got, err := ReadMessage(log, s, i); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
		return
	}
	t.Error("no value of several lines")
}
