package recorder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wiretea/session"
)

// TestMarks holds that as many frames are remembered as there may be, the latest ones.
func TestMarks(t *testing.T) {
	var m marks
	for mark := range int64(maxMarks + 10) {
		m.add(mark, uint64(mark)+100)
		m.add(mark, 1) // Not its first record.
	}
	if len(m.numbers) != maxMarks || m.numbers[9] != 0 || m.numbers[10] != 110 || m.numbers[maxMarks+9] != maxMarks+109 {
		t.Errorf("%d are remembered, the oldest ones %d %d", len(m.numbers), m.numbers[9], m.numbers[10])
	}
}

// TestDecided holds what the records say of frames that were decided on: who decided, and
// which frame they replace or answer, also where frames are written raw.
func TestDecided(t *testing.T) {
	long := strings.Repeat("x", maxRaw+100) + "\n"
	decided := func(s session.Stream, way session.Way, mark, of int64, text string) []session.Observation {
		o := session.Observation{Kind: session.ObsDecided, Conn: 1, Stream: s, Way: way, Decided: session.Decided{By: "policy: r", Mark: mark, Of: of}}
		bytes := chunk(0, s, text)
		bytes.Way = way
		return []session.Observation{o, bytes}
	}
	var batch []session.Observation
	add := func(more ...session.Observation) { batch = append(batch, more...) }
	add(session.Observation{Kind: session.ObsPath, Conn: 1, Path: session.PathEvent{Event: "on", What: "policy", Text: "p.toml"}})
	add(chunk(0, session.C2S, "1\n"))
	add(decided(session.C2S, session.WayIn, 1, 0, "2\n")...)
	add(chunk(0, session.C2S, "3\n"))
	add(decided(session.S2C, session.WayOut, 0, 1, "4\n")...)
	add(decided(session.C2S, session.Crossed, 0, 0, "5\n")...)
	add(chunk(0, session.C2S, "6\n"))
	add(decided(session.S2C, session.WayIn, 2, 0, long)...)
	add(decided(session.S2C, session.WayOut, 0, 2, "8\n")...)
	add(decided(session.S2C, session.WayOut, 0, 99, "9\n")...)        // It is not known what it replaces.
	add(decided(session.C2S, session.WayIn, 3, 0, "lost\n")[0])       // Its bytes are in a gap,
	add(chunk(0, session.S2C, "10\n"), chunk(0, session.C2S, "11\n")) // and it is of no other frame.
	for _, backlog := range []int64{0, bulkFrom + 1} {
		t.Run(fmt.Sprint(backlog), func(t *testing.T) {
			sink := NewMemory(1 << 30)
			recordAll(t, &script{steps: []step{{batch: batch, backlog: backlog}}}, sink)
			var got []string
			r := NewReader(sink, 0)
			var rec session.Record
			numbers := map[uint64]string{}
			for r.Next(&rec) == nil {
				switch rec.Kind {
				case session.RecPath:
					got = append(got, fmt.Sprintf("%+v", rec.Path))
				case session.RecFrame, session.RecRaw:
					word := strings.TrimSpace(string(rec.Body))
					if len(word) >= 100 {
						word = "long"
					}
					numbers[rec.N] = word
					if rec.By != "" {
						got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", word, rec.Way, rec.By, numbers[rec.Of])))
					} else if rec.Of != 0 {
						t.Errorf("%q replaces something, and nobody has decided it", word)
					}
				default:
				}
			}
			want := []string{
				"{Event:on What:policy Text:p.toml}", "2 in policy: r", "4 out policy: r 2", "5  policy: r",
				"long in policy: r", "8 out policy: r long", "9 out policy: r" + forgotten,
			}
			if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
