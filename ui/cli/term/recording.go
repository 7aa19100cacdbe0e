package term

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"wiretea/recorder"
	"wiretea/ui/format"
)

// OpenRecording opens a session file and words what is wrong with it.
func OpenRecording(path string) (*recorder.File, error) {
	f, err := recorder.Open(path)
	if err != nil {
		return nil, RecordingFailure(path, err)
	}
	return f, nil
}

func RecordingFailure(path string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint = "wiretea sessions ls names the recordings"
	case errors.Is(err, recorder.ErrNewer):
		hint = "it was written by a newer wiretea: use that version, or jq"
	case errors.Is(err, recorder.ErrNotSession):
		hint = "session files begin with a record like {\"k\":\"hdr\",\"fmt\":\"mcpcap\",…}; wiretea run --record FILE writes one"
	}
	return &Failure{Code: ExitUsage, Hint: hint, Err: err}
}

// ErrNothing is for standard input, or a pipe, out of which nothing came.
func ErrNothing(path string) error {
	return fmt.Errorf("%s: %w: it is empty", path, recorder.ErrNotSession)
}

// ReportDamage says what of a file could not be read. It is not a finding: nobody
// broke the protocol.
func ReportDamage(errw io.Writer, path string, f *recorder.Follower) {
	if d := f.Damage; d.Lines > 0 {
		fmt.Fprintf(errw, "wiretea: %s: %s skipped, the first at byte %d: %v\n", path, format.Plural(d.Lines, "damaged line"), d.Off, d.Err)
	}
	if f.Torn > 0 {
		fmt.Fprintf(errw, "wiretea: %s: the last record is torn off after %s\n", path, format.Plural(f.Torn, "byte"))
	}
}
