package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/format"
)

// openRecording opens a session file and words what is wrong with it.
func openRecording(path string) (*recorder.File, error) {
	f, err := recorder.Open(path)
	if err != nil {
		return nil, recordingFailure(path, err)
	}
	return f, nil
}

func recordingFailure(path string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint = "wiretea sessions ls names the recordings"
	case errors.Is(err, recorder.ErrNewer):
		hint = "a newer wiretea wrote it, and that one reads it; jq reads it too"
	case errors.Is(err, recorder.ErrNotSession):
		hint = "session files begin with a record like {\"k\":\"hdr\",\"fmt\":\"mcpcap\",…}; wiretea run --record FILE writes one"
	}
	return &failure{code: exitUsage, hint: hint, err: err}
}

// errNothing is for standard input, or a pipe, out of which nothing came.
func errNothing(path string) error {
	return fmt.Errorf("%s: %w: it is empty", path, recorder.ErrNotSession)
}

// judge reads a recording to its present end and returns what there is to know.
func judge(ctx context.Context, path string, errw io.Writer) (*session.Snapshot, error) {
	f, s, err := judged(ctx, path, session.Limits{}, errw)
	if err != nil {
		return nil, err
	}
	return s, f.Close()
}

// reportDamage says what of a file could not be read. It is no finding: nobody
// broke the protocol.
func reportDamage(errw io.Writer, path string, f *recorder.Follower) {
	if d := f.Damage; d.Lines > 0 {
		fmt.Fprintf(errw, "wiretea: %s: %s skipped, the first at byte %d: %v\n", path, format.Plural(d.Lines, "damaged line"), d.Off, d.Err)
	}
	if f.Torn > 0 {
		fmt.Fprintf(errw, "wiretea: %s: the last record is torn off after %s\n", path, format.Plural(f.Torn, "byte"))
	}
}

// sinceStart returns the clock of a session that is being recorded elsewhere:
// the time since its T0 by the wall clock, which both processes share.
func sinceStart(h *session.Header) func() int64 {
	if h == nil {
		return nil
	}
	t0 := h.T0
	return func() int64 { return int64(time.Since(t0)) }
}
