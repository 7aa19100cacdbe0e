package redact

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/recorder/redact/redacttest"
)

// TestProcessors holds that a long recording is redacted alike on one and on several
// processors.
func TestProcessors(t *testing.T) {
	var text bytes.Buffer
	text.Write(redacttest.Everything())
	if err := recordertest.Generate(&text, recordertest.Options{Frames: 20_000}); err != nil {
		t.Fatal(err)
	}
	log := opened(t, text.Bytes())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var copies [2]bytes.Buffer
	for i, n := range []int{1, 4} {
		runtime.GOMAXPROCS(n)
		r, err := Learn(t.Context(), log, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Write(t.Context(), &copies[i]); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := copies[0].Bytes(), copies[1].Bytes(); len(a) < 1<<20 || !bytes.Equal(a, b) {
		at := 0
		for at < len(a) && at < len(b) && a[at] == b[at] {
			at++
		}
		t.Errorf("copies of %d and %d bytes differ at %d", len(a), len(b), at)
	}
}

// TestFoundAgain holds that what is kept of the first pass makes the same copy as what is found
// again in the second.
func TestFoundAgain(t *testing.T) {
	r, err := Learn(t.Context(), opened(t, redacttest.Everything()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.own) == 0 {
		t.Error("nothing is kept of the first pass")
	}
	var copies [2]bytes.Buffer
	for i := range copies {
		if err := r.Write(t.Context(), &copies[i]); err != nil {
			t.Fatal(err)
		}
		r.own = nil
	}
	if !bytes.Equal(copies[0].Bytes(), copies[1].Bytes()) {
		t.Errorf("%s\nbecomes\n%s", &copies[0], &copies[1])
	}
}

// opened is a recording of given bytes.
func opened(t *testing.T, text []byte) *recorder.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x"+recorder.Suffix)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}
