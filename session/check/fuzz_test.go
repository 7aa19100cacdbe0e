package check

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"wiretea/session"
)

// FuzzCheck feeds any bytes as both streams and as stderr, in small chunks, to
// an Analyzer with every checker. Nothing may panic, every finding must have its
// form, and what a peer can bring about must be bounded.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var c2s, s2c strings.Builder
		for line := range strings.Lines(string(ar.Files[0].Data)) {
			fields := strings.SplitN(line, " ", 3)
			switch {
			case len(fields) < 3:
			case fields[1] == "c2s":
				c2s.WriteString(fields[2])
			case fields[1] == "s2c":
				s2c.WriteString(fields[2])
			}
		}
		f.Add([]byte(c2s.String()), []byte(s2c.String()), byte(100))
	}
	f.Add([]byte("\xff\xfe{\x00\n\x00"), []byte("Content-Length: 3\r\n\r\n{}\n[[[\n"), byte(3))
	f.Fuzz(func(t *testing.T, c2s, s2c []byte, step byte) {
		found := analyze(fuzzRecords(c2s, s2c, int(step)+1)).Findings()
		distinct := map[string]int{}
		for i := range found {
			if distinct[found[i].Rule]++; distinct[found[i].Rule] > maxDistinct {
				t.Fatalf("%s: more than %d findings", found[i].Rule, maxDistinct)
			}
			checkForm(t, &found[i])
			if n := len(found[i].Message); n > 600 {
				t.Errorf("%s: a message of %d bytes", found[i].Rule, n)
			}
		}
	})
}

// maxDistinct bounds how many findings of one rule a single connection can
// have: both sides, times the keys that tell cases apart (16 names that peers
// choose, 19 kinds of noise, and a few of the rule's own).
const maxDistinct = 2 * (16 + 19 + 8)

// fuzzRecords makes a session of the bytes, step bytes of each stream at a time,
// each 10 ms, with an orderly end.
func fuzzRecords(c2s, s2c []byte, step int) []session.Record {
	recs := []session.Record{
		{Kind: session.RecHeader, Header: &session.Header{Limits: session.Limits{Lines: []int64{16}, MaxLine: 64}}},
		{Kind: session.RecProc, Conn: 1, Proc: session.Proc{Event: "start", PID: 1}},
	}
	t := int64(0)
	for len(c2s) > 0 || len(s2c) > 0 {
		t += int64(10 * time.Millisecond)
		for _, s := range []struct {
			stream session.Stream
			rest   *[]byte
		}{{session.C2S, &c2s}, {session.S2C, &s2c}} {
			n := min(step, len(*s.rest))
			if n == 0 {
				continue
			}
			chunk := (*s.rest)[:n]
			*s.rest = (*s.rest)[n:]
			recs = append(recs, session.Record{Kind: session.RecRaw, Conn: 1, T: t, T1: t, Stream: s.stream, Body: chunk})
			if s.stream == session.S2C {
				recs = append(recs, session.Record{Kind: session.RecRaw, Conn: 1, T: t, T1: t, Stream: session.Stderr, Body: chunk})
			}
		}
	}
	for _, s := range session.Streams {
		recs = append(recs, session.Record{Kind: session.RecIO, Conn: 1, T: t, Stream: s, IO: session.IOEvent{Event: "eof", Side: "server"}})
	}
	recs = append(recs,
		session.Record{Kind: session.RecProc, Conn: 1, T: t, Proc: session.Proc{Event: "exit"}},
		session.Record{Kind: session.RecEnd, T: t})
	return number(recs)
}
