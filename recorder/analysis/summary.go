package analysis

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check"
)

// judgeLimit is the size of a recording, in bytes, from which on it is not judged just to
// be listed.
const judgeLimit = 256 << 20

// Read reads a log to its present end, one that is spooled to its end, and judges it by
// every rule. Limits that are not zero count in place of those that it was recorded with.
// The Follower says what could not be read.
func Read(ctx context.Context, log recorder.Log, limits session.Limits) (*session.Snapshot, *recorder.Follower, error) {
	file, isFile := log.(*recorder.File)
	analyzer := session.NewAnalyzer(session.Config{Limits: limits, Checkers: check.New(), Member: check.New})
	// At present nothing may have come out of a spool.
	follower := &recorder.Follower{Log: log, Analyzer: analyzer, Once: !isFile || file.Header() != nil}
	err := follower.Run(ctx)
	return analyzer.Snapshot(), follower, err
}

// Judge reads a recording of which a list does not know the findings, and keeps its summary.
// One that is live, cannot be read or is very large stays as it is.
func Judge(ctx context.Context, info *recorder.Info) error {
	if info.Judged || info.Header == nil || info.Err != nil || info.Live == recorder.Live || info.Size > judgeLimit {
		return nil
	}
	f, err := recorder.Open(info.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	s, _, err := Read(ctx, f, session.Limits{})
	if err = errors.Join(err, ctx.Err()); err != nil || s.Header() == nil {
		return err
	}
	info.Summary, info.Judged = Summary(f, s), true
	recorder.KeepSummary(info)
	return nil
}

// Keep keeps the summary of a session of the sessions folder that is over, and was read to
// its end, for lists.
func Keep(path string, log recorder.Log, s *session.Snapshot) {
	dir, err := recorder.SessionsFolder("")
	here, aerr := filepath.Abs(path)
	stat, serr := os.Stat(path)
	if errors.Join(err, aerr, serr) == nil && s.Header() != nil && s.End() != nil && filepath.Dir(here) == filepath.Clean(dir) {
		recorder.KeepSummary(&recorder.Info{Path: here, Size: stat.Size(), Modified: stat.ModTime(), Summary: Summary(log, s)})
	}
}

// Summary returns the line that a list shows for a session. The session must have
// a header. Frames and Bytes come from the end record, if the session has ended.
func Summary(log recorder.Log, s *session.Snapshot) recorder.Summary {
	h, t := s.Header(), s.Totals()
	sum := recorder.Summary{
		Server: recorder.ShortName(h), Client: recorder.ReadHandshake(log, s, recorder.HandshakeRows).Client.Name, Cmd: h.Server(), Start: h.T0, Duration: time.Duration(s.Clock()), Frames: int64(s.Len()),
		Errors: t.Findings[session.Error], Warnings: t.Findings[session.Warning], Infos: t.Findings[session.Info],
		Lost: t.Gap,
	}
	d := Diagnose(s, log, nil)
	if d.Finding < 0 && !d.Empty() {
		sum.Errors++ // No rule reports a server that could not be started.
	}
	for _, i := range d.Refuted {
		switch s.Findings()[i].Severity {
		case session.Error:
			sum.Errors--
		case session.Warning:
			sum.Warnings--
		case session.Info:
			sum.Infos--
		}
	}
	if end := s.End(); end != nil {
		sum.Frames, sum.Bytes, sum.Ended = end.Frames, end.Bytes, end.Why
	}
	return sum
}
