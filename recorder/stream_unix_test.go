//go:build unix

package recorder

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"wiretea/session"
)

// pipeSink is a Sink into a fresh FIFO, and the FIFO's other end.
func pipeSink(t *testing.T) (*Sink, *os.File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := make(chan *os.File, 1)
	go func() {
		f, err := os.Open(path) // returns when the other end is open too
		if err != nil {
			t.Error(err)
		}
		opened <- f
	}()
	sink, err := OpenStream(path)
	if err != nil || sink == nil {
		t.Fatal(sink, err)
	}
	t.Cleanup(func() { sink.Close() })
	sink.Unread()
	f := <-opened
	t.Cleanup(func() { f.Close() })
	return sink, f, path
}

// TestStream holds that what goes through a pipe is what a file would have.
func TestStream(t *testing.T) {
	sink, f, _ := pipeSink(t)
	short := func() *script {
		return &script{steps: []step{
			{at: 1, batch: []session.Observation{chunk(1, session.C2S, "{}\n")}},
			{at: 2, batch: []session.Observation{chunk(2, session.S2C, "[]\n")}},
		}}
	}
	src := short()
	if err := NewWriter(sink, header(), src.options()).Run(src); err != nil {
		t.Fatal(err)
	}
	sink.Close()
	got, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if want := recordAll(t, short(), NewMemory(0)); !bytes.Equal(got, want) {
		t.Errorf("the pipe gave\n%s\nwant\n%s", got, want)
	}
}

// TestStreamLosesItsReader holds that a reader that goes away costs what it did not
// take, that this is counted, and that the next one finds whole records.
func TestStreamLosesItsReader(t *testing.T) {
	sink, f, path := pipeSink(t)
	var next *os.File
	defer func() { next.Close() }()
	src := &script{}
	for i := range 5 {
		src.steps = append(src.steps, step{at: int64(i+1) * 2 * sec, batch: []session.Observation{chunk(int64(i+1)*2*sec, session.S2C, line(i))}})
	}
	src.hook = func(take int, _ int64) {
		switch take {
		case 1:
			f.Close()
		case 3:
			fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Error(err)
			}
			next = os.NewFile(uintptr(fd), path)
		}
	}
	if err := NewWriter(sink, header(), src.options()).Run(src); err != nil {
		t.Fatal(err)
	}
	sink.Close()
	got, err := io.ReadAll(next)
	if err != nil {
		t.Fatal(err)
	}
	bytesSeen, missing := int64(0), int64(0)
	var p parser
	for record := range bytes.Lines(got) {
		var rec session.Record
		if err := p.parse(bytes.TrimSuffix(record, []byte("\n")), &rec); err != nil {
			t.Fatalf("%q: %v", record, err)
		}
		switch rec.Kind {
		case session.RecFrame:
			bytesSeen += int64(len(rec.Body)) + 1
		case session.RecGap:
			missing += rec.Gap.Bytes
		}
	}
	if missing == 0 || bytesSeen == 0 || bytesSeen+missing != 500 {
		t.Errorf("%d bytes came, %d are said to be missing, of 500:\n%s", bytesSeen, missing, got)
	}
}

// TestStreamIsForPipes holds that nothing else is taken for one.
func TestStreamIsForPipes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, file, filepath.Join(dir, "none"), os.DevNull} {
		if s, err := OpenStream(name); s != nil || err != nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}
