package cli

import (
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
		"long after the end": {900 * time.Millisecond, recordBegin + 900*time.Millisecond, true},
		"never":              {time.Hour, recordBegin + recordPlace + recordLook, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				clock := transport.NewClock(began)
				tap := transport.NewTap(clock, transport.TapConfig{})
				sink := recorder.NewMemory(0)
				b := recordBeside(tap, func() *recorder.Writer {
					time.Sleep(c.comes)
					return recorder.NewWriter(sink, session.Header{T0: began}, recorder.Options{Now: clock.Now})
				})
				tap.Put(1, session.S2C, []byte("said\n"))
				b.end("error")
				if took := time.Since(began); took > c.ends+recordLook {
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
