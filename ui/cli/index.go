package cli

import (
	"crypto/sha256"
	"errors"
	"io"
	"path/filepath"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check"
)

// worthIndex is the size, in bytes, from which on a file outside the sessions
// folder gets an index beside it.
const worthIndex = 8 << 20

var errOtherRules = errors.New("judged by other rules")

// loadIndex gives what an earlier look at a file has learnt, if that covers the
// whole file and was judged by the rules of today.
func loadIndex(f *recorder.File) (*session.Snapshot, bool) {
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
		if mark != rulesMark() {
			return errOtherRules
		}
		s, err = session.ReadSnapshot(r)
		return err
	})
	return s, ok && covered == f.Size()
}

// saveIndex keeps what was learnt of a finished file. It is a cache: where it
// cannot be written nothing is lost.
func saveIndex(path string, log recorder.Log, s *session.Snapshot) {
	h := s.Header()
	if h == nil || s.End() == nil || log.Size() < worthIndex && !inSessionsFolder(path) {
		return
	}
	_ = recorder.SaveIndex(path, log, h.SID, log.Size(), summaryOf(s), markedSnapshot{s})
}

func summaryOf(s *session.Snapshot) recorder.Summary {
	h, t := s.Header(), s.Totals()
	return recorder.Summary{
		Server: recorder.ShortName(h), Cmd: h.Cmd, Start: h.T0, Duration: time.Duration(s.Clock()),
		Frames: s.End().Frames, Bytes: s.End().Bytes,
		Errors: t.Findings[session.Error], Warnings: t.Findings[session.Warning], Infos: t.Findings[session.Info],
		Ended: s.End().Why,
	}
}

func inSessionsFolder(path string) bool {
	dir, err := recorder.DefaultDir()
	return err == nil && filepath.Dir(path) == dir
}

// A markedSnapshot is a snapshot with the mark of the rules that judged it.
type markedSnapshot struct{ s *session.Snapshot }

func (m markedSnapshot) WriteTo(w io.Writer) (int64, error) {
	mark := rulesMark()
	n, err := w.Write(mark[:])
	if err != nil {
		return int64(n), err
	}
	rest, err := m.s.WriteTo(w)
	return int64(n) + rest, err
}

// rulesMark changes with the rules and with the version.
func rulesMark() (mark [sha256.Size]byte) {
	h := sha256.New()
	io.WriteString(h, toolName+vcsRevision())
	_ = check.WriteMarkdown(h) // a hash takes everything
	h.Sum(mark[:0])
	return mark
}
