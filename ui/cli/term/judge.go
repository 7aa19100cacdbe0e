package term

import (
	"context"
	"io"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/check"
)

// Judged opens a recording and reads it to its present end. Limits that are not
// zero count in place of those that it was recorded with. The caller closes the file.
func Judged(ctx context.Context, path string, limits session.Limits, errw io.Writer) (*recorder.File, *session.Snapshot, error) {
	f, err := OpenRecording(path)
	if err != nil {
		return nil, nil, err
	}
	s, err := JudgeFile(ctx, path, f, limits, errw)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, s, nil
}

// JudgeFile is Judged for a recording that is open.
func JudgeFile(ctx context.Context, path string, f *recorder.File, limits session.Limits, errw io.Writer) (*session.Snapshot, error) {
	asRecorded := limits.Timeout == 0 && limits.MaxLine == 0 && limits.Lines == nil && limits.Timeouts == nil
	if asRecorded {
		if s, ok := analysis.Load(f); ok {
			return s, nil
		}
	}
	analyzer := session.NewAnalyzer(session.Config{Limits: limits, Checkers: check.New()})
	// A spool is read to its end: at present nothing may have come out of it.
	follower := recorder.Follower{Log: f, Analyzer: analyzer, Once: f.Header() != nil}
	if err := follower.Run(ctx); err != nil {
		return nil, RecordingFailure(path, err)
	}
	ReportDamage(errw, path, &follower)
	s := analyzer.Snapshot()
	if s.Header() == nil && follower.Torn == 0 && ctx.Err() == nil {
		return nil, RecordingFailure(path, ErrNothing(path))
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
