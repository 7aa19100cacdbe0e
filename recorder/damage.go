package recorder

import (
	"wiretea/session"
	"wiretea/session/lazy"
)

// damaged is the Why of a gap that stands for lines that are not records, torn that of
// one for a last line without its line feed.
const (
	damaged = "damage"
	torn    = "torn"
)

// TornRecord returns the line of a record that says, in a copy, that the original ended
// within a record, bytes after its beginning.
func TornRecord(bytes int64) []byte {
	return appendGap(nil, 0, origin{}, 0, &session.Gap{Stream: session.AnyStream, Bytes: bytes, Frames: -1, Why: torn})
}

// A lossOfLines is what was lost with neighbouring lines that are not records.
type lossOfLines struct {
	at  origin // at is where their bytes belong; connection 0 = to any.
	gap session.Gap
	off int64 // off is where the first of them begins.
}

// lostFrame finds what precedes the body of a frame and of raw bytes: connection,
// round trip, stream, length.
var lostFrame = lazy.Regexp{Text: `^\{"k":"(?:f|raw)","n":\d+(?:,"c":(\d{1,9}))?,"t":-?\d+(?:,"trip":(\d{1,9}))?(?:,"t1":-?\d+)?,"d":"(c2s|s2c|err)"(?:.*?,"len":(\d{1,12})\b)?`}

// damagedHead is how much of a damaged line is looked at, in bytes: fields stand before
// the body.
const damagedHead = 2 << 10

// add adds a line that begins at off.
func (l *lossOfLines) add(line []byte, off int64) {
	at, stream, bytes := origin{}, session.AnyStream, int64(0)
	if m := lostFrame.Get().FindSubmatch(line[:min(len(line), damagedHead)]); m != nil {
		at.conn = 1
		if m[1] != nil {
			at.conn = number(m[1])
		}
		at.trip = number(m[2])
		stream, _ = session.ParseStream(string(m[3]))
		bytes, _ = asInt(m[4])
	}
	if l.gap.Lines == 0 {
		*l = lossOfLines{at: at, off: off, gap: session.Gap{Stream: stream, Frames: -1, Why: damaged}}
	}
	if l.at.conn != at.conn {
		l.at = origin{}
	}
	if l.at.trip != at.trip {
		l.at.trip = 0
	}
	if l.gap.Stream != stream {
		l.gap.Stream = session.AnyStream
	}
	l.gap.Lines++
	l.gap.Bytes += bytes
}

func number(digits []byte) int {
	n, _ := asInt(digits) // 0 for none
	return int(n)
}
