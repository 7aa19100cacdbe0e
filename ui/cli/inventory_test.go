package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/inventory"
	"wiretea/session/clientconfig"
	"wiretea/ui/cli/term"
)

// emptyPlace is a place without any client's file.
func emptyPlace(t testing.TB) clientconfig.Place {
	t.Helper()
	dir := t.TempDir()
	return clientconfig.Place{Home: dir, Project: filepath.Join(dir, "project"), OS: "linux"}
}

// record makes a recording of a healthy session in a folder.
func record(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name+recorder.Suffix)
	o := wiretea(t, "", "run", "--plain", "--record", path, "--send", "tools/list", "--", "wiretea", "demo", "--server", "healthy")
	if o.code != term.ExitFine {
		t.Fatal(o)
	}
	return path
}

// copies fills a folder with copies of a recording, named by their number, which lists know.
func copies(t testing.TB, dir, path string, n int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := summaryOf(t, path)
	for i := range n {
		name := filepath.Join(dir, fmt.Sprintf("20261120-%06d-copy-%d%s", i, i, recorder.Suffix))
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := recorder.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		info.Summary = sum
		recorder.KeepSummary(&info)
	}
}

// summaryOf judges a recording.
func summaryOf(t testing.TB, path string) recorder.Summary {
	t.Helper()
	info, err := recorder.Stat(path)
	if err = errors.Join(err, analysis.Judge(t.Context(), &info)); err != nil {
		t.Fatal(err)
	}
	return info.Summary
}

// settled makes a folder look as if nothing had happened there for a while.
func settled(t *testing.T, dir string) {
	t.Helper()
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir, long, long); err != nil {
		t.Fatal(err)
	}
}

// TestFinder holds that recordings are found piece by piece, latest first, that
// looking again gives the same while nothing changes, and that what changes is
// seen.
func TestFinder(t *testing.T) {
	t.Parallel()
	one := record(t, t.TempDir(), "one")
	dir := t.TempDir()
	copies(t, dir, one, inventory.LookBatch+20)
	settled(t, dir)
	s := newFinder(dir, emptyPlace(t))
	inv, more := s.Look(t.Context())
	if len(inv.Recordings) != inventory.LookBatch || !more || !strings.Contains(inv.Recordings[0].Path, fmt.Sprintf("-copy-%d", inventory.LookBatch+19)) && inv.Recordings[0].Start.IsZero() {
		t.Fatalf("%d recordings, more %t", len(inv.Recordings), more)
	}
	inv, more = s.Look(t.Context())
	if len(inv.Recordings) != inventory.LookBatch+20 || more {
		t.Fatalf("%d recordings, more %t", len(inv.Recordings), more)
	}
	r := inv.Recordings[0]
	if !r.Judged || r.Client != "wiretea" || r.Frames == 0 || r.Length == 0 || r.Errors+r.Warnings != 0 || r.Broken || r.Fault != "" {
		t.Errorf("%+v", r)
	}
	if again, more := s.Look(t.Context()); again != inv || more {
		t.Error("nothing has changed, but the inventory has")
	}
	// A new one, a vanished one, and one that is none.
	copies(t, dir, one, 1)
	writeFile(t, filepath.Join(dir, "20271120-000000-torn-1"+recorder.Suffix), "nonsense\n")
	writeFile(t, filepath.Join(dir, "notes.txt"), "nonsense\n")
	if err := os.Remove(filepath.Join(dir, "20261120-000001-copy-1"+recorder.Suffix)); err != nil {
		t.Fatal(err)
	}
	inv = s.All(t.Context())
	faults := 0
	for _, r := range inv.Recordings {
		if r.Fault != "" {
			faults++
		}
	}
	if len(inv.Recordings) != inventory.LookBatch+20 || faults != 1 {
		t.Errorf("%d recordings, %d cannot be read", len(inv.Recordings), faults)
	}
	if err := s.Delete(t.Context(), filepath.Join(dir, "20261120-000002-copy-2"+recorder.Suffix)); err != nil {
		t.Fatal(err)
	}
	if inv = s.All(t.Context()); len(inv.Recordings) != inventory.LookBatch+19 {
		t.Errorf("%d recordings", len(inv.Recordings))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*copy-2.*")); len(left) > 0 {
		t.Errorf("left over are %q", left)
	}
}

// TestFinderUnjudged holds that a recording that was not judged says what its header
// tells, and the rest once it was judged.
func TestFinderUnjudged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := record(t, dir, "20261120-100000-plain-1")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// One that broke off: without its last two records.
	lines := strings.SplitAfter(string(data), "\n")
	broken := filepath.Join(dir, "20261120-100001-broken-2"+recorder.Suffix)
	writeFile(t, broken, strings.Join(lines[:len(lines)-3], ""))
	s := newFinder(dir, emptyPlace(t))
	byPath := func() map[string]inventory.Session {
		all := map[string]inventory.Session{}
		for _, r := range s.All(t.Context()).Recordings {
			all[r.Path] = r
		}
		return all
	}
	before := byPath()
	if r := before[path]; r.File != r.Path || r.Judged || r.Server != "wiretea" || r.Command == "" || r.Start.IsZero() || r.Broken {
		t.Errorf("%+v", r)
	}
	if r := before[broken]; !r.Broken || r.Judged {
		t.Errorf("%+v", r)
	}
	for _, path := range []string{path, broken} {
		if err := s.Judge(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	after := byPath()
	if r := after[path]; !r.Judged || r.Frames == 0 || r.Broken {
		t.Errorf("%+v", r)
	}
	if r := after[broken]; !r.Judged || !r.Broken || r.Frames == 0 {
		t.Errorf("%+v", r)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Judge(ended, broken); err == nil {
		t.Error("it is judged although nobody waits")
	}
	if err := s.Judge(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Error("what is not there is judged")
	}
}

// TestListsFromCache holds that a list of a thousand recordings reads none of them once it
// knows them: what their middles say since is not in it. Without the cache they are read again.
func TestListsFromCache(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir, good := t.TempDir(), string(recordDemo(t, "legacy", "ping"))
	bad := strings.Replace(good, `"protocolVersion"`, `"protocolversion"`, 2)
	old := time.Now().Add(-time.Hour)
	fill := func(text string) {
		for i := range 1000 {
			name := filepath.Join(dir, fmt.Sprintf("20261120-%06d-copy-%d%s", i, i, recorder.Suffix))
			writeFile(t, name, text)
			if err := os.Chtimes(name, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	list := func() string {
		t.Helper()
		began := time.Now()
		o := inProcess(t.Context(), "sessions", "ls", "--sessions", dir)
		if t.Log(time.Since(began)); o.code != term.ExitFine || strings.Count(o.out, "copy-") != 1000 || strings.Contains(o.out, "not judged") {
			t.Fatal(o)
		}
		return o.out
	}
	fill(good)
	first := list()
	fill(bad)
	if list() != first {
		t.Error("recordings are read again that did not change")
	}
	altered := filepath.Join(dir, "20261120-000000-copy-0"+recorder.Suffix)
	if got := inProcess(t.Context(), "check", altered); got.code != term.ExitFound {
		t.Errorf("check: %v", got)
	}
	for _, args := range [][]string{{"sessions", "show", altered}, {"export", "--format", "md", altered}} {
		if got := inProcess(t.Context(), args...); strings.Contains(got.out, "nothing is wrong") || strings.Contains(got.out, "0 errors, 0 warnings") {
			t.Errorf("%q believes the cache: %v", args, got)
		}
	}
	if err := os.Remove(filepath.Join(os.Getenv("HOME"), ".local", "state", "wiretea", "summaries.jsonl")); err != nil {
		t.Fatal(err)
	}
	second := list()
	if strings.Count(second, "✖") != 1000 || list() != second {
		t.Error("without the cache they are not judged again")
	}
}

// TestCheckKeepsSummary holds that lists know a recording of the sessions folder once it was
// checked, by whatever path it was named, and not one elsewhere.
func TestCheckKeepsSummary(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	recording := string(recordDemo(t, "legacy", "ping"))
	folder, elsewhere := filepath.Join(home, ".local", "state", "wiretea", "sessions"), t.TempDir()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	for file, path := range map[string]string{
		filepath.Join(folder, "relative"+recorder.Suffix): "relative" + recorder.Suffix, filepath.Join(folder, "through"+recorder.Suffix): "../sessions/through" + recorder.Suffix,
		filepath.Join(folder, "absolute"+recorder.Suffix): filepath.Join(folder, "absolute"+recorder.Suffix), filepath.Join(elsewhere, "x"+recorder.Suffix): filepath.Join(elsewhere, "x"+recorder.Suffix),
	} {
		writeFile(t, file, recording)
		if got := inProcess(t.Context(), "check", path); got.code != term.ExitFine {
			t.Errorf("%s: %v", path, got)
		}
	}
	for dir, want := range map[string]int{folder: 3, elsewhere: 0} {
		list, err := recorder.List(dir)
		if err != nil {
			t.Fatal(err)
		}
		if known := slices.DeleteFunc(list, func(i recorder.Info) bool { return !i.Judged }); len(known) != want {
			t.Errorf("of %s %d recordings are known, want %d", dir, len(known), want)
		}
	}
}

// TestFinderFolder holds that a folder that does not exist is empty, and that one
// that cannot be read is a fault.
func TestFinderFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "sessions")
	s := newFinder(dir, emptyPlace(t))
	// Another test may have left a note about a session that could not be recorded.
	if inv := s.All(t.Context()); inv.Fault != "" && !strings.HasPrefix(inv.Fault, "not recorded: ") || len(inv.Recordings) != 0 {
		t.Errorf("%+v", inv)
	}
	writeFile(t, dir, "it is a file")
	if inv := s.All(t.Context()); inv.Fault == "" {
		t.Error("a file is taken for a folder")
	}
}

// TestFinderServers holds which entries of the clients' files are listed, and that
// a change is seen.
func TestFinderServers(t *testing.T) {
	t.Parallel()
	place := emptyPlace(t)
	if err := os.MkdirAll(place.Project, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(place.Home, ".claude.json")
	writeFile(t, file, fmt.Sprintf(`{"mcpServers":{"mine":{"command":"npx"}},"projects":{%q:{"mcpServers":{"here":{"command":"x"}}},"/elsewhere":{"mcpServers":{"there":{"command":"x"}}}}}`, place.Project))
	writeFile(t, filepath.Join(place.Project, ".mcp.json"), `{"mcpServers":{"evil":{"command":"npx","env":{"LD_PRELOAD":"./x.so"}},"far":{"url":"https://example.com"}}}`)
	s := newFinder(t.TempDir(), place)
	names := func() string {
		var all []string
		for _, server := range s.All(t.Context()).Servers {
			word := server.Level + " " + server.Name
			if server.Trouble != "" {
				word += " !"
			}
			all = append(all, word)
		}
		return strings.Join(all, ", ")
	}
	if got, want := names(), "user mine, local here, project evil !, project far"; got != want {
		t.Fatalf("listed are %q, want %q", got, want)
	}
	if inv := s.All(t.Context()); inv != s.All(t.Context()) {
		t.Error("nothing has changed, but the inventory has")
	}
	writeFile(t, file, `{"mcpServers":{"mine":{"command":"npx"},"two":{"command":"y"}}}`)
	if got, want := names(), "user mine, user two, project evil !, project far"; got != want {
		t.Errorf("listed are %q, want %q", got, want)
	}
	writeFile(t, file, `{"mcpServers":{`)
	if inv := s.All(t.Context()); !strings.Contains(inv.Fault, "~/.claude.json cannot be read") {
		t.Errorf("the fault is %q", inv.Fault)
	}
}

// TestFinderJudge holds that a recording is judged as check judges it, also one of a
// server that could not be started and so broke no rule, and that this is kept
// whatever folder is looked at.
func TestFinderJudge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if o := wiretea(t, "", "tee", "--sessions", dir, "--", "./no-such-program"); o.code == term.ExitFine {
		t.Fatal(o)
	}
	s := newFinder(dir, emptyPlace(t))
	inv := s.All(t.Context())
	if len(inv.Recordings) != 1 || inv.Recordings[0].Judged {
		t.Fatalf("%+v", inv.Recordings)
	}
	if err := s.Judge(t.Context(), inv.Recordings[0].Path); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*homeFinder{"the same": s, "the next": newFinder(dir, emptyPlace(t))} {
		if r := s.All(t.Context()).Recordings[0]; !r.Judged || r.Errors != 1 {
			t.Errorf("%s: judged %t, %d errors", name, r.Judged, r.Errors)
		}
	}
}

// TestFolderNames holds that a client's entry for a project counts in it also where
// somebody came to it through a link.
func TestFolderNames(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, link := filepath.Join(dir, "project"), filepath.Join(dir, "link")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(project, link); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		path, folder string
		want         bool
	}{{project, project, true}, {project + "/", project, true}, {project, link, true}, {project, dir, false}, {dir, project, false}, {"", project, false}} {
		if got := slices.Contains(inventory.FolderNames(c.folder), filepath.Clean(c.path)); got != c.want {
			t.Errorf("%q is %q: %t", c.path, c.folder, got)
		}
	}
}

// TestEditor holds how a server of a file is started, and wrapped and unwrapped.
func TestEditor(t *testing.T) {
	t.Parallel()
	place := emptyPlace(t)
	if err := os.MkdirAll(place.Project, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(place.Project, ".mcp.json")
	text := `{ "mcpServers": { "shop": { "command": "sh", "args": ["-c", "exit 0"], "env": {"KEY": "secret"} },
	"evil": {"command": "sh", "env": {"LD_PRELOAD": "x"}}, "gone": {"command": "./no-such-program"} } }`
	writeFile(t, file, text)
	s, e := newFinder(t.TempDir(), place), &inventory.Editor{Place: place}
	byName := map[string]inventory.Server{}
	for _, server := range s.All(t.Context()).Servers {
		byName[server.Name] = server
	}
	c, err := e.Command(t.Context(), byName["shop"])
	if err != nil || !c.Foreign || strings.Join(c.Shown, "|") != "sh|-c|exit 0" || c.Cwd != place.Project || strings.Join(c.Sets, " ") != "KEY" || !filepath.IsAbs(c.Program) {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := e.Command(t.Context(), byName["evil"]); err == nil || !strings.Contains(err.Error(), "LD_PRELOAD") || !strings.Contains(err.Error(), "--env") {
		t.Errorf("a loader's variable: %v", err)
	}
	if c, err := e.Command(t.Context(), byName["gone"]); err != nil || c.Program != "" {
		t.Errorf("%+v, %v", c, err)
	}
	writeFile(t, file, strings.ReplaceAll(text, `"gone"`, `"moved"`))
	if _, err := e.Command(t.Context(), byName["gone"]); err == nil {
		t.Error("an entry that is gone is run")
	}
}

// BenchmarkFinder measures looking at a thousand recordings: for the first time,
// and again.
func BenchmarkFinder(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "one"+recorder.Suffix)
	if o, err := execute(b.Context(), "", "run", "--plain", "--record", path, "--", "wiretea", "demo", "--server", "healthy"); err != nil || o.code != term.ExitFine {
		b.Fatal(err, o)
	}
	folder := b.TempDir()
	copies(b, folder, path, 1000)
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(folder, long, long); err != nil {
		b.Fatal(err)
	}
	place := emptyPlace(b)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			newFinder(folder, place).Look(b.Context())
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			newFinder(folder, place).All(b.Context())
		}
	})
	s := newFinder(folder, place)
	s.All(b.Context())
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			s.Look(b.Context())
		}
	})
}
