package recorder

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/privatefolder"
)

// maxEvents is the number of event records that are kept for a file that cannot be
// written.
const maxEvents = 1000

// lossLedger is what a file lacks since it could not be written: the number of bytes
// and frames of each stream, and the records of events, which are few and are written
// later.
type lossLedger struct {
	gaps   []streamGap // gaps are those of streams that have not ended.
	events []lostEvent // events are in their order.
	parser parser
}

// A lostEvent is the record of an event, or what is missing of a stream that the event
// behind it ends: its reader must know of it before the end.
type lostEvent struct {
	line []byte
	gap  *streamGap // gap is nil for a record.
}

// A streamGap is what is missing of one stream.
type streamGap struct {
	at  origin
	gap session.Gap
}

// add counts what lines, which are whole records, hold.
func (m *lossLedger) add(lines []byte) {
	var rec session.Record
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n') + 1
		if m.parser.parse(lines[:end-1], &rec) == nil {
			m.record(&rec, lines[:end])
		}
		lines = lines[end:]
	}
}

func (m *lossLedger) record(rec *session.Record, line []byte) {
	switch rec.Kind {
	case session.RecFrame:
		g := m.stream(rec)
		g.Bytes += int64(wireSize(rec))
		if g.Frames >= 0 {
			g.Frames++
		}
	case session.RecRaw:
		g := m.stream(rec)
		g.Bytes += int64(len(rec.Body))
		g.Frames = -1
	case session.RecIO, session.RecProc, session.RecGap, session.RecHTTP, session.RecHeader, session.RecEnd, session.RecPath:
		m.end(rec)
		if len(m.events) < maxEvents {
			m.events = append(m.events, lostEvent{line: bytes.Clone(line)})
		}
	case session.RecClock, session.RecUnknown:
		// The next clock record says all that this one did.
	}
}

// end puts the gaps of streams that an event ends before it.
func (m *lossLedger) end(rec *session.Record) {
	m.gaps = slices.DeleteFunc(m.gaps, func(g streamGap) bool {
		over := false
		switch {
		case g.at != origin{rec.Conn, rec.Trip}:
		case rec.Kind == session.RecIO:
			over = g.gap.Stream == rec.Stream && (rec.IO.Event == "eof" || rec.IO.Event == "closed")
		case rec.Kind == session.RecHTTP:
			over = rec.HTTP.Event == "end" || rec.HTTP.Event == "sent" && g.gap.Stream == session.C2S
		}
		if over {
			m.events = append(m.events, lostEvent{gap: &g})
		}
		return over
	})
}

// bytes returns how many bytes are missing.
func (m *lossLedger) bytes() (n int64) {
	for _, g := range m.gaps {
		n += g.gap.Bytes
	}
	for _, e := range m.events {
		if e.gap != nil {
			n += e.gap.gap.Bytes
		}
	}
	return n
}

// stream returns the gap of a record's stream.
func (m *lossLedger) stream(rec *session.Record) *session.Gap {
	at := origin{rec.Conn, rec.Trip}
	for i := range m.gaps {
		if g := &m.gaps[i]; g.at == at && g.gap.Stream == rec.Stream {
			return &g.gap
		}
	}
	m.gaps = append(m.gaps, streamGap{at, session.Gap{Stream: rec.Stream, Why: "disk"}})
	return &m.gaps[len(m.gaps)-1].gap
}

const (
	// unrecordedName is the file in a sessions folder that says what was not recorded.
	unrecordedName = ".unrecorded.jsonl"

	// maxUnrecorded is the size, in bytes, from which on that file is begun anew.
	maxUnrecorded = 64 << 10

	// unrecordedFor is for how long it is of interest.
	unrecordedFor = 7 * 24 * time.Hour
)

// FallbackFolder is where sessions are recorded when the default sessions folder cannot
// be written: in the user's own folder among the temporary files.
func FallbackFolder() string { return filepath.Join(privatefolder.Temp(), "sessions") }

// hasFallback reports whether there is a fallback folder, which is safe to read.
func hasFallback() bool {
	return privatefolder.Check(privatefolder.Temp()) == nil && privatefolder.Check(FallbackFolder()) == nil
}

// MakeFallback makes the fallback folder and returns it.
func MakeFallback() (string, error) {
	for _, folder := range []string{privatefolder.Temp(), FallbackFolder()} {
		if err := privatefolder.Make(folder); err != nil {
			return "", err
		}
	}
	return FallbackFolder(), nil
}

// An Unrecorded is a session that could not be recorded, or not to its end.
type Unrecorded struct {
	Time   time.Time `json:"time"`
	Server string    `json:"server"` // Server is its short name.
	Why    string    `json:"why"`    // Why is one line, with names of files verbatim.
}

// NoteUnrecorded notes that a session could not be recorded, for those who look for it.
// Where nothing can be written, nobody will know.
func NoteUnrecorded(u Unrecorded) {
	line, err := json.Marshal(u)
	if err != nil {
		return
	}
	if folder, err := SessionsFolder(""); err == nil && os.MkdirAll(folder, 0o700) == nil && appendNote(folder, line) == nil {
		return
	}
	if folder, err := MakeFallback(); err == nil {
		_ = appendNote(folder, line)
	}
}

func appendNote(folder string, line []byte) error {
	name, flags := filepath.Join(folder, unrecordedName), os.O_CREATE|os.O_APPEND|os.O_WRONLY
	info, err := os.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return &os.PathError{Op: "open", Path: name, Err: atomicfile.ErrNotRegular}
	}
	if err == nil && info.Size() > maxUnrecorded {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if failed := f.Close(); err == nil {
		err = failed
	}
	return err
}

// UnrecordedLately returns the sessions of the last week that could not be recorded, the
// latest first.
func UnrecordedLately(now time.Time) (list []Unrecorded) {
	folders := []string{}
	if folder, err := SessionsFolder(""); err == nil {
		folders = append(folders, folder)
	}
	if hasFallback() {
		folders = append(folders, FallbackFolder())
	}
	for _, folder := range folders {
		name := filepath.Join(folder, unrecordedName)
		f, err := atomicfile.Open(name)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(io.LimitReader(f, 2*maxUnrecorded))
		for lines.Scan() {
			var u Unrecorded
			if json.Unmarshal(lines.Bytes(), &u) == nil && now.Sub(u.Time) < unrecordedFor {
				list = append(list, u)
			}
		}
		f.Close()
	}
	slices.SortStableFunc(list, func(a, b Unrecorded) int { return b.Time.Compare(a.Time) })
	return list
}
