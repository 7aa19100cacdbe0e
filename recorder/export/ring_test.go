package export

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/session"
)

// TestBytesOfRing holds that what a ring's file repeats is not taken for its stream,
// and that the stream's beginning is said to be elsewhere.
func TestBytesOfRing(t *testing.T) {
	const file = `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","t0":"2026-11-20T10:00:00Z","part":2}
{"k":"gap","n":11,"t":1,"d":"c2s","bytes":0,"why":"ring"}
{"k":"f","n":12,"again":2,"t":2,"d":"c2s","len":3,"s":"old"}
{"k":"f","n":13,"t":9,"d":"c2s","len":3,"s":"new"}
{"k":"end","n":14,"t":9,"frames":1,"bytes":4,"lost":0,"why":"eof"}
`
	path := filepath.Join(t.TempDir(), "a.2"+recorder.Suffix)
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out bytes.Buffer
	err = Bytes(&out, f, Part{Stream: session.C2S})
	if out.String() != "new\n" || !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), "earlier files of the ring") {
		t.Errorf("the stream is %q (%v)", out.String(), err)
	}
}
