package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
)

// A fakeFile is a medium in memory on a disk with a limit.
type fakeFile struct {
	mu    sync.Mutex
	data  []byte
	limit int           // most bytes that fit; below 0 = no limit
	syncs chan struct{} // told of each Sync, unless nil
	slow  time.Duration // how long Sync takes
}

func (f *fakeFile) WriteAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(p)
	if f.limit >= 0 {
		n = max(0, min(n, f.limit-int(off)))
	}
	f.data = append(f.data[:min(int(off), len(f.data))], p[:n]...)
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

// WriteParts writes part by part: a full disk takes some of them.
func (f *fakeFile) WriteParts(parts [][]byte, off int64) (done int, err error) {
	for _, p := range parts {
		n, err := f.WriteAt(p, off+int64(done))
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

func (f *fakeFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.NewReader(f.data).ReadAt(p, off)
}

func (f *fakeFile) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.data = f.data[:size]
	return nil
}

func (f *fakeFile) Sync() error {
	time.Sleep(f.slow)
	if f.syncs != nil {
		f.syncs <- struct{}{}
	}
	return nil
}

func (f *fakeFile) Close() error { return nil }

func noTemp() (medium, error) { return nil, errors.New("no space") }

// line is a frame of 100 bytes on S2C.
func line(i int) string { return fmt.Sprintf("%099d\n", i) }

// fullDisk runs a session of 20 batches while the disk is full from the tenth to
// the fourteenth, and returns the file and the log.
func fullDisk(t *testing.T, room int, temp func() (medium, error)) (*fakeFile, *Sink, []string) {
	f := &fakeFile{limit: -1}
	sink := newFileSink("x", f, temp)
	var steps []step
	for i := range 20 {
		steps = append(steps, step{at: int64(i+1) * sec, batch: []session.Observation{
			chunk(int64(i+1)*sec, session.S2C, line(i)), chunk(int64(i+1)*sec, session.C2S, "{}\n"),
		}})
	}
	steps[12].batch = append(steps[12].batch, session.Observation{Kind: session.ObsProc, Conn: 1, T: 13 * sec, Proc: session.Proc{Event: "signal", Signal: "SIGINT"}})
	s := &script{steps: steps, hook: nil}
	s.hook = func(take int, _ int64) {
		switch take {
		case 10:
			f.limit = len(f.data) + room
		case 15:
			f.limit = -1
		}
	}
	var told []string
	opt := s.options()
	opt.Changed = func(reason error) { told = append(told, fmt.Sprint(reason)) }
	if err := NewWriter(sink, header(), opt).Run(s); err != nil {
		t.Fatal(err)
	}
	return f, sink, told
}

// TestFullDisk holds that a full disk loses nothing in the log, leaves whole
// records in the file, and that the file says what it misses.
func TestFullDisk(t *testing.T) {
	places := map[string]func() (medium, error){
		"memory":            noTemp,
		"no temporary file": nil,
		"temporary file":    func() (medium, error) { return &fakeFile{limit: -1}, nil },
		"full as well":      func() (medium, error) { return &fakeFile{limit: 300}, nil },
	}
	for name, temp := range places {
		for _, room := range []int{0, 1, 150, 170, 220, 250, 400} {
			t.Run(fmt.Sprint(name, room), func(t *testing.T) {
				f, sink, told := fullDisk(t, room, temp)
				checkFull(t, f, sink)
				if len(told) < 2 || !strings.Contains(told[0], "no space") || told[len(told)-1] != "<nil>" {
					t.Errorf("told %q", told)
				}
				if sink.Reason() == nil {
					t.Error("the session is not wholly in its file, and Reason is nil")
				}
			})
		}
	}
}

func checkFull(t *testing.T, f *fakeFile, sink *Sink) {
	t.Helper()
	checkLines(t, f.data)
	var want strings.Builder
	for i := range 20 {
		want.WriteString(line(i))
	}
	if got := streams(mustRead(t, contents(t, sink)))[place{1, session.S2C}]; string(got) != want.String() {
		t.Errorf("the log has %d bytes of the stream, want %d", len(got), want.Len())
	}
	list := mustRead(t, f.data)
	have, missing := len(streams(list)[place{1, session.S2C}]), int64(0)
	var frames, c2s int64
	var signals int
	for _, rec := range list {
		if rec.Kind == session.RecGap && rec.Stream == session.S2C {
			missing, frames = missing+rec.Gap.Bytes, frames+rec.Gap.Frames
		}
		if rec.Kind == session.RecGap && rec.Stream == session.C2S {
			c2s += rec.Gap.Bytes
		}
		if rec.Kind == session.RecProc {
			signals++
		}
	}
	end := list[len(list)-1]
	if missing == 0 || int64(have)+missing != 2000 || frames*100 != missing {
		t.Errorf("the file has %d bytes and says that %d bytes, %d frames are missing", have, missing, frames)
	}
	if signals != 1 || end.Kind != session.RecEnd || end.End.Lost != missing+c2s || end.End.Bytes != 2060 {
		t.Errorf("%d signals, the last record is %+v", signals, end)
	}
}

// TestNoDiskAtEnd holds that a disk that stays full leaves a file of whole
// records without end, and a whole log.
func TestNoDiskAtEnd(t *testing.T) {
	f := &fakeFile{limit: 700}
	sink := newFileSink("x", f, noTemp)
	var steps []step
	for i := range 20 {
		steps = append(steps, step{at: int64(i) * sec, batch: []session.Observation{chunk(int64(i)*sec, session.S2C, line(i))}})
	}
	log := recordAll(t, &script{steps: steps}, sink)
	checkLines(t, f.data)
	if len(f.data) > 700 || !bytes.HasSuffix(f.data, []byte("\n")) {
		t.Errorf("the file has %d bytes, the last line %q", len(f.data), f.data[max(0, len(f.data)-20):])
	}
	if list := mustRead(t, log); list[len(list)-1].Kind != session.RecEnd {
		t.Error("the log has no end")
	}
	if !bytes.HasPrefix(log, f.data[:400]) {
		t.Error("the file is not the log's beginning")
	}
}

// waiter is a Source that waits as a tap does.
type waiter struct{ in chan []session.Observation }

func (s waiter) Take(timeout time.Duration) ([]session.Observation, int64, error) {
	var expired <-chan time.Time
	if timeout > 0 {
		expired = time.After(timeout)
	}
	select {
	case batch, ok := <-s.in:
		if !ok {
			return nil, 0, io.EOF
		}
		return batch, 0, nil
	case <-expired:
		return nil, 0, nil
	}
}

// TestTimes holds, on a clock of its own, when the Writer acts without being
// told to.
func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeFile{limit: -1, syncs: make(chan struct{}, 100)}
		sink := newFileSink("x", f, noTemp)
		start := time.Now()
		hdr := header()
		hdr.T0 = start
		src := waiter{make(chan []session.Observation)}
		var ahead time.Duration
		w := NewWriter(sink, hdr, Options{Wall: func() time.Time { return time.Now().Add(ahead) }})
		done := make(chan error)
		go func() { done <- w.Run(src) }()
		last := func() string {
			synctest.Wait()
			p := contents(t, sink)
			lines := strings.Split(string(p), "\n")
			return lines[len(lines)-2]
		}
		expect := func(d time.Duration, part string) {
			t.Helper()
			time.Sleep(d)
			if got := last(); !strings.Contains(got, part) {
				t.Errorf("after %v the last record is %s, want %s", time.Since(start), got, part)
			}
		}
		expect(999*time.Millisecond, `"k":"hdr"`)
		if len(f.syncs) != 0 {
			t.Error("synced before a second had passed")
		}
		expect(time.Millisecond, `"k":"hdr"`)
		if len(f.syncs) != 1 {
			t.Errorf("synced %d times after a second, want once", len(f.syncs))
		}
		src.in <- []session.Observation{chunk(int64(time.Since(start)), session.S2C, "grow")}
		expect(499*time.Millisecond, `"k":"hdr"`)
		expect(time.Millisecond, `"k":"raw"`)
		expect(8499*time.Millisecond, `"k":"raw"`)
		expect(time.Millisecond, `"k":"clk"`)
		ahead = -251 * time.Millisecond
		src.in <- []session.Observation{chunk(int64(time.Since(start)), session.S2C, "ing\n")}
		expect(0, `"wall":"`+start.Add(10*time.Second+ahead).UTC().Format("2006-01-02T15:04:05.000000000Z"))
		n := len(f.syncs)
		expect(10*time.Second, `"k":"clk"`)
		if got := len(f.syncs) - n; got != 1 {
			t.Errorf("synced %d times for one batch, want once", got)
		}
		close(src.in)
		if err := <-done; err != nil {
			t.Error(err)
		}
		expect(0, `"k":"end"`)
	})
}

// TestSlowDisk holds that the end of a session does not wait for a disk that
// hangs.
func TestSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		sink := newFileSink("x", &fakeFile{limit: -1, slow: time.Hour}, noTemp)
		if err := NewWriter(sink, header(), Options{}).Run(&script{}); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != endSync {
			t.Errorf("the end took %v, want %v", took, endSync)
		}
		if err := sink.Wait(t.Context(), sink.Size()); !errors.Is(err, ErrFinished) {
			t.Errorf("Wait: %v, want ErrFinished", err)
		}
		<-sink.syncer.done
	})
}

// TestSourceFails holds that the recording is closed properly when the source
// breaks off, and that Run says so.
func TestSourceFails(t *testing.T) {
	boom := errors.New("boom")
	sink := NewMemory(0)
	err := NewWriter(sink, header(), Options{}).Run(failing{boom})
	list := mustRead(t, contents(t, sink))
	if end := list[len(list)-1]; !errors.Is(err, boom) || end.End.Why != "error" {
		t.Errorf("Run: %v, the last record is %+v", err, end)
	}
}

type failing struct{ err error }

func (f failing) Take(time.Duration) ([]session.Observation, int64, error) { return nil, 0, f.err }

// TestDoorbell holds that Wait wakes for growth and for the end, and gives up
// with its context.
func TestDoorbell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := NewMemory(0)
		wait := func(ctx context.Context, size int64) <-chan error {
			done := make(chan error, 1)
			go func() { done <- log.Wait(ctx, size) }()
			synctest.Wait()
			return done
		}
		grown := wait(t.Context(), 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		late := wait(ctx, 100)
		log.write([]byte("{}\n"))
		if err := <-grown; err != nil {
			t.Errorf("growth: %v", err)
		}
		if err := <-late; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("timeout: %v", err)
		}
		ended := wait(t.Context(), 3)
		log.finish(true)
		if err := <-ended; !errors.Is(err, ErrFinished) {
			t.Errorf("end: %v", err)
		}
		cancel()
		if err := log.Wait(ctx, 0); err != nil {
			t.Errorf("what is there already: %v", err)
		}
	})
}

// A shownFile shows what is written to readers of the file, and ends the write when told.
type shownFile struct {
	fakeFile
	end chan struct{}
}

func (f *shownFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.fakeFile.WriteAt(p, off)
	<-f.end
	return n, err
}

// TestGrows holds that Grows waits for what the file's readers have already.
func TestGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &shownFile{fakeFile: fakeFile{limit: -1}, end: make(chan struct{})}
		log := newFileSink("x", f, noTemp)
		defer log.finish(false)
		if log.Grows(t.Context(), 0) {
			t.Error("nothing was written")
		}
		go log.write([]byte("{}\n"))
		synctest.Wait()
		if len(f.data) != 3 || log.Size() != 0 {
			t.Fatalf("the file has %d bytes, the log %d", len(f.data), log.Size())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if log.Grows(ctx, 0) {
			t.Error("longer while the write has not ended")
		}
		grows := make(chan bool, 1)
		go func() { grows <- log.Grows(t.Context(), 0) }()
		synctest.Wait()
		f.end <- struct{}{}
		if !<-grows || log.Size() != 3 {
			t.Error("not waited for")
		}
		synctest.Wait()
		if !log.Grows(t.Context(), 0) || log.Grows(t.Context(), 3) {
			t.Error("wrong behind the write")
		}
	})
}

// TestMissing holds what is counted of records that a file did not take.
func TestMissing(t *testing.T) {
	var m lossLedger
	m.add([]byte(`{"k":"f","n":1,"t":1,"d":"s2c","b":{}}` + "\n" + `{"k":"f","n":2,"t":1,"d":"err","e":"","s":"x"}` + "\n"))
	m.add([]byte(`{"k":"raw","n":3,"t":1,"d":"s2c","s":"abc"}` + "\n" + `{"k":"f","n":4,"c":2,"t":1,"d":"s2c","b":{}}` + "\n"))
	m.add([]byte(`{"k":"io","n":5,"t":1,"d":"s2c","ev":"eof"}` + "\n" + `{"k":"clk","n":6,"t":1,"wall":"2026-11-20T10:00:00Z"}` + "\n"))
	want := []streamGap{
		{origin{conn: 1}, session.Gap{Stream: session.S2C, Bytes: 6, Frames: -1, Why: "disk"}},
		{origin{conn: 1}, session.Gap{Stream: session.Stderr, Bytes: 1, Frames: 1, Why: "disk"}},
		{origin{conn: 2}, session.Gap{Stream: session.S2C, Bytes: 3, Frames: 1, Why: "disk"}},
	}
	// What is missing of a stream comes before the stream's end.
	if !slices.Equal(m.gaps, want[1:]) || len(m.events) != 2 || m.events[0].gap == nil || *m.events[0].gap != want[0] || m.events[1].line == nil || m.bytes() != 10 {
		t.Errorf("got %+v and %+v, want %+v", m.gaps, m.events, want)
	}
}

// TestMissingOfTrips holds the same for the bodies of a round trip.
func TestMissingOfTrips(t *testing.T) {
	var m lossLedger
	for _, line := range []string{
		`{"k":"f","n":1,"t":1,"d":"c2s","b":{}}`, `{"k":"f","n":1,"trip":2,"t":1,"d":"c2s","b":{}}`, `{"k":"raw","n":1,"trip":2,"t":1,"d":"s2c","s":"abcd"}`, `{"k":"raw","n":1,"trip":3,"t":1,"d":"s2c","s":"abcde"}`,
		`{"k":"http","n":5,"trip":2,"t":1,"ev":"sent"}`, `{"k":"http","n":5,"trip":2,"t":1,"ev":"res"}`, `{"k":"http","n":5,"trip":2,"t":1,"ev":"end"}`,
	} {
		m.add([]byte(line + "\n"))
	}
	var got []string
	for _, e := range m.events {
		if e.gap != nil {
			got = append(got, fmt.Sprintf("%d %s %d", e.gap.at.trip, e.gap.gap.Stream, e.gap.gap.Bytes))
		} else {
			_, event, _ := strings.Cut(string(e.line), `"ev":`)
			got = append(got, event)
		}
	}
	if want := []string{"2 c2s 3", "\"sent\"}\n", "\"res\"}\n", "2 s2c 4", "\"end\"}\n"}; !slices.Equal(got, want) || len(m.gaps) != 2 {
		t.Errorf("got %q, want %q, and %+v", got, want, m.gaps)
	}
}
