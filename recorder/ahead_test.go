package recorder_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session"
	"wiretea/session/check"
)

// TestAhead holds that reading ahead changes nothing: of each recording the analysis is the
// same, byte for byte, and so is what could not be read.
func TestAhead(t *testing.T) {
	files := map[string][]byte{}
	paths, err := filepath.Glob("testdata/*" + recorder.Suffix)
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		if files[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(400) {
		files["seed "+strconv.FormatUint(seed, 10)] = recordertest.Random(seed)
	}
	var long bytes.Buffer
	if err := recordertest.Generate(&long, recordertest.Options{Frames: 5000}); err != nil {
		t.Fatal(err)
	}
	files["long"] = long.Bytes()
	for name, text := range files {
		path := filepath.Join(t.TempDir(), "x"+recorder.Suffix)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		want, damage, torn := analysed(t, path, 0)
		for _, size := range []int{1, 7} {
			got, itsDamage, itsTorn := analysed(t, path, size)
			if !bytes.Equal(got, want) || itsDamage != damage || itsTorn != torn {
				t.Errorf("%s, in batches of %d: the analysis of %d bytes differs, or %d torn bytes from %d, or %q from %q", name, size, len(got), itsTorn, torn, itsDamage, damage)
			}
		}
	}
}

// analysed returns the analysis of a file, read ahead in batches of a size unless that is 0,
// what of it was damaged, and how many bytes of an unfinished record it has.
func analysed(t *testing.T, path string, size int) ([]byte, string, int64) {
	t.Helper()
	log, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	f := &recorder.Follower{Log: log, Once: true, Analyzer: session.NewAnalyzer(session.Config{Checkers: check.New()})}
	if err := recorder.RunAhead(t.Context(), f, size); err != nil {
		t.Fatal(path, err)
	}
	s := f.Analyzer.Snapshot()
	shown, err := json.Marshal([]any{s.Header(), s.End(), s.Totals(), s.Clock(), s.Findings(), s.Conns(), s.Methods(), s.InPath()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(s.Len()) {
		r := s.Row(i)
		shown = fmt.Appendf(shown, "%+v %q %q %q %d %v\n", r, s.Name(r.Method), s.Name(r.Target), s.ID(r), s.TripRow(i), s.RowFindings(i))
	}
	damage := ""
	if f.Damage.Err != nil {
		damage = f.Damage.Err.Error() + strconv.FormatInt(f.Damage.Lines, 10)
	}
	return shown, damage, f.Torn
}

// TestAheadEnds holds that its goroutine ends with a read that is given up, and with one of
// a log that cannot be read.
func TestAheadEnds(t *testing.T) {
	log := generated(t, 5000)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		moves := 0
		f := &recorder.Follower{Log: log, Analyzer: session.NewAnalyzer(session.Config{}), Moved: func() {
			if moves++; moves == 1 {
				cancel()
			}
		}}
		if err := recorder.RunAhead(ctx, f, 100); !errors.Is(err, context.Canceled) || moves > 2 {
			t.Errorf("%v after %d moves", err, moves)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := &recorder.Follower{Log: unreadable{}, Analyzer: session.NewAnalyzer(session.Config{})}
		if err := recorder.RunAhead(t.Context(), f, 100); !errors.Is(err, errUnreadable) {
			t.Error(err)
		}
	})
}

var errUnreadable = errors.New("unreadable")

// unreadable is a log that cannot be read.
type unreadable struct{}

func (unreadable) ReadAt([]byte, int64) (int, error) { return 0, errUnreadable }
func (unreadable) Size() int64                       { return 100 }
func (unreadable) Wait(context.Context, int64) error { return recorder.ErrFinished }
