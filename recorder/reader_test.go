package recorder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wiretea/session"
)

// updating reports whether -update is set. Package panetest, which other tests of the
// package import, defines the flag.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// describe writes what a file reads as, a line a record.
func describe(t testing.TB, file []byte) string {
	list, r, err := readAll(t, file)
	var b strings.Builder
	for _, rec := range list {
		fmt.Fprintf(&b, "%d+%d kind=%d n=%d c=%d t=%d", rec.Off, rec.Size, rec.Kind, rec.N, rec.Conn, rec.T)
		if rec.Trip != 0 {
			fmt.Fprintf(&b, " trip=%d pre=%q mid=%v post=%q", rec.Trip, rec.Pre, rec.Mid, rec.Post)
		}
		switch rec.Kind {
		case session.RecHeader:
			fmt.Fprintf(&b, " header=%+v", *rec.Header)
		case session.RecFrame, session.RecRaw:
			fmt.Fprintf(&b, " t1=%d %s way=%q of=%d body=%q term=%q", rec.T1, rec.Stream, rec.Way, rec.Of, rec.Body, rec.Term)
		case session.RecHTTP:
			text, err := json.Marshal(rec.HTTP)
			fmt.Fprintf(&b, " %s %q %v", text, rec.HTTP.Text, err)
		case session.RecIO:
			fmt.Fprintf(&b, " %s %+v", rec.Stream, rec.IO)
		case session.RecProc:
			fmt.Fprintf(&b, " %+v", rec.Proc)
		case session.RecClock:
			fmt.Fprintf(&b, " %v", rec.Wall)
		case session.RecGap:
			fmt.Fprintf(&b, " %+v", rec.Gap)
		case session.RecEnd:
			fmt.Fprintf(&b, " %+v", rec.End)
		case session.RecUnknown:
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "damage=%+v torn=%d err=%v\n", r.Damage(), r.Torn(), err)
	return b.String()
}

// TestFixtures holds that files of every released version read as they always
// did. The files themselves are never changed.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.mcpcap.jsonl")
	if err != nil || len(files) < 3 {
		t.Fatalf("found the fixtures %v: %v", files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := describe(t, file)
			golden := strings.TrimSuffix(name, Suffix) + ".golden"
			if updating() {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("it reads differently (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFullFixture holds that the Writer writes version 1 as the fixture has it.
func TestFullFixture(t *testing.T) {
	want, err := os.ReadFile("testdata/v1-full.mcpcap.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if got := fullSession(t); !bytes.Equal(got, want) {
		if updating() {
			t.Fatal("a released fixture is never written anew; make one of the next version")
		}
		t.Errorf("the Writer writes differently:\n%s", cmp.Diff(string(want), string(got)))
	}
}

// TestCut cuts a file at every byte: whole records are read, the rest is torn,
// nothing else changes. This is also what a kill at any moment leaves behind.
func TestCut(t *testing.T) {
	file := fullSession(t)
	whole := mustRead(t, file)
	for cut := range file {
		list, r, err := readAll(t, file[:cut])
		lines := bytes.Count(file[:cut], []byte("\n"))
		if lines == 0 {
			headerIsWhole := file[cut] == '\n'
			if !headerIsWhole && !errors.Is(err, ErrNotSession) || headerIsWhole && err != nil || len(list) > 0 {
				t.Fatalf("cut at %d: %v, want ErrNotSession", cut, err)
			}
			continue
		}
		if err != nil || len(list) != lines || r.Damage().Lines != 0 {
			t.Fatalf("cut at %d: %d records of %d, damage %+v, %v", cut, len(list), lines, r.Damage(), err)
		}
		if torn := int64(cut - bytes.LastIndexByte(file[:cut], '\n') - 1); r.Torn() != torn {
			t.Fatalf("cut at %d: %d bytes torn, want %d", cut, r.Torn(), torn)
		}
		if diff := cmp.Diff(whole[lines-1], list[lines-1]); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
	}
}

// TestDamage holds that lines that are not records are counted and skipped.
func TestDamage(t *testing.T) {
	hdr := string(appendHeader(nil, ptr(header())))
	good := `{"k":"f","n":1,"t":5,"d":"s2c","len":2,"b":{}}` + "\n"
	for name, line := range map[string]string{
		"text":            "what?",
		"array":           "[1]",
		"cut":             `{"k":"f","n":1,"t":5,"d":"s2c","len":2,"b":{`,
		"no kind":         `{"n":1}`,
		"no body":         `{"k":"f","n":1,"t":5,"d":"s2c","len":2}`,
		"length":          `{"k":"f","n":1,"t":5,"d":"s2c","len":3,"b":{}}`,
		"bad length":      `{"k":"f","n":1,"t":5,"d":"s2c","len":"3","s":"{}"}`,
		"no stream":       `{"k":"f","n":1,"t":5,"len":2,"b":{}}`,
		"bad time":        `{"k":"f","n":1,"t":"5","d":"s2c","len":2,"b":{}}`,
		"bad base64":      `{"k":"f","n":1,"t":5,"d":"s2c","len":2,"x":"?"}`,
		"bad escape":      `{"k":"f","n":1,"t":5,"d":"s2c","len":2,"s":"\q1"}`,
		"not a string":    `{"k":"f","n":1,"t":5,"d":"s2c","s":7}`,
		"connection":      `{"k":"f","n":1,"c":0,"t":5,"d":"s2c","len":2,"b":{}}`,
		"zeroes":          strings.Repeat("\x00", 100),
		"zeroes inside":   `{"k":"f","n":1,"t":5,"d":"s2c","len":4,"b":{` + "\x00\x00" + `}}`,
		"two in a line":   strings.TrimSpace(good) + strings.TrimSpace(good),
		"another header":  strings.TrimSpace(hdr),
		"clock":           `{"k":"clk","n":1,"t":5,"wall":7}`,
		"many brackets":   strings.Repeat("[", 100_000),
		"open string":     `{"k":"f`,
		"event on no one": `{"k":"io","n":1,"t":5,"d":"up","ev":"eof"}`,
	} {
		t.Run(name, func(t *testing.T) {
			list, r, err := readAll(t, []byte(hdr+line+"\n"+good))
			if d := r.Damage(); err != nil || d.Lines != 1 || d.Off != int64(len(hdr)) || d.Err == nil {
				t.Errorf("damage %+v, %v; want one line at %d", d, err, len(hdr))
			}
			if len(list) != 3 || list[1].Kind != session.RecGap || list[1].Gap.Lines != 1 || string(list[2].Body) != "{}" {
				t.Errorf("read %+v, want the header, a gap, and the record behind the damage", list)
			}
		})
	}
}

// TestLostLines says which connection, round trip and stream damaged lines belonged to, as
// far as what is left of them is certain.
func TestLostLines(t *testing.T) {
	hdr := string(appendHeader(nil, ptr(header())))
	good := `{"k":"clk","n":9,"t":5,"wall":"2026-11-20T10:00:00Z"}` + "\n"
	for name, test := range map[string]struct {
		lines string
		want  string // want is the gap as it is written.
	}{
		"frame":                {`{"k":"f","n":1,"t":5,"d":"s2c","y":"r","len":30,"b":{]` + "\n", `{"k":"gap","n":0,"t":0,"d":"s2c","bytes":30,"lines":1,"why":"damage"}`},
		"of a connection":      {`{"k":"raw","n":1,"c":3,"t":5,"d":"c2s","len":4,"s":7}` + "\n", `{"k":"gap","n":0,"c":3,"t":0,"d":"c2s","bytes":4,"lines":1,"why":"damage"}`},
		"of a round trip":      {`{"k":"f","n":1,"c":2,"t":5,"trip":7,"t1":4,"d":"s2c"` + "\n", `{"k":"gap","n":0,"c":2,"t":0,"trip":7,"d":"s2c","bytes":0,"lines":1,"why":"damage"}`},
		"fields out of order":  {`{"k":"f","d":"s2c","n":1,"t":5` + "\n", `{"k":"gap","n":0,"c":0,"t":0,"bytes":0,"lines":1,"why":"damage"}`},
		"the head is spoiled":  {`{"k":"f","n":1,"c?:2,"t":5,"d":"s2c","len":4,"b":{}` + "\n", `{"k":"gap","n":0,"c":0,"t":0,"bytes":0,"lines":1,"why":"damage"}`},
		"an event":             {`{"k":"proc","n":1,"t":5,"ev":"exit"` + "\n", `{"k":"gap","n":0,"c":0,"t":0,"bytes":0,"lines":1,"why":"damage"}`},
		"two of a stream":      {strings.Repeat(`{"k":"f","n":1,"t":5,"d":"s2c","len":30,"b":{]`+"\n", 2), `{"k":"gap","n":0,"t":0,"d":"s2c","bytes":60,"lines":2,"why":"damage"}`},
		"of two streams":       {`{"k":"f","n":1,"t":5,"d":"s2c"` + "\n" + `{"k":"f","n":1,"t":5,"d":"c2s"` + "\n", `{"k":"gap","n":0,"t":0,"bytes":0,"lines":2,"why":"damage"}`},
		"of two connections":   {`{"k":"f","n":1,"c":4,"t":5,"d":"s2c"` + "\n" + `{"k":"f","n":1,"t":5,"d":"s2c"` + "\n", `{"k":"gap","n":0,"c":0,"t":0,"d":"s2c","bytes":0,"lines":2,"why":"damage"}`},
		"around an empty line": {"x\n\nx\n", `{"k":"gap","n":0,"c":0,"t":0,"bytes":0,"lines":2,"why":"damage"}`},
	} {
		for _, end := range []string{good, ""} {
			list, r, err := readAll(t, []byte(hdr+test.lines+end))
			if err != nil || len(list) != 2+len(end)/len(good) {
				t.Fatalf("%s: %d records, %v", name, len(list), err)
			}
			l := list[1]
			if got := strings.TrimSpace(string(appendGap(nil, l.N, origin{l.Conn, l.Trip}, l.T, &l.Gap))); got != test.want || l.Off != int64(len(hdr)) || l.Size != int64(len(test.lines)) {
				t.Errorf("%s: %s at %d, %d bytes", name, got, l.Off, l.Size)
			}
			var again session.Record
			if err := new(parser).parse([]byte(test.want), &again); err != nil || again.Gap != l.Gap || again.Conn != l.Conn || again.Trip != l.Trip || again.Stream != l.Stream {
				t.Errorf("%s: read again as %+v, %v", name, again, err)
			}
			if d := r.Damage(); d.Lines != l.Gap.Lines {
				t.Errorf("%s: %d lines", name, d.Lines)
			}
		}
	}
}

// TestLongLine holds that a line without end is skipped without keeping it.
func TestLongLine(t *testing.T) {
	hdr := string(appendHeader(nil, ptr(header())))
	good := `{"k":"f","n":1,"t":5,"d":"s2c","len":2,"b":{}}` + "\n"
	log := longLog{io.MultiReader(strings.NewReader(hdr), io.LimitReader(endless{}, 140<<20), strings.NewReader("\n"+good))}
	r := NewReader(log, 0)
	var rec session.Record
	for _, want := range []session.RecordKind{session.RecHeader, session.RecGap, session.RecFrame} {
		if err := r.Next(&rec); err != nil || rec.Kind != want {
			t.Fatalf("want %v: %+v, %v", want, rec, err)
		}
	}
	if d := r.Damage(); d.Lines != 1 || d.Off != int64(len(hdr)) || cap(r.buf) > 2*maxLine {
		t.Errorf("damage %+v, %d bytes of memory", d, cap(r.buf))
	}
}

// longLog is a Log that is read in order and not kept.
type longLog struct{ io.Reader }

func (l longLog) ReadAt(p []byte, _ int64) (int, error) { return l.Read(p) }
func (longLog) Size() int64                             { return 0 }
func (longLog) Wait(context.Context, int64) error       { return ErrFinished }

// endless is the letter x, for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, xs), nil }

var xs = strings.Repeat("x", 1<<20)

// TestTolerant holds that other writers may order, space and add as they like.
func TestTolerant(t *testing.T) {
	hdr := `{ "note":{"v":[9,"}"]}, "minv":1,"fmt":"mcpcap","v":3 ,"k":"hdr","lim":{"timeout":5,"timeouts":{"a\/b":7},"lines":[1,2]}}` + "\n"
	for name, c := range map[string]struct{ line, body, term string }{
		"order":         {`{"b":{"a":[1,"]}\""]},"d":"s2c","t":5,"n":9,"k":"f"}`, `{"a":[1,"]}\""]}`, "\n"},
		"spaces":        {` { "k" : "f" , "n" : 9 , "t" : 5 , "d" : "s2c" , "len" : 3 , "s" : "a\nb" } `, "a\nb", "\n"},
		"unknown field": {`{"k":"f","new":{"b":1},"n":9,"t":5,"d":"s2c","e":"","zz":[{}],"x":"/w==","z":null}`, "\xff", ""},
		"escapes":       {`{"k":"f","n":9,"t":5,"d":"s2c","s":"\u00e9\ud83c\udf89\ud83c\b\f\/\"\\","e":"\u000d\n"}`, "é🎉\ufffd\b\f/\"\\", "\r\n"},
		"field behind":  {`{"k":"f","n":9,"t":5,"d":"s2c","len":2,"b":{},"y":"x"}`, "{}", "\n"},
		"blank lines":   {"\n\r\n" + `{"k":"f","n":9,"t":5,"d":"s2c","len":4,"b":"{}"}`, `"{}"`, "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			list := mustRead(t, []byte(hdr+c.line+"\n"))
			if len(list) != 2 {
				t.Fatalf("read %d records", len(list))
			}
			if rec := list[1]; rec.N != 9 || rec.T != 5 || rec.Stream != session.S2C || string(rec.Body) != c.body || string(rec.Term) != c.term {
				t.Errorf("read %+v, body %q, terminator %q", rec, rec.Body, rec.Term)
			}
			if lim := list[0].Header.Limits; lim.Timeout != 5 || lim.Timeouts["a/b"] != 7 || len(lim.Lines) != 2 {
				t.Errorf("limits %+v", lim)
			}
		})
	}
}

// TestUnknown holds that records of later versions come through, with their line.
func TestUnknown(t *testing.T) {
	file := string(appendHeader(nil, ptr(header()))) + `{"k":"http","n":1,"t":5,"status":200}` + "\n" + `{"k":"odd"}` + "\n"
	r := NewReader(bytesLog([]byte(file)), 0)
	var rec session.Record
	var lines []string
	for r.Next(&rec) == nil {
		if rec.Kind == session.RecUnknown {
			lines = append(lines, string(r.Line()))
			if got := file[rec.Off : rec.Off+rec.Size-1]; got != string(r.Line()) {
				t.Errorf("Off and Size give %q, Line %q", got, r.Line())
			}
		}
	}
	if len(lines) != 2 || r.Damage().Lines > 0 {
		t.Errorf("lines %q, damage %+v", lines, r.Damage())
	}
}

// TestNotSession holds what is said of files that are none of ours.
func TestNotSession(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		is   error
		says string
	}{
		"empty":        {"", ErrNotSession, "it is empty"},
		"text":         {"hello\nworld\n", ErrNotSession, "not a JSON record"},
		"no line feed": {"hello", ErrNotSession, "not a JSON record"},
		"binary":       {"\x7fELF\x00\x01" + strings.Repeat("x", 100_000), ErrNotSession, "binary"},
		"gzip":         {"\x1f\x8b\x08\x00", ErrNotSession, "compressed"},
		"JSON":         {`{"log":{"version":"1.2"}}` + "\n", ErrNotSession, "not a header"},
		"pretty JSON":  {"{\n  \"log\": 1\n}\n", ErrNotSession, "not a header"},
		"another":      {`{"k":"hdr","fmt":"asciicast"}` + "\n", ErrNotSession, `format "asciicast"`},
		"beheaded":     {`{"k":"io","n":6,"t":26000000,"d":"s2c","ev":"eof"}` + "\n", ErrNotSession, "beginning cut off"},
		"torn header":  {`{"k":"hdr","fmt":"mc`, ErrNotSession, "not a header"},
		"newer":        {`{"k":"hdr","fmt":"mcpcap","v":9,"minv":7}` + "\n", ErrNewer, "needs version 7"},
	} {
		t.Run(name, func(t *testing.T) {
			list, _, err := readAll(t, []byte(c.file))
			if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) || len(list) > 0 {
				t.Errorf("%d records, %v", len(list), err)
			}
		})
	}
}

// TestGrowing holds that a record is read once it is whole, not before, and that
// a header that is not there yet is waited for.
func TestGrowing(t *testing.T) {
	file := fullSession(t)
	log := NewMemory(1 << 30)
	r := NewReader(log, 0)
	var got int
	for i := range file {
		log.place(file[i : i+1])
		log.publish(int64(i+1), false)
		var rec session.Record
		for {
			err := r.Next(&rec)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got++
		}
		if want := bytes.Count(file[:i+1], []byte("\n")); got != want {
			t.Fatalf("after %d bytes %d records, want %d", i+1, got, want)
		}
	}
}

// TestMiddle holds that a Reader can begin with any record.
func TestMiddle(t *testing.T) {
	file := fullSession(t)
	all := mustRead(t, file)
	for i, want := range all[1:] {
		r := NewReader(bytesLog(file), want.Off)
		var rec session.Record
		if err := r.Next(&rec); err != nil || rec.N != want.N || r.Header() == nil {
			t.Errorf("from record %d: %+v, %v", i, rec, err)
		}
	}
}

// TestForgotten holds what a Reader says where a memory tail had to forget.
func TestForgotten(t *testing.T) {
	var steps []step
	for i := range 40 {
		steps = append(steps, step{batch: []session.Observation{chunk(int64(i), session.S2C, strings.Repeat("x", 100_000)+"\n")}})
	}
	log := NewMemory(1 << 20)
	w := NewWriter(log, header(), (&script{}).options())
	if err := w.Run(&script{steps: steps}); err != nil {
		t.Fatal(err)
	}
	r := NewReader(log, 0)
	var kinds []session.RecordKind
	var rec session.Record
	var last uint64
	for r.Next(&rec) == nil {
		if len(kinds) < 3 {
			kinds = append(kinds, rec.Kind)
		}
		if rec.Kind == session.RecGap && (rec.Gap.Why != "tail" || rec.Gap.Bytes < 2<<20 || rec.Size != rec.Gap.Bytes) {
			t.Errorf("gap %+v", rec.Gap)
		}
		last = rec.N
	}
	if diff := cmp.Diff([]session.RecordKind{session.RecHeader, session.RecGap, session.RecFrame}, kinds); diff != "" {
		t.Error(diff)
	}
	if last != 41 || r.Damage().Lines > 0 {
		t.Errorf("the last record is %d, damage %+v", last, r.Damage())
	}
}

// FuzzReader holds that any bytes are read, to their end, without a panic.
func FuzzReader(f *testing.F) {
	file := fullSession(f)
	hdr := file[:bytes.IndexByte(file, '\n')+1]
	f.Add(file)
	for line := range bytes.Lines(file) {
		f.Add(append(bytes.Clone(hdr), line...))
	}
	f.Add([]byte(`{"k":"hdr","fmt":"mcpcap","lim":{"timeouts":{"\`))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, p := range [][]byte{file, append(bytes.Clone(hdr), file...)} {
			list, r, err := readAll(t, p)
			if err == nil && r.Offset()+r.Torn() != int64(len(p)) {
				t.Fatalf("%d bytes read, %d torn, of %d", r.Offset(), r.Torn(), len(p))
			}
			for _, rec := range list {
				row := session.Row{Off: rec.Off, Len: 100, Conn: uint16(rec.Conn), Stream: rec.Stream}
				ReadFrame(bytesLog(p), row, 0, 50)
				row.Flags = session.FlagRaw
				ReadFrame(bytesLog(p), row, 10, 50)
			}
		}
	})
}

func ptr[T any](v T) *T { return &v }

// TestDocs holds that the files shown in docs/session-file.md are read without a
// fault, and that the counts in them are right.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/session-file.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```\n")
	var files int
	for _, block := range blocks {
		if !strings.HasPrefix(block, `{"k":"hdr"`) {
			continue
		}
		files++
		list := mustRead(t, []byte(block))
		var frames, n int64
		for _, rec := range list {
			if rec.Kind == session.RecFrame {
				frames, n = frames+1, n+int64(len(rec.Body)+len(rec.Term))
			}
		}
		if end := list[len(list)-1]; end.Kind == session.RecEnd && (end.End.Frames != frames || end.End.Bytes != n) {
			t.Errorf("the end record says %+v, there are %d frames of %d bytes", end.End, frames, n)
		}
	}
	if files != 2 {
		t.Errorf("found %d files", files)
	}
}
