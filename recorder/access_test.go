package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
)

// TestFind holds where a recording is looked for by its name: here, in the sessions folder,
// and, where no other folder is named, in the one that stands in for it.
func TestFind(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	t.Chdir(t.TempDir())
	own, err := SessionsFolder("")
	if err != nil {
		t.Fatal(err)
	}
	named, fallback := t.TempDir(), FallbackFolder()
	for _, path := range []string{
		filepath.Join(own, "a"+Suffix), filepath.Join(own, "packed"+Suffix+".zst"), filepath.Join(own, "gz"+Suffix+".gz"), filepath.Join(own, "both"+Suffix), filepath.Join(own, "both"+Suffix+".zst"),
		filepath.Join(named, "b"+Suffix), filepath.Join(fallback, "a"+Suffix), filepath.Join(fallback, "c"+Suffix), "here", "a.txt",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sep := string(filepath.Separator)
	for _, c := range []struct{ dir, name, want string }{
		{"", "-", "-"}, {"", "here", "here"}, {named, "here", "here"}, {"", "x" + sep + "a", "x" + sep + "a"}, {"", "none", "none"},
		{"", "a", filepath.Join(own, "a"+Suffix)}, {"", "a" + Suffix, filepath.Join(own, "a"+Suffix)},
		{"", "packed", filepath.Join(own, "packed"+Suffix+".zst")}, {"", "packed" + Suffix + ".zst", filepath.Join(own, "packed"+Suffix+".zst")},
		{"", "gz", filepath.Join(own, "gz"+Suffix+".gz")}, {"", "both", filepath.Join(own, "both"+Suffix)},
		{"", "c", filepath.Join(fallback, "c"+Suffix)},
		{named, "b", filepath.Join(named, "b"+Suffix)}, {named, "a", "a"}, {named, "c", "c"},
	} {
		if got := Find(c.dir, c.name); got != c.want {
			t.Errorf("Find(%q, %q) = %q, want %q", c.dir, c.name, got, c.want)
		}
	}
}

// TestBodiesInAnyOrder holds that bodies are the same in whatever order and by whatever way they are
// read: frames of their own, and many rows of one raw record, near one another and far apart.
func TestBodiesInAnyOrder(t *testing.T) {
	var framed, bulk []step
	for i := range 300 {
		line := fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"n\":%d,\"x\":%q}}\n", i, strings.Repeat("x", i*7))
		framed = append(framed, step{batch: []session.Observation{chunk(int64(i), session.S2C, line)}})
		bulk = append(bulk, step{backlog: 65 << 20, batch: []session.Observation{chunk(int64(i), session.S2C, line+"{\"jsonrpc\":\"2.0\",\"method\":\"second\"}\n"+line)}})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for name, steps := range map[string][]step{"frames": framed, "raw": bulk, "both": slices.Concat(framed, bulk)} {
		log := bytesLog(recordAll(t, &script{steps: steps}, NewMemory(0)))
		s := snapshotOf(t, log)
		var order []uint32
		for i := range uint32(s.Len()) {
			order = append(order, i)
		}
		backwards, shuffled := slices.Clone(order), slices.Clone(order)
		slices.Reverse(backwards)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		b := NewBodies(log)
		for _, i := range slices.Concat(order, backwards, shuffled) {
			row := s.Row(i)
			if row.Kind != session.RowNotification {
				continue
			}
			for _, limit := range []int64{-1, 0, 1, 40, int64(row.Len), 1 << 20} {
				want, werr := ReadFrame(log, row, 0, limit)
				if got, err := b.Read(row, limit); err != nil || werr != nil || !bytes.Equal(got, want) {
					t.Fatalf("%s: row %d up to %d: %.60q, %v, want %.60q, %v", name, i, limit, got, err, want, werr)
				}
				if got, err := b.ReadValue(s, i, limit); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%s: value of row %d up to %d: %.60q, %v", name, i, limit, got, err)
				}
			}
			if rec := b.Record(row.Off); rec == nil || rec.Off != row.Off {
				t.Fatalf("%s: record at %d: %+v", name, row.Off, rec)
			}
		}
		if rec := b.Record(log.Size()); rec != nil {
			t.Errorf("%s: a record at the end: %+v", name, rec)
		}
		if rec := b.Record(s.Row(0).Off); rec == nil {
			t.Errorf("%s: none at the beginning any more", name)
		}
	}
}

// TestWriteParts holds that what lies in parts is written behind one another where it is to
// be, and that a file that cannot be written says so.
func TestWriteParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("0123456789"); err != nil {
		t.Fatal(err)
	}
	n, err := osFile{f}.WriteParts([][]byte{[]byte("ab"), nil, []byte("c\n")}, 3)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system writes no parts in one go")
	}
	if err != nil || n != 4 {
		t.Fatalf("%d, %v", n, err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "012abc\n789" {
		t.Errorf("%q, %v", got, err)
	}
	if err := (osFile{f}).Sync(); err != nil {
		t.Error(err)
	}
	f.Close()
	if n, err := (osFile{f}).WriteParts([][]byte{[]byte("ab")}, 0); err == nil || n != 0 {
		t.Errorf("of a closed file: %d, %v", n, err)
	}
}

// A faltering writer takes so much of each write.
type faltering struct {
	bytes.Buffer
	takes []int
}

func (f *faltering) Write(p []byte) (int, error) {
	n := len(p)
	if len(f.takes) > 0 {
		n, f.takes = min(n, f.takes[0]), f.takes[1:]
	}
	n, _ = f.Buffer.Write(p[:n])
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

func (f *faltering) Close() error { return nil }

// TestStreamFalters holds that a record that a pipe took a part of is ended before the next one, so
// that a reader loses one record and no more.
func TestStreamFalters(t *testing.T) {
	f := &faltering{takes: []int{3, 0, 1, 100, 0}}
	s := &stream{f: f}
	for i, c := range []struct {
		n    int
		fail bool
	}{{3, true}, {0, true}, {6, false}, {0, true}, {6, false}} {
		n, err := s.WriteAt([]byte("rec ?\n"), 99)
		if n != c.n || (err != nil) != c.fail {
			t.Errorf("write %d: %d, %v", i, n, err)
		}
	}
	if got := f.String(); got != "rec\nrec ?\nrec ?\n" {
		t.Errorf("%q", got)
	}
	if n, err := s.ReadAt(make([]byte, 1), 0); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("it can be read: %d, %v", n, err)
	}
}
