package term

import (
	"context"
	"io"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
)

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
	if asRecorded {
		if s, ok := analysis.Load(f); ok {
			return s, nil
		}
	}
	s, read, err := analysis.Read(ctx, f, limits)
	if err != nil {
		return nil, err
	}
	ReportDamage(errw, f.Path(), read)
	if s.Header() == nil && read.Torn == 0 && ctx.Err() == nil {
		return nil, ErrNothing(f.Path())
	}
	if asRecorded {
		analysis.Save(f.Path(), f, s)
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
