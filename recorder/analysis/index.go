package analysis

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/lazy"
)

// worthIndex is the size, in bytes, at which a file outside the sessions folder gets
// an index beside it.
const worthIndex = 8 << 20

var errOtherRules = errors.New("judged by other rules")

// Load returns the snapshot in the index of a file. It reports false unless the
// index covers the whole file and was made with the rules of this program.
func Load(f *recorder.File) (*session.Snapshot, bool) {
	h := f.Header()
	if h == nil || f.Live() != recorder.NotLive {
		return nil, false
	}
	var s *session.Snapshot
	covered, ok := recorder.LoadIndex(f.Path(), f, h.SID, func(r io.Reader) (err error) {
		var mark [sha256.Size]byte
		if _, err = io.ReadFull(r, mark[:]); err != nil {
			return err
		}
		if mark != rulesMark.Get() {
			return errOtherRules
		}
		s, err = session.ReadSnapshot(r)
		return err
	})
	return s, ok && covered == f.Size()
}

// Read reads a log to its present end, one that is spooled to its end, and judges it by
// every rule. Limits that are not zero count in place of those that it was recorded with.
// The Follower says what could not be read.
func Read(ctx context.Context, log recorder.Log, limits session.Limits) (*session.Snapshot, *recorder.Follower, error) {
	file, isFile := log.(*recorder.File)
	analyzer := session.NewAnalyzer(session.Config{Limits: limits, Checkers: check.New()})
	// At present nothing may have come out of a spool.
	follower := &recorder.Follower{Log: log, Analyzer: analyzer, Once: !isFile || file.Header() != nil}
	err := follower.Run(ctx)
	return analyzer.Snapshot(), follower, err
}

// Save writes the index of a finished session if the file is large or in the
// sessions folder. Errors are ignored: the index is a cache.
func Save(path string, log recorder.Log, s *session.Snapshot) {
	dir, err := recorder.SessionsFolder("")
	here, aerr := filepath.Abs(path)
	if log.Size() >= worthIndex || errors.Join(err, aerr) == nil && filepath.Dir(here) == filepath.Clean(dir) {
		Keep(path, log, s)
	}
}

// Keep is Save for a file of any size in any folder.
func Keep(path string, log recorder.Log, s *session.Snapshot) {
	if s.Header() == nil || s.End() == nil {
		return
	}
	_ = Write(path, log, s)
}

// Write writes the index of a session, which must have a header.
func Write(path string, log recorder.Log, s *session.Snapshot) error {
	return recorder.SaveIndex(path, log, s.Header().SID, log.Size(), Summary(log, s), markedSnapshot{s})
}

// Summary returns the line that a list shows for a session. The session must have
// a header. Frames and Bytes are those of the end record, if there is one.
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

// A markedSnapshot writes a snapshot behind a hash of the rules that judged it.
type markedSnapshot struct{ s *session.Snapshot }

func (m markedSnapshot) WriteTo(w io.Writer) (int64, error) {
	mark := rulesMark.Get()
	n, err := w.Write(mark[:])
	if err != nil {
		return int64(n), err
	}
	rest, err := m.s.WriteTo(w)
	return int64(n) + rest, err
}

// rulesMark is a hash of the rules and of the program's version.
var rulesMark = lazy.Value[[sha256.Size]byte]{New: func() (mark [sha256.Size]byte) {
	h := sha256.New()
	rules := check.Fingerprint()
	io.WriteString(h, recorder.ToolName+recorder.Revision()) // a hash takes everything
	h.Write(rules[:])
	h.Sum(mark[:0])
	return mark
}}

// Rehearse makes an empty index, so that the next one is written faster: the
// first one of a process computes the hash of the rules and builds encoders.
func Rehearse() {
	_, _ = markedSnapshot{session.NewAnalyzer(session.Config{}).Snapshot()}.WriteTo(io.Discard)
	_, _ = json.Marshal(recorder.Summary{})
}
