package http

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"wiretea/session"
)

const (
	// maxQueue is how much of one body, maxQueued how much of all bodies may wait to be
	// decoded, in bytes.
	maxQueue  = 4 << 20
	maxQueued = 32 << 20

	// A body that decodes to more than maxDecoded bytes and maxRatio times its own length
	// is left coded from there on.
	maxDecoded = 16 << 20
	maxRatio   = 100

	// maxKept is how much of a body is recorded as it is if nothing of it can be decoded,
	// not counting what follows, in bytes.
	maxKept = 64 << 10

	maxWindow = 8 << 20 // maxWindow is the largest window of zstd: RFC 9659 §3.
)

// removable are the content codings of a message, the outermost first; nil if there is
// none, or one that cannot be removed.
func removable(h http.Header) []string {
	var codings []string
	for _, c := range strings.Split(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		switch c = strings.ToLower(strings.TrimSpace(c)); c {
		case "", "identity":
		case "gzip", "x-gzip", "deflate", "zstd":
			codings = append(codings, c)
		default:
			return nil
		}
	}
	slices.Reverse(codings)
	return codings
}

// errBehind is reported of bytes behind the end of the coded body.
var errBehind = errors.New("bytes follow the end of the coded body")

// A decoder removes the content coding from the copy of a body, in a goroutine of its
// own. Who puts never waits: what exceeds the queue is counted and comes out as a gap.
type decoder struct {
	trip    *TripRecorder
	stream  session.Stream
	codings []string

	mu     sync.Mutex
	more   sync.Cond
	queue  []byte
	closed bool
	lost   int64

	// The goroutine's own.
	taken []byte // taken was the queue, rest is what of it was not read.
	rest  []byte
	coded int64  // coded is how much was read.
	kept  []byte // kept is what was read before the first decoded byte; nil behind that.
}

func newDecoder(t *TripRecorder, s session.Stream, codings []string) *decoder {
	d := &decoder{trip: t, stream: s, codings: codings, kept: []byte{}}
	d.more.L = &d.mu
	return d
}

// put appends a chunk. Once something was lost, all that follows is.
func (d *decoder) put(chunk []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := int64(len(chunk))
	if d.lost > 0 || len(d.queue)+len(chunk) > maxQueue || d.trip.log.queued.Add(n) > maxQueued {
		if d.lost == 0 && len(d.queue)+len(chunk) <= maxQueue {
			d.trip.log.queued.Add(-n)
		}
		d.lost += n
		return
	}
	d.queue = append(d.queue, chunk...)
	d.more.Signal()
}

func (d *decoder) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.more.Signal()
}

// run puts the decoded body into the tap. Where that is not possible, what was not decoded
// follows as it is, as far as it can be told apart.
func (d *decoder) run() {
	err := d.decode()
	if err == nil && (len(d.rest) > 0 || d.take()) {
		err = errBehind
	}
	if err != nil {
		d.trip.mu.Lock()
		if l := d.trip.way(d.stream).login; l != nil {
			l.coded = true
		}
		d.trip.mu.Unlock()
		d.fail(err)
		d.emit(d.kept)
		buf := make([]byte, 32<<10)
		for {
			n, err := d.Read(buf)
			if err != nil {
				break
			}
			d.emit(buf[:n])
		}
	}
	tap := d.trip.log.Tap
	d.trip.mu.Lock()
	d.trip.endLogin(d.trip.way(d.stream), d.stream)
	tap.DropTrip(d.trip.number, d.stream, d.lost)
	if d.stream == session.C2S && d.trip.sentAll {
		tap.HTTP(d.trip.number, &session.HTTPEvent{Event: "sent"})
	}
	d.trip.release()
	d.trip.mu.Unlock()
}

// fail records why the coding could not be removed, unless that is because bytes were lost.
func (d *decoder) fail(err error) {
	d.mu.Lock()
	lost := d.lost > 0
	d.mu.Unlock()
	if lost && errors.Is(err, io.ErrUnexpectedEOF) {
		return
	}
	of := session.CopyOfResponse
	if d.stream == session.C2S {
		of = " from the recorded copy of the request: "
	}
	why := session.NotDecoded + strings.Join(d.codings, ", ") + of + err.Error()
	d.trip.log.Tap.HTTP(d.trip.number, &session.HTTPEvent{Event: "err", Why: why})
}

// decode decodes until the end, or until it fails.
func (d *decoder) decode() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder failed: %v", p)
		}
	}()
	var r io.Reader = d
	for _, c := range d.codings {
		opened, err := open(c, r)
		if err != nil {
			return whole(err)
		}
		defer opened.Close()
		r = opened
	}
	buf := make([]byte, 32<<10)
	for total := int64(0); ; {
		n, err := r.Read(buf)
		d.emit(buf[:n])
		if total += int64(n); total > maxDecoded && total > maxRatio*d.coded {
			return fmt.Errorf("the body is more than %d times as long without it", maxRatio)
		}
		if err == io.EOF {
			return nil
		}
		if total > 0 && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch)) {
			return errBehind // It is the header of a second part that is wrong.
		}
		if err != nil {
			return err
		}
	}
}

// whole is the error of a body that ends before its coding has begun.
func whole(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// open begins to decode one coding. What it returns reads no further than it needs, as
// far as the coding allows.
func open(coding string, r io.Reader) (io.ReadCloser, error) {
	switch coding {
	case "deflate":
		return openDeflate(r)
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	default:
		return gzip.NewReader(r)
	}
}

// openDeflate decodes zlib's format, which is what RFC 9110 §8.4.1.2 calls deflate, and
// bare deflate, which some servers send.
func openDeflate(r io.Reader) (io.ReadCloser, error) {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	again := &replayed{head: head[:], Reader: r}
	if head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(again)
	}
	return flate.NewReader(again), nil
}

// replayed reads the bytes of head before those of the reader.
type replayed struct {
	head []byte
	io.Reader
}

func (r *replayed) Read(p []byte) (int, error) {
	if len(r.head) == 0 {
		return r.Reader.Read(p)
	}
	n := copy(p, r.head)
	r.head = r.head[n:]
	return n, nil
}

// ReadByte keeps decoders from reading ahead.
func (r *replayed) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(r, b[:])
	return b[0], err
}

// emit puts decoded bytes into the tap.
func (d *decoder) emit(data []byte) {
	if len(data) > 0 {
		d.kept = nil
		d.trip.mu.Lock()
		d.trip.copy(d.trip.way(d.stream), d.stream, data)
		d.trip.mu.Unlock()
		d.trip.log.Tap.Wake()
	}
}

// Read reads the coded bytes, and waits for them.
func (d *decoder) Read(p []byte) (int, error) {
	if len(d.rest) == 0 && !d.take() {
		return 0, io.EOF
	}
	n := copy(p, d.rest)
	d.read(n)
	return n, nil
}

// ReadByte keeps decoders from reading ahead.
func (d *decoder) ReadByte() (byte, error) {
	if len(d.rest) == 0 && !d.take() {
		return 0, io.EOF
	}
	b := d.rest[0]
	d.read(1)
	return b, nil
}

// read takes n bytes of what was taken of the queue.
func (d *decoder) read(n int) {
	if d.kept != nil {
		d.kept = append(d.kept, d.rest[:n]...)
		if len(d.kept) > maxKept {
			d.kept = nil
		}
	}
	d.rest = d.rest[n:]
	d.coded += int64(n)
}

// take takes the queue, and reports whether there was anything before the end.
func (d *decoder) take() bool {
	d.trip.log.queued.Add(-int64(len(d.taken)))
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) == 0 && !d.closed {
		d.more.Wait()
	}
	d.taken, d.queue = d.queue, d.taken[:0]
	d.rest = d.taken
	return len(d.rest) > 0
}
