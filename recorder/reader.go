package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"wiretea/session"
)

const (
	firstRead = 8 << 10   // bytes asked of the log at first; many logs are small
	readSize  = 256 << 10 // bytes asked of the log at once, where it has so many
	keepRead  = 8 << 20   // largest buffer that is kept after a long line
	maxLine   = 64 << 20  // a longer line is damage
	sniffSize = 64 << 10  // a first line longer than this without a header's beginning is not a header
)

// ErrNotSession is returned for a file that is not a session file. The error
// says what it seems to be.
var ErrNotSession = errors.New("not a session file")

// ErrNewer is returned for a session file that needs a later version of this
// program.
var ErrNewer = errors.New("written by a newer version")

// Damage is what a Reader had to skip.
type Damage struct {
	Lines int64 // Lines counts the lines that are not records.
	Off   int64 // Off is where the first of them begins.
	Err   error // Err is what is wrong with the first of them.
}

// A Reader reads records from a Log, in order. It consumes nothing after the last
// line feed, so that a record that is being written is read once it is complete.
// What it returns is valid until the next call.
type Reader struct {
	log    Log
	header *session.Header
	off    int64 // where the next line begins
	buf    []byte
	from   int // buf[from:] is read from the log and not yet consumed, at offset off
	seen   int // buf[from:seen] is known to hold no line feed
	line   []byte
	parser parser
	damage Damage
	lost   lossOfLines // lost is what the damaged lines before the next record held
	t      int64       // t is the time of the latest record
	part   bool        // part: no header is expected, the caller knows the log
	skip   bool        // skip: the rest of a line that is too long is being skipped
}

// NewReader returns a Reader that begins with the record at off. At 0 the first
// record is the header; elsewhere the header is read beforehand and not
// returned.
func NewReader(log Log, off int64) *Reader { return &Reader{log: log, off: off} }

// Header returns the session's header, nil while Next has not read it.
func (r *Reader) Header() *session.Header { return r.header }

// Offset returns where the next record begins.
func (r *Reader) Offset() int64 { return r.off }

// Line returns the line of the latest record as it is in the log, without
// its line feed. It is valid until the next call of Next.
func (r *Reader) Line() []byte { return r.line }

// Damage returns what was skipped so far.
func (r *Reader) Damage() Damage { return r.damage }

// Torn returns how many bytes stand behind the last line feed. Once the log has
// ended they are the beginning of a record that was never finished.
func (r *Reader) Torn() int64 { return r.log.Size() - r.off }

// Records yields the records that the log has now. It ends with the error that stopped it,
// unless that is io.EOF. A record is valid until the next one.
func (r *Reader) Records() iter.Seq2[*session.Record, error] {
	return func(yield func(*session.Record, error) bool) {
		var rec session.Record
		for {
			err := r.Next(&rec)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				err = fmt.Errorf("reading the recording: %w", err)
			}
			if !yield(&rec, err) || err != nil {
				return
			}
		}
	}
}

// Next reads the next record into rec. It returns io.EOF when there is no whole
// record at present; more may come. ErrNotSession and ErrNewer are returned
// before anything was read. Lines that are not records are counted in Damage, and a gap
// record without a number stands for them, as one does for evicted bytes; see Evicted.
func (r *Reader) Next(rec *session.Record) error {
	if r.header == nil && !r.part {
		if err := r.open(); err != nil {
			return err
		}
	}
	for {
		line, err := r.readLine()
		if err != nil && r.lost.gap.Lines > 0 {
			r.giveLost(rec)
			return nil
		}
		if errors.Is(err, ErrEvicted) {
			return r.skipEvicted(rec, err)
		}
		if err != nil {
			return err
		}
		if r.skip {
			r.skip = false
			r.consume(len(line) + 1)
			continue
		}
		if len(bytes.TrimSpace(line)) == 0 {
			r.consume(len(line) + 1)
			continue
		}
		err = r.parser.parse(line, rec)
		if err == nil && rec.Kind == session.RecHeader && r.off > 0 && rec.In == 0 {
			err = errors.New("a second header")
		}
		if err != nil {
			r.damaged(line, err)
			r.consume(len(line) + 1)
			continue
		}
		if r.lost.gap.Lines > 0 {
			r.giveLost(rec) // The record itself is read again.
			return nil
		}
		rec.Off, rec.Size, r.line = r.off, int64(len(line)+1), line
		r.consume(len(line) + 1)
		if rec.Kind != session.RecHeader {
			r.t = rec.T
		}
		return nil
	}
}

// damaged counts the line at the present offset, which is not a record.
func (r *Reader) damaged(line []byte, err error) {
	if r.damage.Lines == 0 {
		r.damage.Off, r.damage.Err = r.off, err
	}
	r.damage.Lines++
	r.lost.add(line, r.off)
}

// giveLost makes rec the gap that stands for the damaged lines before the present offset.
func (r *Reader) giveLost(rec *session.Record) {
	l := &r.lost
	*rec = session.Record{Kind: session.RecGap, Off: l.off, Size: r.off - l.off, Conn: l.at.conn, Trip: l.at.trip, T: r.t, T1: r.t, Stream: l.gap.Stream, Gap: l.gap}
	line := appendGap(nil, 0, l.at, r.t, &l.gap)
	r.line = line[:len(line)-1]
	*l = lossOfLines{}
}

// Evicted reports whether a record stands for bytes that the log does not keep any more.
func Evicted(rec *session.Record) bool {
	return rec.Kind == session.RecGap && rec.N == 0 && rec.Gap.Why == "tail"
}

// skipEvicted skips the bytes that the log does not keep any more.
func (r *Reader) skipEvicted(rec *session.Record, err error) error {
	tail, ok := r.log.(evicting)
	if !ok {
		return err
	}
	kept := tail.Kept(r.off)
	if kept <= r.off {
		return err
	}
	*rec = session.Record{Kind: session.RecGap, Off: r.off, Size: kept - r.off, Conn: 1,
		Gap: session.Gap{Bytes: kept - r.off, Frames: -1, Why: "tail"}}
	r.off, r.buf, r.from, r.seen, r.line, r.skip = kept, r.buf[:0], 0, 0, nil, false
	return nil
}

// readLine returns the line that begins at r.off, without its line feed, or
// io.EOF.
func (r *Reader) readLine() ([]byte, error) {
	for {
		if i := bytes.IndexByte(r.buf[r.seen:], '\n'); i >= 0 {
			return r.buf[r.from : r.seen+i], nil
		}
		r.seen = len(r.buf)
		if len(r.buf)-r.from >= maxLine {
			if !r.skip {
				r.damaged(r.buf[r.from:], fmt.Errorf("the line is longer than %d MiB", maxLine>>20))
			}
			r.skip = true
			r.consume(len(r.buf) - r.from)
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// consume steps over n bytes.
func (r *Reader) consume(n int) {
	r.from += n
	r.off += int64(n)
	r.seen = r.from
}

// fill reads more. It returns io.EOF where there is nothing.
func (r *Reader) fill() error {
	full := len(r.buf) == cap(r.buf) // There is more, as it seems.
	if r.from > 0 {
		n := copy(r.buf, r.buf[r.from:])
		r.buf, r.from, r.seen = r.buf[:n], 0, r.seen-r.from
	}
	have := len(r.buf)
	switch {
	case cap(r.buf) > keepRead && have < readSize:
		r.buf = append(make([]byte, 0, readSize), r.buf...)
	case cap(r.buf)-have <= cap(r.buf)/2, full && cap(r.buf) < readSize:
		r.buf = append(make([]byte, 0, max(2*cap(r.buf), firstRead)), r.buf...)
	}
	n, err := r.log.ReadAt(r.buf[have:cap(r.buf)], r.off+int64(have))
	r.buf = r.buf[:have+n]
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.EOF
	}
	return err
}

// open reads and checks the header.
func (r *Reader) open() error {
	if r.off > 0 {
		first := NewReader(r.log, 0)
		if err := first.open(); err != nil {
			return err
		}
		r.header = first.header
		return nil
	}
	// Asked before reading: a record that arrives in between is not an end.
	over := hasEnded(r.log)
	line, err := r.readLine()
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the header: %w", err)
	}
	if err != nil {
		line = r.buf[r.from:]
		if !over && (len(line) == 0 || bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("{")) && len(line) < sniffSize) {
			return io.EOF
		}
	}
	header, err := checkHeader(line)
	if err != nil {
		return err
	}
	r.header = header
	return nil
}

// hasEnded reports whether nothing will be added to a log.
func hasEnded(log Log) bool {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	return errors.Is(log.Wait(now, log.Size()), ErrFinished)
}

// checkHeader says whether a first line is the header of a session file that
// this version can read.
func checkHeader(line []byte) (*session.Header, error) {
	var p parser
	var rec session.Record
	err := p.parse(line, &rec)
	switch {
	case len(line) == 0:
		return nil, fmt.Errorf("%w: it is empty", ErrNotSession)
	case bytes.HasPrefix(line, []byte("\x1f\x8b")) || bytes.HasPrefix(line, []byte("\x28\xb5\x2f\xfd")):
		return nil, fmt.Errorf("%w: it is compressed, and its name does not end in .gz or .zst", ErrNotSession)
	case line[0] == 0 && bytes.HasPrefix(bytes.TrimLeft(line, "\x00"), []byte(`{"k":`)):
		return nil, fmt.Errorf("%w: its beginning was cut off while it was written; wiretea sessions repair makes a recording of the rest", ErrNotSession)
	case bytes.IndexByte(line, 0) >= 0:
		return nil, fmt.Errorf("%w: it is a binary file", ErrNotSession)
	case err != nil && bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")):
		return nil, fmt.Errorf("%w: it is JSON, but its first line is not a header record", ErrNotSession)
	case err != nil:
		return nil, fmt.Errorf("%w: its first line is not a JSON record", ErrNotSession)
	case rec.Kind != session.RecHeader:
		return nil, fmt.Errorf("%w: its first line is a record, but not the header; is its beginning cut off?", ErrNotSession)
	}
	return rec.Header, checkFormat(rec.Header)
}

// checkFormat says whether this version can read a file with such a header.
func checkFormat(h *session.Header) error {
	switch {
	case h.Format != FormatName:
		return fmt.Errorf("%w: it is of format %q", ErrNotSession, h.Format)
	case h.MinVer > FormatVersion:
		return fmt.Errorf("%w: it needs version %d of the format, this program knows %d; please update it", ErrNewer, h.MinVer, FormatVersion)
	}
	return nil
}

// CopyFrom writes the whole records that a log has now, from an offset on where a record
// begins, to w: from 0 on a session file of what was recorded so far. It returns how many
// bytes were copied, and fails with ErrEvicted for a log that has lost its beginning.
func CopyFrom(w io.Writer, log Log, from int64) (copied int64, err error) {
	end := log.Size()
	buf := make([]byte, readSize)
	var held []byte // held is the beginning of a record whose end was not read yet
	for off := from; off < end; {
		n, err := log.ReadAt(buf[:min(int64(len(buf)), end-off)], off)
		if errors.Is(err, ErrEvicted) {
			return copied, fmt.Errorf("copying the session: %w", err)
		}
		if n == 0 {
			if err == nil || errors.Is(err, io.EOF) {
				break
			}
			return copied, fmt.Errorf("copying the session: %w", err)
		}
		off += int64(n)
		chunk := buf[:n]
		cut := bytes.LastIndexByte(chunk, '\n') + 1
		if cut == 0 {
			held = append(held, chunk...)
			continue
		}
		if _, err := w.Write(held); err != nil {
			return copied, fmt.Errorf("copying the session: %w", err)
		}
		if _, err := w.Write(chunk[:cut]); err != nil {
			return copied, fmt.Errorf("copying the session: %w", err)
		}
		copied += int64(len(held) + cut)
		held = append(held[:0], chunk[cut:]...)
	}
	return copied, nil
}

// CopyAll writes the whole records of a session file to w. One that is being written is
// copied to its present end; with follow, until it ends or ctx does, which is not an error.
// What broke off is copied as far as it goes, and the error says why it did.
func CopyAll(ctx context.Context, w io.Writer, f *File, follow bool) error {
	live := f.Live() == Live
	from := int64(0)
	for over := false; ; {
		n, err := CopyFrom(w, f, from)
		if err != nil {
			return err
		}
		if from += n; over || live && !follow {
			return nil
		}
		switch err := f.Wait(ctx, max(from, f.Size())); {
		case errors.Is(err, ErrFinished):
			over = true
		case ctx.Err() != nil:
			return nil
		case err != nil:
			if _, copied := CopyFrom(w, f, from); copied != nil {
				return copied
			}
			return err
		}
	}
}
