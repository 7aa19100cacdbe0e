package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wiretea/session"
)

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

// TestSummaries holds that a summary comes back for the file that it was made of, whatever
// else is in the cache, and that the cache does not grow for ever.
func TestSummaries(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "a"+Suffix)
	finished(t, path)
	info, err := Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var s Summaries
	known := func(info Info) bool {
		s.Refresh()
		s.Fill(&info)
		return info.Judged && cmp.Diff(info.Summary, Summary{Server: "s", Cmd: []string{"node", "s.js"}, Start: t0, Duration: time.Second, Errors: 1, Ended: "eof"}) == ""
	}
	if known(info) {
		t.Error("an empty cache has it")
	}
	kept := info
	kept.Summary = Summary{Server: "s", Cmd: []string{"node", "s.js"}, Start: t0, Duration: time.Second, Errors: 1, Ended: "eof"}
	KeepSummary(&kept)
	if !known(info) || s.Refresh() {
		t.Error("it was not kept, or is read again and again")
	}
	for name, alter := range map[string]func(i *Info){
		"path": func(i *Info) { i.Path = filepath.Join(filepath.Dir(path), "b"+Suffix) }, "size": func(i *Info) { i.Size++ },
		"time": func(i *Info) { i.Modified = i.Modified.Add(1) }, "live": func(i *Info) { i.Live = Live }, "no recording": func(i *Info) { i.Header = nil },
	} {
		other := info
		if alter(&other); known(other) {
			t.Errorf("%s: it has the summary of another one", name)
		}
	}
	cache, err := summariesPath()
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(cache)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text  string
		known bool
	}{
		"damaged lines": {"\x00\n{}\n{\"path\":7}\n" + string(good[:40]) + "\n" + string(good) + "]\n\n", true},
		"torn":          {string(good[:len(good)-2]), false},
		"other rules":   {strings.Replace(string(good), ToolName, "wiretea/0.0.9", 1), false},
		"too long":      {string(good) + strings.Repeat("x", 2*maxSummaries), false},
	} {
		if err := os.WriteFile(cache, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if known(info) != test.known {
			t.Errorf("%s: known is not %t", name, test.known)
		}
		KeepSummary(&kept)
		if !known(info) {
			t.Errorf("%s: it is not made again", name)
		}
	}
	if size, err := os.Stat(cache); err != nil || size.Size() > maxSummaries {
		t.Errorf("the cache has %d bytes, %v", size.Size(), err)
	}
}

// TestList holds what is said of the files in a folder.
func TestList(t *testing.T) {
	dir := t.TempDir()
	age := func(name string, days int) {
		at := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
		os.Chtimes(filepath.Join(dir, name), at, at)
	}
	finished(t, filepath.Join(dir, "c"+Suffix))
	finished(t, filepath.Join(dir, "b"+Suffix))
	os.WriteFile(filepath.Join(dir, "bad"+Suffix), []byte("hello\n"), 0o600)
	os.WriteFile(filepath.Join(dir, "other.txt"), nil, 0o600)
	liveFileOnly(t, filepath.Join(dir, "a"+Suffix))
	age("a"+Suffix, 90)
	age("b"+Suffix, 2)
	age("c"+Suffix, 3)
	age("bad"+Suffix, 4)
	t.Setenv("HOME", t.TempDir())
	c, err := Stat(filepath.Join(dir, "c"+Suffix))
	if err != nil {
		t.Fatal(err)
	}
	c.Summary = Summary{Server: "judged", Errors: 3}
	KeepSummary(&c)
	list, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, info := range list {
		names = append(names, filepath.Base(info.Path)+" "+info.Live.String()+" "+info.Summary.Server+" "+info.Summary.Ended)
	}
	want := []string{"b" + Suffix + " ended s eof", "c" + Suffix + " ended judged ", "bad" + Suffix + " unknown  ", "a" + Suffix + " live s "}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if b := list[0]; b.Summary.Frames != 1 || b.Summary.Duration != 5*time.Second || b.Judged || b.End == nil || b.Header == nil {
		t.Errorf("%+v", b)
	}
	if c := list[1]; !c.Judged || c.Summary.Errors != 3 {
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

// TestRemove holds that nothing of a session is left behind, neither what was said
// about it nor what an older version kept beside it, and that nothing else is touched.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.mcpcap.jsonl"), filepath.Join(dir, "b.mcpcap.jsonl")
	for _, p := range []string{path, other} {
		finished(t, p)
		if err := os.WriteFile(p+oldIndex, nil, 0o600); err != nil {
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
	want := []string{other, other + oldIndex, NotesPath(other)}
	if diff := cmp.Diff(want, left); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	bare := filepath.Join(dir, "c.mcpcap.jsonl")
	finished(t, bare)
	if err := Remove(bare); err != nil {
		t.Errorf("without notes: %v", err)
	}
}

// TestListUnfinished checks what is known of a session that has no end and was not
// judged: it lasted until the file was written last.
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

// TestRemoveLongName removes a recording whose name leaves no room for those of the
// files beside it.
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
