package cli

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/peers"
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
	if log.Size() >= worthIndex || inSessionsFolder(path) {
		keepIndex(path, log, s)
	}
}

// keepIndex is saveIndex wherever the file lies.
func keepIndex(path string, log recorder.Log, s *session.Snapshot) {
	h := s.Header()
	if h == nil || s.End() == nil {
		return
	}
	_ = recorder.SaveIndex(path, log, h.SID, log.Size(), summaryOf(log, s), markedSnapshot{s})
}

// summaryOf says of a session, which must have a header, what a list shows. One
// that broke off has no end, and no count of its frames and bytes from there.
func summaryOf(log recorder.Log, s *session.Snapshot) recorder.Summary {
	h, t := s.Header(), s.Totals()
	sum := recorder.Summary{
		Server: recorder.ShortName(h), Client: clientName(log, s), Cmd: h.Cmd, Start: h.T0, Duration: time.Duration(s.Clock()), Frames: int64(s.Len()),
		Errors: t.Findings[session.Error], Warnings: t.Findings[session.Warning], Infos: t.Findings[session.Info],
	}
	if d := diagnose(s, log, nil); d.Finding < 0 && !d.Empty() {
		sum.Errors++ // A server that could not be started breaks no rule.
	}
	if end := s.End(); end != nil {
		sum.Frames, sum.Bytes, sum.Ended = end.Frames, end.Bytes, end.Why
	}
	return sum
}

// handshakeRows is among how many rows a client says who it is.
const handshakeRows = 100

// clientName is what the client calls itself; empty where it does not say.
func clientName(log recorder.Log, s *session.Snapshot) string {
	shake := peers.New()
	for row := range uint32(min(s.Len(), handshakeRows)) {
		if r := s.Row(row); r.Kind != session.RowRequest || !peers.Wanted(s, r) {
			continue
		}
		// A body that cannot be read names nobody.
		_ = shake.Add(log, s, row)
		if shake.Client.Name != "" {
			break
		}
	}
	return shake.Client.Name
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
var rulesMark = sync.OnceValue(func() (mark [sha256.Size]byte) {
	h := sha256.New()
	rules := check.Mark()
	io.WriteString(h, recorder.ToolName+recorder.Revision()) // a hash takes everything
	h.Write(rules[:])
	h.Sum(mark[:0])
	return mark
})

// rehearseIndex makes an index of nothing: what makes the first one of a process
// slow, the mark of the rules and the encoders of the types, is done then.
func rehearseIndex() {
	_, _ = markedSnapshot{session.NewAnalyzer(session.Config{}).Snapshot()}.WriteTo(io.Discard)
	_, _ = json.Marshal(recorder.Summary{})
}
