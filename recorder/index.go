package recorder

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
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
const (
	indexName  = "wiretea-index "
	indexMagic = indexName + "4\n"
)

const (
	maxIndexHead = 1 << 20 // longest head line of an index, in bytes
	printSize    = 4 << 10 // how many bytes before the covered offset are compared
	sealSize     = sha256.Size
	indexBuffer  = 32 << 10
)

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
	File    string  `json:"file"`    // File is the session file as it was, see identity.
	Summary Summary `json:"summary"`
}

// IndexPath is where the index of a session file lies.
func IndexPath(path string) string { return path + ".idx" }

// SaveIndex writes the index of a session file: the analysis of its first
// covered bytes. The index is a cache. SaveIndex must not be called for a log that is
// not completely in the file; see Sink.Reason.
//
// An index is sealed with a key of this user on this machine, for this file as it is
// now: an index that came with a recording, or that was moved beside another recording, is not read.
func SaveIndex(path string, log Log, sid string, covered int64, sum Summary, payload io.WriterTo) error {
	print, ok := fingerprint(log, covered)
	if !ok {
		return errors.New("saving the index: the log has not the bytes it is to cover")
	}
	if err := writeIndex(path, indexHead{SID: sid, Covered: covered, Print: print, Summary: sum}, payload); err != nil {
		return fmt.Errorf("saving the index: %w", err)
	}
	return nil
}

// writeIndex writes the index of a session file: the head, its seal, the payload, the seal
// of both.
func writeIndex(path string, head indexHead, payload io.WriterTo) (err error) {
	key, ok := indexKey(true)
	if head.File, err = identity(path); err != nil || !ok {
		return errors.Join(errors.New("it cannot be sealed"), err)
	}
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	// Readers verify the seal, and an index that is lost is made again.
	return atomicfile.Write(IndexPath(path), atomicfile.Options{NoSync: true}, func(f io.Writer) error {
		w, seal := bufio.NewWriterSize(f, indexBuffer), newSeal(key, line)
		w.WriteString(indexMagic)
		w.Write(append(line, '\n'))
		w.Write(seal.sum())
		if _, err := payload.WriteTo(io.MultiWriter(w, seal)); err != nil {
			return err
		}
		w.Write(seal.sum())
		return w.Flush()
	})
}

// moveIndex gives a session file that has another name and form now the summary that its
// index had; the rest of the index does not hold any more.
func moveIndex(from indexHead, path, to string) {
	if from.SID != "" {
		_ = writeIndex(to, indexHead{SID: from.SID, Summary: from.Summary}, nothing{}) // It is a cache.
	}
	_ = os.Remove(IndexPath(path))
}

// nothing is the payload of an index that is only a summary.
type nothing struct{}

func (nothing) WriteTo(io.Writer) (int64, error) { return 0, nil }

// indexKey is the key of seals; with made it is made if there is none.
func indexKey(made bool) ([]byte, bool) { return MachineKey("index.key", made) }

// LoadIndex gives the payload of a session file's index to read, and reports how
// far it reaches. It reports false, and what read made of the payload is void,
// when there is no index, or it is of another session, of a file that has been
// altered since, of another version, or damaged.
func LoadIndex(path string, log Log, sid string, read func(io.Reader) error) (covered int64, ok bool) {
	f, head, sealed, start, err := openIndex(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	if print, ok := fingerprint(log, head.Covered); !ok || print != head.Print || head.SID != sid {
		return 0, false
	}
	info, err := f.Stat()
	if err != nil || info.Size() < start+sealSize {
		return 0, false
	}
	body := io.TeeReader(io.NewSectionReader(f, start, info.Size()-start-sealSize), sealed)
	if read(body) != nil {
		return 0, false
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return 0, false
	}
	var want [sealSize]byte
	if _, err := f.ReadAt(want[:], info.Size()-sealSize); err != nil {
		return 0, false
	}
	return head.Covered, hmac.Equal(want[:], sealed.sum())
}

// ReadSummary reads what a session file's index says of it, without the rest. It
// reports false where there is no index of that session.
func ReadSummary(path, sid string) (Summary, bool) {
	f, head, _, _, err := openIndex(path)
	if err != nil {
		return Summary{}, false
	}
	f.Close()
	return head.Summary, head.SID == sid
}

// openIndex opens the index of a session file and reads its head, if its seal is that of
// this user and the session file is as it was. seal has sealed the head; the payload begins
// at start.
func openIndex(path string) (f *os.File, head indexHead, seal *seal, start int64, err error) {
	key, ok := indexKey(false)
	if !ok {
		return nil, head, nil, 0, errNotSealed
	}
	if f, err = atomicfile.Open(IndexPath(path)); err != nil {
		return nil, head, nil, 0, err
	}
	defer func() {
		if err != nil {
			f.Close()
			f = nil
		}
	}()
	r := bufio.NewReader(io.LimitReader(f, maxIndexHead))
	magic, err := r.ReadString('\n')
	if err != nil || magic != indexMagic {
		return f, head, nil, 0, errors.Join(errors.New("another version"), err)
	}
	line, err := r.ReadBytes('\n')
	if err != nil {
		return f, head, nil, 0, err
	}
	var want [sealSize]byte
	if _, err := io.ReadFull(r, want[:]); err != nil {
		return f, head, nil, 0, err
	}
	start = int64(len(indexMagic) + len(line) + sealSize)
	line = bytes.TrimSuffix(line, []byte("\n"))
	seal = newSeal(key, line)
	if !hmac.Equal(want[:], seal.sum()) {
		return f, head, nil, 0, errNotSealed
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return f, head, nil, 0, err
	}
	if is, err := identity(path); err != nil || is != head.File {
		return f, head, nil, 0, errors.Join(errNotSealed, err)
	}
	return f, head, seal, start, nil
}

// errNotSealed is why an index is not read that another user, another machine or another
// file has.
var errNotSealed = errors.New("the index is not of this file, or not of this user")

// fingerprint is the checksum of what precedes an offset, which must be the
// beginning of a record.
func fingerprint(log Log, covered int64) (uint32, bool) {
	if covered <= 0 || covered > log.Size() {
		return 0, false
	}
	buf := make([]byte, min(covered, printSize))
	if n, _ := log.ReadAt(buf, covered-int64(len(buf))); n < len(buf) || buf[n-1] != '\n' {
		return 0, false
	}
	return crc32.Checksum(buf, crc32.MakeTable(crc32.Castagnoli)), true
}

// sealChunk is how many bytes of a payload get one tag.
const sealChunk = 64 << 10

// A seal is a keyed checksum of an index: HMAC-SHA256 of its head and of the GMAC tags of its
// payload's chunks. GMAC takes a quarter of the time of SHA-256, and with the index of
// 1,000,000 frames the seal decides when the first screen is there. The tags leave the seal only
// within the HMAC, so that chunks of different files may have the same nonce, their number.
type seal struct {
	mac   hash.Hash
	tags  cipher.AEAD
	part  []byte // part is the beginning of a chunk.
	count uint64 // count is how many chunks were sealed.
}

// newSeal returns a seal of a head.
func newSeal(key, head []byte) *seal {
	own := hmac.New(sha256.New, key)
	own.Write([]byte("tags of an index"))
	block, err := aes.NewCipher(own.Sum(nil))
	if err != nil {
		panic(err) // A sum of 32 bytes is a key of AES-256.
	}
	tags, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has blocks of 16 bytes.
	}
	s := &seal{mac: hmac.New(sha256.New, key), tags: tags}
	s.mac.Write(head)
	return s
}

// Write seals more of the payload. It never fails.
func (s *seal) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if len(s.part) == 0 && len(p) >= sealChunk {
			s.tag(p[:sealChunk])
			p = p[sealChunk:]
			continue
		}
		fits := min(len(p), sealChunk-len(s.part))
		s.part, p = append(s.part, p[:fits]...), p[fits:]
		if len(s.part) == sealChunk {
			s.tag(s.part)
			s.part = s.part[:0]
		}
	}
	return n, nil
}

func (s *seal) tag(chunk []byte) {
	var nonce [12]byte
	binary.LittleEndian.PutUint64(nonce[:], s.count)
	s.count++
	s.mac.Write(s.tags.Seal(nil, nonce[:], nil, chunk))
}

// sum returns the seal of all so far. Nothing can be sealed after a payload that does not end
// at a chunk's end.
func (s *seal) sum() []byte {
	if len(s.part) > 0 {
		s.tag(s.part)
		s.part = s.part[:0]
	}
	return s.mac.Sum(nil)
}
