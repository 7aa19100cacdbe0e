package recorder

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"wiretea/session"
)

// FuzzIndex checks that no file beside a recording brings down what reads it as its
// index, whether or not its checksum is right, and that none is believed that is not
// of these bytes of this session.
func FuzzIndex(f *testing.F) {
	path := filepath.Join(f.TempDir(), "a"+Suffix)
	text := []byte(`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"s","t0":"2026-11-20T10:00:00Z","mode":"run"}` + "\n")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		f.Fatal(err)
	}
	log, err := Open(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { log.Close() })
	print, _ := fingerprint(log, int64(len(text)))
	var snapshot bytes.Buffer
	if _, err := session.NewAnalyzer(session.Config{}).Snapshot().WriteTo(&snapshot); err != nil {
		f.Fatal(err)
	}
	f.Setenv("HOME", f.TempDir())
	key, ok := indexKey(true)
	is, err := identity(path)
	if err != nil || !ok {
		f.Fatal(err)
	}
	head, err := json.Marshal(indexHead{"s", int64(len(text)), print, is, Summary{Server: "x"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(head, snapshot.Bytes(), true)
	f.Add(head, []byte("x"), false)
	f.Add([]byte(`{"sid":"s","covered":-1,"print":0}`), []byte{}, true)
	f.Add([]byte(`{"sid":"s","covered":9223372036854775807,"print":0,"summary":{"cmd":[null],"start":"x"}}`), snapshot.Bytes()[:10], true)
	f.Add([]byte("{}\n{}"), []byte("\x00"), true)
	f.Fuzz(func(t *testing.T, head, payload []byte, sealed bool) {
		line, rest, _ := bytes.Cut(slices.Concat(head, []byte("\n"), payload), []byte("\n"))
		file := slices.Concat([]byte(indexMagic), line, []byte("\n"), rest)
		if sealed {
			seal := newSeal(key, line)
			begin := seal.sum()
			seal.Write(rest)
			file = slices.Concat([]byte(indexMagic), line, []byte("\n"), begin, rest, seal.sum())
		}
		if err := os.WriteFile(IndexPath(path), file, 0o600); err != nil {
			t.Fatal(err)
		}
		ReadSummary(path, "s")
		covered, ok := LoadIndex(path, log, "s", func(r io.Reader) error {
			_, err := session.ReadSnapshot(r)
			return err
		})
		if _, known := fingerprint(log, covered); ok && !known {
			t.Errorf("an index is believed that covers %d of %d bytes: %q", covered, log.Size(), head)
		}
	})
}
