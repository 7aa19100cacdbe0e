package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/text"
)

// OpenRecording opens a session file, given by its path or by its name in the sessions
// folder, and words what is wrong with it.
func OpenRecording(path string) (*recorder.File, error) {
	f, err := recorder.Open(recorder.Find("", path))
	if err != nil {
		return nil, RecordingFailure(path, err)
	}
	return f, nil
}

// OnlyRecordings leaves those of several files out that are not session files, such as
// the notes beside a recording, and names them in warn. Where none is left it returns all.
func OnlyRecordings(paths []string, warn io.Writer) []string {
	var kept, skipped []string
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
			f, err := recorder.Open(path)
			if errors.Is(err, recorder.ErrNotSession) {
				skipped = append(skipped, Visible(filepath.Base(path)))
				continue
			}
			if err == nil {
				f.Close()
			}
		}
		kept = append(kept, path)
	}
	switch {
	case len(kept) == 0:
		return paths
	case len(skipped) > 3:
		skipped = append(skipped[:3], "…")
	}
	if n := len(paths) - len(kept); n > 0 {
		fmt.Fprintf(warn, "wiretea: skipped %s: not a session file: %s\n", text.Plural(int64(n), "file"), strings.Join(skipped, ", "))
	}
	return kept
}

// RecordingFailure words why a recording cannot be read, and says what helps.
func RecordingFailure(path string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, recorder.ErrNoFolder):
		hint = FolderHint
	case path == "" && errors.Is(err, fs.ErrNotExist): // as of a variable that is not set
		return Usage("wiretea sessions ls names the recordings", "the name of the recording is empty")
	case errors.Is(err, fs.ErrNotExist):
		hint = "wiretea sessions ls names the recordings"
	case errors.Is(err, recorder.ErrUnpack):
		hint = "wiretea sessions repair makes a recording of what can be unpacked"
	case errors.Is(err, recorder.ErrNewer):
		hint = "it was written by a newer wiretea: use that version, or jq"
	case errors.Is(err, recorder.ErrNotSession):
		hint = "session files begin with a record like {\"k\":\"hdr\",\"fmt\":\"mcpcap\",…}; wiretea run --record FILE writes one; HAR and other formats are not imported"
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
		fmt.Fprintf(errw, "wiretea: %s: %s skipped, the first at byte %d: %v\n", Visible(path), text.Plural(d.Lines, "damaged line"), d.Off, d.Err)
	}
	if f.Torn > 0 {
		fmt.Fprintf(errw, "wiretea: %s: the last record is torn off after %s\n", Visible(path), text.Plural(f.Torn, "byte"))
	}
}

// Judged opens a recording and reads it to its present end. Limits that are not
// zero count in place of those that it was recorded with. The caller closes the file.
func Judged(ctx context.Context, path string, limits session.Limits, errw io.Writer) (*recorder.File, *session.Snapshot, error) {
	f, err := OpenRecording(path)
	if err != nil {
		return nil, nil, err
	}
	s, err := judged(ctx, f, limits, errw)
	if err != nil {
		f.Close()
		return nil, nil, RecordingFailure(path, err)
	}
	return f, s, nil
}

func judged(ctx context.Context, f *recorder.File, limits session.Limits, errw io.Writer) (*session.Snapshot, error) {
	asRecorded := limits.Timeout == 0 && limits.MaxLine == 0 && limits.Lines == nil && limits.Timeouts == nil
	s, read, err := analysis.Read(ctx, f, limits)
	if err != nil {
		return nil, err
	}
	ReportDamage(errw, f.Path(), read)
	if s.Header() == nil && read.Torn == 0 && ctx.Err() == nil {
		return nil, ErrNothing(f.Path())
	}
	if asRecorded {
		analysis.Keep(f.Path(), f, s)
	}
	return s, nil
}

// Spooled waits until what does not come from a file of its own is all there.
func Spooled(ctx context.Context, f *recorder.File) error {
	if f.Header() != nil {
		return nil
	}
	for size := int64(-1); ; size = f.Size() {
		if err := f.Wait(ctx, max(size, 0)); err != nil {
			if err == recorder.ErrFinished {
				return nil
			}
			return err
		}
	}
}

// SessionNames returns the names of the recordings in a folder, for completion.
func SessionNames(dir string) []string {
	list, _ := recorder.List(dir) // without a folder there are none
	var all []string
	for _, info := range list {
		if name := recorder.SessionName(info.Path); Visible(name) == name {
			all = append(all, name) // A shell would write the rest as it is.
		}
	}
	return all
}
