package framing

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cutEvents cuts a stream of the given chunks and checks that the pieces are its bytes.
func cutEvents(t *testing.T, chunks ...[]byte) []frame {
	t.Helper()
	s := Splitter{Mode: Events}
	var frames []frame
	var cur frame
	var in, out []byte
	open := false
	emit := func(p Piece) {
		if p.Start == open || p.Kind != Event || len(p.Term) > 0 && !p.End {
			t.Fatalf("piece %+v inside a frame: %v", p, open)
		}
		if p.Start {
			cur = frame{Kind: Event}
		}
		cur.Body += string(p.Data)
		cur.Term += string(p.Term)
		out = slices.Concat(out, p.Pre, p.Data, p.Term)
		if open = !p.End; p.End {
			frames = append(frames, cur)
		}
	}
	for _, c := range chunks {
		in = append(in, c...)
		s.Push(bytes.Clone(c), emit)
		if got := append(slices.Clone(out), s.Held()...); !bytes.Equal(in, got) {
			t.Fatalf("pushed %q, given out and held %q", in, got)
		}
	}
	s.Flush(emit)
	if !bytes.Equal(in, out) || s.Pending() != 0 {
		t.Fatalf("pushed %q, given out %q, pending %d", in, out, s.Pending())
	}
	return frames
}

func event(data, term string) frame { return frame{Event, data, term} }

var eventStreams = []struct {
	stream string
	want   []frame
}{
	{"data: {}\n\n", []frame{event("{}", "\n\n")}},
	{"data:{}\n\n", []frame{event("{}", "\n\n")}},
	{"data:  x\r\n\r\n", []frame{event(" x", "\r\n\r\n")}},
	{"event: message\nid: 7\ndata: {\"a\":1}\n\ndata: 2\n\n", []frame{event(`{"a":1}`, "\n\n"), event("2", "\n\n")}},
	{"data: a\ndata: b\n\n", []frame{event("a\nb", "\n\n")}},
	{"data: a\r\ndata: b\r\n\r\n", []frame{event("a\nb", "\r\n\r\n")}},
	{"data: a\nid: 5\ndata: b\n\n", []frame{event("a\nb", "\n\n")}},
	{"data: a\nid: 5\n\n", []frame{event("a", "\n\n")}},
	{": ping\n\n", []frame{event("", "\n\n")}},
	{"\n\ndata: a\n\n", []frame{event("", "\n"), event("", "\n"), event("a", "\n\n")}},
	{"data\n\n", []frame{event("", "\n\n")}},
	{"data\ndata\n\n", []frame{event("\n", "\n\n")}},
	{"datax: a\ndat: b\ndata: c\n\n", []frame{event("c", "\n\n")}},
	{"\ufeffdata: a\n\n", []frame{event("a", "\n\n")}},
	{"data: a\rdata: b\r\rdata: c\n\n", []frame{event("a\rb", "\r\r"), event("c", "\n\n")}},
	{"data: unfinished", []frame{event("unfinished", "")}},
	{"data: a\n", []frame{event("a", "")}},
	{"id: 1\ndata:\n\n", []frame{event("", "\n\n")}},
}

func TestEvents(t *testing.T) {
	for _, test := range eventStreams {
		stream := []byte(test.stream)
		for at := range len(stream) + 1 {
			if diff := cmp.Diff(test.want, cutEvents(t, stream[:at], stream[at:])); diff != "" {
				t.Fatalf("%q split at %d (-want +got):\n%s", test.stream, at, diff)
			}
		}
	}
}

// dataOf is what the events of a stream say, read as HTML §9.2.6 tells it line by line.
func dataOf(stream string) (events []string) {
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(stream, "\ufeff"))
	var data []string
	for line := range strings.SplitAfterSeq(stream, "\n") {
		text, ended := strings.CutSuffix(line, "\n")
		if !ended {
			break
		}
		if text == "" {
			if len(data) > 0 {
				events = append(events, strings.Join(data, "\n"))
			}
			data = nil
			continue
		}
		if name, value, _ := strings.Cut(text, ":"); name == "data" {
			data = append(data, strings.TrimPrefix(value, " "))
		}
	}
	return events
}

// FuzzEvents compares with a reader that has the whole stream, and checks that where the
// chunks end makes no difference.
func FuzzEvents(f *testing.F) {
	for _, test := range eventStreams {
		f.Add([]byte(test.stream), uint8(3))
	}
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		whole := cutEvents(t, stream)
		chunks := slices.Collect(slices.Chunk(stream, int(size)+1))
		if split := cutEvents(t, chunks...); !slices.Equal(whole, split) {
			t.Fatalf("(-whole +split):\n%s", cmp.Diff(whole, split))
		}
		if bytes.HasPrefix(stream, []byte("\ufeff\n")) || bytes.HasPrefix(stream, []byte("\ufeff\r")) {
			return // The empty line is taken for one with something on it.
		}
		var got []string
		for _, e := range whole {
			if e.Term != "" && e.Body != "" {
				got = append(got, strings.ReplaceAll(e.Body, "\r", "\n"))
			}
		}
		want := slices.DeleteFunc(dataOf(string(stream)), func(s string) bool { return s == "" })
		if !slices.Equal(want, got) {
			diff := cmp.Diff(want, got)
			t.Fatalf("%q (-want +got):\n%s", stream, diff)
		}
	})
}

func TestWhole(t *testing.T) {
	s := Splitter{Mode: Whole}
	var got []Piece
	emit := func(p Piece) { got = append(got, p) }
	s.Push([]byte("{\n"), emit)
	s.Push([]byte("}\n"), emit)
	s.Flush(emit)
	want := []Piece{{Data: []byte("{\n"), Start: true, Kind: Body}, {Data: []byte("}\n"), Kind: Body}, {End: true, Kind: Body}}
	if diff := cmp.Diff(want, got, cmp.Transformer("text", func(b []byte) string { return string(b) })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
