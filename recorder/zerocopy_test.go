package recorder

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

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

// A lender is a Source that takes its data back: what nobody keeps is overwritten
// before the next batch.
type lender struct {
	script
	lent *loan
	kept int // kept counts the loans that are kept.
	most int // most is the highest kept.
}

// A loan is the data of one batch.
type loan struct {
	from *lender
	mem  []byte
	uses int
}

func (l *lender) Take(timeout time.Duration) ([]session.Observation, int64, error) {
	if l.lent != nil {
		l.lent.leave()
	}
	batch, backlog, err := l.script.Take(timeout)
	l.lent = &loan{from: l, uses: 1}
	for _, o := range batch {
		l.lent.mem = append(l.lent.mem, o.Data...)
	}
	rest := l.lent.mem
	batch = slices.Clone(batch)
	for i := range batch {
		n := len(batch[i].Data)
		if batch[i].Kind == session.ObsBytes {
			batch[i].Data, rest = rest[:n:n], rest[n:]
		}
	}
	return batch, backlog, err
}

func (l *lender) Keep() io.Closer {
	l.lent.uses++
	l.kept++
	l.most = max(l.most, l.kept)
	return l.lent
}

func (l *loan) Close() error {
	l.from.kept--
	l.leave()
	return nil
}

func (l *loan) leave() {
	if l.uses--; l.uses == 0 {
		for i := range l.mem {
			l.mem[i] = '!'
		}
	}
}

// longSession is a script of short and long frames on two streams, cut anywhere.
func longSession(r *rand.Rand) *script {
	s := &script{}
	var rest [2][]byte
	for range 12 {
		stream := r.IntN(2)
		n := []int{10, 1000, inPlaceFrom - 70 + r.IntN(80), inPlaceFrom + r.IntN(300_000), maxRaw - 70 + r.IntN(100), 3 * maxRaw}[r.IntN(6)]
		text := bytes.Repeat([]byte{'x'}, n)
		switch r.IntN(8) {
		case 0:
			text[r.IntN(n)] = 0xff // no UTF-8
		case 1:
			text[r.IntN(n)] = '"' // no JSON
		}
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"m","params":{"s":"%s"}}`, r.IntN(9), text)
		rest[stream] = append(append(rest[stream], line...), []string{"\n", "\r\n", "\n\n"}[r.IntN(3)]...)
	}
	for step := (step{}); len(rest[0])+len(rest[1]) > 0; {
		stream := r.IntN(2)
		n := min(len(rest[stream]), 1+r.IntN([]int{100, 20_000, 64 << 10, 300_000}[r.IntN(4)]))
		if n > 0 {
			step.at += r.Int64N(3 * ms)
			step.batch = append(step.batch, session.Observation{Conn: 1, Stream: session.Streams[stream], T: step.at, Data: rest[stream][:n]})
			rest[stream] = rest[stream][n:]
		}
		if r.IntN(3) == 0 || len(rest[0])+len(rest[1]) == 0 {
			if r.IntN(30) == 0 {
				step.at += sec // it looks stuck
			}
			s.steps = append(s.steps, step)
			step.batch = nil
		}
	}
	return s
}

// TestDrippingFrame holds that a frame which comes little by little keeps few
// batches, and is written as any other.
func TestDrippingFrame(t *testing.T) {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"m","params":{"s":"%s"}}`+"\n", bytes.Repeat([]byte("x"), maxRaw-100))
	var source script
	for part := range slices.Chunk(line, 16<<10) {
		at := int64(len(source.steps)) * ms
		source.steps = append(source.steps, step{at: at, batch: []session.Observation{chunk(at, session.S2C, string(part))}})
	}
	file, lends := &fakeFile{limit: -1}, &lender{script: source}
	if err := NewWriter(newFileSink("x", file, noTemp), header(), lends.options()).Run(lends); err != nil {
		t.Fatal(err)
	}
	if lends.most != maxBatches || lends.kept != 0 {
		t.Errorf("%d of %d batches were kept, and %d still are", lends.most, len(source.steps), lends.kept)
	}
	if !bytes.Contains(file.data, line[:len(line)-1]) || bytes.Count(file.data, []byte(`"k":"f"`)) != 1 {
		t.Error("the frame has no record of its own")
	}
}

// FuzzKept records the same session from a source that lends its data and from one
// that does not: the files are the same, whether the disk has room or not, and all
// that was kept is given back.
func FuzzKept(f *testing.F) {
	for seed := range uint64(16) {
		f.Add(seed, seed%3 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, full bool) {
		record := func(src Source, opt Options) []byte {
			file := &fakeFile{limit: -1}
			if full {
				file.limit = int(seed%7) * 100_000
			}
			sink := newFileSink("x", file, noTemp)
			if err := NewWriter(sink, header(), opt).Run(src); err != nil {
				t.Fatal(err)
			}
			return file.data
		}
		plain := longSession(rand.New(rand.NewPCG(seed, 1)))
		want := record(plain, plain.options())
		lends := &lender{script: *longSession(rand.New(rand.NewPCG(seed, 1)))}
		got := record(lends, lends.options())
		if !full {
			mustRead(t, got)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("a file of %d bytes, want %d", len(got), len(want))
		}
		if lends.kept != 0 {
			t.Errorf("%d batches are still kept, of at most %d", lends.kept, lends.most)
		}
	})
}
