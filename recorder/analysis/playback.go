package analysis

import (
	"context"
	"errors"
	"math"
	"slices"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check"
)

// A Playback is a session that is over as it was at a moment: its records are analysed up to
// there. To go on costs what lies between; to go back begins anew. A Playback belongs to one
// goroutine at a time.
type Playback struct {
	log   recorder.Log
	whole *session.Snapshot

	analyzer *session.Analyzer // analyzer is nil before the first record.
	off      int64             // off is where the next record begins.
	within   []uint32          // within are numbers of rows that there never were: a record brought more than one.
}

// NewPlayback returns the Playback of a session whose analysis is whole. It reads nothing.
func NewPlayback(log recorder.Log, whole *session.Snapshot) *Playback {
	return &Playback{log: log, whole: whole}
}

// errThere ends a run that has come to its moment.
var errThere = errors.New("the moment has come")

// ErrForgotten is returned for a session whose beginning is not kept.
var ErrForgotten = errors.New("the beginning of the session is not in memory any more")

// At returns the session when n rows had come and its clock was at clock, which is raised to
// the time of its rows. Where a record brought several rows at once it has all of them. At the
// session's end it returns the whole. Where ctx ends before that, a later call goes on.
func (p *Playback) At(ctx context.Context, n uint32, clock int64) (*session.Snapshot, error) {
	if int(n) >= p.whole.Len() && clock >= p.whole.Clock() {
		return p.whole, nil
	}
	if p.analyzer == nil || n < p.analyzer.Rows() || clock < p.analyzer.Snapshot().Clock() {
		p.analyzer, p.off = session.NewAnalyzer(session.Config{Checkers: check.New()}), 0
	}
	next := int64(math.MaxInt64) // next is before what brings the next row.
	if int(n) < p.whole.Len() {
		next = p.whole.Row(n).Off
	}
	rows := p.analyzer.Rows()
	err := recorder.Ahead(ctx, recorder.NewReader(p.log, p.off), false, recorder.Decoding, func(rec *session.Record, _ []byte, _ *session.Decoded) error {
		switch {
		case recorder.Evicted(rec):
			return ErrForgotten
		case rows >= n && (rec.Off >= next || rec.T > clock):
			return errThere
		}
		p.analyzer.Add(rec)
		p.off = rec.Off + rec.Size
		was := rows
		for rows = p.analyzer.Rows(); was+1 < rows; was++ {
			if k := len(p.within); k == 0 || p.within[k-1] <= was {
				p.within = append(p.within, was+1)
			}
		}
		return nil
	})
	switch {
	case err == nil && rows < n:
		return p.whole, nil // What is missing came with the end of the reading.
	case err != nil && !errors.Is(err, errThere):
		return nil, err
	}
	p.analyzer.Advance(clock)
	return p.analyzer.Snapshot(), nil
}

// Whole returns the session at its end.
func (p *Playback) Whole() *session.Snapshot { return p.whole }

// Before returns the largest number of rows below n that there were between two records, as
// far as that is known; 0 for none.
func (p *Playback) Before(n uint32) uint32 {
	at, _ := slices.BinarySearch(p.within, n)
	for n = max(1, n) - 1; at > 0 && p.within[at-1] == n; at-- {
		n--
	}
	return n
}

// Rows returns how many rows have been analysed.
func (p *Playback) Rows() int {
	if p.analyzer == nil {
		return 0
	}
	return int(p.analyzer.Rows())
}
