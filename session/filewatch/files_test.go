package filewatch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

const patience = 60 * time.Second

type watched struct {
	*Files
	t   *testing.T
	dir string
}

// start watches paths below a new folder that holds some files.
func start(t *testing.T, paths ...string) *watched {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, dir: dir}
	for _, name := range []string{"src/main.go", "src/deep/er/x.go", "other/y.go", "node_modules/m/index.js", ".git/HEAD"} {
		w.write(name, "1")
	}
	w.Files = &Files{Quiet: 20 * time.Millisecond}
	for _, p := range paths {
		w.Paths = append(w.Paths, filepath.Join(dir, p))
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := w.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		for range w.Batches() {
		}
		if w.Err() != nil {
			t.Error(w.Err())
		}
	})
	return w
}

func (w *watched) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// sees waits until a file is among the changes, and returns all that came before
// it and with it.
func (w *watched) sees(name string) []string {
	w.t.Helper()
	guard := time.NewTimer(patience)
	defer guard.Stop()
	var all []string
	for {
		select {
		case batch := <-w.Batches():
			for _, path := range batch {
				below, err := filepath.Rel(w.dir, path)
				if err != nil {
					w.t.Fatal(err)
				}
				all = append(all, filepath.ToSlash(below))
			}
			if slices.Contains(all, name) {
				return all
			}
		case <-guard.C:
			w.t.Fatalf("no change of %s; changed: %v", name, all)
		}
	}
}

func TestFolder(t *testing.T) {
	w := start(t, ".")
	for _, unseen := range []string{"node_modules/m/index.js", ".git/HEAD", "src/main.go~", "src/.main.go.swp", "src/4913"} {
		w.write(unseen, "2")
	}
	w.write("src/deep/er/x.go", "2")
	if all := w.sees("src/deep/er/x.go"); slices.ContainsFunc(all, func(s string) bool { return s != "src/deep/er/x.go" }) {
		t.Errorf("changed: %v", all)
	}
}

func TestNewFolder(t *testing.T) {
	w := start(t, "src")
	w.write("other/y.go", "2")
	if err := os.MkdirAll(filepath.Join(w.dir, "src/new"), 0o755); err != nil {
		t.Fatal(err)
	}
	if all := w.sees("src/new"); slices.Contains(all, "other/y.go") {
		t.Errorf("changed: %v", all)
	}
	w.write("src/new/z.go", "1")
	w.sees("src/new/z.go")
	if err := os.Remove(filepath.Join(w.dir, "src/new/z.go")); err != nil {
		t.Fatal(err)
	}
	w.sees("src/new/z.go")
}

// TestRenamedOver: most editors save so.
func TestRenamedOver(t *testing.T) {
	w := start(t, "src/main.go")
	w.write("src/unwatched.go", "1")
	w.write("src/new.tmp", "2")
	if err := os.Rename(filepath.Join(w.dir, "src/new.tmp"), filepath.Join(w.dir, "src/main.go")); err != nil {
		t.Fatal(err)
	}
	if all := w.sees("src/main.go"); slices.Contains(all, "src/unwatched.go") {
		t.Errorf("changed: %v", all)
	}
}

// TestUnread: whoever is busy gets what changed meanwhile in one piece.
func TestUnread(t *testing.T) {
	w := start(t, "src")
	for i := range 50 {
		w.write(filepath.Join("src", string(rune('a'+i%26))+".go"), "1")
	}
	w.write("src/last.go", "1")
	w.sees("src/last.go")
}

func TestStartFails(t *testing.T) {
	for _, f := range []*Files{{}, {Paths: []string{filepath.Join(t.TempDir(), "missing")}}} {
		err := f.Start(t.Context())
		if err == nil || len(f.Paths) > 0 && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: %v", f.Paths, err)
		}
	}
}

// TestTaken: changes are told apart by whether they were made before or after it
// was asked, and none is told twice.
func TestTaken(t *testing.T) {
	w := start(t, "src")
	for i := range 20 {
		name := "src/" + string(rune('a'+i)) + ".go"
		w.write(name, "1")
		w.write("other/y.go", "3")
		batch, err := w.Taken(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) != 1 || batch[0] != filepath.Join(w.dir, name) {
			t.Fatalf("after %s was written, %v is taken", name, batch)
		}
	}
	w.write("src/last.go", "1")
	if all := w.sees("src/last.go"); len(all) > 1 {
		t.Errorf("changed: %v", all)
	}
	if n := w.Folders(); n != 3 {
		t.Errorf("%d folders are watched", n)
	}
}

// TestNamed: what is watched can be said as it was named, and how many folders
// that is; a file counts as none.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "server.py")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.MkdirAll(filepath.Join(dir, "src", "deep"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for folders, paths := range map[int][]string{0: {file}, 2: {file, filepath.Join(dir, "src")}} {
		f := Files{Paths: paths}
		if err := f.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := f.Folders(); got != folders || !slices.Equal(f.Named(), paths) {
			t.Errorf("%q: %d folders, named %q", paths, got, f.Named())
		}
	}
}

// TestTakenAtTheEnd: whoever asks when nothing is watched any more does not wait.
func TestTakenAtTheEnd(t *testing.T) {
	f := &Files{Paths: []string{t.TempDir()}}
	ctx, cancel := context.WithCancel(t.Context())
	if err := f.Start(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range f.Batches() {
	}
	if _, err := f.Taken(t.Context()); err == nil {
		t.Error("something is taken")
	}
	if _, err := os.Stat(f.markerDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", f.markerDir, err)
	}
}
