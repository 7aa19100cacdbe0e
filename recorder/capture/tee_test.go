package capture

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/transport"
)

// TestRecordBesideLate: a place that is long in coming is waited for at the end, for a
// while, and the record then says why the session ended.
func TestRecordBesideLate(t *testing.T) {
	for name, c := range map[string]struct {
		comes, ends time.Duration
		recorded    bool
	}{
		"at once":            {0, 0, true},
		"before the end":     {200 * time.Millisecond, 200 * time.Millisecond, true},
		"long after the end": {900 * time.Millisecond, 900 * time.Millisecond, true},
		"never":              {time.Hour, recordStill + recordCheck, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				tap := transport.NewTap(began, transport.TapConfig{})
				sink := recorder.NewMemory(0)
				b := recordBeside(tap, func(error) {}, func() *recorder.Writer {
					time.Sleep(c.comes)
					return recorder.NewWriter(sink, session.Header{T0: began}, recorder.Options{Now: tap.Now})
				})
				tap.Put(1, session.S2C, session.Crossed, []byte("said\n"))
				b.end("error")
				if took := time.Since(began); took > c.ends+recordCheck {
					t.Errorf("it took %v", took)
				}
				text := make([]byte, sink.Size())
				_, _ = sink.ReadAt(text, 0)
				if got := strings.Contains(string(text), `"s":"said"`) && strings.Contains(string(text), `"why":"error"`); got != c.recorded {
					t.Errorf("recorded:\n%s", text)
				}
				<-b.done
			})
		})
	}
}

// TestTeeRecordsPlain holds that a tee does not pack: its client waits for its end.
func TestTeeRecordsPlain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, want := range []string{"a.jsonl", "a.jsonl-2"} {
		sink, err := createBeside(filepath.Join(dir, "a.jsonl.zst"))
		if err != nil {
			t.Fatal(err)
		}
		defer sink.Close()
		if sink.Path() != filepath.Join(dir, want) || sink.Final() != sink.Path() {
			t.Errorf("it records into %s, and ends as %s", sink.Path(), sink.Final())
		}
	}
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the folder that it made: %v, %v", info, err)
	}
}
