package recorder

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wiretea/session"
)

// blob is an index's payload.
type blob []byte

func (b blob) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b)
	return int64(n), err
}

// finished writes a finished session file and returns its log.
func finished(t *testing.T, path string) Log {
	t.Helper()
	sink, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	recordAll(t, &script{steps: []step{{at: 5 * sec, batch: []session.Observation{chunk(1, session.S2C, "{}\n")}}}}, sink)
	sink.Close()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestIndex holds that an index comes back as it was saved, and that one that
// does not belong to the file is not used.
func TestIndex(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "a"+Suffix)
	log := finished(t, path)
	sid, covered := header().SID, log.Size()
	want := Summary{Server: "s", Cmd: []string{"node", "s.js"}, Start: t0, Duration: time.Second, Frames: 1, Bytes: 3, Errors: 1, Warnings: 2, Ended: "eof"}
	payload := blob(bytes.Repeat([]byte("index\n\x00"), 10_000))
	save := func() {
		t.Helper()
		if err := SaveIndex(path, log, sid, covered, want, payload); err != nil {
			t.Fatal(err)
		}
	}
	load := func(sid string, log Log) bool {
		var got []byte
		n, ok := LoadIndex(path, log, sid, func(r io.Reader) (err error) {
			got, err = io.ReadAll(r)
			return err
		})
		return ok && n == covered && bytes.Equal(got, payload)
	}
	if load(sid, log) {
		t.Error("loaded an index that is not there")
	}
	save()
	if sum, ok := ReadSummary(path, sid); !ok || cmp.Diff(want, sum) != "" {
		t.Errorf("summary %+v, %v", sum, ok)
	}
	if !load(sid, log) {
		t.Error("the index does not load")
	}
	if load("another", log) {
		t.Error("loaded the index of another session")
	}
	if _, ok := ReadSummary(path, "another"); ok {
		t.Error("read the summary of another session")
	}
	file := contents(t, log)
	if !load(sid, bytesLog(append(bytes.Clone(file), "more\n"...))) {
		t.Error("the index is not taken for a prefix")
	}
	altered := bytes.Clone(file)
	altered[len(altered)-5] ^= 1
	if load(sid, bytesLog(altered)) || load(sid, bytesLog(file[:len(file)-10])) {
		t.Error("loaded the index of an altered file")
	}
	if _, ok := LoadIndex(path, log, sid, func(io.Reader) error { return io.ErrUnexpectedEOF }); ok {
		t.Error("loaded an index that its reader refused")
	}
	good, _ := os.ReadFile(IndexPath(path))
	// Another file with these very bytes, a change in place, another user.
	twin := filepath.Join(filepath.Dir(path), "twin"+Suffix)
	for name, content := range map[string][]byte{twin: file, IndexPath(twin): good} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := LoadIndex(twin, log, sid, func(io.Reader) error { return nil }); ok {
		t.Error("loaded the index of another file")
	}
	if _, ok := ReadSummary(twin, sid); ok {
		t.Error("read the summary of another file")
	}
	home := os.Getenv("HOME")
	t.Setenv("HOME", t.TempDir())
	if _, made := MachineKey("index.key", true); !made || load(sid, log) {
		t.Error("loaded the index of another user")
	}
	t.Setenv("HOME", home)
	if !load(sid, log) {
		t.Error("the index does not load any more")
	}
	for i := 0; i < len(good); i += 1 + len(good)/300 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x20
		os.WriteFile(IndexPath(path), bad, 0o600)
		if load(sid, log) {
			t.Fatalf("loaded an index with byte %d altered", i)
		}
		os.WriteFile(IndexPath(path), good[:i], 0o600)
		if load(sid, log) {
			t.Fatalf("loaded an index cut at %d", i)
		}
	}
	if err := SaveIndex(path, log, sid, covered-1, want, payload); err == nil {
		t.Error("saved an index that ends inside a record")
	}
	save()
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".wiretea*")); len(left) > 0 {
		t.Errorf("left behind %q", left)
	}
}

// TestList holds what is said of the files in a folder.
func TestList(t *testing.T) {
	dir := t.TempDir()
	age := func(name string, days int) {
		at := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
		os.Chtimes(filepath.Join(dir, name), at, at)
	}
	log := finished(t, filepath.Join(dir, "c"+Suffix))
	finished(t, filepath.Join(dir, "b"+Suffix))
	os.WriteFile(filepath.Join(dir, "bad"+Suffix), []byte("hello\n"), 0o600)
	os.WriteFile(filepath.Join(dir, "other.txt"), nil, 0o600)
	liveFileOnly(t, filepath.Join(dir, "a"+Suffix))
	age("a"+Suffix, 90)
	age("b"+Suffix, 2)
	age("c"+Suffix, 3)
	age("bad"+Suffix, 4)
	t.Setenv("HOME", t.TempDir())
	if err := SaveIndex(filepath.Join(dir, "c"+Suffix), log, header().SID, log.Size(), Summary{Server: "indexed", Errors: 3}, blob("x")); err != nil {
		t.Fatal(err)
	}
	list, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, info := range list {
		names = append(names, filepath.Base(info.Path)+" "+info.Live.String()+" "+info.Summary.Server+" "+info.Summary.Ended)
	}
	want := []string{"b" + Suffix + " ended s eof", "c" + Suffix + " ended indexed ", "bad" + Suffix + " unknown  ", "a" + Suffix + " live s "}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if b := list[0]; b.Summary.Frames != 1 || b.Summary.Duration != 5*time.Second || b.Indexed || b.End == nil || b.Header == nil {
		t.Errorf("%+v", b)
	}
	if c := list[1]; !c.Indexed || c.Summary.Errors != 3 {
		t.Errorf("%+v", c)
	}
	if !errors.Is(list[2].Err, ErrNotSession) {
		t.Errorf("%+v", list[2])
	}
	if none, err := List(filepath.Join(dir, "none")); err != nil || len(none) != 0 {
		t.Errorf("a folder that is not there: %v, %v", none, err)
	}
	removed, err := Prune(dir, Policy{MaxAge: 24 * time.Hour, Keep: 1}, time.Now())
	if err != nil || len(removed) != 1 {
		t.Errorf("pruned %+v, %v", removed, err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if diff := cmp.Diff([]string{"a" + Suffix, "b" + Suffix, "bad" + Suffix, "other.txt"}, left); diff != "" {
		t.Error(diff)
	}
	if removed, err := Prune(dir, Policy{MaxBytes: 1}, time.Now()); err != nil || len(removed) != 1 {
		t.Errorf("pruned %+v, %v", removed, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a"+Suffix)); err != nil {
		t.Error("a live file was pruned")
	}
	gone := Info{Path: filepath.Join(dir, "gone"+Suffix)}
	if removed, err := RemoveAll([]Info{gone, {Path: filepath.Join(dir, "a"+Suffix)}}); !errors.Is(err, ErrBusy) || len(removed) != 0 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	if removed, err := RemoveAll([]Info{gone}); err != nil || len(removed) != 0 {
		t.Errorf("of a file that another process has removed: %+v, %v", removed, err)
	}
}

// TestRemove holds that nothing of a session is left behind, neither its index nor what
// was said about it, and that nothing else is touched.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.mcpcap.jsonl"), filepath.Join(dir, "b.mcpcap.jsonl")
	for _, p := range []string{path, other} {
		log := finished(t, p)
		if err := SaveIndex(p, log, "sid", log.Size(), Summary{}, blob("x")); err != nil {
			t.Fatal(err)
		}
		if err := AppendNote(p, "sid", Note{N: 1, Mark: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Remove(path); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	want := []string{other, IndexPath(other), NotesPath(other)}
	if diff := cmp.Diff(want, left); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	bare := filepath.Join(dir, "c.mcpcap.jsonl")
	finished(t, bare)
	if err := Remove(bare); err != nil {
		t.Errorf("without index and notes: %v", err)
	}
}

// TestListUnfinished checks what is known of a session that has neither an end nor an
// index: it lasted until the file was written last.
func TestListUnfinished(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a"+Suffix)
	h := header()
	text := appendHeader(nil, &h)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for lasted, want := range map[time.Duration]time.Duration{time.Minute: time.Minute, -time.Minute: 0} {
		at := h.T0.Add(lasted)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		list, err := List(dir)
		if err != nil || len(list) != 1 || list[0].Summary.Duration != want {
			t.Errorf("written %v after its beginning it lasted %+v, %v", lasted, list, err)
		}
	}
}

// TestPruneCountsIndexes checks that the size of a session is that of its index too.
func TestPruneCountsIndexes(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		finished(t, filepath.Join(dir, name+Suffix))
		if err := os.WriteFile(IndexPath(filepath.Join(dir, name+Suffix)), make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := storedFiles(dir)
	if err != nil || len(files) != 2 || files[0].size < 1<<20 || files[1].size < 1<<20 {
		t.Errorf("%+v, %v", files, err)
	}
}

// TestRemoveLongName removes a recording whose name leaves no room for those of its index
// and its notes.
func TestRemoveLongName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its names are counted otherwise")
	}
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255-len(Suffix))+Suffix)
	finished(t, path)
	if err := Remove(path); err != nil {
		t.Error(err)
	}
}

// TestRemoveOnlyRecordings holds that a file with the name of a recording that is not one stays,
// and that what is left of one that was begun goes.
func TestRemoveOnlyRecordings(t *testing.T) {
	whole := string(appendHeader(nil, ptr(header())))
	for name, test := range map[string]struct {
		file, content string
		goes          bool
	}{
		"a recording":           {"a" + Suffix, whole, true},
		"with another name":     {"a.txt", whole, true},
		"of a later version":    {"a" + Suffix, strings.Replace(whole, `"minv":1`, `"minv":99`, 1), true},
		"empty":                 {"a" + Suffix, "", true},
		"within its header":     {"a" + Suffix, whole[:60], true},
		"within its first word": {"a" + Suffix, whole[:4], true},
		"empty, another name":   {"a.txt", "", false},
		"text":                  {"a" + Suffix, "hello\n", false},
		"other JSON":            {"a" + Suffix, "{\"k\":1}\n", false},
		"torn, another name":    {"a.txt", whole[:60], false},
		"text, named packed":    {"a" + Suffix + ".gz", "hello, and more of it\n", false},
		"packed, and cut off":   {"a" + Suffix + ".gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00", true},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, test.file)
		if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-48 * time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		excess, err := Excess(dir, Policy{MaxAge: time.Minute}, time.Now())
		if err != nil || IsSession(path) && len(excess) == 1 != test.goes {
			t.Errorf("%s: pruning takes %d, %v", name, len(excess), err)
		}
		err = Remove(path)
		if _, there := os.Stat(path); (there == nil) == test.goes || (err == nil) != test.goes {
			t.Errorf("%s: removed: %v", name, err)
		}
	}
}
