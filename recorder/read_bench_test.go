package recorder_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session"
)

// TestReaderAllocates holds that reading a record allocates nothing.
func TestReaderAllocates(t *testing.T) {
	const frames = 20_000
	f := generated(t, frames)
	var rec session.Record
	per := testing.AllocsPerRun(3, func() {
		r := recorder.NewReader(f, 0)
		for r.Next(&rec) == nil {
		}
	}) / frames
	if per > 0.01 {
		t.Errorf("reading: %v allocations a record", per)
	}
}

// generated opens a synthetic session file.
func generated(tb testing.TB, frames int) *recorder.File {
	tb.Helper()
	var file bytes.Buffer
	if err := recordertest.Generate(&file, recordertest.Options{Frames: frames}); err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "s"+recorder.Suffix)
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	f, err := recorder.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	return f
}

// BenchmarkReader reads a generated file, and takes encoding/json's time for the
// same lines beside it.
func BenchmarkReader(b *testing.B) {
	var file bytes.Buffer
	const frames = 100_000
	if err := recordertest.Generate(&file, recordertest.Options{Frames: frames}); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "s"+recorder.Suffix)
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("Reader", func(b *testing.B) {
		f, err := recorder.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		b.SetBytes(int64(file.Len()))
		b.ReportAllocs()
		for b.Loop() {
			r, n := recorder.NewReader(f, 0), 0
			var rec session.Record
			for {
				err := r.Next(&rec)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n < frames {
				b.Fatalf("read %d records", n)
			}
		}
		b.ReportMetric(float64(b.N)*frames/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("encodingJSON", func(b *testing.B) {
		b.SetBytes(int64(file.Len()))
		for b.Loop() {
			for line := range bytes.Lines(file.Bytes()) {
				var rec struct {
					K, D, S, X, E string
					N             uint64
					T, T1         int64
					B             json.RawMessage
				}
				if err := json.Unmarshal(line, &rec); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.N)*frames/b.Elapsed().Seconds(), "records/s")
	})
}
