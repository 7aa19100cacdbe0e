package framing

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// frame is one frame, put together from its pieces.
type frame struct {
	Kind Kind
	Body string
	Term string
}

func line(body string) frame           { return frame{Line, body, "\n"} }
func crlfLine(body string) frame       { return frame{Line, body, "\r\n"} }
func unfinished(body string) frame     { return frame{Line, body, ""} }
func headerFrame(body, t string) frame { return frame{Header, body, t} }
func bodyFrame(body string) frame      { return frame{Body, body, ""} }
func (f frame) length() int            { return len(f.Body) + len(f.Term) }
func fields(lines ...string) string    { return strings.Join(lines, "\r\n") }

var streams = []struct {
	name   string
	stream string
	want   []frame
}{
	{"nothing", "", nil},
	{"a line", "{}\n", []frame{line("{}")}},
	{"lines", "{}\n[]\n", []frame{line("{}"), line("[]")}},
	{"blank lines", "\n\r\n\n", []frame{line(""), crlfLine(""), line("")}},
	{"unfinished", "{}\n{", []frame{line("{}"), unfinished("{")}},
	{"CRLF", "a\r\nb\n", []frame{crlfLine("a"), line("b")}},
	{"lone CR is body", "a\rb\n\rc\n", []frame{line("a\rb"), line("\rc")}},
	{"CRs before the terminator", "a\r\r\n", []frame{crlfLine("a\r")}},
	{"CR at the end", "a\r", []frame{unfinished("a\r")}},
	{"only CRs", "\r\r\r", []frame{unfinished("\r\r\r")}},
	{"NUL and controls", "\x00\x1b[0m\n", []frame{line("\x00\x1b[0m")}},
	{"a word like the header", "connected\ncontent\nc\n", []frame{line("connected"), line("content"), line("c")}},

	{"one body", "Content-Length: 2\r\n\r\n{}", []frame{headerFrame("Content-Length: 2", "\r\n\r\n"), bodyFrame("{}")}},
	{"bodies", "Content-Length: 2\r\n\r\n{}content-length:3\r\n\r\n[1]", []frame{
		headerFrame("Content-Length: 2", "\r\n\r\n"), bodyFrame("{}"),
		headerFrame("content-length:3", "\r\n\r\n"), bodyFrame("[1]"),
	}},
	{"line feeds alone", "CONTENT-LENGTH: 2\n\n{}\n", []frame{headerFrame("CONTENT-LENGTH: 2", "\n\n"), bodyFrame("{}"), line("")}},
	{"mixed terminators", "Content-Length: 1\n\r\n{Content-Length: 1\r\n\n}", []frame{
		headerFrame("Content-Length: 1", "\n\r\n"), bodyFrame("{"), headerFrame("Content-Length: 1", "\r\n\n"), bodyFrame("}"),
	}},
	{"several fields", fields("Content-Type: application/json", "Content-Length: 4", "X-Y:", "", "abcd"), []frame{
		headerFrame(fields("Content-Type: application/json", "Content-Length: 4", "X-Y:"), "\r\n\r\n"), bodyFrame("abcd"),
	}},
	{"the last length counts", "Content-Length: 9\nContent-Length: 1\n\n{", []frame{
		headerFrame("Content-Length: 9\nContent-Length: 1", "\n\n"), bodyFrame("{"),
	}},
	{"body with line ends", "Content-Length: 4\r\n\r\n\r\n\n\r{}\n", []frame{
		headerFrame("Content-Length: 4", "\r\n\r\n"), bodyFrame("\r\n\n\r"), line("{}"),
	}},
	{"body of nothing", "Content-Length: 0\r\n\r\n{}\n", []frame{headerFrame("Content-Length: 0", "\r\n\r\n"), line("{}")}},
	{"lines and bodies", "{}\nContent-Length: 2\r\n\r\n[]{}\n", []frame{
		line("{}"), headerFrame("Content-Length: 2", "\r\n\r\n"), bodyFrame("[]"), line("{}"),
	}},
	{"length too big", "Content-Length: 20\r\n\r\n{}\n", []frame{headerFrame("Content-Length: 20", "\r\n\r\n"), bodyFrame("{}\n")}},
	{"length too big, nothing came", "Content-Length: 20\r\n\r\n", []frame{headerFrame("Content-Length: 20", "\r\n\r\n")}},
	{"length too small", "Content-Length: 1\r\n\r\n{}\n{}\n", []frame{
		headerFrame("Content-Length: 1", "\r\n\r\n"), bodyFrame("{"), line("}"), line("{}"),
	}},

	{"no length", "Content-Type: text/plain\r\n\r\n{}\n", []frame{crlfLine("Content-Type: text/plain"), crlfLine(""), line("{}")}},
	{"length of no digits", "Content-Length: x\n\n", []frame{line("Content-Length: x"), line("")}},
	{"length missing", "Content-Length:\n\n", []frame{line("Content-Length:"), line("")}},
	{"negative length", "Content-Length: -1\n\n", []frame{line("Content-Length: -1"), line("")}},
	{"signed length", "Content-Length: +1\n\n", []frame{line("Content-Length: +1"), line("")}},
	{"absurd length", "Content-Length: 4294967297\n\n{}\n", []frame{line("Content-Length: 4294967297"), line(""), line("{}")}},
	{"overflowing length", "Content-Length: 99999999999999999999999\n\n", []frame{line("Content-Length: 99999999999999999999999"), line("")}},
	{"longest length", "Content-Length: 4294967296\n\n{}\n", []frame{headerFrame("Content-Length: 4294967296", "\n\n"), bodyFrame("{}\n")}},
	{"name with a space", "Content-Length : 2\n\n", []frame{line("Content-Length : 2"), line("")}},
	{"no empty line", "Content-Length: 2\n{}\n", []frame{line("Content-Length: 2"), line("{}")}},
	{"line without colon inside", "Content-Length: 2\nabc\n\n", []frame{line("Content-Length: 2"), line("abc"), line("")}},
	{"line without name inside", "Content-Length: 2\n: x\n\n", []frame{line("Content-Length: 2"), line(": x"), line("")}},
	{"folded line inside", "Content-Length: 2\n x: y\n", []frame{line("Content-Length: 2"), line(" x: y")}},
	{"CR in an empty line", "Content-Length: 2\n\rx\n\r\r\n", []frame{line("Content-Length: 2"), line("\rx"), crlfLine("\r")}},
	{"CR before a colon", "Content-Length: 2\n\r: x\n\n", []frame{line("Content-Length: 2"), line("\r: x"), line("")}},
	{"CR in a name", "Content-Length: 2\nab\rc: d\n", []frame{line("Content-Length: 2"), line("ab\rc: d")}},
	{"ends in mid-name", "Content-Le", []frame{unfinished("Content-Le")}},
	{"ends in mid-block", "Content-Length: 2\r\nX: y\r\n", []frame{crlfLine("Content-Length: 2"), crlfLine("X: y")}},
	{"ends in mid-field", "Content-Length: 2\r\nX: y\r", []frame{crlfLine("Content-Length: 2"), unfinished("X: y\r")}},
	{"ends in the empty line", "Content-Length: 2\r\n\r", []frame{crlfLine("Content-Length: 2"), unfinished("\r")}},
}

// cut pushes chunks through s, checks what Splitter promises of pieces and held
// bytes, and returns the frames.
func cut(t *testing.T, s *Splitter, chunks ...[]byte) []frame {
	t.Helper()
	var (
		frames       []frame
		in, out      []byte
		open         bool
		cur          frame
		pending      int64
		bodyExpected = s.left > 0
	)
	emit := func(p Piece) {
		if p.Start == open {
			t.Fatalf("piece %+v: start %v inside a frame %v", p, p.Start, open)
		}
		if p.Start {
			cur = frame{Kind: p.Kind}
		}
		if p.Kind != cur.Kind {
			t.Fatalf("a frame of kind %d has a piece of kind %d", cur.Kind, p.Kind)
		}
		if p.Kind == Body && !bodyExpected {
			t.Fatalf("a body %q follows no header", p.Data)
		}
		if len(p.Term) > 0 && !p.End {
			t.Fatalf("piece %+v: a terminator in mid-frame", p)
		}
		cur.Body += string(p.Data)
		cur.Term += string(p.Term)
		pending += int64(len(p.Data))
		open = !p.End
		if p.End {
			frames = append(frames, cur)
			bodyExpected = cur.Kind == Header
			pending = 0
		}
		out = append(append(out, p.Data...), p.Term...)
	}
	for _, c := range chunks {
		in = append(in, c...)
		own := bytes.Clone(c)
		s.Push(own, emit)
		for i := range own {
			own[i] = '#' // nothing of the chunk may be needed later
		}
		if held := s.Held(); len(out)+len(held) != len(in) || !bytes.HasSuffix(in, held) {
			t.Fatalf("after %q: given out %q, held %q", c, out, held)
		}
		if want := pending + int64(len(s.Held())); s.Pending() != want {
			t.Fatalf("after %q: pending %d, want %d", c, s.Pending(), want)
		}
	}
	s.Flush(emit)
	if open {
		t.Fatal("a frame did not end with the stream")
	}
	if string(out) != string(in) {
		t.Fatalf("frames are\n%q, pushed\n%q", out, in)
	}
	if s.Pending() != 0 || s.left != 0 || len(s.Held()) != 0 {
		t.Fatalf("after the end: pending %d, body left %d, held %q", s.Pending(), s.left, s.Held())
	}
	return frames
}

func TestSplitter(t *testing.T) {
	for _, test := range streams {
		t.Run(test.name, func(t *testing.T) {
			stream := []byte(test.stream)
			same := func(how string, got []frame) {
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Fatalf("%s (-want +got):\n%s", how, diff)
				}
			}
			same("whole", cut(t, new(Splitter), stream))
			var single [][]byte
			for i := range stream {
				single = append(single, stream[i:i+1])
				same(fmt.Sprintf("split at %d", i), cut(t, new(Splitter), stream[:i], stream[i:]))
				for j := i; j < len(stream); j++ {
					same(fmt.Sprintf("split at %d and %d", i, j), cut(t, new(Splitter), stream[:i], stream[i:j], stream[j:]))
				}
			}
			same("byte by byte", cut(t, new(Splitter), single...))
		})
	}
}

// TestSplitterReused checks that a stream that ended anywhere leaves nothing
// behind for the next.
func TestSplitterReused(t *testing.T) {
	var s Splitter
	for _, test := range streams {
		if diff := cmp.Diff(test.want, cut(t, &s, []byte(test.stream))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestObserve checks that a Splitter behind frames that were cut elsewhere goes
// on as the one that cut them.
func TestObserve(t *testing.T) {
	for _, test := range streams {
		t.Run(test.name, func(t *testing.T) { checkObserve(t, []byte(test.stream), test.want) })
	}
}

func checkObserve(t *testing.T, stream []byte, frames []frame) {
	t.Helper()
	offset := 0
	for i := range frames {
		var s Splitter
		for _, f := range frames[:i] {
			if kind := s.Observe([]byte(f.Body), []byte(f.Term)); kind != f.Kind {
				t.Fatalf("observed %+v as kind %d", f, kind)
			}
		}
		if diff := cmp.Diff(frames[i:], cut(t, &s, stream[offset:])); diff != "" {
			t.Fatalf("behind %d frames (-want +got):\n%s", i, diff)
		}
		offset += frames[i].length()
	}
}

// TestObserveStray checks that a frame which cannot be the body that was
// announced ends the wait for it.
func TestObserveStray(t *testing.T) {
	for _, stray := range []frame{unfinished("abc"), line("ab"), line("")} {
		var s Splitter
		s.Observe([]byte("Content-Length: 2"), []byte("\n\n"))
		if s.left != 2 || s.Pending() != 0 {
			t.Fatalf("behind a header: body left %d, pending %d", s.left, s.Pending())
		}
		if kind := s.Observe([]byte(stray.Body), []byte(stray.Term)); kind != Line || s.left != 0 {
			t.Errorf("%+v: kind %d, body left %d", stray, kind, s.left)
		}
	}
}

func TestHeaderLength(t *testing.T) {
	pad := func(n int) string { return "X: " + strings.Repeat("y", n-len("X: \r\n")) + "\r\n" }
	const length = "Content-Length: 1\r\n"
	longest := length + pad(MaxHeader-len(length)-2)
	for _, test := range []struct {
		name   string
		stream string
		want   []frame
	}{
		{"longest", longest + "\r\n{", []frame{headerFrame(strings.TrimSuffix(longest, "\r\n"), "\r\n\r\n"), bodyFrame("{")}},
		{"shorter by one", longest + "\n\n", []frame{
			headerFrame(strings.TrimSuffix(longest, "\r\n"), "\r\n\n"), bodyFrame("\n"),
		}},
		{"too long", length + pad(MaxHeader-len(length)-1) + "\r\n{", []frame{
			crlfLine("Content-Length: 1"), crlfLine(strings.TrimSuffix(pad(MaxHeader-len(length)-1), "\r\n")), crlfLine(""), unfinished("{"),
		}},
		{"short after too long", length + pad(MaxHeader-30) + length + "\r\n{", []frame{
			crlfLine("Content-Length: 1"), crlfLine(strings.TrimSuffix(pad(MaxHeader-30), "\r\n")),
			headerFrame("Content-Length: 1", "\r\n\r\n"), bodyFrame("{"),
		}},
		{"one long line", "Content-Length: 1" + strings.Repeat(" ", 2*MaxHeader) + "\r\n", []frame{
			crlfLine("Content-Length: 1" + strings.Repeat(" ", 2*MaxHeader)),
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			stream := []byte(test.stream)
			for at := 0; at <= len(stream); at += 1 + at/7 {
				if diff := cmp.Diff(test.want, cut(t, new(Splitter), stream[:at], stream[at:])); diff != "" {
					t.Fatalf("split at %d (-want +got):\n%s", at, diff)
				}
			}
			checkObserve(t, stream, test.want)
		})
	}
}

// TestLongLine checks that a line passes through while it arrives.
func TestLongLine(t *testing.T) {
	var s Splitter
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	var n int64
	emit := func(p Piece) { n += int64(len(p.Data)) }
	allocs := testing.AllocsPerRun(100, func() {
		s.Push(chunk, emit)
		if s.Pending() != n || len(s.Held()) > 0 {
			t.Fatalf("pending %d with %d given out", s.Pending(), n)
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations a chunk", allocs)
	}
}

func TestAppend(t *testing.T) {
	stream := AppendLine(nil, []byte("{}"))
	stream = AppendContentLength(stream, []byte("[1]"))
	stream = AppendContentLength(stream, nil)
	stream = AppendLine(stream, nil)
	want := []frame{
		line("{}"), headerFrame("Content-Length: 3", "\r\n\r\n"), bodyFrame("[1]"),
		headerFrame("Content-Length: 0", "\r\n\r\n"), line(""),
	}
	if diff := cmp.Diff(want, cut(t, new(Splitter), stream)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzSplitter checks on any stream, cut anywhere, what cut and checkObserve
// check.
func FuzzSplitter(f *testing.F) {
	for _, test := range streams {
		f.Add([]byte(test.stream), uint64(3))
	}
	f.Add(bytes.Repeat([]byte("Content-Length: 1\r\n"), 500), uint64(1))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		if len(stream) > 4*MaxHeader {
			t.Skip("long streams show nothing more")
		}
		whole := cut(t, new(Splitter), stream)
		rng := rand.New(rand.NewPCG(seed, 0))
		var chunks [][]byte
		for rest := stream; len(rest) > 0; {
			n := 1 + rng.IntN(min(len(rest), 1+int(seed%64)))
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		if split := cut(t, new(Splitter), chunks...); !slices.Equal(whole, split) {
			t.Fatalf("split (-whole +split):\n%s", cmp.Diff(whole, split))
		}
		if len(whole) < 50 {
			checkObserve(t, stream, whole)
		}
	})
}

func BenchmarkSplitter(b *testing.B) {
	for _, bench := range []struct {
		name  string
		frame []byte
	}{
		{"lines200B", AppendLine(nil, bytes.Repeat([]byte("x"), 200))},
		{"lines1MB", AppendLine(nil, bytes.Repeat([]byte("x"), 1<<20))},
		{"bodies200B", AppendContentLength(nil, bytes.Repeat([]byte("x"), 200))},
		{"headersOnly", []byte("Content-Length: 1\n")},
	} {
		b.Run(bench.name, func(b *testing.B) {
			stream := bytes.Repeat(bench.frame, 1+(256<<10)/len(bench.frame))
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			var s Splitter
			n := 0
			emit := func(p Piece) {
				if p.End {
					n++
				}
			}
			for b.Loop() {
				for rest := stream; len(rest) > 0; {
					chunk := rest[:min(len(rest), 64<<10)]
					s.Push(chunk, emit)
					rest = rest[len(chunk):]
				}
			}
		})
	}
}
