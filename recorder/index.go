package recorder

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"time"
	"wiretea/session/atomicfile"
)

// indexMagic is an index's first line. Another version of the snapshot inside
// gets another magic.
const indexMagic = "wiretea-index 2\n"

const (
	maxIndexHead = 1 << 20 // longest head line of an index, in bytes
	printSize    = 4 << 10 // how many bytes before the covered offset are compared
	trailerSize  = 4       // the checksum behind the payload
	indexBuffer  = 32 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Summary is what a list of sessions shows of one.
type Summary struct {
	Server   string        `json:"server"`
	Client   string        `json:"client,omitempty"` // Client is the client's name as it gives it; empty = not known.
	Cmd      []string      `json:"cmd,omitempty"`
	Start    time.Time     `json:"start"`
	Duration time.Duration `json:"duration"`
	Frames   int64         `json:"frames"`
	Bytes    int64         `json:"bytes"`
	Errors   int64         `json:"errors"`
	Warnings int64         `json:"warnings"`
	Infos    int64         `json:"infos"`
	Lost     int64         `json:"lost,omitempty"`  // Lost is how many bytes passed and were not recorded.
	Ended    string        `json:"ended,omitempty"` // Ended is the end record's why; empty = it had none.
}

// indexHead is the head of an index, its second line.
type indexHead struct {
	SID     string  `json:"sid"`
	Covered int64   `json:"covered"` // Covered is the offset up to which the index speaks, a record's beginning.
	Print   uint32  `json:"print"`   // Print is the checksum of the last printSize bytes before it.
	Summary Summary `json:"summary"`
}

// IndexPath is where the index of a session file lies.
func IndexPath(path string) string { return path + ".idx" }

// SaveIndex writes the index of a session file: the analysis of its first
// covered bytes. The index is a cache. SaveIndex must not be called for a log that is
// not completely in the file; see Sink.Reason.
func SaveIndex(path string, log Log, sid string, covered int64, sum Summary, payload io.WriterTo) error {
	print, ok := fingerprint(log, covered)
	if !ok {
		return errors.New("saving the index: the log has not the bytes it is to cover")
	}
	head, err := json.Marshal(indexHead{sid, covered, print, sum})
	if err != nil {
		return fmt.Errorf("saving the index: %w", err)
	}
	// LoadIndex verifies the checksum, and an index that is lost is made again.
	err = atomicfile.Write(IndexPath(path), atomicfile.Options{NoSync: true}, func(f io.Writer) error {
		w := bufio.NewWriterSize(f, indexBuffer)
		w.WriteString(indexMagic)
		w.Write(append(head, '\n'))
		sumOf := crc32.New(castagnoli)
		sumOf.Write(head)
		if _, err := payload.WriteTo(io.MultiWriter(w, sumOf)); err != nil {
			return err
		}
		w.Write(binary.LittleEndian.AppendUint32(nil, sumOf.Sum32()))
		return w.Flush()
	})
	if err != nil {
		return fmt.Errorf("saving the index: %w", err)
	}
	return nil
}

// LoadIndex gives the payload of a session file's index to read, and reports how
// far it reaches. It reports false, and what read made of the payload is void,
// when there is no index, or it is of another session, of a file that has been
// altered since, of another version, or damaged.
func LoadIndex(path string, log Log, sid string, read func(io.Reader) error) (covered int64, ok bool) {
	f, head, line, err := openIndex(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	if print, ok := fingerprint(log, head.Covered); !ok || print != head.Print || head.SID != sid {
		return 0, false
	}
	info, err := f.Stat()
	start := int64(len(indexMagic) + len(line) + 1)
	if err != nil || info.Size() < start+trailerSize {
		return 0, false
	}
	body := &summing{r: io.NewSectionReader(f, start, info.Size()-start-trailerSize), sum: crc32.New(castagnoli)}
	body.sum.Write(line)
	if read(body) != nil {
		return 0, false
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return 0, false
	}
	var trailer [trailerSize]byte
	if _, err := f.ReadAt(trailer[:], info.Size()-trailerSize); err != nil {
		return 0, false
	}
	return head.Covered, binary.LittleEndian.Uint32(trailer[:]) == body.sum.Sum32()
}

// ReadSummary reads what a session file's index says of it, without the rest. It
// reports false where there is no index of that session.
func ReadSummary(path, sid string) (Summary, bool) {
	f, head, _, err := openIndex(path)
	if err != nil {
		return Summary{}, false
	}
	f.Close()
	return head.Summary, head.SID == sid
}

// openIndex opens an index and reads its head.
func openIndex(path string) (f *os.File, head indexHead, line []byte, err error) {
	if f, err = atomicfile.Open(IndexPath(path)); err != nil {
		return nil, head, nil, err
	}
	r := bufio.NewReader(io.LimitReader(f, maxIndexHead))
	magic, err := r.ReadString('\n')
	if err == nil && magic != indexMagic {
		err = errors.New("another version")
	}
	if err == nil {
		line, err = r.ReadBytes('\n')
	}
	if err == nil {
		line = bytes.TrimSuffix(line, []byte("\n"))
		err = json.Unmarshal(line, &head)
	}
	if err != nil {
		f.Close()
		return nil, head, nil, err
	}
	return f, head, line, nil
}

// fingerprint is the checksum of what stands before an offset, which must be the
// beginning of a record.
func fingerprint(log Log, covered int64) (uint32, bool) {
	if covered <= 0 || covered > log.Size() {
		return 0, false
	}
	buf := make([]byte, min(covered, printSize))
	if n, _ := log.ReadAt(buf, covered-int64(len(buf))); n < len(buf) || buf[n-1] != '\n' {
		return 0, false
	}
	return crc32.Checksum(buf, castagnoli), true
}

// summing computes the checksum of what is read through it.
type summing struct {
	r   io.Reader
	sum hash.Hash32
}

func (s *summing) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.sum.Write(p[:n])
	return n, err
}
