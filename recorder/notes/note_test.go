package notes_test

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

	"wiretea/recorder/notes"
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
		if got := notes.PathOf(in); got != want {
			t.Errorf("PathOf(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestRoundTrip: the latest line of a frame holds, and an empty one takes it away.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	if list, err := notes.Read(path); len(list) > 0 || err != nil {
		t.Fatalf("without a file: %v, %v", list, err)
	}
	for _, n := range []notes.Note{
		{N: 12, Mark: true, At: noon}, {N: 7, Text: "a \"comment\"\nof two lines", At: noon}, {N: 9, Mark: true, At: noon},
		{N: 12, Mark: true, Text: "here", At: noon}, {N: 9, At: noon},
	} {
		if err := notes.Append(path, "abc", n); err != nil {
			t.Fatal(err)
		}
	}
	want := []notes.Note{{N: 7, Text: "a \"comment\"\nof two lines", At: noon}, {N: 12, Mark: true, Text: "here", At: noon}}
	list, sid, err := notes.ReadOf(path)
	if diff := cmp.Diff(want, list); diff != "" || sid != "abc" || err != nil {
		t.Errorf("sid %q, %v\n%s", sid, err, diff)
	}
	beside, err := notes.Read(notes.PathOf(path))
	if diff := cmp.Diff(want, beside); diff != "" || err != nil {
		t.Errorf("by its own path: %v\n%s", err, diff)
	}
	if info, err := os.Stat(notes.PathOf(path)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("the recording itself was touched")
	}
}

// TestTorn: a torn line costs itself alone.
func TestTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	if err := notes.Append(path, "abc", notes.Note{N: 1, Mark: true, At: noon}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(notes.PathOf(path), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\xff\xfe damage\n" + `{"k":"note","n":2,"ma`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := notes.Append(path, "abc", notes.Note{N: 3, Mark: true, At: noon}); err != nil {
		t.Fatal(err)
	}
	list, err := notes.Read(path)
	want := []notes.Note{{N: 1, Mark: true, At: noon}, {N: 3, Mark: true, At: noon}}
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
		if err := os.WriteFile(notes.PathOf(path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := notes.Read(path); !errors.Is(err, notes.ErrNotNotes) {
			t.Errorf("%s is read: %v", name, err)
		}
		if err := notes.Append(path, "", notes.Note{N: 1, Mark: true}); !errors.Is(err, notes.ErrNotNotes) {
			t.Errorf("%s is written to: %v", name, err)
		}
		if now, err := os.ReadFile(notes.PathOf(path)); err != nil || string(now) != text {
			t.Errorf("%s was changed to %q, %v", name, now, err)
		}
	}
	if err := notes.Append(filepath.Join(t.TempDir(), "no", "s.jsonl"), "", notes.Note{N: 1}); err == nil {
		t.Error("a folder that is not there is made")
	}
	if err := notes.Append(filepath.Join(t.TempDir(), "s.jsonl"), "", notes.Note{}); err == nil {
		t.Error("a frame without number is noted")
	}
}

// TestAtOnce: several writers lose nothing of each other.
func TestAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	if err := notes.Append(path, "abc", notes.Note{N: 1000, Mark: true, At: noon}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 10 {
				if err := notes.Append(path, "abc", notes.Note{N: uint64(1 + i*10 + k), Text: strings.Repeat("x", 100), At: noon}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if list, err := notes.Read(path); len(list) != 81 || err != nil {
		t.Errorf("%d notes, %v", len(list), err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"k":"hdr","fmt":"mcpnotes","v":1,"sid":"a"}` + "\n" + `{"k":"note","n":1,"mark":true,"text":"x","at":"2026-11-20T12:00:00Z"}` + "\n"))
	f.Add([]byte("{\"k\":\"note\",\"n\":18446744073709551615,\"text\":\"\\u0000\"}"))
	f.Add([]byte(strings.Repeat("{\n", 100)))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, _, err := notes.Parse(text)
		if err != nil && len(list) > 0 {
			t.Error("notes beside an error")
		}
		for i, n := range list {
			if n.N == 0 || n.Empty() || len(n.Text) > notes.MaxText || i > 0 && list[i-1].N >= n.N {
				t.Errorf("note %d: %+v", i, n)
			}
		}
	})
}
