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

// ErrNoPart is returned by Bytes when the recording has nothing of the connection or the
// round trip that is asked for.
var ErrNoPart = errors.New("the recording does not have")

// An End is one of the two ends of a stream. They differ where a user of wiretea
// acted on the session.
type End uint8

const (
	SenderEnd   End = iota // SenderEnd is what the sender wrote: what wiretea put in is left out.
	ReceiverEnd            // ReceiverEnd is what the receiver got: what wiretea took out is left out.
)

// A Part is what is exported of the bytes of a recording.
type Part struct {
	Stream session.Stream
	Conn   int // Conn is the connection; 0 means all, one after another in the order of the recording.
	Trip   int // Trip is the round trip of HTTP; 0 means all.
	End    End
}

// Bytes writes one stream exactly as it was at one of its ends: frames with their
// terminators, and raw bytes; of HTTP the bodies, without their content coding. It reads
// as far as the log has come.
func Bytes(w io.Writer, log recorder.Log, part Part) error {
	r := recorder.NewReader(log, 0)
	out := bufio.NewWriterSize(w, 256<<10)
	var lost, gaps int64
	var wire []byte
	found := false          // found: the part's connection and round trip are there, whatever was sent.
	rolled := false         // rolled: what was before is in other files.
	lacks := session.WayOut // lacks is the way of frames that did not pass this end.
	if part.End == ReceiverEnd {
		lacks = session.WayIn
	}
	for rec, err := range r.Records() {
		if err != nil {
			return err
		}
		forgotten := recorder.Evicted(rec) || rec.Kind == session.RecGap && (rec.Stream == session.AnyStream || rec.Conn == 0)
		if rec.Kind == session.RecHTTP {
			rec.Stream = session.S2C
		}
		within := (part.Conn == 0 || rec.Conn == part.Conn) && (part.Trip == 0 || rec.Trip == part.Trip)
		found = found || within
		if !forgotten && (rec.Stream != part.Stream || !within) {
			continue
		}
		switch rec.Kind {
		case session.RecFrame, session.RecRaw, session.RecHTTP:
			if rec.Way == lacks || rec.Again {
				continue
			}
			wire = recorder.AppendWire(wire[:0], rec)
			if _, err := out.Write(wire); err != nil {
				return fmt.Errorf("writing the stream: %w", err)
			}
		case session.RecGap:
			if rec.Gap.Why == recorder.Rolled {
				rolled = true
				continue
			}
			lost += rec.Gap.Bytes
			gaps++
		case session.RecUnknown, session.RecHeader, session.RecIO, session.RecProc, session.RecClock, session.RecEnd, session.RecPath:
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the stream: %w", err)
	}
	if d := r.Damage(); d.Lines > 0 {
		return fmt.Errorf("%w: %d lines are damaged, the first at byte %d: %w", ErrIncomplete, d.Lines, d.Off, d.Err)
	}
	if gaps > 0 {
		return fmt.Errorf("%w: %d bytes of %s are missing", ErrIncomplete, lost, part.Stream)
	}
	if rolled {
		return fmt.Errorf("%w: what %s held before is in the earlier files of the ring", ErrIncomplete, part.Stream)
	}
	switch {
	case found:
		return nil
	case part.Trip == 0:
		return fmt.Errorf("%w connection %d", ErrNoPart, part.Conn)
	case part.Conn == 0:
		return fmt.Errorf("%w round trip %d", ErrNoPart, part.Trip)
	}
	return fmt.Errorf("%w round trip %d in connection %d", ErrNoPart, part.Trip, part.Conn)
}
