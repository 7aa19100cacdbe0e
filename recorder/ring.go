package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"wiretea/session"
)

// A Ring says that a session is kept in several files, of which the oldest are
// removed. Each is a complete session file. The zero Ring means one file.
type Ring struct {
	Size  int64 // Size is the size of a file, in bytes, at which the next one is begun; 0 = no ring.
	Files int   // Files is the number of files that are kept, the one being written included; at least 2.
}

// Rolled is the End.Why of a file of a ring that is continued in another file.
const Rolled = "ring"

// ringOverdue is how many times its size a file may reach while a line is unfinished:
// then it is cut within the line.
const ringOverdue = 2

// roll goes on in the ring's next file once the present one is full. A file is cut
// between lines, where that is possible.
func (w *Writer) roll() {
	if w.opt.Ring.Size <= 0 || w.sink.named == nil || w.sink.failing() {
		return
	}
	size := w.sink.named.size
	if size < max(w.opt.Ring.Size, w.rollFrom) {
		return
	}
	var within []*streamWriter // within are within a frame whose beginning is written.
	for _, t := range w.streams {
		if t.raw || t.ahead > 0 {
			within = append(within, t)
		}
	}
	if len(within) > 0 && size < ringOverdue*w.opt.Ring.Size {
		return
	}
	hdr := w.hdr
	hdr.Part = w.part + 1
	lead := appendHeader(nil, &hdr)
	n := w.n + 1 // The end has this one.
	lead, n = w.preamble.append(lead, n, within)
	end := w.end
	end.Why = Rolled
	if !w.sink.next(hdr.Part, appendEnd(nil, w.n+1, w.opt.Now(), &end), lead, w.opt.Ring.Files) {
		// No other file can be created: the present one grows, and this is tried
		// again later.
		w.rollFrom = size + w.opt.Ring.Size/4
		return
	}
	w.rollFrom = 0
	w.n, w.part, w.end = n, hdr.Part, session.End{}
	w.dirty = true
}

// Bounds of what the next file repeats.
const (
	maxPreamble       = 8 << 20   // bytes of unanswered requests together
	maxPreambleRecord = 256 << 10 // bytes of one record
	maxHandshake      = 16        // records of one connection's handshake
	maxSessions       = 64        // connections over HTTP whose handshakes are kept, the latest ones
	maxShakeTrips     = 4         // round trips of one such handshake
)

// A preamble holds the records that a ring's next file repeats so that it can be
// understood alone: the latest connection's start and handshake, those of sessions over
// HTTP, and the requests without a response.
type preamble struct {
	conn         int
	start        []byte // start is the record of the process's start; nil = none was seen.
	t            int64  // t is when the connection began.
	handshake    [][]byte
	handshakeIDs map[string]bool // handshakeIDs are the ids of the handshake's requests that wait.
	unanswered   []openRequest
	size         int               // size is how many bytes open holds.
	trips        map[int]*openTrip // trips are the round trips that have not ended, by their number.
	sessions     []shaken          // sessions are the handshakes over HTTP, the oldest first.
}

// An openTrip is what the next file repeats of a round trip: the heads, the message of the
// request, and of a handshake the response and the end.
type openTrip struct {
	conn    int
	shake   bool // shake: it is one of a handshake, and was not refused.
	leaves  bool // leaves: it ends the session, by DELETE.
	records [][]byte
}

// A shaken is the handshake of one connection over HTTP.
type shaken struct {
	conn  int
	trips [][][]byte // trips are the records of its round trips.
}

// openRequest is a request without an answer.
type openRequest struct {
	stream session.Stream
	id     string
	record []byte
}

// frame takes a frame whose envelope was looked at, and its record; nil where that is
// too long to be kept.
func (c *preamble) frame(t *streamWriter, record []byte) {
	if len(record) > maxPreambleRecord {
		record = nil
	}
	if trip := c.trips[t.trip]; trip != nil {
		trip.frame(t, record)
	}
	if t.trip != 0 || t.conn != c.conn || t.stream == session.Stderr {
		return
	}
	switch t.hints.kind {
	case 'q':
		c.addRequest(t, record)
	case 'n':
		if t.stream == session.C2S && string(t.hints.method) == "notifications/initialized" {
			c.addHandshake(record)
		}
	case 'r', 'e':
		if t.stream == session.S2C && c.handshakeIDs[string(t.hints.id)] {
			delete(c.handshakeIDs, string(t.hints.id))
			c.addHandshake(record)
		}
		c.removeRequest(t.stream.Reverse(), string(t.hints.id))
	case 'b':
		c.unread(t.stream)
	}
}

// frame takes a message of the round trip.
func (trip *openTrip) frame(t *streamWriter, record []byte) {
	kind, asks := t.hints.kind, t.stream == session.C2S && len(trip.records) == 1
	if asks && (kind == 'q' || kind == 'n') {
		switch string(t.hints.method) {
		case "initialize", "server/discover", "notifications/initialized":
			trip.shake = true
		}
	}
	if t.stream == session.S2C && kind == 'e' {
		trip.shake = false
	}
	if record != nil && (asks || trip.shake && t.stream == session.S2C && kind == 'r') {
		trip.records = append(trip.records, bytes.Clone(record))
	}
}

// http takes the record of an event of a round trip.
func (c *preamble) http(at origin, ev *session.HTTPEvent, record []byte) {
	trip := c.trips[at.trip]
	switch {
	case ev.Event == "req":
		if c.trips == nil {
			c.trips = map[int]*openTrip{}
		}
		c.trips[at.trip] = &openTrip{conn: at.conn, leaves: ev.Method == "DELETE", records: [][]byte{bytes.Clone(record)}}
	case trip == nil:
	case ev.Event == "res":
		trip.records = append(trip.records, bytes.Clone(record))
	case ev.Event == "end":
		delete(c.trips, at.trip)
		if trip.shake {
			c.shook(trip.conn, append(trip.records, bytes.Clone(record)))
		}
		if trip.leaves {
			c.sessions = slices.DeleteFunc(c.sessions, func(s shaken) bool { return s.conn == trip.conn })
		}
	}
}

// shook keeps a round trip of a handshake.
func (c *preamble) shook(conn int, records [][]byte) {
	i := slices.IndexFunc(c.sessions, func(s shaken) bool { return s.conn == conn })
	if i < 0 {
		if len(c.sessions) == maxSessions {
			c.sessions = slices.Delete(c.sessions, 0, 1)
		}
		i, c.sessions = len(c.sessions), append(c.sessions, shaken{conn: conn})
	}
	if s := &c.sessions[i]; len(s.trips) < maxShakeTrips {
		s.trips = append(s.trips, records)
	}
}

// addHandshake keeps a record of the handshake.
func (c *preamble) addHandshake(record []byte) {
	if record != nil && len(c.handshake) < maxHandshake {
		c.handshake = append(c.handshake, bytes.Clone(record))
	}
}

func (c *preamble) addRequest(t *streamWriter, record []byte) {
	if method := string(t.hints.method); t.stream == session.C2S && (method == "initialize" || method == "server/discover") {
		c.addHandshake(record)
		c.handshakeIDs[string(t.hints.id)] = true
		return
	}
	if record == nil || c.size+len(record) > maxPreamble {
		return
	}
	c.unanswered = append(c.unanswered, openRequest{t.stream, string(t.hints.id), bytes.Clone(record)})
	c.size += len(record)
}

// removeRequest removes a request that has its response.
func (c *preamble) removeRequest(stream session.Stream, id string) {
	i := slices.IndexFunc(c.unanswered, func(w openRequest) bool { return w.stream == stream && w.id == id })
	if i >= 0 {
		c.size -= len(c.unanswered[i].record)
		c.unanswered = slices.Delete(c.unanswered, i, i+1)
	}
}

// unread takes note that something of a stream was not looked at: it may have held
// answers to any of the other side's requests, and those are not repeated.
func (c *preamble) unread(stream session.Stream) {
	c.unanswered = slices.DeleteFunc(c.unanswered, func(w openRequest) bool { return w.stream == stream.Reverse() })
	c.size = 0
	for _, w := range c.unanswered {
		c.size += len(w.record)
	}
}

// append appends the records that a file of the ring begins with behind its header,
// and returns the number of the last one. Gaps come before what is repeated: they say
// that between these records something is in other files. Streams that are within a
// line have one more behind it: the rest of that line is not a frame.
func (c *preamble) append(dst []byte, n uint64, within []*streamWriter) ([]byte, uint64) {
	// again appends a record of an earlier file under a new number, with its own as again.
	again := func(record []byte) {
		n++
		head, rest, _ := bytes.Cut(record, []byte(`,"n":`))
		end := bytes.IndexByte(rest, ',')
		dst = append(append(dst, head...), `,"n":`...)
		dst = strconv.AppendUint(dst, n, 10)
		dst = append(append(dst, `,"again":`...), rest[:end]...)
		dst = append(dst, rest[end:]...)
	}
	gap := func(at origin, stream session.Stream, t int64) {
		n++
		dst = appendGap(dst, n, at, t, &session.Gap{Stream: stream, Frames: -1, Why: Rolled})
	}
	if c.start != nil {
		again(c.start)
	}
	for _, conn := range c.conns() {
		gap(origin{conn: conn}, session.C2S, c.t)
		gap(origin{conn: conn}, session.S2C, c.t)
	}
	for _, s := range c.sessions {
		for _, record := range slices.Concat(s.trips...) {
			again(record)
		}
	}
	for _, trip := range slices.Sorted(maps.Keys(c.trips)) {
		for _, record := range c.trips[trip].records {
			again(record)
		}
	}
	for _, record := range c.handshake {
		again(record)
	}
	for _, w := range c.unanswered {
		again(w.record)
	}
	for _, t := range within {
		gap(t.origin, t.stream, t.last)
	}
	return dst, n
}

// conns are the connections of which a part is in other files.
func (c *preamble) conns() []int {
	list := []int{max(c.conn, 1)}
	for _, s := range c.sessions {
		list = append(list, s.conn)
	}
	for _, trip := range c.trips {
		list = append(list, trip.conn)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// next ends the file and goes on in the ring's next one, which begins with lead. It
// reports false, and nothing has changed, where that cannot be written. end and lead
// are not in the log, whose offsets are continuous. Of the ring's files
// the oldest are removed.
func (s *Sink) next(number int, end, lead []byte, files int) bool {
	old, ok := s.named.f.(osFile)
	if !ok {
		return false
	}
	s.calls.Add(1)
	defer s.calls.Add(1)
	f, path, err := s.partFile(number)
	if err != nil {
		return false
	}
	fresh := &disk{f: osFile{f}}
	if fresh.append(lead) < len(lead) {
		f.Close()
		os.Remove(path)
		return false
	}
	size := s.named.size
	s.named.append(end)
	s.syncer.end(false)
	old.unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch last := s.parts[len(s.parts)-1]; {
	case last.disk == s.named:
		s.parts = append(s.parts, part{base: last.base + size - last.skip, disk: fresh, skip: int64(len(lead))})
	case !s.reads(s.named):
		old.Close() // The log went on elsewhere.
	}
	s.named, s.syncer = fresh, startSyncer(fresh.f)
	s.olderPaths = append(s.olderPaths, s.path)
	s.path, s.rolled = path, true
	s.forget(files)
	return true
}

// reads reports whether a file is a part of the log.
func (s *Sink) reads(d *disk) bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.disk == d })
}

// forget removes the oldest files beyond those that are kept, and their parts of the
// log. s.mu is held.
func (s *Sink) forget(files int) {
	for len(s.olderPaths) > max(files, 2)-1 {
		path := s.olderPaths[0]
		s.olderPaths = s.olderPaths[1:]
		if first := &s.parts[0]; len(s.parts) > 1 && first.disk != nil && first.disk != s.named {
			first.disk.f.Close()
			s.parts = s.parts[1:]
		}
		os.Remove(path) // Where it cannot be removed it stays: the limits of the folder see to it.
		os.Remove(IndexPath(path))
	}
}

// partFile creates a ring's next file, beside the others.
func (s *Sink) partFile(number int) (*os.File, string, error) {
	if s.stem == "" {
		s.stem, s.ending = s.path, ""
		if stem, ok := strings.CutSuffix(s.path, Suffix); ok {
			s.stem, s.ending = stem, Suffix
		}
	}
	for try := number; try < number+100; try++ {
		path := fmt.Sprintf("%s.%d%s", s.stem, try, s.ending)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		takeLock(f)
		return f, path, nil
	}
	return nil, "", fs.ErrExist
}
