package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"wiretea/recorder"
	"wiretea/session"
)

// ErrIncomplete is returned by Bytes when bytes of the stream are not in the
// recording. Everything that is was written.
var ErrIncomplete = errors.New("the recording is not complete")

// An End is one of the two ends of a stream. They differ where a user of wiretea
// acted on the session.
type End uint8

const (
	SenderEnd   End = iota // SenderEnd is what the sender wrote: what wiretea put in is left out.
	ReceiverEnd            // ReceiverEnd is what the receiver got: what wiretea took out is left out.
)

// Bytes is BytesAt for the sender's end.
func Bytes(w io.Writer, log recorder.Log, stream session.Stream, conn int) error {
	return BytesAt(w, log, stream, conn, SenderEnd)
}

// BytesAt writes one stream exactly as it was at one of its ends: frames with their
// terminators, and raw bytes. conn 0 means all connections, one after another in
// the order of the recording. It reads as far as the log has come.
func BytesAt(w io.Writer, log recorder.Log, stream session.Stream, conn int, end End) error {
	r := recorder.NewReader(log, 0)
	out := bufio.NewWriterSize(w, 256<<10)
	var rec session.Record
	var lost, gaps int64
	rolled := false         // rolled: what was before is in other files.
	lacks := session.WayOut // lacks is the way of frames that did not pass this end.
	if end == ReceiverEnd {
		lacks = session.WayIn
	}
	for {
		err := r.Next(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the recording: %w", err)
		}
		forgotten := rec.Kind == session.RecGap && rec.N == 0
		if !forgotten && (rec.Stream != stream || conn != 0 && rec.Conn != conn) {
			continue
		}
		switch rec.Kind {
		case session.RecFrame, session.RecRaw:
			if rec.Way == lacks || rec.Again {
				continue
			}
			_, _ = out.Write(rec.Body) // A bufio.Writer keeps its error.
			if _, err := out.Write(rec.Term); err != nil {
				return fmt.Errorf("writing the stream: %w", err)
			}
		case session.RecGap:
			if rec.Gap.Why == recorder.Rolled {
				rolled = true
				continue
			}
			lost += rec.Gap.Bytes
			gaps++
		case session.RecUnknown, session.RecHeader, session.RecIO, session.RecProc, session.RecClock, session.RecEnd:
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the stream: %w", err)
	}
	if gaps > 0 {
		return fmt.Errorf("%w: %d bytes of %s are missing", ErrIncomplete, lost, stream)
	}
	if rolled {
		return fmt.Errorf("%w: what %s held before is in the earlier files of the ring", ErrIncomplete, stream)
	}
	if d := r.Damage(); d.Lines > 0 {
		return fmt.Errorf("%w: %d lines are damaged, the first at byte %d: %w", ErrIncomplete, d.Lines, d.Off, d.Err)
	}
	return nil
}
