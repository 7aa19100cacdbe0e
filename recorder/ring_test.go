package recorder

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
)

// ringScript is a session with a handshake, one call that stays unanswered to the end,
// and then many calls, some of them long.
func ringScript(calls int) *script {
	s := &script{}
	t := int64(0)
	say := func(stream session.Stream, text string) {
		t += 1e6
		s.steps = append(s.steps, step{at: t, batch: []session.Observation{chunk(t, stream, text)}})
	}
	s.steps = append(s.steps, step{at: 1, batch: []session.Observation{{Conn: 1, Kind: session.ObsProc, T: 1, Proc: session.Proc{Event: "start", PID: 7}}}})
	say(session.C2S, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+"\n")
	say(session.S2C, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`+"\n")
	say(session.C2S, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	say(session.C2S, `{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"slow"}}`+"\n")
	for i := range calls {
		say(session.C2S, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo"}}`+"\n", i))
		say(session.Stderr, fmt.Sprintf("call %d\n", i))
		text := strings.Repeat("x", 200)
		if i%10 == 9 {
			text = strings.Repeat("y", 100<<10)
		}
		say(session.S2C, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`+"\n", i, text))
	}
	say(session.S2C, `{"jsonrpc":"2.0","id":"slow","result":{"content":[]}}`+"\n")
	return s
}

// recordRing records a script into a ring and returns its files that are left, the
// oldest first.
func recordRing(t testing.TB, s *script, ring Ring, unread bool) (sink *Sink, files []string) {
	t.Helper()
	dir := t.TempDir()
	sink, err := Create(filepath.Join(dir, "a"+Suffix), false)
	if err != nil {
		t.Fatal(err)
	}
	if unread {
		sink.Unread()
	}
	opt := s.options()
	opt.Ring = ring
	if err := NewWriter(sink, header(), opt).Run(s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sink.Close() })
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files = append(files, filepath.Join(dir, e.Name()))
	}
	number := func(path string) (n int) {
		if _, err := fmt.Sscanf(filepath.Base(path), "a.%d"+Suffix, &n); err != nil {
			return 1
		}
		return n
	}
	slices.SortFunc(files, func(a, b string) int { return number(a) - number(b) })
	return sink, files
}

// TestRing holds that a ring's files are whole sessions, and together the session.
func TestRing(t *testing.T) {
	whole := streams(mustRead(t, recordAll(t, ringScript(60), NewMemory(64<<20))))
	for _, unread := range []bool{false, true} {
		_, files := recordRing(t, ringScript(60), Ring{Size: 128 << 10, Files: 1000}, unread)
		if len(files) < 4 {
			t.Fatalf("only %d files", len(files))
		}
		together := map[place][]byte{}
		last := uint64(0)
		for i, path := range files {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			checkLines(t, file)
			list := mustRead(t, file)
			if h := list[0].Header; h.Part != i+1 || h.SID != header().SID || !h.T0.Equal(t0) {
				t.Errorf("%s begins with %+v", path, h)
			}
			end := list[len(list)-1]
			if want := map[bool]string{true: "eof", false: Rolled}[i == len(files)-1]; end.Kind != session.RecEnd || end.End.Why != want || end.End.Lost != 0 {
				t.Errorf("%s ends with %+v", path, end)
			}
			own := slices.DeleteFunc(list, func(r stored) bool { return r.Again })
			var bytes int64
			for at, data := range streams(own) {
				together[at] = append(together[at], data...)
				bytes += int64(len(data))
			}
			if bytes != end.End.Bytes {
				t.Errorf("%s has %d bytes, and says %d", path, bytes, end.End.Bytes)
			}
			if own[1].N <= last {
				t.Errorf("%s goes on with record %d behind %d", path, own[1].N, last)
			}
			last = end.N
		}
		for at, want := range whole {
			if !bytes.Equal(together[at], want) {
				t.Errorf("%v: the files together have %d bytes, the session %d", at, len(together[at]), len(want))
			}
		}
	}
}

// TestRingUnderstood holds that each file of a ring tells who speaks what, pairs its
// answers, and accuses nobody.
func TestRingUnderstood(t *testing.T) {
	_, files := recordRing(t, ringScript(60), Ring{Size: 128 << 10, Files: 1000}, true)
	for i, path := range files {
		s := snapshotOfFile(t, path)
		conn := s.Conns()[0]
		if len(s.Conns()) != 1 || conn.VersionText != "2025-06-18" || !conn.Initialized || conn.PID != 7 {
			t.Errorf("file %d: %+v", i+1, conn)
		}
		totals := s.Totals()
		if totals.Gap != 0 {
			t.Errorf("file %d lacks %d bytes", i+1, totals.Gap)
		}
		unpaired, slow := 0, 0
		for row := range uint32(s.Len()) {
			r := s.Row(row)
			if (r.Kind == session.RowResult || r.Kind == session.RowRequest) && r.Pair == session.NoRow {
				unpaired++
			}
			if r.Kind == session.RowRequest && s.Name(r.Target) == "slow" {
				slow++
				if took, answered := s.Latency(row); answered != (i == len(files)-1) || answered && took < 180e6 {
					t.Errorf("file %d: the slow call took %d ns, answered %v", i+1, took, answered)
				}
			}
		}
		// The slow one waits in all but the last file, and so may the one at the cut.
		if slow != 1 || unpaired > 2 {
			t.Errorf("file %d: the slow call stands there %d times, and %d rows have no partner", i+1, slow, unpaired)
		}
	}
}

// TestRingForgets holds that the oldest files go, and that the log in this process goes
// on over the seams.
func TestRingForgets(t *testing.T) {
	sink, files := recordRing(t, ringScript(100), Ring{Size: 128 << 10, Files: 3}, false)
	if len(files) != 3 || strings.HasSuffix(files[0], "a"+Suffix) || sink.Path() != files[2] || sink.Whole() {
		t.Errorf("left are %q, the last one being %q", files, sink.Path())
	}
	r := NewReader(sink, 0)
	var rec session.Record
	var gaps, frames int
	last := ""
	for r.Next(&rec) == nil {
		switch {
		case rec.Again, rec.Kind == session.RecEnd && rec.End.Why == Rolled, rec.Kind == session.RecGap && rec.Gap.Why == Rolled:
			t.Errorf("the seam shows in the log: %+v", rec)
		case rec.Kind == session.RecGap:
			gaps++
		case rec.Kind == session.RecFrame && rec.Stream == session.Stderr:
			frames++
			if last != "" && string(rec.Body) != last {
				t.Errorf("%s comes where %s is due", rec.Body, last)
			}
			var n int
			fmt.Sscanf(string(rec.Body), "call %d", &n)
			last = fmt.Sprintf("call %d", n+1)
		}
	}
	if gaps != 1 || frames < 20 || frames == 100 || last != "call 100" || r.Damage().Lines > 0 {
		t.Errorf("%d gaps, %d frames, then %s would come; damage %+v", gaps, frames, last, r.Damage())
	}
}

// TestRingWithinLine holds that a line longer than a file does not keep the ring from
// going on, and that its rest is taken for nothing else.
func TestRingWithinLine(t *testing.T) {
	s := ringScript(2)
	s.steps = s.steps[:len(s.steps)-1]
	at := s.steps[len(s.steps)-1].at
	piece := strings.Repeat(`{"jsonrpc":"2.0"} `, 64<<10)
	for i := range 8 {
		text := piece
		if i == 7 {
			text += "\n" + `{"jsonrpc":"2.0","id":"slow","result":{"content":[]}}` + "\n"
		}
		at += 1e6
		s.steps = append(s.steps, step{at: at, batch: []session.Observation{chunk(at, session.S2C, text)}})
	}
	_, files := recordRing(t, s, Ring{Size: 1 << 20, Files: 1000}, true)
	if len(files) < 3 {
		t.Fatalf("only %d files", len(files))
	}
	frames := int64(0)
	for _, path := range files[1:] {
		frames += snapshotOfFile(t, path).Totals().Frames[session.S2C]
	}
	// Each has the handshake's answer, and one the slow call's; the rests of the long
	// line are none.
	if want := int64(len(files)-1) + 1; frames != want {
		t.Errorf("%d frames of the server, want %d", frames, want)
	}
}

// TestRingWithoutRoom holds that nothing is lost where the next file cannot be made.
func TestRingWithoutRoom(t *testing.T) {
	dir := t.TempDir()
	sink, err := Create(filepath.Join(dir, "a"+Suffix), false)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	// Its name is gone, and so is the folder that the next one would be in.
	if err := os.RemoveAll(dir); err != nil {
		t.Skipf("this system keeps the names of open files: %v", err)
	}
	s := ringScript(60)
	opt := s.options()
	opt.Ring = Ring{Size: 64 << 10, Files: 2}
	if err := NewWriter(sink, header(), opt).Run(s); err != nil {
		t.Fatal(err)
	}
	want := streams(mustRead(t, recordAll(t, ringScript(60), NewMemory(64<<20))))
	for at, data := range streams(mustRead(t, contents(t, sink))) {
		if !bytes.Equal(data, want[at]) {
			t.Errorf("%v has %d bytes, want %d", at, len(data), len(want[at]))
		}
	}
	if !sink.Whole() {
		t.Error("the log is said to be in several files")
	}
}
