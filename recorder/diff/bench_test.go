package diff

import (
	"bytes"
	"testing"

	"wiretea/recorder/recordertest"
)

// BenchmarkCompare reads and compares a recording of 20,000 frames with itself.
func BenchmarkCompare(b *testing.B) {
	var file bytes.Buffer
	if err := recordertest.Generate(&file, recordertest.Options{Frames: 20_000}); err != nil {
		b.Fatal(err)
	}
	log := logOf(b, file.Bytes())
	b.SetBytes(2 * int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		comparedLogs(b, log, log, Options{})
	}
}
