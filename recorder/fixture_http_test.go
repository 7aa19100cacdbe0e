package recorder

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wiretea/session"
)

// httpSession is what the fixture of version 2 holds.
func httpSession(t testing.TB) []byte {
	h := session.Header{
		SID: "8f14e45fceea167a5a36dedd4bea2543", Tool: "wiretea/0.1.0", T0: t0, Mode: "proxy", Trans: "http",
		URL: "http://127.0.0.1:3001/mcp", PPID: 4000, Limits: session.DefaultLimits(),
	}
	s := &script{steps: []step{{batch: httpObservations()}}}
	sink := NewMemory(0)
	if err := NewWriter(sink, h, s.options()).Run(s); err != nil {
		t.Fatal(err)
	}
	return contents(t, sink)
}

const httpFixture = "testdata/v2-http.mcpcap.jsonl"

// TestHTTPFixture holds that the Writer writes version 2 as the fixture has it.
func TestHTTPFixture(t *testing.T) {
	got := httpSession(t)
	want, err := os.ReadFile(httpFixture)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the Writer writes differently; a released fixture is never written anew:\n%s", cmp.Diff(string(want), string(got)))
	}
}

// TestVersion1ReadsHTTP reads a session over HTTP as a reader does that knows version 1
// alone, which has no round trips: it reads each frame, and leaves out what it does not know.
func TestVersion1ReadsHTTP(t *testing.T) {
	file := httpSession(t)
	var frames []string
	for i, line := range strings.SplitAfter(strings.TrimSuffix(string(file), "\n"), "\n") {
		var rec struct {
			K    string
			V    int
			Minv int
			D    string
			Len  int
			B    json.RawMessage
			S    *string
			X    []byte
		}
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatal(err)
		}
		body := []byte(rec.B)
		switch {
		case rec.S != nil:
			body = []byte(*rec.S)
		case rec.X != nil:
			body = rec.X
		}
		switch rec.K {
		case "hdr":
			if i != 0 || rec.V != 2 || rec.Minv != 1 {
				t.Errorf("the header is %s", line)
			}
		case "f":
			if len(body) != rec.Len {
				t.Errorf("a reader of version 1 reads %d bytes of %d: %s", len(body), rec.Len, line)
			}
			frames = append(frames, rec.D+" "+string(body))
		}
	}
	var want []string
	list, _, err := readAll(t, file)
	for _, rec := range list {
		if rec.Kind == session.RecFrame {
			want = append(want, rec.Stream.String()+" "+string(rec.Body))
		}
	}
	if diff := cmp.Diff(want, frames); diff != "" || len(want) < 5 || err != nil {
		t.Errorf("%d frames, %v (-now +version 1):\n%s", len(want), err, diff)
	}
}
