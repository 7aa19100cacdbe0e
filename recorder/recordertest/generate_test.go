package recordertest_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session"
)

// TestGenerate holds that a synthetic file is a proper session of the size that was
// asked for, and that the seed decides what is in it.
func TestGenerate(t *testing.T) {
	var a, b, other bytes.Buffer
	for _, g := range []struct {
		w    io.Writer
		seed uint64
	}{{&a, 1}, {&b, 1}, {&other, 2}} {
		if err := recordertest.Generate(g.w, recordertest.Options{Frames: 3000, Seed: g.seed, Faults: 100}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) || bytes.Equal(a.Bytes(), other.Bytes()) {
		t.Error("the seed does not decide")
	}
	path := filepath.Join(t.TempDir(), "s"+recorder.Suffix)
	if err := os.WriteFile(path, a.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	kinds, frames := map[string]int{}, 0
	r := recorder.NewReader(f, 0)
	var rec session.Record
	for {
		err := r.Next(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == session.RecFrame {
			frames++
			kinds[rec.Stream.String()]++
			if !bytes.HasPrefix(rec.Body, []byte("{")) && rec.Stream == session.S2C {
				kinds["fault"]++
			}
		}
	}
	if r.Damage().Lines > 0 || r.Torn() > 0 {
		t.Errorf("damage %+v, %d bytes torn", r.Damage(), r.Torn())
	}
	if frames != 3000 || kinds["c2s"] < 1000 || kinds["s2c"] < 1000 || kinds["err"] < 10 || kinds["fault"] < 5 {
		t.Errorf("%d frames, %v", frames, kinds)
	}
	if err := recordertest.Generate(errWriter{}, recordertest.Options{Frames: 10}); !errors.Is(err, errNoWay) {
		t.Errorf("a writer that fails: %v", err)
	}
}

var errNoWay = errors.New("no way")

type errWriter struct{}

func (errWriter) Write([]byte) (int, error) { return 0, errNoWay }

func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		if err := recordertest.Generate(io.Discard, recordertest.Options{Frames: 100_000}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*100_000/b.Elapsed().Seconds(), "frames/s")
}

// TestHostile holds that a hostile session has each field of the format, and that its
// records are ones.
func TestHostile(t *testing.T) {
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "session-file.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := recordertest.Hostile(true, true, func(place string) string { return "<" + place + ">" })
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllSubmatch(docs, -1) {
		for _, name := range regexp.MustCompile("`([a-z0-9]+)`").FindAllSubmatch(row[1], -1) {
			field, event := `"`+string(name[1])+`":`, `"ev":"`+string(name[1])+`"`
			if !bytes.Contains(text, []byte(field)) && !bytes.Contains(text, []byte(event)) && field != `"redacted":` {
				t.Errorf("no record has %s", name[1])
			}
		}
	}
	path := filepath.Join(t.TempDir(), "s"+recorder.Suffix)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := recorder.NewReader(f, 0)
	var rec session.Record
	for err = nil; err == nil; {
		err = r.Next(&rec)
	}
	if !errors.Is(err, io.EOF) || r.Damage().Lines > 0 {
		t.Errorf("%v, %+v", err, r.Damage())
	}
}
