package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"wiretea/session"
)

// TestNumbers holds which numbers a record may have: what is not one, or too long, makes
// the record a damaged one.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "7": 7, "-7": -7, "999999999999999999": 999999999999999999, "-999999999999999999": -999999999999999999} {
		if n, ok := asInt([]byte(text)); !ok || n != want {
			t.Errorf("%s is %d, %t", text, n, ok)
		}
	}
	for _, text := range []string{"", "-", "--1", "1.0", "1e3", "0x1", `"1"`, "1000000000000000000", "12345678901234567890"} {
		if n, ok := asInt([]byte(text)); ok {
			t.Errorf("%q is taken for %d", text, n)
		}
	}
	for fields, good := range map[string]bool{
		`"n":1,"t":5,"d":"s2c","len":2`:                   true,
		`"n":1,"t":5,"t1":4,"d":"s2c","len":2`:            true,
		`"n":1,"t":5,"t1":"4","d":"s2c","len":2`:          false,
		`"n":1,"t":5,"t1":4.5,"d":"s2c","len":2`:          false,
		`"n":1,"t":5000000000000000000,"d":"s2c","len":2`: false,
		`"n":1,"t":"5","d":"s2c","len":2`:                 false,
		`"n":1,"t":5,"d":"s3c","len":2`:                   false,
		`"n":1,"t":5,"d":"s2c","len":3`:                   false,
	} {
		var rec session.Record
		if err := (&parser{}).parse([]byte(`{"k":"f",`+fields+`,"b":{}}`), &rec); (err == nil) != good {
			t.Errorf("%s: %v", fields, err)
		}
	}
}

// TestServerNames holds that a name keeps the letters and digits that it may have, to the
// first and the last of them.
func TestServerNames(t *testing.T) {
	for word, want := range map[string]string{
		"azAZ09-_.x": "azaz09-_.x", "a/b@2.0.1": "b", "`{@[/:x": "x", "{": "server", "é1": "--1",
		strings.Repeat("x", 41): strings.Repeat("x", 40), "Ä": "server",
	} {
		if got := ServerName([]string{word}); got != strings.Trim(want, "-.") {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// TestVersions holds that files of this version and older ones are read, and newer ones
// refused with a reason.
func TestVersions(t *testing.T) {
	for _, c := range []struct {
		format string
		min    int
		want   error
	}{
		{FormatName, 0, nil}, {FormatName, FormatVersion - 1, nil}, {FormatName, FormatVersion, nil}, {FormatName, FormatVersion + 1, ErrNewer}, {"other", 1, ErrNotSession},
	} {
		if err := checkFormat(&session.Header{Format: c.format, MinVer: c.min}); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestSinkReads holds that a Sink reads as io.ReaderAt says, over all its parts: from a
// file that was full on into memory.
func TestSinkReads(t *testing.T) {
	s := newFileSink("", &fakeFile{limit: 700}, noTemp)
	defer s.Close()
	whole := recordAll(t, &script{steps: []step{{batch: []session.Observation{chunk(1, session.S2C, line(1)+line(2)+line(3)+line(4)+line(5))}}}}, s)
	if len(s.parts) != 2 || s.parts[1].base == 0 {
		t.Fatalf("%d parts", len(s.parts))
	}
	if err := iotest.TestReader(io.NewSectionReader(s, 0, s.Size()), whole); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ off, n, want int64 }{{0, 10, 10}, {s.Size() - 3, 10, 3}, {s.Size(), 10, 0}, {s.Size() + 5, 1, 0}, {0, s.Size(), s.Size()}, {0, s.Size() + 1, s.Size()}} {
		n, err := s.ReadAt(make([]byte, c.n), c.off)
		if int64(n) != c.want || (err != nil) != (c.want < c.n) || err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("%d bytes at %d: %d, %v", c.n, c.off, n, err)
		}
	}
}

// A counted medium counts the writes.
type counted struct {
	*fakeFile
	writes int
}

func (c *counted) WriteAt(p []byte, off int64) (int, error) {
	c.writes++
	return c.fakeFile.WriteAt(p, off)
}

// TestRetried holds that a file that failed is tried again once a second, and not with
// each batch: a disk that is full has other users.
func TestRetried(t *testing.T) {
	full := &counted{fakeFile: &fakeFile{limit: 0}}
	s := &script{}
	for i := range int64(100) {
		s.steps = append(s.steps, step{at: i * sec / 20, batch: []session.Observation{chunk(i*sec/20, session.S2C, line(int(i)))}})
	}
	sink := newFileSink("", full, noTemp)
	defer sink.Close()
	recordAll(t, s, sink)
	if full.writes < 5 || full.writes > 9 { // the header, each of five seconds, and the end
		t.Errorf("the file was written %d times in five seconds", full.writes)
	}
}

// TestLostEvents holds that what is kept of events for a full disk is bounded.
func TestLostEvents(t *testing.T) {
	var lost lossLedger
	for i := range maxEvents + 10 {
		lost.add(appendProc(nil, uint64(i), 1, int64(i), &session.Proc{Event: "signal"}))
	}
	if len(lost.events) != maxEvents {
		t.Errorf("%d events are kept, want %d", len(lost.events), maxEvents)
	}
}

// TestIdle holds that Options.Idle is called once after much had passed, and again only
// after as much again.
func TestIdle(t *testing.T) {
	s := &script{}
	calls := []int{}
	for i := range int64(3) {
		at := 10 * sec * i
		s.steps = append(s.steps, step{at: at, batch: []session.Observation{chunk(at, session.S2C, strings.Repeat("x", int(idleAfter))+"\n")}},
			step{at: at + idlePause - 1}, step{at: at + idlePause}, step{at: at + 2*idlePause})
	}
	opt := s.options()
	opt.Idle = func() { calls = append(calls, len(s.asked)) }
	sink := NewMemory(1 << 20)
	if err := NewWriter(sink, header(), opt).Run(s); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(calls) != "[3 7 11]" {
		t.Errorf("it was called at the batches %v", calls)
	}
}

// TestSyncWaits holds that a sync waits for a pause of the traffic, for a bounded time and amount.
func TestSyncWaits(t *testing.T) {
	const step = syncPause / 4
	batch := []session.Observation{chunk(0, session.S2C, line(1))}
	for name, c := range map[string]struct {
		pause int64 // pause is when traffic that never rests makes one; 0 = it does not.
		bytes int64 // bytes pass in each step.
		want  int64 // want is when the file is synced.
	}{
		"no pause":          {want: syncLatest},
		"a pause":           {pause: 2 * sec, want: 2*sec + syncPause},
		"a pause too early": {pause: sec / 2, want: syncLatest},
		"much":              {bytes: syncBytes/(2*sec/step) + 1, want: 2 * sec},
	} {
		t.Run(name, func(t *testing.T) {
			now := int64(0)
			sink := NewMemory(1 << 20)
			defer sink.Close()
			w := NewWriter(sink, header(), Options{Now: func() int64 { return now }, Wall: func() time.Time { return t0.Add(time.Duration(now)) }})
			for w.lastSync == 0 && now < 2*syncLatest {
				now += step
				w.end.Bytes += c.bytes
				came := batch
				if c.pause > 0 && now > c.pause && now <= c.pause+syncPause {
					came = nil
				}
				w.tick(came, 0)
			}
			if w.lastSync != c.want {
				t.Errorf("synced after %v, want %v", time.Duration(w.lastSync), time.Duration(c.want))
			}
		})
	}
}

// TestReadAsFar holds that of a body no more records are read than are asked for.
func TestReadAsFar(t *testing.T) {
	const pieces, size = 20, 1000
	s := &script{}
	for i := range int64(pieces) {
		s.steps = append(s.steps, step{at: i * sec, batch: []session.Observation{chunk(i*sec, session.S2C, strings.Repeat("x", size))}})
	}
	s.steps = append(s.steps, step{at: pieces * sec, batch: []session.Observation{chunk(pieces*sec, session.S2C, "\n")}})
	log := bytesLog(recordAll(t, s, NewMemory(0)))
	snap := snapshotOf(t, log)
	for _, want := range []int64{1, size - 1, size, size + 1, 7*size + 1, pieces * size} {
		b := NewBodyReader(log, snap, 0, MaxValue)
		if err := b.Read(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if got := b.n; got < want || got >= want+2*size && got < pieces*size {
			t.Errorf("of %d bytes, %d are read for %d", pieces*size, got, want)
		}
	}
}

// TestSizeOfFile holds that a Sink is as long as its file, also where bodies went into it
// without a copy.
func TestSizeOfFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Suffix)
	sink, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	s := &script{}
	for i := range int64(6) {
		text := fmt.Sprintf(`{"jsonrpc":"2.0","method":"m","params":{"s":"%s"}}`+"\n", strings.Repeat("x", inPlaceFrom))
		s.steps = append(s.steps, step{at: i, batch: []session.Observation{chunk(i, session.S2C, text)}})
	}
	s.hook = func(int, int64) {
		if info, err := os.Stat(path); err != nil || info.Size() != sink.Size() {
			t.Errorf("the file has %d bytes, the Sink %d, %v", info.Size(), sink.Size(), err)
		}
	}
	recordAll(t, s, sink)
	s.hook(0, 0)
}

// TestMachineKey holds that a key is made once, and that no file is taken for one.
func TestMachineKey(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	made, ok := MachineKey("a.key")
	again, found := MachineKey("a.key")
	if !ok || !found || len(made) != KeySize || !bytes.Equal(made, again) {
		t.Errorf("%d bytes, then %d", len(made), len(again))
	}
	path := filepath.Join(home, ".local", "state", "wiretea", "a.key")
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := MachineKey("a.key"); ok {
		t.Error("a file of another length is used as a key")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "short" {
		t.Errorf("a file of another length was overwritten: %q, %v", text, err)
	}
}

// TestRepairFileWithoutHeader repairs a file whose beginning is missing, and a torn one:
// the new header has the time of the latest record.
func TestRepairFileWithoutHeader(t *testing.T) {
	lines := someLines(t)
	for name, c := range map[string]struct{ text, t0 string }{
		"without its beginning": {strings.Join(lines[2:5], ""), "59.996"},
		"and without a newline": {strings.TrimSuffix(strings.Join(lines[2:5], ""), "\n"), "59.996"},
		"and torn":              {strings.Join(lines[2:4], "") + lines[4][:20], "59.997"},
	} {
		path := filepath.Join(t.TempDir(), "a"+Suffix)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		modified := t0.Add(time.Hour)
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
		done, err := RepairFile(t.Context(), path, path+".new")
		if err != nil || !done.Header {
			t.Errorf("%s: %+v, %v", name, done, err)
			continue
		}
		text, err := os.ReadFile(path + ".new")
		if err != nil || !strings.Contains(string(text), "T10:59:"+c.t0) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// A probe is a medium that notes what the Writer asks the disk for.
type probe struct {
	*fakeFile
	asked func() uint64
	seen  []uint64
}

func (p *probe) WriteAt(b []byte, off int64) (int, error) {
	p.seen = append(p.seen, p.asked())
	return p.fakeFile.WriteAt(b, off)
}

func (p *probe) WriteParts(parts [][]byte, off int64) (int, error) {
	p.seen = append(p.seen, p.asked())
	return p.fakeFile.WriteParts(parts, off)
}

// TestAsked holds that each call to the disk has a number of its own while it lasts, and 0 is
// reported between calls. The Writer notices by it that a disk does not respond.
func TestAsked(t *testing.T) {
	disk := &probe{fakeFile: &fakeFile{limit: -1}}
	sink := newFileSink("", disk, nil)
	defer sink.Close()
	w := &Writer{sink: sink}
	disk.asked = w.Asked
	sink.write([]byte("{}\n"))
	sink.write([]byte("{}\n"))
	if !sink.writeParts([][]byte{[]byte("{"), []byte("}\n")}) {
		t.Error("parts are not written")
	}
	sink.named.err = io.ErrShortWrite
	sink.retry([]byte("{}\n"))
	if w.Asked() != 0 {
		t.Errorf("between calls: %d", w.Asked())
	}
	for i, n := range disk.seen {
		if n == 0 || i > 0 && n <= disk.seen[i-1] {
			t.Errorf("the calls have the numbers %d", disk.seen)
		}
	}
	if len(disk.seen) != 4 {
		t.Errorf("%d calls", len(disk.seen))
	}
}

// TestPartsSize holds how long the log is after records that were written in parts.
func TestPartsSize(t *testing.T) {
	sink := newFileSink("", &fakeFile{limit: -1}, nil)
	defer sink.Close()
	sink.write([]byte("{}\n"))
	if !sink.writeParts([][]byte{[]byte(`{"k":`), []byte("1}\n")}) {
		t.Error("parts are not written")
	}
	if sink.Size() != 11 || sink.named.size != 11 {
		t.Errorf("the log has %d bytes, and the file %d, want 11", sink.Size(), sink.named.size)
	}
}

// TestReadHead holds that the body of a round trip's head is read as it was sent.
func TestReadHead(t *testing.T) {
	http := func(ev session.HTTPEvent) session.Observation {
		return session.Observation{Conn: 1, Kind: session.ObsHTTP, Trip: 1, T: 1, HTTP: &ev}
	}
	s := &script{steps: []step{{batch: []session.Observation{
		http(session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp", Proto: "HTTP/1.1", Fields: []session.HTTPField{{Name: "Accept", Value: "x"}}}),
		http(session.HTTPEvent{Event: "res", Status: 202}), http(session.HTTPEvent{Event: "end", Why: "eof"}),
	}}}}
	log := bytesLog(recordAll(t, s, NewMemory(0)))
	snap := snapshotOf(t, log)
	for row, want := range []string{"POST /mcp", "202"} {
		text, err := ReadMessage(log, snap, uint32(row))
		if first, _, _ := strings.Cut(string(text), "\n"); err != nil || !strings.Contains(first, want) {
			t.Errorf("row %d is %q, %v", row, text, err)
		}
	}
}

// TestReadInterleaved holds that of bodies that were recorded in pieces, in turns, each is
// read without the others': those of another stream, connection and round trip.
func TestReadInterleaved(t *testing.T) {
	const pieces = 12
	whole := func(name string) string { return strings.Repeat(name, 1000*pieces) }
	piece := func(at int64, conn, trip int, name string) session.Observation {
		stream := session.S2C
		if name == "e" {
			stream = session.C2S
		}
		return session.Observation{Kind: session.ObsBytes, Conn: conn, Trip: trip, Stream: stream, T: at, Data: []byte(strings.Repeat(name, 1000))}
	}
	s := &script{}
	begin := []session.Observation{}
	for trip := 1; trip <= 2; trip++ {
		begin = append(begin, session.Observation{Conn: 3, Kind: session.ObsHTTP, Trip: trip, HTTP: &session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}},
			session.Observation{Conn: 3, Kind: session.ObsHTTP, Trip: trip, HTTP: &session.HTTPEvent{Event: "res", Status: 200}})
	}
	s.steps = append(s.steps, step{batch: begin})
	for i := range int64(pieces) {
		at := (i + 1) * sec
		s.steps = append(s.steps, step{at: at, batch: []session.Observation{piece(at, 1, 0, "a"), piece(at, 2, 0, "b"), piece(at, 3, 1, "c"), piece(at, 3, 2, "d"), piece(at, 1, 0, "e")}})
	}
	log := bytesLog(recordAll(t, s, NewMemory(0)))
	snap := snapshotOf(t, log)
	read := map[string]bool{}
	for i := range uint32(snap.Len()) {
		if text, err := ReadMessage(log, snap, i); err == nil && len(text) >= 1000*pieces {
			name := string(text[:1])
			if read[name] = true; string(text) != whole(name) {
				t.Errorf("row %d is %d bytes, not only of %s", i, len(text), name)
			}
		}
	}
	if len(read) != 5 {
		t.Errorf("the bodies %v are read", read)
	}
}

// TestMoved holds that who looks at a live session is told once what is there was read, and
// not only when more comes.
func TestMoved(t *testing.T) {
	file := bytes.Join([][]byte{appendHeader(nil, &session.Header{SID: "s", T0: t0}), appendProc(nil, 1, 1, 5, &session.Proc{Event: "start"})}, nil)
	log := NewMemory(1 << 20)
	log.place(file)
	log.publish(int64(len(file)), false)
	analyzer := session.NewAnalyzer(session.Config{})
	moved, ended := make(chan int, 100), make(chan error, 1)
	f := &Follower{Log: log, Analyzer: analyzer, Moved: func() { moved <- analyzer.Snapshot().Len() }}
	go func() { ended <- f.Run(t.Context()) }()
	select {
	case n := <-moved:
		if n != 1 {
			t.Errorf("%d rows are there when it has moved", n)
		}
	case <-time.After(5 * time.Minute):
		t.Fatal("nothing is said of what was read")
	}
	log.publish(int64(len(file)), true)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
