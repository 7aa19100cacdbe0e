package recorder

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"wiretea/session"
)

// feed is a Source whose batches the test sends.
type feed struct{ in chan []session.Observation }

func (s feed) Take(time.Duration) ([]session.Observation, int64, error) {
	if batch, ok := <-s.in; ok {
		return batch, 0, nil
	}
	return nil, 0, io.EOF
}

// liveFile is a session file that is being written.
func liveFile(t *testing.T, path string) (*Sink, feed, <-chan error) {
	t.Helper()
	sink, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sink.Close() })
	hdr := header()
	hdr.T0 = time.Now()
	w := NewWriter(sink, hdr, Options{})
	src, done := feed{make(chan []session.Observation)}, make(chan error, 1)
	go func() { done <- w.Run(src) }()
	return sink, src, done
}

func tempPath(t *testing.T) string { return filepath.Join(t.TempDir(), "s"+Suffix) }

// TestFollow follows a real file from its first byte to its end, through its
// own descriptor, as another process would.
func TestFollow(t *testing.T) {
	path := tempPath(t)
	_, src, done := liveFile(t, path)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Live() != Live || f.Header() == nil || f.Path() != path {
		t.Errorf("live %v, header %v", f.Live(), f.Header())
	}
	r := NewReader(f, 0)
	read := func() (frames int) {
		var rec session.Record
		for r.Next(&rec) == nil {
			if rec.Kind == session.RecFrame {
				frames++
			}
		}
		return frames
	}
	read()
	for i := range 3 {
		go func() { src.in <- []session.Observation{chunk(int64(i), session.S2C, "{}\n")} }()
		n := 0
		for n == 0 { // a clock record may come between
			if err := f.Wait(t.Context(), r.Offset()); err != nil {
				t.Fatal(err)
			}
			n = read()
		}
		if n != 1 {
			t.Errorf("read %d frames, want 1", n)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := f.Wait(ctx, r.Offset()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for nothing: %v", err)
	}
	close(src.in)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for err = nil; err == nil; err = f.Wait(t.Context(), r.Offset()) {
		read()
	}
	if !errors.Is(err, ErrFinished) || f.Live() != NotLive {
		t.Errorf("at the end: %v, %v", err, f.Live())
	}
}

// TestKilled holds that a file without end record and without writer has ended,
// and that its torn last line is reported.
func TestKilled(t *testing.T) {
	path := tempPath(t)
	sink, _, _ := liveFileOnly(t, path)
	sink.named.f.WriteAt([]byte(`{"k":"f","n":1,`), sink.Size())
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Wait(ctx, f.Size()); !errors.Is(err, context.Canceled) {
		t.Errorf("while the writer lives: %v", err)
	}
	sink.named.f.Close()
	r := NewReader(f, 0)
	var rec session.Record
	for r.Next(&rec) == nil {
	}
	if err := f.Wait(t.Context(), f.Size()); !errors.Is(err, ErrFinished) || r.Torn() != 15 || f.Live() != NotLive {
		t.Errorf("after the kill: %v, %d bytes torn, %v", err, r.Torn(), f.Live())
	}
}

// liveFileOnly is a file with a header whose Writer does not run.
func liveFileOnly(t *testing.T, path string) (*Sink, *Writer, session.Header) {
	t.Helper()
	sink, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sink.Close() })
	return sink, NewWriter(sink, header(), Options{}), header()
}

// TestCreate holds who may read a session file and which files are not touched.
func TestCreate(t *testing.T) {
	path := tempPath(t)
	sink, _, _ := liveFileOnly(t, path)
	if runtime.GOOS != "windows" {
		if file, _ := os.Stat(path); file.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, want 0600", file.Mode())
		}
	}
	if _, err := Create(path, true); !errors.Is(err, ErrBusy) {
		t.Errorf("while it is written: %v, want ErrBusy", err)
	}
	if err := Remove(path); !errors.Is(err, ErrBusy) {
		t.Errorf("removing while it is written: %v, want ErrBusy", err)
	}
	sink.Close()
	if _, err := Create(path, false); !errors.Is(err, ErrExists) {
		t.Errorf("once it is there: %v, want ErrExists", err)
	}
	os.Chmod(path, 0o644)
	again, err := Create(path, true)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if info, _ := os.Stat(path); info.Size() != 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("overwriting left %d bytes, %v", info.Size(), info.Mode())
	}
	if _, err := Create(filepath.Join(filepath.Dir(path), "none", "s"+Suffix), true); !errors.Is(err, ErrNoFolder) {
		t.Errorf("in a folder that does not exist: %v, want ErrNoFolder", err)
	}
	for _, bad := range []string{filepath.Dir(path), os.DevNull} {
		if s, err := Create(bad, true); err == nil {
			t.Errorf("Create(%q) = %v, want an error", bad, s)
		}
	}
}

// TestBegin holds that a session always has a place, and that names do not
// collide.
func TestBegin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	hdr := header()
	var names []string
	for range 3 {
		s, err := Begin(dir, &hdr)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		names = append(names, filepath.Base(s.Path()))
	}
	if made, _ := os.Stat(dir); runtime.GOOS != "windows" && made.Mode().Perm() != 0o700 {
		t.Errorf("the folder's mode is %v, want 0700", made.Mode())
	}
	if names[0] == names[1] || names[1] == names[2] || !strings.HasPrefix(names[0], "20261120-100000-s-") || !strings.HasSuffix(names[2], "-3"+Suffix) {
		t.Errorf("names %q", names)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	os.WriteFile(blocked, nil, 0o600)
	s, err := Begin(filepath.Join(blocked, "sessions"), &hdr)
	if err == nil || s == nil || s.Path() != "" {
		t.Fatalf("Begin below a file: %v, %v", s, err)
	}
	defer s.Close()
	if list := mustRead(t, recordAll(t, &script{}, s)); len(list) != 2 {
		t.Errorf("the session elsewhere has %d records", len(list))
	}
}

// TestOpenSpooled holds that packed files and pipes read as the file itself.
func TestOpenSpooled(t *testing.T) {
	want := fullSession(t)
	dir := t.TempDir()
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write(want)
	g.Close()
	z, _ := zstd.NewWriter(&zst)
	z.Write(want)
	z.Close()
	for name, c := range map[string]struct {
		data []byte
		ok   bool
	}{
		"a" + Suffix + ".gz":  {gz.Bytes(), true},
		"a" + Suffix + ".zst": {zst.Bytes(), true},
		"b" + Suffix + ".gz":  {gz.Bytes()[:gz.Len()/2], false},
		"b" + Suffix + ".zst": {zst.Bytes()[:zst.Len()/2], false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			err = waitEnd(t, f)
			if errors.Is(err, ErrFinished) != c.ok {
				t.Errorf("Wait: %v", err)
			}
			if got := contents(t, f); c.ok && !bytes.Equal(got, want) || !bytes.HasPrefix(want, got) {
				t.Errorf("read %d bytes that are not the file's %d", len(got), len(want))
			}
		})
	}
	r, w := io.Pipe()
	f := openSpool("-", r, r, 0)
	defer f.Close()
	w.Write(want[:10])
	if err := f.Wait(t.Context(), 0); err != nil || f.Size() != 10 {
		t.Errorf("after 10 bytes: %v, size %d", err, f.Size())
	}
	w.Write(want[10:])
	w.Close()
	if err := waitEnd(t, f); !errors.Is(err, ErrFinished) || !bytes.Equal(contents(t, f), want) {
		t.Errorf("the pipe read differently, %v", err)
	}
	bomb := openSpool("a.gz", bytes.NewReader(want), io.NopCloser(nil), int64(len(want)-1))
	defer bomb.Close()
	if err := waitEnd(t, bomb); !errors.Is(err, errBomb) || errors.Is(err, ErrUnpack) {
		t.Errorf("more than it may be: %v", err)
	}
}

// waitEnd waits until a log has ended and returns what Wait says.
func waitEnd(t *testing.T, log Log) error {
	for {
		if err := log.Wait(t.Context(), log.Size()); err != nil {
			return err
		}
	}
}

// TestOpenRefuses holds what is said of files that are not session files.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		path string
		is   error
		says string
	}{
		"missing": {filepath.Join(dir, "none"), fs.ErrNotExist, "none"},
		"folder":  {dir, ErrNotSession, "is a folder"},
		"empty":   {write("empty", ""), ErrNotSession, "it is empty"},
		"other":   {write("other", "\x7fELF\x00\n"), ErrNotSession, "binary"},
		"cut":     {write("cut", "\x00\x00{\"k\":\"f\",\"n\":7,\"b\":1}\n"), ErrNotSession, "sessions repair"},
		"newer":   {write("newer", `{"k":"hdr","fmt":"mcpcap","minv":3}`+"\n"), ErrNewer, "update"},
		"bad gz":  {write("bad.gz", "nonsense"), gzip.ErrHeader, "unpacking"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Open(c.path)
			if err == nil {
				f.Close()
			}
			if !errors.Is(err, c.is) && name != "bad gz" || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestServerName holds what sessions are called.
func TestServerName(t *testing.T) {
	for cmd, want := range map[string]string{
		"node s.js": "s", "npx -y @modelcontextprotocol/server-everything": "server-everything", "npx -y @x/y@1.2.3 stdio": "y",
		"uvx mcp-server-git": "mcp-server-git", "uv run server.py": "server", "/usr/bin/python3 -m mcp.server": "mcp.server", "./My Server": "my",
		"docker run -i image": "image", "npx": "npx", "": "server", "...": "server", "node --flag": "node", "go run ./cmd/é": "server",
		"wiretea demo --server slow": "wiretea", "env X=/a/mem.jsonl python3 s.py": "s", "/usr/bin/env -i -u HOME --chdir=/tmp A= B=c npx -y server": "server",
		"env A=b": "env", "python3 s.py A=b": "s",
		"docker run -i --rm -e TOKEN=secret -e OTHER --network=none -v /a:/b ghcr.io/x/y": "y", "A=b": "a-b",
	} {
		if got := ServerName(strings.Fields(cmd)); got != want {
			t.Errorf("ServerName(%q) = %q, want %q", cmd, got, want)
		}
	}
}

// TestDefaultDir holds that the folder is found without any environment.
func TestDefaultDir(t *testing.T) {
	t.Setenv("HOME", "/somewhere")
	t.Setenv("XDG_STATE_HOME", "/elsewhere")
	if dir, err := SessionsFolder(""); err != nil || filepath.ToSlash(dir) != "/somewhere/.local/state/wiretea/sessions" {
		t.Errorf("%q, %v", dir, err)
	}
	t.Setenv("HOME", "")
	if _, err := user.LookupId(strconv.Itoa(os.Getuid())); err != nil {
		t.Skip("the user database does not know who we are")
	}
	if dir, err := SessionsFolder(""); err != nil || !filepath.IsAbs(dir) {
		t.Errorf("without HOME: %q, %v", dir, err)
	}
}

func TestIsDescriptor(t *testing.T) {
	for path, want := range map[string]bool{
		"/dev/stdin": true, "/dev/stdout": true, "/dev/fd/3": true, "/dev/pts/1": true, "/proc/self/fd/1": true,
		"/dev/shm/s.mcpcap.jsonl": false, "/dev/null": false, "/home/dev/fd/3": false,
	} {
		if got := IsDescriptor(path); got != want {
			t.Errorf("IsDescriptor(%q) = %v, want %v", path, got, want)
		}
	}
}
