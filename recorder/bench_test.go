package recorder

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/session"
)

// nowhere is a medium that takes everything and costs nothing.
type nowhere struct{}

func (nowhere) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (nowhere) ReadAt([]byte, int64) (int, error)      { return 0, io.EOF }
func (nowhere) Truncate(int64) error                   { return nil }
func (nowhere) Sync() error                            { return nil }
func (nowhere) Close() error                           { return nil }

// result is a response of about size bytes, with its line feed.
func result(size int) []byte {
	return []byte(`{"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"` +
		strings.Repeat("the \\\"quick\\\" brown fox ", max(1, (size-100)/24)) + `"}],"isError":false}}` + "\n")
}

// batchOf is one take of a tap: about 256 KiB in chunks of one frame each, or
// the parts of one frame.
func batchOf(size int) (batch []session.Observation, frames int, bytes int64) {
	frame := result(size)
	for bytes < 256<<10 {
		for p := frame; len(p) > 0; {
			n := min(len(p), 64<<10)
			batch = append(batch, session.Observation{Conn: 1, Stream: session.S2C, T: 5, Data: p[:n]})
			p = p[n:]
		}
		bytes += int64(len(frame))
		frames++
	}
	return batch, frames, bytes
}

// TestNoAllocation holds that a frame costs no allocation once the buffers have
// grown.
func TestNoAllocation(t *testing.T) {
	for _, size := range []int{200, 10_000, 1_000_000} {
		sink := &Sink{max: 1, parts: []part{{disk: &disk{f: nowhere{}}}}}
		var now int64
		w := NewWriter(sink, header(), Options{Now: func() int64 { return now }, Wall: func() time.Time { return t0 }})
		batch, frames, _ := batchOf(size)
		run := func() {
			for i := range batch {
				w.observe(&batch[i])
			}
			w.tick(batch, 0)
			w.commit()
		}
		run()
		if per := testing.AllocsPerRun(20, run) / float64(frames); per > 0.001 && size < 1_000_000 || per > 1 {
			t.Errorf("%d bytes: %v allocations a frame", size, per)
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	for _, size := range []int{200, 10_000, 1_000_000} {
		for _, bulk := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/bulk=%v", size, bulk), func(b *testing.B) {
				batch, frames, n := batchOf(size)
				f, err := os.Create(filepath.Join(b.TempDir(), "s"))
				if err != nil {
					b.Fatal(err)
				}
				defer f.Close()
				d := &disk{f: osFile{f}}
				w := NewWriter(&Sink{max: 1, parts: []part{{disk: d}}}, header(), Options{})
				b.SetBytes(n)
				b.ReportAllocs()
				b.ResetTimer()
				for b.Loop() {
					d.size = min(d.size, 256<<20) // stay within the page cache
					w.bulk = bulk
					for i := range batch {
						w.observe(&batch[i])
					}
					w.tick(batch, 0)
					w.commit()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*frames), "ns/frame")
			})
		}
	}
}
