package recorder_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wiretea/recorder"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestPathOf(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b.mcpcap.jsonl":     "/a/b.notes.jsonl",
		"/a/b.mcpcap.jsonl.gz":  "/a/b.notes.jsonl",
		"/a/b.mcpcap.jsonl.zst": "/a/b.notes.jsonl",
		"/a/b.jsonl":            "/a/b.notes.jsonl",
		"/a/b":                  "/a/b.notes.jsonl",
	} {
		if got := recorder.NotesPath(in); got != want {
			t.Errorf("PathOf(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestRoundTrip: the latest line of a frame holds, and an empty one takes it away.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	if list, err := recorder.ReadNotes(path); len(list) > 0 || err != nil {
		t.Fatalf("without a file: %v, %v", list, err)
	}
	for _, n := range []recorder.Note{
		{N: 12, Mark: true, At: noon}, {N: 7, Text: "a \"comment\"\nof two lines", At: noon}, {N: 9, Mark: true, At: noon},
		{N: 12, Mark: true, Text: "here", At: noon}, {N: 9, At: noon},
	} {
		if err := recorder.AppendNote(path, "abc", n); err != nil {
			t.Fatal(err)
		}
	}
	want := []recorder.Note{{N: 7, Text: "a \"comment\"\nof two lines", At: noon}, {N: 12, Mark: true, Text: "here", At: noon}}
	list, sid, err := recorder.ReadNotesOf(path)
	if diff := cmp.Diff(want, list); diff != "" || sid != "abc" || err != nil {
		t.Errorf("sid %q, %v\n%s", sid, err, diff)
	}
	beside, err := recorder.ReadNotes(recorder.NotesPath(path))
	if diff := cmp.Diff(want, beside); diff != "" || err != nil {
		t.Errorf("by its own path: %v\n%s", err, diff)
	}
	if info, err := os.Stat(recorder.NotesPath(path)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("the recording itself was touched")
	}
}

// TestTorn: a torn line costs itself alone.
func TestTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	if err := recorder.AppendNote(path, "abc", recorder.Note{N: 1, Mark: true, At: noon}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(recorder.NotesPath(path), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\xff\xfe damage\n" + `{"k":"note","n":2,"ma`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := recorder.AppendNote(path, "abc", recorder.Note{N: 3, Mark: true, At: noon}); err != nil {
		t.Fatal(err)
	}
	list, err := recorder.ReadNotes(path)
	want := []recorder.Note{{N: 1, Mark: true, At: noon}, {N: 3, Mark: true, At: noon}}
	if diff := cmp.Diff(want, list); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestRefuses: a file that is not a file of notes is neither read as one nor written to.
func TestRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"another format": `{"k":"hdr","fmt":"mcpcap","v":1}` + "\n",
		"a later one":    `{"k":"hdr","fmt":"mcpnotes","v":2}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
		if err := os.WriteFile(recorder.NotesPath(path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := recorder.ReadNotes(path); !errors.Is(err, recorder.ErrNotNotes) {
			t.Errorf("%s is read: %v", name, err)
		}
		if err := recorder.AppendNote(path, "", recorder.Note{N: 1, Mark: true}); !errors.Is(err, recorder.ErrNotNotes) {
			t.Errorf("%s is written to: %v", name, err)
		}
		if now, err := os.ReadFile(recorder.NotesPath(path)); err != nil || string(now) != text {
			t.Errorf("%s was changed to %q, %v", name, now, err)
		}
	}
	if err := recorder.AppendNote(filepath.Join(t.TempDir(), "no", "s.jsonl"), "", recorder.Note{N: 1}); err == nil {
		t.Error("a folder that is not there is made")
	}
	if err := recorder.AppendNote(filepath.Join(t.TempDir(), "s.jsonl"), "", recorder.Note{}); err == nil {
		t.Error("a frame without number is noted")
	}
}

// TestAtOnce: several writers lose nothing of each other.
func TestAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	if err := recorder.AppendNote(path, "abc", recorder.Note{N: 1000, Mark: true, At: noon}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 10 {
				if err := recorder.AppendNote(path, "abc", recorder.Note{N: uint64(1 + i*10 + k), Text: strings.Repeat("x", 100), At: noon}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if list, err := recorder.ReadNotes(path); len(list) != 81 || err != nil {
		t.Errorf("%d notes, %v", len(list), err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"k":"hdr","fmt":"mcpnotes","v":1,"sid":"a"}` + "\n" + `{"k":"note","n":1,"mark":true,"text":"x","at":"2026-11-20T12:00:00Z"}` + "\n"))
	f.Add([]byte("{\"k\":\"note\",\"n\":18446744073709551615,\"text\":\"\\u0000\"}"))
	f.Add([]byte(strings.Repeat("{\n", 100)))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, _, err := recorder.ParseNotes(text)
		if err != nil && len(list) > 0 {
			t.Error("notes beside an error")
		}
		for i, n := range list {
			if n.N == 0 || n.Empty() || len(n.Text) > recorder.MaxNote || i > 0 && list[i-1].N >= n.N {
				t.Errorf("note %d: %+v", i, n)
			}
		}
	})
}
