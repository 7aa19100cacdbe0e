package recorder

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/lazy"
)

// Rolled is the End.Why of a file that is continued in another one, the Gap.Why of what is in
// earlier files, in a ring of files that an earlier version wrote.
const Rolled = "ring"

// Repaired is the end's why in a file that Repair has closed.
const Repaired = "repair"

// A Repairs says what Repair did.
type Repairs struct {
	Records  int64    // Records were taken as they are.
	Header   bool     // Header: there was none, and one was made up.
	Ended    bool     // Ended: there was no end, and one was written.
	Dropped  int64    // Dropped counts the lines that are not records.
	Bytes    int64    // Bytes of those lines.
	First    error    // First is what is wrong with the first of them.
	Torn     int64    // Torn is the number of bytes of an unfinished record at the end.
	Unpacked error    // Unpacked is why a packed file could not be read to its end; nil = it could.
	Gaps     []string // Gaps are the streams, c2s, s2c and err, of which a dropped line held bytes, or may have.
}

// Needed reports whether anything was wrong.
func (r *Repairs) Needed() bool {
	return r.Header || r.Ended || r.Dropped > 0 || r.Torn > 0 || r.Unpacked != nil
}

// Repair reads a session file whose writer has ended and writes a complete one to w:
// the records as they are, for lines that are not records a gap of the stream that they
// belonged to, or of any, and an end record. A file without its beginning gets
// a header that says only what is known. The source is not
// changed. It fails with ErrNotSession where nothing in it is a record.
func Repair(ctx context.Context, w io.Writer, log Log, modified time.Time) (Repairs, error) {
	r := repairer{out: bufio.NewWriterSize(w, readSize), log: log, modified: modified}
	unpacked := waitAll(ctx, log)
	if ctx.Err() != nil {
		return r.done, ctx.Err()
	}
	r.done.Unpacked = unpacked
	if err := r.run(); err != nil {
		return r.done, err
	}
	return r.done, r.out.Flush()
}

// waitAll waits for the end of a log, and returns why it broke off.
func waitAll(ctx context.Context, log Log) error {
	var err error
	for err == nil {
		err = log.Wait(ctx, log.Size())
	}
	if errors.Is(err, ErrFinished) {
		return nil
	}
	return err
}

type repairer struct {
	out      *bufio.Writer
	log      Log
	modified time.Time
	done     Repairs

	last  uint64 // last is the number of the latest record.
	t     int64  // t is the latest time.
	end   session.End
	ended bool
	lost  lossOfLines // lost is what dropped lines held, and waits for the next record, whose number says whether it can have one.
}

func (r *repairer) run() error {
	in := &Reader{log: r.log, part: true}
	var p parser
	var rec session.Record
	begun := false
	for {
		line, err := in.readLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the session: %w", err)
		}
		in.consume(len(line) + 1)
		over := in.skip
		in.skip = false
		if len(bytes.TrimSpace(line)) == 0 && !over {
			continue
		}
		if over {
			err = errors.New("the line is too long")
		} else {
			err = p.parse(line, &rec)
		}
		switch {
		case err != nil || rec.Kind != session.RecHeader:
		case begun:
			err = errors.New("a second header")
		case bytes.IndexByte(line, 0) >= 0:
			err = errors.New("a header with a zero byte in it") // No reader would take it.
		}
		if err != nil {
			r.drop(line, err)
			continue
		}
		if !begun {
			begun = true
			if err := r.begin(&rec); err != nil {
				return err
			}
		}
		r.copyRecord(line, &rec)
	}
	if !begun {
		return fmt.Errorf("%w: nothing in it is a record", ErrNotSession)
	}
	r.done.Torn = in.Torn()
	r.writeGap(nil)
	if !r.ended {
		r.done.Ended = true
		r.end.Why = Repaired
		r.out.Write(appendEnd(nil, r.last+1, r.t, &r.end))
	}
	return nil
}

// begin checks the first record, and writes a header where it is not one.
func (r *repairer) begin(rec *session.Record) error {
	if rec.Kind == session.RecHeader {
		return checkFormat(rec.Header)
	}
	if rec.Kind == session.RecUnknown {
		return fmt.Errorf("%w: its first line is not a record", ErrNotSession)
	}
	var sid [16]byte
	rand.Read(sid[:]) // never fails
	h := session.Header{SID: hex.EncodeToString(sid[:]), Tool: "repair", T0: r.modified.Add(-time.Duration(lastTime(r.log))), Mode: "tee", Trans: "stdio",
		Limits: session.DefaultLimits()}
	r.out.Write(appendHeader(nil, &h))
	r.done.Header = true
	return nil
}

// lastTime is the time of the latest record near the end of a log, 0 where there is
// none: the file was written last when that was recorded.
func lastTime(log Log) int64 {
	size := log.Size()
	buf := make([]byte, min(size, readSize))
	n, _ := log.ReadAt(buf, size-int64(len(buf)))
	lines := bytes.Split(buf[:n], lineFeed)
	var p parser
	var rec session.Record
	for i := len(lines) - 1; i >= 0; i-- {
		if p.parse(lines[i], &rec) == nil && rec.Kind != session.RecHeader {
			return rec.T
		}
	}
	return 0
}

// copyRecord copies a record.
func (r *repairer) copyRecord(line []byte, rec *session.Record) {
	r.writeGap(rec)
	r.out.Write(line)
	r.out.WriteByte('\n')
	r.done.Records++
	if rec.Kind == session.RecHeader {
		return
	}
	r.last, r.t = max(r.last, rec.N), max(r.t, rec.T)
	r.ended = rec.Kind == session.RecEnd
	switch rec.Kind {
	case session.RecFrame:
		r.end.Frames++
		r.end.Bytes += int64(len(rec.Body) + len(rec.Term))
	case session.RecRaw:
		r.end.Frames += int64(bytes.Count(rec.Body, lineFeed))
		r.end.Bytes += int64(len(rec.Body))
	case session.RecGap:
		r.end.Lost += rec.Gap.Bytes
	case session.RecUnknown, session.RecHeader, session.RecIO, session.RecProc, session.RecClock, session.RecEnd, session.RecPath:
	}
}

// drop leaves a line out, and owes a gap for what it may have held.
func (r *repairer) drop(line []byte, why error) {
	if r.done.Dropped == 0 {
		r.done.First = why
	}
	r.done.Dropped++
	r.done.Bytes += int64(len(line) + 1)
	r.lost.add(line, 0)
}

// writeGap writes the gap for what was dropped before the next record; nil at the end. It
// takes a number of what was dropped, and has none where those do not reach: a reader
// takes it anyway.
func (r *repairer) writeGap(next *session.Record) {
	if r.lost.gap.Lines == 0 {
		return
	}
	n := uint64(0)
	if next == nil || r.last+1 < next.N {
		r.last++
		n = r.last
	}
	gap := &r.lost.gap
	r.out.Write(appendGap(nil, n, r.lost.at, r.t, gap))
	r.end.Lost += gap.Bytes
	for _, stream := range session.Streams {
		if gap.Stream == stream || gap.Stream == session.AnyStream {
			r.done.Gaps = append(r.done.Gaps, stream.String())
		}
	}
	r.lost = lossOfLines{}
}

// RepairFile repairs a session file into another, which must not exist yet, and
// returns what was done. Where nothing is wrong, nothing is written. A file that is
// being written is refused with ErrBusy.
func RepairFile(ctx context.Context, path, target string) (done Repairs, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return done, fmt.Errorf("looking at the session file: %w", err)
	}
	file, err := openAnyway(path)
	if err != nil {
		return done, err
	}
	defer file.Close()
	if file.Live() == Live {
		return done, fmt.Errorf("repairing %s: %w", path, ErrBusy)
	}
	err = atomicfile.Write(target, atomicfile.Options{ModTime: info.ModTime(), New: true}, func(w io.Writer) error {
		done, err = Repair(ctx, w, file, info.ModTime())
		if err == nil && !done.Needed() {
			err = errNotNeeded
		}
		return err
	})
	switch {
	case errors.Is(err, errNotNeeded):
		return done, nil
	case errors.Is(err, fs.ErrExist):
		return done, fmt.Errorf("repairing into %s: %w", target, ErrExists)
	case err != nil:
		return done, fmt.Errorf("repairing %s: %w", path, NoFolder(target, err))
	}
	return done, nil
}

// errNotNeeded keeps RepairFile from writing a file.
var errNotNeeded = errors.New("nothing to repair")

// openAnyway opens a session file as Open does, but also one without its header.
func openAnyway(path string) (*File, error) {
	file, err := Open(path)
	if !errors.Is(err, ErrNotSession) {
		return file, err
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the session file: %w", err)
	}
	follow := &follower{f: f}
	return &File{Log: follow, path: path, follow: follow, close: f.Close}, nil
}

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
