package session

import (
	"fmt"
	"strings"
	"testing"
)

// lines makes a record of each line, on S2C.
func lines(text string) []Record {
	var records []Record
	for i, l := range strings.Split(text, "\n") {
		records = append(records, server(int64(i), l))
	}
	return records
}

func TestAssembly(t *testing.T) {
	const pretty = "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"notifications/message\",\n  \"params\": {}\n}"
	tests := []struct {
		name    string
		records []Record
		want    []string
		kinds   string
	}{
		{"pretty-printed", lines(pretty), []string{
			"grew s2c 1", `frame s2c "{" 2 part`, `frame s2c "  \"jsonrpc\": \"2.0\"," 4 part`, `frame s2c "  \"method\": \"notifications/message\"," 4 part`, `frame s2c "  \"params\": {}" 4 part`,
			`frame s2c "}" 1 lines 5 from 0`, "message s2c notification none",
		}, "part part part part notification"},
		{"twice", append(lines("{\n\"id\":1,\"result\":{}\n}"), lines("[\n]")...), []string{
			"grew s2c 1", `frame s2c "{" 2 part`, `frame s2c "\"id\":1,\"result\":{}" 4 part`, `frame s2c "}" 1 lines 3 from 0`, "message s2c result orphan",
			"grew s2c 1", `frame s2c "[" 2`, `frame s2c "]" 3`,
		}, "part part result text text"},
		{"two values, one after the other", lines("{\n}{\n}"), []string{
			"grew s2c 1", `frame s2c "{" 2 part`, `frame s2c "}{" 4 lines 2 from 0`, "message s2c invalid none", `frame s2c "}" 3`,
		}, "part text text"},
		{"it cannot become JSON", lines("{\nhello"), []string{"grew s2c 1", `frame s2c "{" 2`, `frame s2c "hello" 3`}, "text text"},
		{"it cannot, but the last line may", lines("{\n[1,\n2]"), []string{
			"grew s2c 1", `frame s2c "{" 2`, "grew s2c 3", `frame s2c "[1," 2 part`, `frame s2c "2]" 1 lines 2 from 1`, "message s2c invalid none", "message s2c invalid none",
		}, "text part batch"},
		{"a message by itself inside", lines("[\n" + pingLine), []string{
			"grew s2c 1", `frame s2c "[" 2`, `frame s2c "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" 1`, "message s2c request new #1 ping",
		}, "text request"},
		{"an object inside that is not a message", lines("{\"a\":\n{\"method\":\"x\"}\n}"), []string{
			"grew s2c 5", `frame s2c "{\"a\":" 2 part`, `frame s2c "{\"method\":\"x\"}" 1 part`, `frame s2c "}" 1 lines 3 from 0`, "message s2c invalid none",
		}, "part part text"},
		{"blank lines inside", lines("{\n\n}"), []string{
			"grew s2c 1", `frame s2c "{" 2 part`, `frame s2c "" 0 part`, `frame s2c "}" 1 lines 3 from 0`, "message s2c invalid none",
		}, "part part text"},
		{"the stream ends", append(lines("{\n\"a\":1"), ioEvent(9, S2C, "eof")), []string{
			"grew s2c 1", `frame s2c "{" 2`, `frame s2c "\"a\":1" 4`, "io s2c eof",
		}, "text text io"},
		{"the stream ends at the last line", []Record{raw(0, S2C, "{\n\"a\":1}"), ioEvent(9, S2C, "eof")}, []string{
			"grew s2c 1", "grew s2c 6", `frame s2c "{" 2 part`, `frame s2c "\"a\":1}" 1 lines 2 from 0`, "message s2c invalid none", "io s2c eof",
		}, "part text io"},
		{"a header block ends it", []Record{server(0, "{"), {Kind: RecFrame, T: ms(1), Stream: S2C, Body: []byte("Content-Length: 2"), Term: []byte("\r\n\r\n")}}, []string{
			"grew s2c 1", `frame s2c "{" 2`, `frame s2c "Content-Length: 2" 0`,
		}, "text header"},
		{"the other stream does not matter", []Record{server(0, "{"), client(1, pingLine), frame(2, Stderr, "x"), server(3, "}")}, []string{
			"grew s2c 1", `frame c2s "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" 1`, "message c2s request new #1 ping", `frame err "x" 3`,
			`frame s2c "{" 2 part`, `frame s2c "}" 1 lines 2 from 0`, "message s2c invalid none",
		}, "part request stderr text"},
		{"a gap inside", append(lines("{\n\"a\":1"), gap(5, S2C, 3), server(6, "}")), []string{"grew s2c 1", "gap 3", `frame s2c "}" 3`}, "part part gap text"},
		{"a log line is none", lines("[INFO] started\n{oops}"), []string{`frame s2c "[INFO] started" 3`, `frame s2c "{oops}" 3`}, "text text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, w := play(t, Config{}, tt.records...)
			want := tt.want
			same(t, "events", w.lines, want)
			var kinds []string
			for _, k := range rowKinds(a.Snapshot()) {
				kinds = append(kinds, k.String())
			}
			if got := strings.Join(kinds, " "); got != tt.kinds {
				t.Errorf("rows %s, want %s", got, tt.kinds)
			}
		})
	}
}

func TestAssemblyIsPaired(t *testing.T) {
	a, _ := play(t, Config{}, append([]Record{client(0, pingLine)}, lines("{\n\"id\": 1,\n\"result\": {}\n}")...)...)
	s := a.Snapshot()
	if r := s.Row(4); r.Kind != RowResult || r.Pair != 0 || r.Flags&FlagJoined == 0 || s.Row(0).Pair != 4 {
		t.Errorf("row %+v", r)
	}
}

func TestAssemblyFromAFile(t *testing.T) {
	// A file that is torn off in the middle of one: the lines are shown as they are.
	a, w := play(t, Config{}, lines("{\n\"a\":1")...)
	same(t, "events while it is open", w.lines, []string{"grew s2c 1"})
	a.Close()
	same(t, "events", w.lines, []string{"grew s2c 1", `frame s2c "{" 2`, `frame s2c "\"a\":1" 4`})
	a.Close()
	if len(w.lines) != 3 {
		t.Error("Close is not idempotent")
	}
}

func TestAssemblyIsBounded(t *testing.T) {
	tests := map[string]struct {
		line  string
		lines int
	}{
		"by lines": {"1,", maxJoinLines + 10},
		"by bytes": {`"` + strings.Repeat("x", 64<<10) + `",`, maxJoinBytes/(64<<10) + 10},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			frames := 0
			w := &witness{seen: func(ev *Event, _ Reporter) { frames++ }}
			a := NewAnalyzer(Config{Checkers: []Checker{w}})
			feed(a, server(0, "["))
			for range tt.lines {
				feed(a, server(1, tt.line))
			}
			if frames < tt.lines-20 {
				t.Errorf("%d of %d lines were decided", frames, tt.lines)
			}
			if asm := &a.conns[1].streams[S2C].asm; asm.open || asm.lines != nil {
				t.Error("the assembly is still open")
			}
		})
	}
}

func TestMinifiedAfterPretty(t *testing.T) {
	// Both ways of writing on one stream, many times: nothing is lost or doubled.
	a := NewAnalyzer(Config{})
	for i := range 100 {
		feed(a, client(0, request(fmt.Sprint(i), "ping", "")))
		if i%2 == 0 {
			feed(a, server(1, result(fmt.Sprint(i), "{}")))
		} else {
			feed(a, lines(fmt.Sprintf("{\n\"id\":%d,\n\"result\":{}}", i))...)
		}
	}
	if got := a.Snapshot().Totals(); got.Exchanges != 100 || got.Pending != 0 {
		t.Errorf("totals %+v", got)
	}
}
