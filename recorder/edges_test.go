package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wiretea/session"
)

// TestReadOutcome holds how the end of a file says that the server ended: the last start
// counts, and a signal that was sent to it is no fault of its own.
func TestReadOutcome(t *testing.T) {
	exit := func(code int, signal string) string {
		return string(appendProc(nil, 2, 1, 2, &session.Proc{Event: "exit", Code: code, Signal: signal}))
	}
	event := func(name string) string { return string(appendProc(nil, 1, 1, 1, &session.Proc{Event: name})) }
	for name, c := range map[string]struct{ tail, want string }{
		"nothing":               {"", ""},
		"well":                  {event("start") + exit(0, ""), ""},
		"a code":                {event("start") + exit(7, ""), "exit 7"},
		"a signal":              {event("start") + exit(-1, "SIGSEGV"), "SIGSEGV"},
		"a signal that we sent": {event("start") + event("signal") + exit(-1, "SIGTERM"), ""},
		"a code after a signal": {event("start") + event("signal") + exit(3, ""), "exit 3"},
		"not started":           {event("failed"), "not started"},
		"started again":         {exit(7, "") + event("start"), ""},
		"a signal before":       {event("signal") + event("start") + exit(-1, "SIGKILL"), "SIGKILL"},
		"other records":         {event("start") + exit(7, "") + "garbage\n" + event("orphans"), "exit 7"},
		"a line that is cut":    {"\"code\":9}\n" + exit(7, ""), "exit 7"},
	} {
		for _, before := range []int{0, tailSize} { // Only so much of the end is read.
			tail := c.tail
			if before > 0 && tail != "" {
				tail = strings.Repeat("x", before) + "\n" + tail
			}
			if got := readOutcome(strings.NewReader(tail), int64(len(tail))); got != c.want {
				t.Errorf("%s, after %d bytes: %q, want %q", name, before, got, c.want)
			}
		}
	}
	if early := exit(7, "") + strings.Repeat("x", tailSize); readOutcome(strings.NewReader(early), int64(len(early))) != "" {
		t.Error("more than the end is read")
	}
	if got := readOutcome(strings.NewReader(exit(7, "")), 1<<20); got != "" {
		t.Errorf("of a file that is shorter than it was: %q", got)
	}
}

// TestExcessEdges holds the limits of a policy to the byte and the nanosecond, and that what
// goes no longer counts.
func TestExcessEdges(t *testing.T) {
	now := time.Now()
	dir := t.TempDir()
	sizes := make([]int64, 3)
	for i, name := range []string{"a", "b", "c"} { // from the latest on
		path := filepath.Join(dir, name+Suffix)
		finished(t, path)
		if name == "b" {
			if err := os.Truncate(path, 1<<20); err != nil {
				t.Fatal(err)
			}
		}
		at := now.Add(-time.Duration(i+1) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	files, err := storedFiles(dir)
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for i, f := range files {
		sizes[i] = f.size
	}
	all, small := sizes[0]+sizes[1]+sizes[2], sizes[0]+sizes[2]
	for _, c := range []struct {
		p    Policy
		want string
	}{
		{Policy{}, ""},
		{Policy{MaxAge: 3 * time.Hour}, ""},
		{Policy{MaxAge: 3*time.Hour - 1}, "c"},
		{Policy{MaxAge: 2*time.Hour - 1}, "c b"},
		{Policy{MaxAge: 1, Keep: 2}, "c"},
		{Policy{MaxAge: 1, Keep: 3}, ""},
		{Policy{MaxBytes: all}, ""},
		{Policy{MaxBytes: all - 1}, "c"},
		{Policy{MaxBytes: small}, "b"},
		{Policy{MaxBytes: small - 1}, "c b"},
		{Policy{MaxBytes: 1}, "c b a"},
		{Policy{MaxBytes: 1, Keep: 1}, "c b"},
	} {
		excess, err := Excess(dir, c.p, now)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, info := range excess {
			names = append(names, SessionName(info.Path))
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.p, got, c.want)
		}
	}
}

func TestSessionName(t *testing.T) {
	for path, want := range map[string]string{
		"/d/x" + Suffix: "x", "x" + Suffix + ".gz": "x", "x" + Suffix + ".zst": "x", "x.gz" + Suffix: "x.gz", "notes.txt": "notes.txt", "/d/.jsonl": ".jsonl",
	} {
		if got := SessionName(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestMayReplace holds that neither an original, by whatever name, nor a file that is being
// written is replaced, and that everything else may be.
func TestMayReplace(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"original", "other"} {
		if err := os.WriteFile(file(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	links := os.Link(file("original"), file("hard")) == nil && os.Symlink("original", file("soft")) == nil
	liveFileOnly(t, file("live"+Suffix))
	for _, c := range []struct {
		path    string
		sources []string
		want    error
	}{
		{"none", []string{"original"}, nil},
		{"other", []string{"original"}, nil},
		{"other", []string{"none"}, nil},
		{"original", []string{"none", "other", "original"}, ErrSource},
		{"hard", []string{"original"}, ErrSource},
		{"original", []string{"soft"}, ErrSource},
		{"live" + Suffix, nil, ErrBusy},
	} {
		if !links && (c.path == "hard" || slices.Contains(c.sources, "soft")) {
			continue
		}
		sources := slices.Clone(c.sources)
		for i := range sources {
			sources[i] = file(sources[i])
		}
		if err := MayReplace(file(c.path), sources...); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s, from %q: %v, want %v", c.path, c.sources, err, c.want)
		}
	}
}

// TestUnrecordedLately holds that what could not be recorded is remembered for a week, the
// latest first, whatever else is in the file, which does not grow without end.
func TestUnrecordedLately(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	if got := UnrecordedLately(t0); got != nil {
		t.Errorf("of nothing: %v", got)
	}
	for _, u := range []Unrecorded{
		{t0.Add(-unrecordedFor), "a week ago", "x"}, {t0.Add(1 - unrecordedFor), "within the week", "x"}, {t0.Add(-time.Hour), "today", "disk full"},
	} {
		NoteUnrecorded(u)
	}
	folder, err := SessionsFolder("")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, unrecordedName)
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 && filepath.Separator == '/' {
		t.Error(info, err)
	}
	if err := appendNote(folder, []byte("garbage")); err != nil {
		t.Fatal(err)
	}
	got := UnrecordedLately(t0)
	if len(got) != 2 || got[0].Server != "today" || got[0].Why != "disk full" || got[1].Server != "within the week" {
		t.Errorf("%+v", got)
	}
	for _, size := range []int{maxUnrecorded, maxUnrecorded + 1} {
		if err := os.WriteFile(name, bytes.Repeat([]byte("\n"), size), 0o600); err != nil {
			t.Fatal(err)
		}
		NoteUnrecorded(Unrecorded{t0, "new", "x"})
		info, err := os.Stat(name)
		if err != nil || (info.Size() > maxUnrecorded) != (size == maxUnrecorded) {
			t.Errorf("after %d bytes: %v, %v", size, info.Size(), err)
		}
		if got := UnrecordedLately(t0); len(got) != 1 || got[0].Server != "new" {
			t.Errorf("after %d bytes: %+v", size, got)
		}
	}
}

// TestReadRequest holds that only a single message with a method is a request, and that its
// parameters are verbatim.
func TestReadRequest(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"b": 1.0, "a":[ ]}}`: `tools/call {"b": 1.0, "a":[ ]}`,
		`{"jsonrpc":"2.0","method":"notifications/x"}`:                                `notifications/x `,
		`{"jsonrpc":"2.0","method":"p\u0069ng","params":null}`:                        `ping null`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                        "",
		`[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]`:      "",
		`{"jsonrpc":"2.0","id":1,"method":""}`:                                        "",
		`listening`:                                                                   "",
	} {
		log := bytesLog(recordAll(t, &script{steps: []step{{batch: []session.Observation{chunk(1, session.C2S, line+"\n")}}}}, NewMemory(0)))
		snap := snapshotOf(t, log)
		r, err := ReadRequest(log, snap, 0)
		if want == "" && !errors.Is(err, ErrNoRequest) || want != "" && (err != nil || fmt.Sprintf("%s %s", r.Method, r.Params) != want) {
			t.Errorf("%s: %s %s, %v", line, r.Method, r.Params, err)
		}
	}
}

func TestSinceStart(t *testing.T) {
	if SinceStart(nil) != nil {
		t.Error("there is a clock without a header")
	}
	now := SinceStart(&session.Header{T0: time.Now().Add(-time.Hour)})()
	if d := time.Duration(now); d < time.Hour || d > 2*time.Hour {
		t.Errorf("an hour after the start it is %v", d)
	}
}

// TestNewTemp records into a temporary file without a name. If the folder for it is
// missing, it records in memory and Reason says why.
func TestNewTemp(t *testing.T) {
	s := NewTemp()
	defer s.Close()
	if s.Reason() != nil || s.Path() != "" {
		t.Errorf("%q, %v", s.Path(), s.Reason())
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "none")) // the variable of Windows
	s = NewTemp()
	defer s.Close()
	if s.Reason() == nil {
		t.Error("Reason is nil although no temporary file can be made")
	}
	NewWriter(s, header(), Options{}).close(io.EOF)
	if list := mustRead(t, contents(t, s)); len(list) != 2 {
		t.Errorf("%d records", len(list))
	}
}

// TestShortEventText keeps what is between the events of a stream, also one byte of it.
func TestShortEventText(t *testing.T) {
	for _, text := range []string{"\n", ": keep-alive\n\n"} {
		var rec session.Record
		line := appendHTTP(nil, 1, origin{conn: 1, trip: 1}, 5, &session.HTTPEvent{Event: "sse", Text: []byte(text)})
		if err := (&parser{}).parse(bytes.TrimSuffix(line, []byte("\n")), &rec); err != nil || rec.HTTP == nil || string(rec.HTTP.Text) != text {
			t.Errorf("%q is %+v, %v", text, rec.HTTP, err)
		}
	}
}
