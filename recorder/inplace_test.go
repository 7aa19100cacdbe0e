package recorder

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"wiretea/session"
)

// TestLongFrames: long frames that come in parts and whole ones, in turns, of one
// stream.
func TestLongFrames(t *testing.T) {
	var want bytes.Buffer
	var source script
	put := func(p []byte) {
		t := int64(len(source.steps))
		source.steps = append(source.steps, step{at: t, batch: []session.Observation{chunk(t, session.S2C, string(p))}})
		want.Write(p)
	}
	for i := range 40 {
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"m","params":{"s":"%s"}}`+"\n", bytes.Repeat([]byte("x"), inPlaceFrom*(1+i%3)))
		if i%2 == 0 {
			put(line[:len(line)/2])
			put(line[len(line)/2:])
		} else {
			put(line)
		}
	}
	sink := NewMemory(1 << 30)
	w := NewWriter(sink, header(), source.options())
	if err := w.Run(&source); err != nil {
		t.Fatal(err)
	}
	var got []byte
	r := NewReader(sink, 0)
	var rec session.Record
	for r.Next(&rec) == nil {
		if rec.Kind == session.RecFrame || rec.Kind == session.RecRaw {
			got = slices.Concat(got, rec.Body, rec.Term)
		}
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes came back of %d", len(got), want.Len())
	}
}
